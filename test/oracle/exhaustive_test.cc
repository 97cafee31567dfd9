// Every world of at most three racks of at most three hosts of at most four free slots, up to
// symmetry, with every gang size: the search against all ways to split the gang.
//
// Full hosts (no free slot) are left out of worlds of three racks, where they would be half a
// minute of repetition: to the search a full host is no host.
//
// Symmetry: racks and hosts are interchangeable, so a rack is a sorted list of slots and a world a
// sorted list of racks. The names are dealt to them in an order that differs from world to world,
// so that ties fall in all ways.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "oracle/small_world.h"

namespace phalanx::oracle {
namespace {

using Rack = std::vector<int32_t>;  // slots by host

// One way to fill a rack.
struct Fill {
  Rack taken;
  int32_t hosts = 0;
};

// By members, each list in the order in which ties are decided: the first host takes most.
using FillsBySize = std::vector<std::vector<Fill>>;

void ListFills(const Rack& rack, Fill so_far, FillsBySize& out) {
  const size_t at = so_far.taken.size();
  if (at == rack.size()) {
    size_t members = 0;
    for (const int32_t taken : so_far.taken) members += static_cast<size_t>(taken);
    if (out.size() <= members) out.resize(members + 1);
    out[members].push_back(std::move(so_far));
    return;
  }
  for (int32_t taken = rack[at]; taken >= 0; --taken) {
    Fill next = so_far;
    next.taken.push_back(taken);
    next.hosts += taken > 0;
    ListFills(rack, std::move(next), out);
  }
}

struct Best {
  int32_t racks = 0;
  int32_t hosts = 0;
  std::vector<const Fill*> fills;  // by rack
};

// Tries every split over the racks (first rack most) and every fill of each rack; the first of the
// least (racks, hosts) wins.
class EveryPlacement {
 public:
  explicit EveryPlacement(const std::vector<Rack>& racks) {
    for (const Rack& rack : racks) {
      fills_.emplace_back();
      ListFills(rack, {}, fills_.back());
    }
  }

  std::optional<Best> Place(int32_t members) {
    best_.reset();
    current_ = {};
    Try(members);
    return best_;
  }
  int64_t tried() const { return tried_; }

 private:
  void Try(int32_t left) {
    const size_t rack = current_.fills.size();
    if (rack == fills_.size()) {
      ++tried_;
      const bool better =
          left == 0 && (!best_ || current_.racks < best_->racks ||
                        (current_.racks == best_->racks && current_.hosts < best_->hosts));
      if (better) best_ = current_;
      return;
    }
    const auto most = std::min<int32_t>(left, static_cast<int32_t>(fills_[rack].size()) - 1);
    const int32_t least = rack + 1 == fills_.size() ? most : 0;
    for (int32_t members = most; members >= least; --members) {
      for (const Fill& fill : fills_[rack][static_cast<size_t>(members)]) {
        current_.racks += fill.hosts > 0;
        current_.hosts += fill.hosts;
        current_.fills.push_back(&fill);
        Try(left - members);
        current_.fills.pop_back();
        current_.hosts -= fill.hosts;
        current_.racks -= fill.hosts > 0;
      }
    }
  }

  std::vector<FillsBySize> fills_;
  Best current_;
  std::optional<Best> best_;
  int64_t tried_ = 0;
};

// Sorted lists of `size` numbers 0 .. kinds - 1.
void Multisets(int32_t kinds, size_t size, std::vector<int32_t> so_far,
               std::vector<std::vector<int32_t>>& out) {
  if (so_far.size() == size) {
    out.push_back(std::move(so_far));
    return;
  }
  for (int32_t next = so_far.empty() ? 0 : so_far.back(); next < kinds; ++next) {
    std::vector<int32_t> longer = so_far;
    longer.push_back(next);
    Multisets(kinds, size, std::move(longer), out);
  }
}

std::vector<std::vector<int32_t>> MultisetsUpTo(int32_t kinds, size_t size) {
  std::vector<std::vector<int32_t>> out;
  for (size_t i = 1; i <= size; ++i) Multisets(kinds, i, {}, out);
  return out;
}

std::string HostName(size_t rack, size_t host) { return fmt::format("r{}-h{}", rack, host); }

class Checker {
 public:
  void Check(const std::vector<Rack>& racks) {
    ++worlds_;
    world_ = {};
    int32_t slots = 0;
    largest_ = 0;
    for (size_t r = 0; r < racks.size(); ++r) {
      const LabelMap labels = {{kLevelKeys[2], fmt::format("r{}", r)}};
      int32_t here = 0;
      for (size_t h = 0; h < racks[r].size(); ++h) {
        world_.AddHost(HostName(r, h), labels, 4, 4 - racks[r][h]);
        here += racks[r][h];
      }
      slots += here;
      largest_ = std::max(largest_, here);
    }
    world_.roles = {{{{kGpu, 1}}, {}, 1}};
    loaded_ = Search(world_);
    EveryPlacement every(racks);
    for (int32_t members = 1; members <= slots + 1; ++members) CheckGang(every, members);
    tried_ += every.tried();
  }

