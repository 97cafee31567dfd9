// The topology graph: an immutable forest of domains over hosts, one value per generation.
//
// Levels run from coarse to fine; every host is a leaf. A host that lacks a level belongs to no
// domain there, so the parent of a domain is its nearest present coarser domain:
//
//     cluster (root, DomainId 0, no level)
//     ├── zone a
//     │   ├── spine s1
//     │   │   ├── leaf l1 ── hosts 0..3
//     │   │   └── leaf l2 ── hosts 4..7
//     │   └── host 8                        (carries a zone label only)
//     └── host 9                            (carries no topology label)
//
// A domain's identity is its path, so the same label value under two parents is two domains.
// Domains are numbered depth first (a parent before its children, siblings by name; hosts directly
// below a domain come after its sub-domains), and so are hosts: a domain is a range of hosts. These
// numbers are the tie order and the rank order of every placement, and do not depend on the order
// in which nodes arrived.
//
// A level that does not nest in the others is cut by path in the tree; its true domains are beside
// it (crossing.h).
//
// Health, cordons and usage are not topology.
#ifndef PHALANX_CORE_CLUSTER_TOPOLOGY_H_
#define PHALANX_CORE_CLUSTER_TOPOLOGY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/crossing.h"
#include "phalanx/ids.h"
#include "phalanx/objects.h"

namespace phalanx {

class Topology {
 public:
  struct Level {
    std::string name;       // "zone", "spine", "leaf", "rack", "nvlink"
    std::string label_key;  // the node label that it was read from
    Uplink uplink = {};     // of each of its domains
  };

  struct Domain {
    std::string name;  // the label value
    LevelId level;     // None for the root
    DomainId parent;   // None for the root
    HostId first_host;
    uint32_t host_count = 0;
    std::vector<DomainId> children;  // in order; hosts directly below are not listed
  };

  struct Host {
    NodeId node;
    std::string name;
    DomainId parent;  // the finest domain that it belongs to; the root if none
  };

  static constexpr size_t kMaxLevels = 16;

  std::span<const Level> levels() const { return levels_; }
  std::span<const Domain> domains() const { return domains_; }
  std::span<const Host> hosts() const { return hosts_; }
  const Domain& domain(DomainId id) const { return domains_[id.index()]; }
  const Host& host(HostId id) const { return hosts_[id.index()]; }
  DomainId root() const { return DomainId(0); }
  // Of the edge from a domain to its parent; the root has none.
  Uplink UplinkOf(DomainId id) const {
    const LevelId level = domain(id).level;
    return level.valid() ? levels_[level.index()].uplink : Uplink();
  }
  // Whether any level declares one.
  bool HasUplinks() const;
  uint64_t generation() const { return generation_; }

  // By level name or node label key (the finest level that reads the key). "host" and
  // "kubernetes.io/hostname" name the host level, whose id is levels().size(). None if unknown.
  LevelId FindLevel(std::string_view name_or_key) const;
  LevelId host_level() const { return LevelId(static_cast<uint32_t>(levels_.size())); }
  // The domain of `host` at `level`, None if it has none there or `level` is the host level.
  // O(levels).
  DomainId DomainAt(HostId host, LevelId level) const;
  // The true domains of a level that crosses the tree; nullptr of all others.
  const Crossing* CrossingOf(LevelId level) const;
  // All domains of a level, in depth-first order.
  std::span<const DomainId> DomainsAt(LevelId level) const { return by_level_[level.index()]; }
  HostId HostOf(NodeId node) const;  // None if the node is not in this generation
  // "zone-a/spine-1/leaf-2"; "" for the root. Missing levels leave no trace.
  std::string Path(DomainId id) const;
  // The finest domain that contains all `hosts`; the root for none.
  DomainId CommonDomain(std::span<const HostId> hosts) const;

 private:
  friend class TopologyBuilder;
  uint64_t generation_ = 0;
  std::vector<Level> levels_;
  std::vector<Domain> domains_;
  std::vector<Host> hosts_;
  std::vector<std::vector<DomainId>> by_level_;
  std::vector<HostId> host_of_node_;
  std::vector<Crossing> crossings_;  // by level
};

// One node for the builder: its id, name and labels.
struct TopologyInput {
  NodeId node;
  std::string_view name;
  const LabelMap* labels = nullptr;
};

// Reads the levels from well-known node labels without configuration (topology_labels.h): one
// fabric scheme per cluster, the one that most nodes carry; the NVLink clique "PREFIX.N" gives the
// levels rack (PREFIX) and nvlink (whole value). An empty value is a missing level. O(nodes log
// nodes). Input order does not matter. What objects declare comes before that.
std::shared_ptr<const Topology> BuildTopology(std::span<const TopologyInput> nodes,
                                              uint64_t generation,
                                              std::span<const DeclaredTopology> declared = {});

}  // namespace phalanx

#endif  // PHALANX_CORE_CLUSTER_TOPOLOGY_H_
