// How people are told by which rule members are spread.
#include "core/explain/placement_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/place_world.h"

namespace phalanx {
namespace {

class PlacementTextTest : public testing::Test {
 protected:
  PlacementTextTest() {
    for (const char* rack : {"r1", "r2"}) {
      for (const char* host : {"a", "b"}) {
        world_.AddHost(std::string(rack) + host, 8, {"", "", rack});
      }
    }
    for (int i = 0; i < 9; ++i) world_.AddHost("s" + std::to_string(i), 8);
    world_.cluster();
  }

  // One member per name.
  std::string Text(const std::vector<std::string>& nodes, const Spread& spread) {
    Add(nodes, spread, "");
    return Said();
  }
  void Add(const std::vector<std::string>& nodes, const Spread& spread, const std::string& role) {
    for (const std::string& node : nodes) {
      Membership& says = says_.emplace_back();
      says.spread = spread;
      says.role = role;
      nodes_.push_back(node);
    }
  }
  std::string Said() {
    std::vector<PlacedMember> members;
    for (size_t i = 0; i < nodes_.size(); ++i) members.push_back({&says_[i], world_.Id(nodes_[i])});
    nodes_.clear();
    const std::string text = PlacementText(world_.cluster().topology(), members);
    says_.clear();
    return text;
  }

  test::PlaceWorld world_;
  std::vector<Membership> says_;
  std::vector<std::string> nodes_;
};

TEST_F(PlacementTextTest, TheRuleAndWhatItMade) {
  EXPECT_EQ(Text({}, {}), "");
  EXPECT_EQ(Text({"r1a", "r1a", "r2b"}, {}), "packed");
  EXPECT_EQ(Text({"r2a", "r1a", "r1b", "r2b"}, {"rack", 0, 1, true}),
            "balanced (evenly over rack: 2 + 2)");
  EXPECT_EQ(Text({"r1a", "r1b", "r2b"}, {"rack", 2}), "spread (at most 2 in one rack: 2 + 1)");
  EXPECT_EQ(Text({"r1a", "r1b"}, {"rack", 4, 2}),
            "spread (at least 2 and at most 4 in one rack: 2)");
  EXPECT_EQ(Text({"r1a", "r1b"}, {.level = "row", .at_most = 1, .by = SpreadBy::kApart}), "packed");
  EXPECT_EQ(Text({"r1a", "r2a"}, {.level = "rack", .at_most = 1, .by = SpreadBy::kSkew}),
            "spread (by a spread constraint over rack: 1 + 1)");
  EXPECT_EQ(Text({"gone"}, {}), "");
}

TEST_F(PlacementTextTest, ManyDomainsAreCounted) {
  EXPECT_EQ(Text({"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"}, {"host", 1}),
            "spread (at most 1 in one host: 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + ... in 9)");
}

TEST_F(PlacementTextTest, RolesAreToldApart) {
  Add({"r1a"}, {}, "leader");
  Add({"r1a", "r2a"}, {"rack", 1}, "");
  EXPECT_EQ(Said(), "worker: spread (at most 1 in one rack: 1 + 1); leader: packed");
}

}  // namespace
}  // namespace phalanx