  int64_t worlds() const { return worlds_; }
  int64_t gangs() const { return gangs_; }
  int64_t tried() const { return tried_; }

 private:
  void CheckGang(EveryPlacement& every, int32_t members) {
    const std::optional<Best> expected = every.Place(members);
    ExpectSame(expected, members, "");
    // In one rack is what the best placement does by itself wherever it can.
    if (members > largest_ + 1) return;
    ExpectSame(members <= largest_ ? expected : std::nullopt, members, "rack");
  }

  void ExpectSame(const std::optional<Best>& expected, int32_t members,
                  const std::string& required) {
    ++gangs_;
    loaded_.request.required_level = required;
    loaded_.request.roles[0].count = members;
    loaded_.answer = Place(*loaded_.cluster, loaded_.request);
    const Placement* got = loaded_.answer.placement();
    ASSERT_EQ(got != nullptr, expected.has_value())
        << members << " members, required '" << required << "'\n"
        << world_.Describe();
    if (got == nullptr) return;
    ASSERT_EQ(got->proven, ProvenThrough::kAll);
    ASSERT_EQ(got->touched, (std::vector<int32_t>{expected->racks, expected->hosts}))
        << members << " members\n"
        << world_.Describe();
    ASSERT_EQ(loaded_.Members(), MembersOf(*expected)) << members << " members\n"
                                                       << world_.Describe();
  }

  static std::map<std::string, std::vector<int32_t>> MembersOf(const Best& best) {
    std::map<std::string, std::vector<int32_t>> out;
    for (size_t r = 0; r < best.fills.size(); ++r) {
      for (size_t h = 0; h < best.fills[r]->taken.size(); ++h) {
        const int32_t taken = best.fills[r]->taken[h];
        if (taken > 0) out[HostName(r, h)] = {taken};
      }
    }
    return out;
  }

  SmallWorld world_;
  Searched loaded_;
  int32_t largest_ = 0;  // slots of the best rack
  int64_t worlds_ = 0;
  int64_t gangs_ = 0;
  int64_t tried_ = 0;
};

bool HasFullHost(const Rack& rack) { return std::find(rack.begin(), rack.end(), 0) != rack.end(); }

TEST(ExhaustiveOracleTest, EverySmallWorldAndGangSize) {
  const std::vector<Rack> kinds = MultisetsUpTo(5, 3);
  ASSERT_EQ(kinds.size(), 55u);
  std::mt19937_64 random(1);
  Checker checker;
  for (const std::vector<int32_t>& chosen : MultisetsUpTo(55, 3)) {
    std::vector<Rack> racks;
    const bool full = std::any_of(chosen.begin(), chosen.end(), [&](int32_t kind) {
      return HasFullHost(kinds[static_cast<size_t>(kind)]);
    });
    if (full && chosen.size() == 3) continue;
    for (const int32_t kind : chosen) {
      racks.push_back(kinds[static_cast<size_t>(kind)]);
      std::shuffle(racks.back().begin(), racks.back().end(), random);
    }
    std::shuffle(racks.begin(), racks.end(), random);
    checker.Check(racks);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(checker.worlds(), 8'735);
  std::printf("oracle: %lld worlds, %lld gangs, %lld placements tried one by one\n",
              static_cast<long long>(checker.worlds()), static_cast<long long>(checker.gangs()),
              static_cast<long long>(checker.tried()));
}

}  // namespace
}  // namespace phalanx::oracle
