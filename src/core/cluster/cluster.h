// The nodes of the cluster, their topology, and who uses what of them.
//
// Owns: node table, resource names, shapes, the current Topology and the usage ledger. The ledger
// counts pods of *all* schedulers; an entry is either bound (the pod is on the node) or held (a
// member is planned there). Free is allocatable − bound − held and may be negative after
// allocatable fell; Slots() treats that as none.
//
// Thread rule: one thread; what is const may still bring the shape index up to date. A what-if
// copies the ledger and the shape index, not the topology.
#ifndef PHALANX_CORE_CLUSTER_CLUSTER_H_
#define PHALANX_CORE_CLUSTER_CLUSTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/ledger.h"
#include "core/cluster/node_filter.h"
#include "core/cluster/resources.h"
#include "core/cluster/shape_index.h"
#include "core/cluster/shapes.h"
#include "core/cluster/topology.h"
#include "phalanx/ids.h"
#include "phalanx/objects.h"
#include "phalanx/verdict.h"

namespace phalanx {

// A name in the node table. The id belongs to the name, because that is what pods are bound to:
// pods bound to a name are counted on the node of that name whether it was known before, after or
// in another incarnation.
struct NodeRecord {
  NodeObject object;  // as last seen; only the name once it is deleted
  Resources allocatable;
  LabelMap topology_labels;  // the part of the labels that is read as topology
  uint64_t incarnation = 0;  // counts the UIDs that the name had; a change makes another node
  bool present = false;      // false: deleted or never seen, but pods may name it
};

class Cluster {
 public:
  explicit Cluster(LabelMap node_scope = {});

  // A node with a new UID under an old name is a new node (next incarnation, same id): what was
  // planned on the old one is void, and its pods stay booked until they are removed.
  NodeId UpsertNode(const NodeObject& object);
  // No-op for an unknown name. Pods that are bound there stay booked until they are removed.
  void RemoveNode(std::string_view name);
  NodeId FindNode(std::string_view name) const;  // present nodes only; None otherwise
  // A node id for a name that may not be present (a pod can be bound to a node that is not known
  // yet, or no more).
  // REQUIRES: the name is not empty.
  NodeId NodeForName(std::string_view name);
  const NodeRecord& node(NodeId id) const { return nodes_[id.index()]; }
  size_t node_table_size() const { return nodes_.size(); }
  std::vector<NodeId> present_nodes() const;  // by name
  // Grows whenever a node comes or goes.
  uint64_t presence_changes() const { return presence_changes_; }

  // What objects declare about the topology, in the order in which they win a tie. Whether that is
  // something else than before.
  bool DeclareTopology(std::vector<DeclaredTopology> declared);
  std::span<const DeclaredTopology> declared() const { return declared_; }
  // Resources that all nodes share. Whether that is something else than before.
  bool DeclarePools(std::map<std::string, int64_t> pools);
  // Capacity by name.
  const std::map<std::string, int64_t>& pools() const { return pools_; }
  // bound + held of a resource on all nodes, those that are gone among them. O(nodes).
  int64_t UsedInAll(ResourceId resource) const;
  // Grows whenever RefreshTopology() would make a new generation, whether it was called or not.
  uint64_t topology_changes() const { return topology_changes_; }
  // Makes a new generation if nodes came or went, or their topology labels changed, or what is
  // declared; health and cordons do not count. O(nodes log nodes), O(1) if nothing changed.
  void RefreshTopology();
  // Whether there is nothing to refresh.
  bool topology_current() const { return !topology_stale_; }
  // REQUIRES: RefreshTopology() since the last change of a node.
  const Topology& topology() const { return *topology_; }

  ResourceNames& resources() { return resources_; }
  const ResourceNames& resources() const { return resources_; }
  ShapeTable& shapes() { return shapes_; }
  const ShapeTable& shapes() const { return shapes_; }
  Ledger& ledger() { return ledger_; }
  const Ledger& ledger() const { return ledger_; }

  // How many members of `shape` the node takes now: minimum over resources, 0 if filtered or
  // absent; at most kMaxGangSize. O(requested resources x resources of the node + filters).
  int64_t Slots(NodeId node, ShapeId shape) const { return Slots(node, shape, Resources()); }
  // The same with `taken` used besides.
  int64_t Slots(NodeId node, ShapeId shape, const Resources& taken) const;
  // The same for all hosts, kept up to date for the shapes in use; see shape_index.h.
  // REQUIRES: RefreshTopology() since the last change of a node.
  const SlotTree& SlotsOf(ShapeId shape) const { return index_.Slots(*this, shape); }
  const BlameTable& BlameOf(ShapeId shape) const { return index_.Blame(*this, shape); }
  // MB/s over the uplink of each domain, by id, of gangs that declare their traffic.
  // REQUIRES: RefreshTopology() since the last change of a node.
  const LinkUsage::Loads& LinkLoads() const { return ledger_.links().Of(*topology_, shapes_); }
  // Whether what is kept of it equals a recomputation. O(members x levels).
  bool CheckLinkLoads() const;
  const ShapeIndex& shape_index() const { return index_; }
  // Whether what is kept equals a recomputation, for the shape in use last. O(hosts).
  bool CheckShapeIndex() const { return topology_stale_ || index_.CheckLatest(*this); }
  // The same as Slots() against an empty, healthy node: what could ever be. Readiness, cordons and
  // taints under "node.kubernetes.io/" are passing states and do not count.
  int64_t SlotsWhenEmpty(NodeId node, ShapeId shape) const;
  // What the node has of a resource; one of each port of the host (phalanx/host_port.h), and any
  // amount of what nodes share (phalanx/shared_pool.h).
  int64_t Allocatable(NodeId node, ResourceId resource) const;
  // Whether no filter keeps members of the shape away from the node now; room does not count.
  bool Admits(NodeId node, ShapeId shape) const;
  // Free of one resource: negative after allocatable fell below what is used.
  int64_t Free(NodeId node, ResourceId resource) const;
  // Why Slots() is 0: the first cause in the order of ExclusionCause. nullopt if it is not 0.
  // REQUIRES: the node is present.
  using Out = HostOut;
  std::optional<Out> WhyOut(NodeId node, ShapeId shape) const;
  // The same without the text, for many nodes: allocates nothing. Equal causes of one shape have
  // equal values, but for taints, which are told apart by node.
  struct Blame {
    FilteredOut filter;   // its cause is the cause
    ResourceId resource;  // of a resource cause

    friend auto operator<=>(const Blame&, const Blame&) = default;
  };
  std::optional<Blame> Blamed(NodeId node, ShapeId shape) const;
  Out Describe(const Blame& blame) const;

 private:
  void NoteTopologyChange() {
    topology_stale_ = true;
    ++topology_changes_;
  }
  NodeRecord& RecordOf(NodeId id) { return nodes_[id.index()]; }
  // Parts of that size that the node still has: of shared devices and of idle ones.
  int64_t ShareSlots(NodeId id, const DeviceShare& share, const Resources& taken) const;

  LabelMap node_scope_;
  ResourceNames resources_;
  ShapeTable shapes_;
  Ledger ledger_;
  mutable ShapeIndex index_;  // a cache: const to callers
  std::vector<NodeRecord> nodes_;
  std::map<std::string, NodeId, std::less<>> node_by_name_;
  std::vector<DeclaredTopology> declared_;
  std::map<std::string, int64_t> pools_;
  std::shared_ptr<const Topology> topology_;
  bool topology_stale_ = true;
  uint64_t topology_changes_ = 0;
  uint64_t generation_ = 0;
  uint64_t presence_changes_ = 0;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_CLUSTER_H_
