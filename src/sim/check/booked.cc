#include "sim/check/booked.h"

#include <variant>

namespace phalanx::sim {
namespace {

bool Ended(const PodObject& object) {
  return object.phase == PodPhase::kSucceeded || object.phase == PodPhase::kFailed;
}

void Add(const QuantityMap& amounts, QuantityMap& sum) {
  for (const auto& [name, amount] : amounts) {
    if (amount > 0) sum[name] += amount;
  }
}

}  // namespace

void Booked::Follow(const Command& command) {
  std::visit([this](const auto& body) { On(body); }, command.body);
}

void Booked::Follow(const Outcome& outcome) {
  for (const Directive& directive : outcome.directives) {
    const auto* admit = std::get_if<Admit>(&directive.body);
    if (!admit) continue;
    for (const AdmitMember& member : admit->members) {
      auto it = pods_.find(member.pod_uid);
      if (it == pods_.end()) continue;
      it->second.plan = admit->plan;
      it->second.held_node = member.node;
    }
  }
}

void Booked::Clear() { *this = Booked(); }

void Booked::On(const Connect& connect) {
  if (connect.epoch <= epoch_) return;
  epoch_ = connect.epoch;
  synced_ = leading_ = false;
  in_flight_.clear();
  for (auto& [uid, pod] : pods_) pod.plan = 0;
  for (const auto& [name, node] : nodes_) unseen_nodes_.insert(name);
  for (const auto& [key, object] : objects_) unseen_objects_.insert(key);
}

void Booked::On(const Disconnect&) { synced_ = leading_ = false; }

// What is final stays, whatever an older copy says: the node, the end, the deletion.
void Booked::Take(const PodObject& object) {
  Pod& pod = pods_[object.uid];
  pod.object = object;
  pod.epoch = epoch_;
  if (pod.node.empty()) pod.node = object.node;
  pod.ended = pod.ended || Ended(object);
  if (pod.ended || !pod.node.empty()) pod.plan = 0;
}

void Booked::On(const Changes& changes) {
  for (const std::string& name : changes.removed_nodes) nodes_.erase(name);
  for (const NodeObject& node : changes.nodes) {
    nodes_[node.name] = node;
    unseen_nodes_.erase(node.name);
  }
  for (const RemovedObject& removed : changes.removed_objects) {
    auto it = objects_.find(removed.key);
    if (it != objects_.end() && it->second.uid == removed.uid) objects_.erase(it);
  }
  for (const ApiObject& object : changes.objects) {
    objects_[object.key] = object;
    unseen_objects_.erase(object.key);
  }
  for (const std::string& uid : changes.removed_pods) pods_.erase(uid);
  for (const PodObject& object : changes.pods) Take(object);
}

void Booked::On(const SyncDone&) {
  if (synced_ || epoch_ == 0) return;
  synced_ = true;
  for (const std::string& name : unseen_nodes_) nodes_.erase(name);
  for (const ObjectKey& key : unseen_objects_) objects_.erase(key);
  unseen_nodes_.clear();
  unseen_objects_.clear();
  std::erase_if(pods_, [this](const auto& pod) { return pod.second.epoch != epoch_; });
  for (const auto& [uid, fact] : in_flight_) {
    auto it = pods_.find(uid);
    if (it == pods_.end() || !it->second.node.empty() || it->second.ended) continue;
    it->second.plan = fact.plan;
    it->second.held_node = fact.node;
  }
  in_flight_.clear();
}

void Booked::On(const MemberFact& fact) {
  if (!synced_ && fact.state == MemberState::kBinding) in_flight_[fact.pod_uid] = fact;
  auto it = pods_.find(fact.pod_uid);
  if (it == pods_.end()) return;
  Pod& pod = it->second;
  if (fact.state == MemberState::kReturned && pod.plan == fact.plan) pod.plan = 0;
  if (fact.state == MemberState::kReturned && !synced_) in_flight_.erase(fact.pod_uid);
  if (fact.state != MemberState::kBound || !pod.node.empty()) return;
  pod.node = fact.node;
  pod.plan = 0;
}

const Booked::Pod* Booked::Find(const std::string& uid) const {
  auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : &it->second;
}

std::map<std::string, QuantityMap> Booked::Bound() const {
  std::map<std::string, QuantityMap> sums;
  for (const auto& [uid, pod] : pods_) {
    if (!pod.node.empty() && !pod.ended) Add(pod.object.requests, sums[pod.node]);
  }
  return sums;
}

std::map<std::string, QuantityMap> Booked::Held() const {
  std::map<std::string, QuantityMap> sums;
  for (const auto& [uid, pod] : pods_) {
    if (pod.plan != 0) Add(pod.object.requests, sums[pod.held_node]);
  }
  return sums;
}

}  // namespace phalanx::sim
