#include "core/cluster/shape_index.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/cluster/cluster.h"

namespace phalanx {
namespace {

// Nodes whose rows are to be made again; nullopt: all of them.
using Changes = std::optional<std::span<const NodeId>>;

int32_t SlotsNow(const Cluster& cluster, ShapeId shape, NodeId node) {
  return static_cast<int32_t>(cluster.Slots(node, shape));
}

SlotTree AllSlotsNow(const Cluster& cluster, ShapeId shape) {
  std::vector<int32_t> slots;
  slots.reserve(cluster.topology().hosts().size());
  for (const Topology::Host& host : cluster.topology().hosts()) {
    slots.push_back(SlotsNow(cluster, shape, host.node));
  }
  return SlotTree(cluster.topology(), std::move(slots));
}

}  // namespace

// Fills the rows of one blame table.
class ShapeIndex::Blamer {
 public:
  Blamer(const Cluster& cluster, Entry& entry)
      : cluster_(cluster),
        topology_(cluster.topology()),
        request_(cluster.shapes().Get(entry.shape).request),
        entry_(entry) {}

  void MakeAll() {
    BlameTable& table = entry_.blame;
    const size_t hosts = topology_.hosts().size();
    table = BlameTable{};
    table.causes.resize(1);
    entry_.cause_ids.clear();
    table.cause.resize(hosts);
    std::vector<int32_t> ever(hosts);
    std::vector<std::vector<int64_t>> free(request_.entries().size(), std::vector<int64_t>(hosts));
    for (size_t host = 0; host < hosts; ++host) {
      const NodeId node = topology_.hosts()[host].node;
      table.cause[host] = CauseOf(node);
      ever[host] = static_cast<int32_t>(cluster_.SlotsWhenEmpty(node, entry_.shape));
      for (size_t i = 0; i < free.size(); ++i) free[i][host] = FreeOf(node, table.cause[host], i);
    }
    table.ever = SlotTree(topology_, std::move(ever));
    for (auto& values : free) table.free.emplace_back(topology_, std::move(values));
  }

  void Make(HostId host) {
    BlameTable& table = entry_.blame;
    const NodeId node = topology_.host(host).node;
    const uint32_t cause = CauseOf(node);
    table.cause[host.index()] = cause;
    table.ever.Set(topology_, host,
                   static_cast<int32_t>(cluster_.SlotsWhenEmpty(node, entry_.shape)));
    for (size_t i = 0; i < table.free.size(); ++i) {
      table.free[i].Set(topology_, host, FreeOf(node, cause, i));
    }
  }

 private:
  uint32_t CauseOf(NodeId node) {
    const auto blame = cluster_.Blamed(node, entry_.shape);
    if (!blame) return BlameTable::kTakes;
    // Neighbours are out for the same cause more often than not: text is made once for them.
    if (blame == last_) return last_id_;
    last_ = blame;
    const auto [it, added] = entry_.cause_ids.emplace(
        cluster_.Describe(*blame), static_cast<uint32_t>(entry_.blame.causes.size()));
    if (added) entry_.blame.causes.push_back(it->first);
    return last_id_ = it->second;
  }

  int64_t FreeOf(NodeId node, uint32_t cause, size_t resource) const {
    const bool filtered =
        cause != BlameTable::kTakes && !IsResourceCause(entry_.blame.causes[cause].cause);
    if (filtered) return 0;
    return std::max<int64_t>(cluster_.Free(node, request_.entries()[resource].first), 0);
  }

  const Cluster& cluster_;
  const Topology& topology_;
  const Resources& request_;
  Entry& entry_;
  std::optional<Cluster::Blame> last_;
  uint32_t last_id_ = BlameTable::kTakes;
};

ShapeIndex::Entry& ShapeIndex::Find(const Cluster& cluster, ShapeId shape) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.shape == shape; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front();
  }
  const size_t hosts = std::max<size_t>(cluster.topology().hosts().size(), 1);
  const size_t most = std::clamp<size_t>(kHostsOfAllShapes / hosts, 16, 256);
  while (entries_.size() >= most) entries_.pop_back();
  entries_.emplace_front().shape = shape;
  return entries_.front();
}

namespace {

// What a table that stands at (generation, read) lacks, and moves it to now.
template <class Position>
Changes Advance(const Cluster& cluster, Position& at) {
  const ChangeLog& log = cluster.ledger().changes();
  Changes changes;
  if (at.generation == cluster.topology().generation()) changes = log.Since(at.read);
  // More changes than hosts: a fresh table is cheaper.
  if (changes && changes->size() > cluster.topology().hosts().size()) changes.reset();
  at = {cluster.topology().generation(), log.end()};
  return changes;
}

}  // namespace

const SlotTree& ShapeIndex::Slots(const Cluster& cluster, ShapeId shape) {
  Entry& entry = Find(cluster, shape);
  const Topology& topology = cluster.topology();
  const Changes changes = Advance(cluster, entry.slots_at);
  if (!changes) return entry.slots = AllSlotsNow(cluster, shape);
  for (const NodeId node : *changes) {
    const HostId host = topology.HostOf(node);
    if (host.valid()) entry.slots.Set(topology, host, SlotsNow(cluster, shape, node));
  }
  return entry.slots;
}

bool ShapeIndex::CheckLatest(const Cluster& cluster) {
  if (entries_.empty()) return true;
  const ShapeId shape = entries_.front().shape;
  return Slots(cluster, shape) == AllSlotsNow(cluster, shape);
}

const BlameTable& ShapeIndex::Blame(const Cluster& cluster, ShapeId shape) {
  Entry& entry = Find(cluster, shape);
  Changes changes = Advance(cluster, entry.blame_at);
  // Causes are never dropped one by one: details such as taint values may come and go for ever.
  if (entry.blame.causes.size() > cluster.topology().hosts().size() + 1) changes.reset();
  Blamer blamer(cluster, entry);
  if (!changes) {
    blamer.MakeAll();
    return entry.blame;
  }
  for (const NodeId node : *changes) {
    const HostId host = cluster.topology().HostOf(node);
    if (host.valid()) blamer.Make(host);
  }
  return entry.blame;
}

}  // namespace phalanx
