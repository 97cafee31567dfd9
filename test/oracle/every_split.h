// All ways to split equal members over racks of hosts, tried one by one, and the best of them for
// every number of members under every rule. Knows slots only; shares nothing with the search.
#ifndef PHALANX_TEST_ORACLE_EVERY_SPLIT_H_
#define PHALANX_TEST_ORACLE_EVERY_SPLIT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "oracle/every_world.h"

namespace phalanx::oracle {

// In one of these must all members lie, or each segment.
enum class Inside { kAnywhere, kRack, kHost };

struct SplitRule {
  Inside required = Inside::kAnywhere;
  Inside segments = Inside::kAnywhere;
  int32_t size = 1;  // of a segment
};

struct Split {
  int32_t racks = 0;  // with members; 0: there is no such split
  int32_t hosts = 0;
  std::array<int8_t, 9> members{};  // by host, rack after rack
};

// REQUIRES: at most three racks of at most three hosts of at most four slots.
class EverySplit {
 public:
  explicit EverySplit(const Racks& slots);

  // Of the splits that keep the rule: fewest racks, then fewest hosts, then most members in the
  // first rack, the second, ..., then on the first host of the first rack, and so on. nullptr: none
  // keeps it. REQUIRES: members > 0.
  const Split* Best(int32_t members, const SplitRule& rule) const;

  int32_t slots() const { return slots_; }
  int32_t largest_rack() const { return largest_rack_; }
  int64_t tried() const { return tried_; }

 private:
  static constexpr size_t kRacks = 3;
  static constexpr int32_t kMostInRack = 12;
  static constexpr int32_t kMostOnHost = 4;
  // Anywhere; in racks by segment size from 2 on; on hosts by segment size from 2 on.
  static constexpr size_t kSegmentRules = 1 + (kMostInRack - 1) + (kMostOnHost - 1);

  // One way to fill a rack.
  struct Fill {
    std::array<int8_t, 3> taken{};
    int32_t hosts = 0;
    int32_t divisor = 0;  // greatest common one of what the hosts take
  };
  using Sums = std::array<int32_t, kRacks>;

  void ListFills(size_t rack, const Rack& slots, size_t at, Fill so_far);
  void TryAll(const Sums& sums);
  void Offer(size_t segment_rule, const Split& split);
  Split Join(const std::array<const Fill*, kRacks>& fills) const;

  // By rack and members, each list in the order in which ties are decided.
  std::array<std::array<std::vector<Fill>, kMostInRack + 1>, kRacks> fills_;
  std::array<size_t, kRacks + 1> first_host_{};  // by rack
  int32_t slots_ = 0;
  int32_t largest_rack_ = 0;
  int64_t tried_ = 0;
  // By members, required and segment rule.
  using ByRule = std::array<std::array<Split, kSegmentRules>, 3>;
  std::vector<ByRule> best_;
};

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_EVERY_SPLIT_H_
