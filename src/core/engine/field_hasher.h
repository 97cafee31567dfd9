// Values of the engine's state into a hash. Ids mean nothing outside of a run: they go in as what
// they stand for.
#ifndef PHALANX_CORE_ENGINE_FIELD_HASHER_H_
#define PHALANX_CORE_ENGINE_FIELD_HASHER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/engine/state.h"

namespace phalanx {

class FieldHasher {
 public:
  explicit FieldHasher(const State& state) : state_(state) {}

  template <class... Values>
  FieldHasher& Add(const Values&... values) {
    (Put(values), ...);
    return *this;
  }
  uint64_t Done() const { return hash_.Done(); }

 private:
  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void Put(T value) { hash_.Add(value); }
  void Put(const std::string& text) { hash_.Add(text); }
  void Put(Time time) { hash_.Add(time.ms); }
  void Put(Duration duration) { hash_.Add(duration.ms); }
  template <class T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <class T>
  void Put(const std::vector<T>& list) {
    Put(list.size());
    for (const T& item : list) Put(item);
  }
  template <class T>
  void Put(const std::set<T>& set) {
    Put(set.size());
    for (const T& item : set) Put(item);
  }
  template <class K, class V>
  void Put(const std::map<K, V>& map) {
    Put(map.size());
    for (const auto& [key, value] : map) Add(key, value);
  }

  template <class A, class B>
  void Put(const std::pair<A, B>& pair) {
    Add(pair.first, pair.second);
  }

  // Ids.
  void Put(NodeId id);
  void Put(GangId id);
  void Put(PodId id);
  void Put(ShapeId id);
  void Put(const std::set<GangId>& gangs);  // ordered by key, not by id

  // Values of the contract and of the rooms below.
  void Put(const GangKey& key);
  void Put(const ObjectKey& key);
  void Put(const DeclaredLevel& level);
  void Put(const SharedPool& pool);
  void Put(const DeclaredTopology& topology);
  void Put(const DeclaredQueue& queue);
  void Put(const GangTerms& terms);
  void Put(const ApiObject& object);
  void Put(const OwnerRef& owner);
  void Put(const Problem& problem);
  void Put(const Membership& says);
  void Put(const BoundPlan& bound);
  void Put(const PodObject& pod);
  void Put(const Taint& taint);
  void Put(const Toleration& toleration);
  void Put(const NodeRequirement& requirement);
  void Put(const NodeObject& node);
  void Put(const Reason& reason);
  void Put(const Exclusion& exclusion);
  void Put(const MemberFact& fact);
  void Put(const Resources& resources);
  void Put(const OrderKey& key);
  void Put(const QueueTree& queues);
  void Put(const WaitingQueue& queue);
  void Put(const Pass& pass);
  void Put(const Refusals& refusals);
  void Put(const Exclusions& exclusions);
  void Put(const TargetMix& mix);
  void Put(const Fragmentation& fragmentation);
  void Put(const ReserveProgress& progress);
  void Put(const Outbox& outbox);
  void Put(const Board& board);
  void Put(const TopologyShown& shown);

  // Values of this room.
  void Put(const ObjectTable& objects);
  void Put(const MemberKey& key);
  void Put(const Terms& terms);
  void Put(const Charge& charge);
  void Put(const Plan& plan);
  void Put(const Published& published);
  void Put(const WayOut& way);

  // Hashed as entities of their own, or a function of what is hashed anyway.
  void Put(const EngineConfig& /*config*/) {}
  void Put(const Accelerators& /*accelerators*/) {}
  void Put(const Cluster& /*cluster*/) {}
  void Put(const PodTable& /*pods*/) {}
  void Put(const GangTable& /*gangs*/) {}
  void Put(const Roster& /*roster*/) {}
  void Put(const Timers& /*timers*/) {}
  void Put(const Counters& /*counters*/) {}
  void Put(const Member* /*member*/) {}

  const State& state_;
  Hash hash_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_FIELD_HASHER_H_
