// The adapter's view of the cluster, behind the API server by the latency of its watches, and what
// it tells the brain of it.
#ifndef PHALANX_SIM_MIRROR_H_
#define PHALANX_SIM_MIRROR_H_

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "phalanx/command.h"
#include "sim/api_server.h"
#include "sim/link.h"
#include "sim/settings.h"

namespace phalanx::sim {

class Mirror : public ApiObserver {
 public:
  Mirror(EventQueue& queue, ApiServer& api, Link& link, const EngineConfig& config,
         Settings& settings, Jitter& jitter);

  void NodeChanged(const std::string& name, const NodeObject* node) override;
  void PodChanged(const std::string& uid, const ApiPod* pod) override;
  void ObjectChanged(const ObjectKey& key, const StoredObject* object) override;

  // Sends everything that it knows of; from here on changes follow. Without Stop() in between it
  // starts anew.
  void SendSnapshot();
  // Nothing is sent until the next snapshot; the watches go on.
  void Stop() { running_ = false; }

  // As known here.
  const std::map<std::string, NodeObject>& nodes() const { return nodes_; }
  const std::map<std::string, PodObject>& pods() const { return pods_; }
  const std::map<ObjectKey, ApiObject>& objects() const { return objects_; }

 private:
  struct Pending {
    Time due;
    std::string key;  // name of a node, UID of a pod
    bool is_pod = false;
    std::optional<NodeObject> node;
    std::optional<PodObject> pod;
    // Then it is about an object, and not about a node or a pod.
    std::optional<ObjectKey> object_key = {};
    std::optional<ApiObject> object = {};
  };
  void Enqueue(Pending change);
  void Flush();
  void Note(const Changes& changes);
  void Relist();

  EventQueue& queue_;
  ApiServer& api_;
  Link& link_;
  const EngineConfig& config_;
  Settings& settings_;
  Jitter& jitter_;
  bool running_ = false;
  std::deque<Pending> pending_;
  std::map<std::string, NodeObject> nodes_;
  std::map<std::string, PodObject> pods_;
  std::map<ObjectKey, ApiObject> objects_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_MIRROR_H_
