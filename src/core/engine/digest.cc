#include "core/engine/digest.h"

#include <string>

#include "core/engine/field_hasher.h"
#include "core/engine/fields.h"

namespace phalanx {
namespace {

// Of everything that the struct is, but for what is of one command only.
template <class Struct>
uint64_t HashOf(const State& state, const Struct& value) {
  FieldHasher hasher(state);
  VisitFields(value, [&](FieldKind kind, const char* /*name*/, const auto& field) {
    if (kind != FieldKind::kScratch) hasher.Add(field);
  });
  return hasher.Done();
}

template <class Struct>
void AddFields(const State& state, const Struct& value, std::vector<FieldHash>* out) {
  VisitFields(value, [&](FieldKind kind, const char* name, const auto& field) {
    out->push_back({name, kind, FieldHasher(state).Add(field).Done()});
  });
}

// One hash per field over all members, in rank order.
std::vector<FieldHash> MemberFields(const State& state, const Gang& gang) {
  std::vector<FieldHash> out;
  for (const auto& item : gang.roster.members()) {
    size_t i = 0;
    VisitFields(item.second, [&](FieldKind kind, const char* name, const auto& field) {
      if (i == out.size()) out.push_back({name, kind, 0});
      out[i].hash = FieldHasher(state).Add(out[i].hash, item.first, field).Done();
      ++i;
    });
  }
  return out;
}

uint64_t DigestOfPods(const State& state) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < state.pods.limit(); ++i) {
    const Pod& pod = state.pods.Get(PodId(i));
    if (!pod.uid.empty()) sum += HashOf(state, pod);
  }
  return sum;
}

uint64_t DigestOfNodes(const State& state) {
  uint64_t sum = 0;
  for (NodeId id : state.cluster.present_nodes()) sum += DigestOf(state, id);
  return sum;
}

}  // namespace

uint64_t DigestOf(const State& state, const Gang& gang) {
  uint64_t sum = HashOf(state, gang);
  for (const auto& [key, member] : gang.roster.members()) {
    sum += HashOf(state, member) + HashOf(state, state.pods.Get(member.pod));
  }
  return sum;
}

uint64_t DigestOf(const State& state, NodeId node) {
  const Ledger& ledger = state.cluster.ledger();
  return FieldHasher(state)
      .Add(state.cluster.node(node).object, ledger.bound(node), ledger.held(node))
      .Done();
}

uint64_t DigestOfEngine(const State& state) { return HashOf(state, state); }

uint64_t DigestOf(const State& state) {
  uint64_t gangs = 0;
  for (const auto& [key, id] : state.gangs.by_key()) gangs += DigestOf(state, state.gangs.Get(id));
  return FieldHasher(state)
      .Add(DigestOfEngine(state), DigestOfPods(state), gangs, DigestOfNodes(state))
      .Done();
}

std::vector<FieldHash> FieldsOf(const State& state, const Gang& gang) {
  std::vector<FieldHash> out;
  AddFields(state, gang, &out);
  if (gang.plan) AddFields(state, *gang.plan, &out);
  for (FieldHash& field : MemberFields(state, gang)) out.push_back(std::move(field));
  return out;
}

std::vector<FieldHash> FieldsOfEngine(const State& state) {
  std::vector<FieldHash> out;
  AddFields(state, state, &out);
  return out;
}

}  // namespace phalanx
