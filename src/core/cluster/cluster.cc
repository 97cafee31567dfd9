#include "core/cluster/cluster.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/cluster/node_filter.h"
#include "core/cluster/topology_labels.h"
#include "phalanx/host_port.h"

namespace phalanx {
namespace {

LabelMap TopologyLabels(const LabelMap& labels, std::span<const DeclaredTopology> declared) {
  LabelMap out;
  for (const auto& [key, value] : labels) {
    if (IsTopologyLabel(key, declared)) out.emplace_hint(out.end(), key, value);
  }
  return out;
}

}  // namespace

Cluster::Cluster(LabelMap node_scope) : node_scope_(std::move(node_scope)) { RefreshTopology(); }

NodeId Cluster::UpsertNode(const NodeObject& object) {
  const NodeId id = NodeForName(object.name);
  NodeRecord& record = RecordOf(id);
  const bool new_node = !record.present || record.object.uid != object.uid;
  if (new_node) ++record.incarnation;
  if (new_node || record.object.labels != object.labels) {
    LabelMap topology_labels = TopologyLabels(object.labels, declared_);
    if (new_node || topology_labels != record.topology_labels) NoteTopologyChange();
    record.topology_labels = std::move(topology_labels);
  }
  if (!record.present) ++presence_changes_;
  record.present = true;
  record.object = object;
  record.allocatable = Resources::From(object.allocatable, resources_);
  ledger_.changes().Note(id);
  return id;
}

void Cluster::RemoveNode(std::string_view name) {
  const NodeId id = FindNode(name);
  if (!id.valid()) return;
  NodeRecord& record = RecordOf(id);
  NodeRecord gone;
  gone.object.name = record.object.name;
  gone.incarnation = record.incarnation;
  record = std::move(gone);
  ++presence_changes_;
  NoteTopologyChange();
  ledger_.changes().Note(id);
}

NodeId Cluster::FindNode(std::string_view name) const {
  const auto it = node_by_name_.find(name);
  return it != node_by_name_.end() && node(it->second).present ? it->second : NodeId::None();
}

NodeId Cluster::NodeForName(std::string_view name) {
  PHALANX_CHECK(!name.empty(), "a node without a name");
  const auto it = node_by_name_.find(name);
  if (it != node_by_name_.end()) return it->second;
  const NodeId id(static_cast<uint32_t>(nodes_.size()));
  nodes_.emplace_back().object.name = name;
  node_by_name_.emplace(name, id);
  return id;
}

std::vector<NodeId> Cluster::present_nodes() const {
  std::vector<NodeId> out;
  for (const auto& [name, id] : node_by_name_) {
    if (node(id).present) out.push_back(id);
  }
  return out;
}

bool Cluster::DeclareTopology(std::vector<DeclaredTopology> declared) {
  if (declared == declared_) return false;
  declared_ = std::move(declared);
  for (NodeRecord& record : nodes_) {
    record.topology_labels = TopologyLabels(record.object.labels, declared_);
  }
  NoteTopologyChange();
  return true;
}

bool Cluster::DeclarePools(std::map<std::string, int64_t> pools) {
  if (pools == pools_) return false;
  pools_ = std::move(pools);
  return true;
}

int64_t Cluster::UsedInAll(ResourceId resource) const {
  int64_t used = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) used += ledger_.Used(NodeId(i), resource);
  return used;
}

void Cluster::RefreshTopology() {
  if (!topology_stale_) return;
  std::vector<TopologyInput> inputs;
  for (const NodeId id : present_nodes()) {
    inputs.push_back({id, node(id).object.name, &node(id).topology_labels});
  }
  topology_ = BuildTopology(inputs, ++generation_, declared_);
  topology_stale_ = false;
}

int64_t Cluster::Allocatable(NodeId id, ResourceId resource) const {
  const int64_t amount = node(id).allocatable.Get(resource);
  if (amount > 0) return amount;
  const std::string& name = resources_.Name(resource);
  if (IsSharedPool(name)) return kMaxQuantity;
  return IsHostPort(name) ? 1 : 0;
}

int64_t Cluster::Free(NodeId id, ResourceId resource) const {
  return Allocatable(id, resource) - ledger_.Used(id, resource);
}

