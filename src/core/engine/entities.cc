#include "core/engine/entities.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/engine/derived.h"
#include "core/engine/digest.h"
#include "core/engine/field_hasher.h"
#include "core/explain/reason_text.h"

namespace phalanx {
namespace {

std::string NameOf(const EntityHash& entity) {
  if (entity.kind == EntityKind::kEngine) return entity.name;
  return fmt::format("{} {}", EntityName(entity.kind), entity.name);
}

std::string NameOf(const GangKey& key) {
  return fmt::format("{}/{}/{}", key.ns, key.source, key.name);
}

void PutDerived(const State& state, const std::vector<DerivedPart>& parts, EntityHash* out) {
  FieldHasher kept(state), recomputed(state);
  for (const DerivedPart& part : parts) {
    kept.Add(part.kept);
    recomputed.Add(part.recomputed);
    if (part.kept != part.recomputed) out->stale.emplace_back(part.name);
  }
  out->derived = kept.Done();
  out->recomputed = recomputed.Done();
}

// Present nodes, and others on which something is booked, by name.
std::map<std::string, NodeId> HostsOf(const State& state, const std::map<NodeId, Usage>& usage) {
  std::map<std::string, NodeId> out;
  const Ledger& ledger = state.cluster.ledger();
  for (uint32_t i = 0; i < state.cluster.node_table_size(); ++i) {
    const NodeId id(i);
    const NodeRecord& record = state.cluster.node(id);
    const bool used = usage.contains(id) || !ledger.bound(id).entries().empty() ||
                      !ledger.held(id).entries().empty();
    if (record.present || used) out.emplace(record.object.name, id);
  }
  return out;
}

// By name, which is not the order of their keys.
std::map<std::string, GangId> GangsOf(const State& state) {
  std::map<std::string, GangId> out;
  for (const auto& [key, id] : state.gangs.by_key()) out.emplace(NameOf(key), id);
  return out;
}

// Hosts and gangs with the hashes of their derived state; with `whole` also of all the rest.
std::vector<EntityHash> HashesOf(const State& state, bool whole) {
  std::vector<EntityHash> out;
  const std::map<NodeId, Usage> usage = RecomputeUsage(state);
  for (const auto& [name, id] : HostsOf(state, usage)) {
    const auto used = usage.find(id);
    EntityHash& host = out.emplace_back();
    host.kind = EntityKind::kHost;
    host.name = name;
    if (whole) host.state = DigestOf(state, id);
    PutDerived(state, DerivedOf(state, id, used == usage.end() ? Usage() : used->second), &host);
  }
  for (const auto& [name, id] : GangsOf(state)) {
    EntityHash& gang = out.emplace_back();
    gang.kind = EntityKind::kGang;
    gang.name = name;
    if (whole) gang.state = DigestOf(state, state.gangs.Get(id));
    PutDerived(state, DerivedOf(state, id), &gang);
  }
  return out;
}

}  // namespace

std::vector<EntityHash> EntityHashes(const State& state) {
  std::vector<EntityHash> out = HashesOf(state, true);
  out.insert(out.begin(),
             EntityHash{EntityKind::kEngine, "engine", DigestOfEngine(state), 0, 0, {}});
  return out;
}

std::vector<FieldHash> FieldHashes(const State& state, EntityKind kind, const std::string& name) {
  if (kind == EntityKind::kEngine) return FieldsOfEngine(state);
  if (kind == EntityKind::kHost) return {};
  const std::map<std::string, GangId> gangs = GangsOf(state);
  const auto gang = gangs.find(name);
  if (gang == gangs.end()) return {};
  return FieldsOf(state, state.gangs.Get(gang->second));
}

std::vector<std::string> StaleEntities(const State& state) {
  std::vector<std::string> out;
  for (const EntityHash& entity : HashesOf(state, false)) {
    if (entity.derived == entity.recomputed) continue;
    std::string parts;
    for (const std::string& part : entity.stale) parts += (parts.empty() ? "" : ", ") + part;
    out.push_back(fmt::format("{}: derived state {:016x} is not the recomputed {:016x} in: {}",
                              NameOf(entity), entity.derived, entity.recomputed, parts));
  }
  return out;
}

std::string FirstDifference(const std::vector<EntityHash>& a, const std::vector<EntityHash>& b) {
  const size_t both = std::min(a.size(), b.size());
  for (size_t i = 0; i < both; ++i) {
    if (a[i] == b[i]) continue;
    if (a[i].kind != b[i].kind || a[i].name != b[i].name) {
      return fmt::format("{} here, {} there", NameOf(a[i]), NameOf(b[i]));
    }
    return fmt::format("{}: state {:016x} here, {:016x} there; derived {:016x} here, {:016x} there",
                       NameOf(a[i]), a[i].state, b[i].state, a[i].derived, b[i].derived);
  }
  if (a.size() == b.size()) return "";
  const EntityHash& extra = a.size() > both ? a[both] : b[both];
  return fmt::format("{} is only {}", NameOf(extra), a.size() > both ? "here" : "there");
}

}  // namespace phalanx
