// Members that are spread over the domains of a level, against brute force. Many more worlds are
// looked at in test/long/oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "oracle/campaign.h"
#include "oracle/hosts.h"

namespace phalanx::oracle {
namespace {

TEST(SpreadOracleTest, OneRoleIsExactToTheLastTieAndTwoAreAsProvenAsTheySay) {
  const Tally tally = CampaignOfSpread(20261208, 6000);
  EXPECT_GT(tally.worlds, 5000);  // the others are spread over a level that crosses the tree
  EXPECT_GT(tally.exact, 500);
  EXPECT_GT(tally.refused, 1500);
}

// What "evenly" decides by: domains touched down to the level of the rule, then the most members in
// one domain of it, then the fewest in one.
struct Balance {
  std::vector<int32_t> touched;
  int32_t most = 0;
  int32_t fewest = 0;

  bool operator<(const Balance& other) const {
    return std::tuple(touched, most, -fewest) <
           std::tuple(other.touched, other.most, -other.fewest);
  }
  bool operator==(const Balance&) const = default;
};

class Balances {
 public:
  explicit Balances(const SmallWorld& world)
      : world_(world), role_(world.roles[0]), hosts_(HostsInOrder(world)) {
    counts_.resize(hosts_.size());
    units_ = DomainsOf(world, hosts_, role_.spread.level);
    for (const auto& domain : DomainsOf(world, hosts_, world.required)) Try(domain, 0, role_.count);
  }

  const std::optional<Balance>& best() const { return best_; }

  // Of the members on each host.
  Balance Of(const std::vector<int32_t>& counts) const {
    Balance out{TouchedBy(hosts_, counts)};
    size_t levels = 0;
    for (size_t level = 0; level < world_.levels.size(); ++level) {
      if (!LevelExists(hosts_, level)) continue;
      ++levels;
      if (world_.levels[level].name == role_.spread.level) out.touched.resize(levels);
    }
    out.fewest = role_.count;
    for (const auto& unit : units_) {
      int32_t here = 0;
      for (const size_t host : unit) here += counts[host];
      out.most = std::max(out.most, here);
      if (here > 0) out.fewest = std::min(out.fewest, here);
    }
    return out;
  }
  std::vector<int32_t> CountsOf(const Searched& searched) const {
    std::vector<int32_t> counts(hosts_.size(), 0);
    for (const auto& [name, members] : searched.Members()) {
      const auto host = std::find_if(hosts_.begin(), hosts_.end(),
                                     [&](const Host& other) { return other.name == name; });
      counts[static_cast<size_t>(host - hosts_.begin())] = members[0];
    }
    return counts;
  }

 private:
  void Try(const std::vector<size_t>& domain, size_t at, int32_t left) {
    if (left == 0) {
      if (!KeepsSpread(units_, counts_, role_.spread)) return;
      const Balance next = Of(counts_);
      if (!best_ || next < *best_) best_ = next;
      return;
    }
    if (at == domain.size()) return;
    int32_t& count = counts_[domain[at]];
    Host& host = hosts_[domain[at]];
    Try(domain, at + 1, left);
    while (count < left && Takes(host, role_)) {
      ++count;
      Try(domain, at + 1, left - count);
    }
    for (; count > 0; --count) GiveBack(host, role_);
  }

  const SmallWorld& world_;
  const Role& role_;
  std::vector<Host> hosts_;
  std::vector<std::vector<size_t>> units_;
  std::vector<int32_t> counts_;
  std::optional<Balance> best_;
};

TEST(SpreadOracleTest, EvenlyIsAsEvenAsTheFewestDomainsAllow) {
  Random random(20261209);
  int64_t fits = 0;
  int64_t uneven = 0;
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    SmallWorld world = RandomHosts(random, 6);
    world.roles = {RandomRole(random, 8)};
    world.roles[0].spread = RandomSpread(random, world);
    world.roles[0].spread.at_least = 1;
    world.roles[0].spread.evenly = true;
    const Searched searched = Search(world);
    const Balances all(world);
    const Placement* got = searched.answer.placement();
    ASSERT_EQ(got != nullptr, all.best().has_value()) << world.Describe();
    if (got == nullptr) continue;
    ++fits;
    uneven += all.best()->most > all.best()->fewest + 1;
    const Balance balance = all.Of(all.CountsOf(searched));
    EXPECT_EQ(balance.touched, all.best()->touched) << world.Describe();
    EXPECT_EQ(balance.most, all.best()->most) << world.Describe();
    EXPECT_TRUE(Judge(world, searched).empty()) << world.Describe();
  }
  EXPECT_GT(fits, 1000);
  EXPECT_GT(uneven, 10);  // slots do not always allow equal numbers
}

}  // namespace
}  // namespace phalanx::oracle
