// The simulated API server: the truth about nodes and pods, and nothing but the rules of the API.
//
// Writes take effect at once; watchers hear of them at once and add their own latency.
#ifndef PHALANX_SIM_API_SERVER_H_
#define PHALANX_SIM_API_SERVER_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "phalanx/command.h"
#include "phalanx/gang_report.h"
#include "phalanx/objects.h"
#include "sim/event_queue.h"
#include "sim/scenario.h"

namespace phalanx::sim {

struct ApiPod {
  PodSpec spec;  // name: of the first incarnation, which the scenario uses for all of them
  std::string uid = {};
  std::string name = {};  // of this incarnation
  int incarnation = 1;    // 2: made again by its Job
  Time created = {};
  PodPhase phase = PodPhase::kPending;
  std::string phase_reason = {};
  bool deleting = false;
  std::optional<BoundPlan> plan = {};
  Time bound_at = {};
  bool told = false;  // its condition says that it waits for its gang

  std::string ScenarioName() const { return spec.ns + "/" + spec.name; }
  bool Ended() const { return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed; }
  bool TakesRoom() const { return !spec.node.empty() && !Ended(); }
};

// A Gang object.
struct ApiGang {
  std::vector<OwnerRef> owners = {};
  std::optional<GangReport> status = {};  // the last one that was written
  int64_t writes = 0;                     // of the object and its status
};

// An object of a kind that the brain wants.
struct StoredObject {
  std::string uid;
  std::string json;
};

class ApiObserver {
 public:
  virtual ~ApiObserver() = default;
  // The object is as the server has it now; nullptr: it is gone.
  virtual void NodeChanged(const std::string& name, const NodeObject* node) = 0;
  virtual void PodChanged(const std::string& uid, const ApiPod* pod) = 0;
  virtual void ObjectChanged(const ObjectKey& /*key*/, const StoredObject* /*object*/) {}
};

struct ApiError {
  int32_t code = 0;
  std::string message;
};

class ApiServer {
 public:
  explicit ApiServer(EventQueue& queue) : queue_(queue) {}

  // The clock by which objects are stamped.
  void JumpClock(Duration by) { wall_ = wall_ + by; }

  void Watch(ApiObserver* observer) { observers_.push_back(observer); }

  void AddNode(NodeObject node);  // gets a new UID
  void ChangeNode(const ChangeNode& change);
  void RemoveNode(const std::string& name);

  // Makes the object, or changes it.
  void SetObject(const ObjectKey& key, const std::string& json);
  void RemoveObject(const ObjectKey& key);

  std::string CreatePod(const PodSpec& spec, int incarnation = 1);
  // The rules of a Binding: the pod exists, is not being deleted and is not bound. The server does
  // not look at the node.
  std::optional<ApiError> Bind(const std::string& uid, const std::string& node,
                               const std::optional<BoundPlan>& plan);
  // The first step of a deletion of a bound pod; one that is not bound is removed at once.
  void MarkDeleting(const std::string& uid);
  void RemovePod(const std::string& uid);
  void SetPhase(const std::string& uid, PodPhase phase, const std::string& reason);
  void RemoveGates(const std::string& uid, const std::string& gate);
  void ChangePod(const std::string& uid, const ChangePods& change);

  // 404 of a kind that is not installed is told by `kind_missing`.
  DirectiveResult MakeGang(const GangObject& object);
  DirectiveResult ShowGang(const GangReport& report);
  DirectiveResult DropGang(const GangKey& gang);
  // The garbage collector: an object goes with the last of its owners.
  void DropOwned(const std::string& owner_uid);
  void SetWaits(const std::string& uid);
  void ServeGangs(bool serve);

  const std::map<GangKey, ApiGang>& gangs() const { return gangs_; }
  const std::map<std::string, NodeObject>& nodes() const { return nodes_; }
  const std::map<ObjectKey, StoredObject>& objects() const { return objects_; }
  const NodeObject* FindNode(const std::string& name) const;
  const std::map<std::string, ApiPod>& pods() const { return pods_; }  // by UID
  const ApiPod* FindPod(const std::string& uid) const;
  // The newest incarnation of the pod that the scenario calls "NS/NAME"; it may be gone.
  const ApiPod* FindByScenarioName(const std::string& name) const;
  // Present pods of a gang or job, by UID.
  std::vector<const ApiPod*> PodsOfGroup(const std::string& group) const;
  // Groups that can't be whole again: members that had succeeded were deleted.
  const std::set<std::string>& spent() const { return spent_; }
  int64_t binds() const { return binds_; }  // Bindings that were made
  std::vector<std::string> Matching(const PodSelector& selector) const;
  // Pods that take room on the node, by UID.
  std::vector<const ApiPod*> PodsOn(const std::string& node) const;
  // What they take in all.
  QuantityMap UsedOn(const std::string& node) const;

 private:
  void TellNode(const std::string& name);
  void TellPod(const std::string& uid);
  ApiPod* Find(const std::string& uid);

  EventQueue& queue_;
  std::vector<ApiObserver*> observers_;
  std::map<std::string, NodeObject> nodes_;
  std::map<ObjectKey, StoredObject> objects_;
  std::map<std::string, ApiPod> pods_;
  std::map<std::string, std::string> newest_;             // scenario name -> UID
  std::map<std::string, std::set<std::string>> groups_;   // group -> UIDs
  std::map<std::string, std::set<std::string>> on_node_;  // node -> UIDs of pods that take room
  std::map<GangKey, ApiGang> gangs_;
  bool serves_gangs_ = true;
  Duration wall_;  // by how much its clock is ahead
  int64_t uids_ = 0;
  int64_t binds_ = 0;
  std::set<std::string> spent_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_API_SERVER_H_