int64_t Cluster::Slots(NodeId id, ShapeId shape_id, const Resources& taken) const {
  const NodeRecord& record = node(id);
  if (!record.present) return 0;
  const Shape& shape = shapes_.Get(shape_id);
  int64_t slots = kMaxGangSize;
  for (const auto& [resource, amount] : shape.request.entries()) {
    const int64_t free = Free(id, resource) - taken.Get(resource);
    if (free < amount) return 0;
    slots = std::min(slots, free / amount);
  }
  if (shape.request.share().Any()) {
    slots = std::min(slots, ShareSlots(id, shape.request.share(), taken));
  }
  return FilterNode(record.object, shape, node_scope_, FilterScope::kNow) ? 0 : slots;
}

bool Cluster::CheckLinkLoads() const {
  return topology_stale_ || LinkLoads() == ledger_.links().Recompute(*topology_, shapes_);
}

bool Cluster::Admits(NodeId id, ShapeId shape) const {
  const NodeRecord& record = node(id);
  return record.present &&
         !FilterNode(record.object, shapes_.Get(shape), node_scope_, FilterScope::kNow);
}

int64_t Cluster::ShareSlots(NodeId id, const DeviceShare& share, const Resources& taken) const {
  const int64_t idle = Free(id, share.device) - taken.Get(share.device);
  return ledger_.shared().Slots(id, share) +
         std::max<int64_t>(idle, 0) * (kWholeDevice / share.milli);
}

int64_t Cluster::SlotsWhenEmpty(NodeId id, ShapeId shape_id) const {
  const NodeRecord& record = node(id);
  if (!record.present) return 0;
  const Shape& shape = shapes_.Get(shape_id);
  int64_t slots = kMaxGangSize;
  for (const auto& [resource, amount] : shape.request.entries()) {
    slots = std::min(slots, Allocatable(id, resource) / amount);
  }
  if (const DeviceShare& share = shape.request.share(); share.Any()) {
    slots = std::min(slots, record.allocatable.Get(share.device) * (kWholeDevice / share.milli));
  }
  return FilterNode(record.object, shape, node_scope_, FilterScope::kEver) ? 0 : slots;
}

std::optional<Cluster::Out> Cluster::WhyOut(NodeId id, ShapeId shape) const {
  const auto blame = Blamed(id, shape);
  if (!blame) return std::nullopt;
  return Describe(*blame);
}

std::optional<Cluster::Blame> Cluster::Blamed(NodeId id, ShapeId shape_id) const {
  const NodeRecord& record = node(id);
  PHALANX_CHECK(record.present, "node {} is gone", record.object.name);
  const Shape& shape = shapes_.Get(shape_id);
  if (const auto out = FilterNode(record.object, shape, node_scope_, FilterScope::kNow)) {
    return Blame{*out, ResourceId::None()};
  }
  // The first by name is blamed, so that the answer does not depend on the order of arrival.
  std::optional<Blame> first;
  for (const auto& [resource, amount] : shape.request.entries()) {
    if (Free(id, resource) >= amount) continue;
    const bool absent = Allocatable(id, resource) < amount;
    const auto cause = absent ? ExclusionCause::kResourceAbsent : ExclusionCause::kResourceInUse;
    const bool before = !first || cause < first->filter.cause ||
                        (cause == first->filter.cause &&
                         resources_.Name(resource) < resources_.Name(first->resource));
    if (before) first = Blame{FilteredOut{cause}, resource};
  }
  const DeviceShare& share = shape.request.share();
  if (!first && share.Any() && ShareSlots(id, share, Resources()) == 0) {
    const bool absent = record.allocatable.Get(share.device) == 0;
    const auto cause = absent ? ExclusionCause::kResourceAbsent : ExclusionCause::kResourceInUse;
    first = Blame{FilteredOut{cause}, share.device};
  }
  return first;
}

Cluster::Out Cluster::Describe(const Blame& blame) const {
  return {blame.filter.cause,
          blame.resource.valid() ? resources_.Name(blame.resource) : FilterDetail(blame.filter)};
}

}  // namespace phalanx
