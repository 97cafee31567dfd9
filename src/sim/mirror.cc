#include "sim/mirror.h"

#include "sim/pod_object.h"

namespace phalanx::sim {

Mirror::Mirror(EventQueue& queue, ApiServer& api, Link& link, const EngineConfig& config,
               Settings& settings, Jitter& jitter)
    : queue_(queue), api_(api), link_(link), config_(config), settings_(settings), jitter_(jitter) {
  api_.Watch(this);
}

void Mirror::NodeChanged(const std::string& name, const NodeObject* node) {
  Pending change{.due = {}, .key = name, .is_pod = false, .node = {}, .pod = {}};
  if (node) change.node = *node;
  Enqueue(std::move(change));
}

void Mirror::PodChanged(const std::string& uid, const ApiPod* pod) {
  Pending change{.due = {}, .key = uid, .is_pod = true, .node = {}, .pod = {}};
  if (pod && IsSent(*pod)) change.pod = ToPodObject(*pod, config_.accelerators);
  Enqueue(std::move(change));
}

void Mirror::ObjectChanged(const ObjectKey& key, const StoredObject* object) {
  Pending change{.due = {}, .key = {}, .is_pod = false, .node = {}, .pod = {}};
  change.object_key = key;
  if (object) change.object = ToApiObject(key, *object);
  Enqueue(std::move(change));
}

void Mirror::Enqueue(Pending change) {
  change.due = queue_.now() + jitter_(settings_.watch);
  // A watch keeps its order.
  if (!pending_.empty() && change.due < pending_.back().due) change.due = pending_.back().due;
  bool scheduled = !pending_.empty() && pending_.back().due == change.due;
  Time due = change.due;
  pending_.push_back(std::move(change));
  if (!scheduled) queue_.At(due, [this] { Flush(); });
}

void Mirror::Flush() {
  Changes changes;
  std::map<std::string, NodeObject> nodes;
  std::map<std::string, PodObject> pods;
  std::map<ObjectKey, std::optional<ApiObject>> objects;
  std::map<std::string, bool> order;  // the last change of a key counts
  for (; !pending_.empty() && pending_.front().due <= queue_.now(); pending_.pop_front()) {
    Pending& change = pending_.front();
    if (change.object_key) {
      objects[*change.object_key] = std::move(change.object);
    } else if (change.is_pod) {
      pods.erase(change.key);
      if (change.pod) pods.emplace(change.key, std::move(*change.pod));
      if (!change.pod && pods_.contains(change.key)) order["p" + change.key] = true;
    } else {
      nodes.erase(change.key);
      if (change.node) nodes.emplace(change.key, std::move(*change.node));
      if (!change.node && nodes_.contains(change.key)) order["n" + change.key] = true;
    }
  }
  for (const auto& [key, removed] : order) {
    std::string name = key.substr(1);
    bool is_pod = key[0] == 'p';
    if (is_pod && !pods.contains(name)) changes.removed_pods.push_back(name);
    if (!is_pod && !nodes.contains(name)) changes.removed_nodes.push_back(name);
  }
  for (auto& [key, object] : objects) {
    if (object) {
      changes.objects.push_back(*std::move(object));
    } else if (auto sent = objects_.find(key); sent != objects_.end()) {
      changes.removed_objects.push_back({key, sent->second.uid});
    }
  }
  for (auto& [name, node] : nodes) changes.nodes.push_back(std::move(node));
  for (auto& [uid, pod] : pods) changes.pods.push_back(std::move(pod));
  Note(changes);
  const bool nothing = changes.removed_nodes.empty() && changes.removed_objects.empty() &&
                       changes.removed_pods.empty() && changes.nodes.empty() &&
                       changes.objects.empty() && changes.pods.empty();
  if (running_ && !nothing) link_.UpInOrder(changes);
}

void Mirror::Note(const Changes& changes) {
  for (const std::string& name : changes.removed_nodes) nodes_.erase(name);
  for (const std::string& uid : changes.removed_pods) pods_.erase(uid);
  for (const RemovedObject& removed : changes.removed_objects) objects_.erase(removed.key);
  for (const ApiObject& object : changes.objects) objects_[object.key] = object;
  for (const NodeObject& node : changes.nodes) nodes_[node.name] = node;
  for (const PodObject& pod : changes.pods) pods_[pod.uid] = pod;
}

// Watches without latency are never behind.
void Mirror::Relist() {
  pending_.clear();
  nodes_ = api_.nodes();
  objects_.clear();
  pods_.clear();
  for (const auto& [key, object] : api_.objects()) objects_[key] = ToApiObject(key, object);
  for (const auto& [uid, pod] : api_.pods()) {
    if (IsSent(pod)) pods_[uid] = ToPodObject(pod, config_.accelerators);
  }
}

void Mirror::SendSnapshot() {
  running_ = true;
  if (settings_.watch.ms == 0) Relist();
  Changes snapshot;
  for (const auto& [name, node] : nodes_) snapshot.nodes.push_back(node);
  for (const auto& [key, object] : objects_) snapshot.objects.push_back(object);
  for (const auto& [uid, pod] : pods_) snapshot.pods.push_back(pod);
  link_.UpInOrder(snapshot);
}

}  // namespace phalanx::sim
