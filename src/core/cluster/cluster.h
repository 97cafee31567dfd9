// The nodes of the cluster, their topology, and who uses what of them.
//
// Owns: node table, resource names, shapes, the current Topology and the usage ledger. The ledger
// counts pods of *all* schedulers; an entry is either bound (the pod is on the node) or held (a
// member is planned there). Free is allocatable − bound − held and may be negative after
// allocatable fell; Slots() treats that as none.
//
// Thread rule: one writer. Copies are cheap (a what-if copies the ledger, not the topology).
#ifndef PHALANX_CORE_CLUSTER_CLUSTER_H_
#define PHALANX_CORE_CLUSTER_CLUSTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/ledger.h"
#include "core/cluster/resources.h"
#include "core/cluster/shapes.h"
#include "core/cluster/topology.h"
#include "phalanx/ids.h"
#include "phalanx/objects.h"
#include "phalanx/verdict.h"

namespace phalanx {

struct NodeRecord {
  NodeObject object;  // labels, taints, readiness as last seen
  Resources allocatable;
  bool present = false;  // false: deleted, but bound pods still name it
};

class Cluster {
 public:
  explicit Cluster(LabelMap node_scope = {});

  // A node with a new UID under an old name is a new node: the old one is removed first.
  NodeId UpsertNode(const NodeObject& object);
  // No-op for an unknown name. Pods that are bound there stay booked until they are removed.
  void RemoveNode(std::string_view name);
  NodeId FindNode(std::string_view name) const;  // present nodes only; None otherwise
  // A node id for a name that may not be present (a pod can be bound to a node that is not known
  // yet, or no more).
  NodeId NodeForName(std::string_view name);
  const NodeRecord& node(NodeId id) const { return nodes_[id.index()]; }
  size_t node_table_size() const { return nodes_.size(); }
  std::vector<NodeId> present_nodes() const;  // by name

  // Makes a new generation if nodes came or went or their topology labels changed; health and
  // cordons do not count. O(nodes log nodes), O(1) if nothing changed.
  void RefreshTopology();
  // REQUIRES: RefreshTopology() since the last change of a node.
  const Topology& topology() const { return *topology_; }

  ResourceNames& resources() { return resources_; }
  const ResourceNames& resources() const { return resources_; }
  ShapeTable& shapes() { return shapes_; }
  const ShapeTable& shapes() const { return shapes_; }
  Ledger& ledger() { return ledger_; }
  const Ledger& ledger() const { return ledger_; }

  // How many members of `shape` the node takes now: minimum over resources, 0 if filtered.
  int64_t Slots(NodeId node, ShapeId shape) const;
  // The same against an empty node: what could ever be.
  int64_t SlotsWhenEmpty(NodeId node, ShapeId shape) const;
  // Why Slots() is 0: the first cause in the order of ExclusionCause. nullopt if it is not 0.
  struct Out {
    ExclusionCause cause;
    std::string detail;
  };
  std::optional<Out> WhyOut(NodeId node, ShapeId shape) const;

 private:
  LabelMap node_scope_;
  ResourceNames resources_;
  ShapeTable shapes_;
  Ledger ledger_;
  std::vector<NodeRecord> nodes_;
  std::map<std::string, NodeId, std::less<>> node_by_name_;
  std::shared_ptr<const Topology> topology_;
  bool topology_stale_ = true;
  uint64_t generation_ = 0;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_CLUSTER_H_
