#include "sim/api_server.h"

#include <fmt/format.h>

namespace phalanx::sim {

void ApiServer::AddNode(NodeObject node) {
  node.uid = fmt::format("node-{}-{}", node.name, ++uids_);
  std::string name = node.name;
  nodes_[name] = std::move(node);
  TellNode(name);
}

void ApiServer::ChangeNode(const sim::ChangeNode& change) {
  auto it = nodes_.find(change.name);
  if (it == nodes_.end()) return;
  NodeObject& node = it->second;
  if (change.unschedulable) node.unschedulable = *change.unschedulable;
  if (change.ready) node.ready = *change.ready;
  for (const auto& [resource, quantity] : change.allocatable) node.allocatable[resource] = quantity;
  for (const auto& [key, value] : change.labels) {
    node.labels[key] = value;
    if (value.empty()) node.labels.erase(key);
  }
  if (change.clear_taints) node.taints.clear();
  node.taints.insert(node.taints.end(), change.taints.begin(), change.taints.end());
  TellNode(change.name);
}

void ApiServer::RemoveNode(const std::string& name) {
  if (nodes_.erase(name) > 0) TellNode(name);
}

void ApiServer::SetObject(const ObjectKey& key, const std::string& json) {
  StoredObject& object = objects_[key];
  if (object.uid.empty()) object.uid = fmt::format("object-{}", ++uids_);
  object.json = json;
  for (ApiObserver* observer : observers_) observer->ObjectChanged(key, &object);
}

void ApiServer::RemoveObject(const ObjectKey& key) {
  if (objects_.erase(key) == 0) return;
  for (ApiObserver* observer : observers_) observer->ObjectChanged(key, nullptr);
}

std::string ApiServer::CreatePod(const PodSpec& spec, int incarnation) {
  ApiPod pod{.spec = spec, .incarnation = incarnation};
  const bool first = incarnation == 1 || spec.keeps_name;
  pod.name = first ? spec.name : fmt::format("{}-r{}", spec.name, incarnation);
  pod.uid = fmt::format("{}-{}-{:06}", spec.ns, pod.name, ++uids_);
  // The API server counts creation times in seconds.
  pod.created = Time{(queue_.now() + wall_).ms / 1000 * 1000};
  std::string uid = pod.uid;
  newest_[pod.ScenarioName()] = uid;
  groups_[spec.group].insert(uid);
  if (!spec.node.empty()) {
    on_node_[spec.node].insert(uid);
    pod.bound_at = queue_.now() + wall_;
  }
  pods_.emplace(uid, std::move(pod));
  TellPod(uid);
  return uid;
}

std::optional<ApiError> ApiServer::Bind(const std::string& uid, const std::string& node,
                                        const std::optional<BoundPlan>& plan) {
  ApiPod* pod = Find(uid);
  if (!pod) return ApiError{404, fmt::format("pods \"{}\" not found", uid)};
  if (pod->deleting) return ApiError{409, "pod is being deleted, cannot be assigned to a host"};
  if (!pod->spec.node.empty()) {
    return ApiError{409, fmt::format("pod is already assigned to node \"{}\"", pod->spec.node)};
  }
  pod->spec.node = node;
  ++binds_;
  pod->plan = plan;
  pod->bound_at = queue_.now() + wall_;
  on_node_[node].insert(uid);
  TellPod(uid);
  return std::nullopt;
}

void ApiServer::MarkDeleting(const std::string& uid) {
  ApiPod* pod = Find(uid);
  if (!pod || pod->deleting) return;
  if (pod->spec.node.empty() || pod->Ended()) {
    RemovePod(uid);
    return;
  }
  pod->deleting = true;
  TellPod(uid);
}

void ApiServer::RemovePod(const std::string& uid) {
  auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  groups_[it->second.spec.group].erase(uid);
  on_node_[it->second.spec.node].erase(uid);
  if (it->second.phase == PodPhase::kSucceeded) spent_.insert(it->second.spec.group);
  pods_.erase(it);
  DropOwned(uid);
  TellPod(uid);
}

void ApiServer::SetPhase(const std::string& uid, PodPhase phase, const std::string& reason) {
  ApiPod* pod = Find(uid);
  if (!pod || pod->Ended() || pod->phase == phase) return;
  pod->phase = phase;
  pod->phase_reason = reason;
  if (pod->Ended()) on_node_[pod->spec.node].erase(uid);
  TellPod(uid);
}

void ApiServer::RemoveGates(const std::string& uid, const std::string& gate) {
  ApiPod* pod = Find(uid);
  if (!pod) return;
  std::erase_if(pod->spec.gates,
                [&](const std::string& name) { return gate.empty() || name == gate; });
  TellPod(uid);
}

void ApiServer::ChangePod(const std::string& uid, const ChangePods& change) {
  ApiPod* pod = Find(uid);
  if (!pod) return;
  for (const auto& [key, value] : change.labels) pod->spec.labels[key] = value;
  for (const auto& [name, quantity] : change.requests) pod->spec.requests[name] = quantity;
  if (change.priority) pod->spec.priority = *change.priority;
  TellPod(uid);
}

DirectiveResult ApiServer::MakeGang(const GangObject& object) {
  if (!serves_gangs_) return {0, false, 404, "the server has no gangs", true};
  ApiGang& gang = gangs_[object.gang];
  gang.owners = object.owners;
  ++gang.writes;
  return {0, true, 201, "", false};
}

DirectiveResult ApiServer::ShowGang(const GangReport& report) {
  if (!serves_gangs_) return {0, false, 404, "the server has no gangs", true};
  auto it = gangs_.find(report.object.gang);
  if (it == gangs_.end()) return {0, false, 404, "gang not found", false};
  ++it->second.writes;
  it->second.status = report;
  return {0, true, 200, "", false};
}

DirectiveResult ApiServer::DropGang(const GangKey& gang) {
  gangs_.erase(gang);
  return {0, true, 200, "", false};
}

void ApiServer::DropOwned(const std::string& owner_uid) {
  for (auto it = gangs_.begin(); it != gangs_.end();) {
    std::vector<OwnerRef>& owners = it->second.owners;
    const bool owned =
        std::erase_if(owners, [&](const OwnerRef& owner) { return owner.uid == owner_uid; }) > 0;
    it = owned && owners.empty() ? gangs_.erase(it) : std::next(it);
  }
}

void ApiServer::SetWaits(const std::string& uid) {
  ApiPod* pod = Find(uid);
  if (!pod || !pod->spec.node.empty()) return;
  pod->told = true;
  TellPod(uid);
}

void ApiServer::ServeGangs(bool serve) {
  serves_gangs_ = serve;
  if (!serve) gangs_.clear();
}

const NodeObject* ApiServer::FindNode(const std::string& name) const {
  auto it = nodes_.find(name);
  return it == nodes_.end() ? nullptr : &it->second;
}

const ApiPod* ApiServer::FindPod(const std::string& uid) const {
  auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : &it->second;
}

ApiPod* ApiServer::Find(const std::string& uid) {
  auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : &it->second;
}

const ApiPod* ApiServer::FindByScenarioName(const std::string& name) const {
  auto it = newest_.find(name);
  return it == newest_.end() ? nullptr : FindPod(it->second);
}

std::vector<const ApiPod*> ApiServer::PodsOfGroup(const std::string& group) const {
  std::vector<const ApiPod*> out;
  auto it = groups_.find(group);
  if (it == groups_.end()) return out;
  for (const std::string& uid : it->second) out.push_back(FindPod(uid));
  return out;
}

std::vector<std::string> ApiServer::Matching(const PodSelector& selector) const {
  std::vector<std::string> uids;
  for (const auto& [uid, pod] : pods_) {
    if (selector.Matches(pod.spec.group, pod.ScenarioName())) uids.push_back(uid);
  }
  return uids;
}

std::vector<const ApiPod*> ApiServer::PodsOn(const std::string& node) const {
  std::vector<const ApiPod*> pods;
  auto it = on_node_.find(node);
  if (it == on_node_.end()) return pods;
  for (const std::string& uid : it->second) pods.push_back(FindPod(uid));
  return pods;
}

QuantityMap ApiServer::UsedOn(const std::string& node) const {
  QuantityMap used;
  for (const ApiPod* pod : PodsOn(node)) {
    for (const auto& [name, quantity] : pod->spec.requests) used[name] += quantity;
  }
  return used;
}

void ApiServer::TellNode(const std::string& name) {
  for (ApiObserver* observer : observers_) observer->NodeChanged(name, FindNode(name));
}

void ApiServer::TellPod(const std::string& uid) {
  for (ApiObserver* observer : observers_) observer->PodChanged(uid, FindPod(uid));
}

}  // namespace phalanx::sim
