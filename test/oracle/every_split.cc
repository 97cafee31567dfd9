#include "oracle/every_split.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace phalanx::oracle {

EverySplit::EverySplit(const Racks& slots) {
  for (size_t rack = 0; rack < kRacks; ++rack) {
    const Rack& hosts = rack < slots.size() ? slots[rack] : Rack{};
    first_host_[rack + 1] = first_host_[rack] + hosts.size();
    const int32_t here = std::accumulate(hosts.begin(), hosts.end(), 0);
    slots_ += here;
    largest_rack_ = std::max(largest_rack_, here);
    ListFills(rack, hosts, 0, {});
  }
  best_.resize(static_cast<size_t>(slots_) + 1);
  // Most in the first rack, then in the second: so the first of equal splits is the one to take.
  Sums sums;
  for (sums[0] = kMostInRack; sums[0] >= 0; --sums[0]) {
    for (sums[1] = kMostInRack; sums[1] >= 0; --sums[1]) {
      for (sums[2] = kMostInRack; sums[2] >= 0; --sums[2]) TryAll(sums);
    }
  }
}

void EverySplit::ListFills(size_t rack, const Rack& slots, size_t at, Fill so_far) {
  if (at == slots.size()) {
    const int32_t members = std::accumulate(so_far.taken.begin(), so_far.taken.end(), 0);
    fills_[rack][static_cast<size_t>(members)].push_back(so_far);
    return;
  }
  for (int32_t taken = slots[at]; taken >= 0; --taken) {
    Fill next = so_far;
    next.taken[at] = static_cast<int8_t>(taken);
    next.hosts += taken > 0;
    next.divisor = std::gcd(so_far.divisor, taken);
    ListFills(rack, slots, at + 1, next);
  }
}

void EverySplit::TryAll(const Sums& sums) {
  if (sums == Sums{}) return;
  const auto filled = [&](size_t rack) -> const std::vector<Fill>& {
    return fills_[rack][static_cast<size_t>(sums[rack])];
  };
  const int32_t in_racks = std::gcd(std::gcd(sums[0], sums[1]), sums[2]);
  for (const Fill& a : filled(0)) {
    for (const Fill& b : filled(1)) {
      for (const Fill& c : filled(2)) {
        ++tried_;
        const Split split = Join({&a, &b, &c});
        const int32_t on_hosts = std::gcd(std::gcd(a.divisor, b.divisor), c.divisor);
        Offer(0, split);
        for (int32_t size = 2; size <= in_racks; ++size) {
          if (in_racks % size == 0) Offer(static_cast<size_t>(size - 1), split);
        }
        for (int32_t size = 2; size <= on_hosts; ++size) {
          if (on_hosts % size == 0) Offer(static_cast<size_t>(kMostInRack + size - 2), split);
        }
      }
    }
  }
}

Split EverySplit::Join(const std::array<const Fill*, kRacks>& fills) const {
  Split split;
  for (size_t rack = 0; rack < kRacks; ++rack) {
    split.racks += fills[rack]->hosts > 0;
    split.hosts += fills[rack]->hosts;
    for (size_t host = first_host_[rack]; host < first_host_[rack + 1]; ++host) {
      split.members[host] = fills[rack]->taken[host - first_host_[rack]];
    }
  }
  return split;
}

void EverySplit::Offer(size_t segment_rule, const Split& split) {
  const int32_t members = std::accumulate(split.members.begin(), split.members.end(), 0);
  ByRule& rules = best_[static_cast<size_t>(members)];
  const auto offer = [&](Inside required) {
    Split& best = rules[static_cast<size_t>(required)][segment_rule];
    const bool better =
        best.racks == 0 || std::tie(split.racks, split.hosts) < std::tie(best.racks, best.hosts);
    if (better) best = split;
  };
  offer(Inside::kAnywhere);
  if (split.racks == 1) offer(Inside::kRack);
  if (split.hosts == 1) offer(Inside::kHost);
}

const Split* EverySplit::Best(int32_t members, const SplitRule& rule) const {
  if (members > slots_) return nullptr;
  size_t segments = 0;
  if (rule.size > 1 && rule.segments == Inside::kRack) {
    if (rule.size > kMostInRack) return nullptr;
    segments = static_cast<size_t>(rule.size - 1);
  }
  if (rule.size > 1 && rule.segments == Inside::kHost) {
    if (rule.size > kMostOnHost) return nullptr;
    segments = static_cast<size_t>(kMostInRack + rule.size - 2);
  }
  const Split& best =
      best_[static_cast<size_t>(members)][static_cast<size_t>(rule.required)][segments];
  return best.racks > 0 ? &best : nullptr;
}

}  // namespace phalanx::oracle
