// What rules for kube-scheduler about pods like the member itself become.
#include "wire/dialects/self_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace phalanx::wire {
namespace {

constexpr char kHost[] = "kubernetes.io/hostname";
constexpr char kZone[] = "topology.kubernetes.io/zone";

Membership Member() {
  Membership out;
  out.gang = {"team", "label", "train"};
  out.size = out.min = 8;
  return out;
}

Membership Read(const std::vector<SelfRule>& rules, Membership out = Member()) {
  ReadSelfRules(rules, out);
  return out;
}

TEST(SelfRulesTest, EachKind) {
  Membership m = Read({{SelfRuleKind::kApart, kZone, 0, "app=x"}});
  EXPECT_EQ(m.spread.level, kZone);
  EXPECT_EQ(m.spread.at_most, 1);
  EXPECT_EQ(m.spread.by, SpreadBy::kApart);
  m = Read({{SelfRuleKind::kSkew, kZone, 3, "app=x"}});
  EXPECT_EQ(m.spread.at_most, 3);
  EXPECT_EQ(m.spread.by, SpreadBy::kSkew);
  m = Read({{SelfRuleKind::kTogether, kZone, 0, "app=x"}});
  EXPECT_EQ(m.together, (Together{kZone, "app=x"}));
  EXPECT_EQ(m.spread, Spread());
}

// Which one is read does not depend on the order in which they are written.
TEST(SelfRulesTest, AntiAffinityOnHostsComesFirst) {
  const SelfRule host{SelfRuleKind::kApart, kHost, 0, "app=x"};
  const SelfRule zone{SelfRuleKind::kApart, "a.example.com/zone", 0, "app=x"};
  const SelfRule skew{SelfRuleKind::kSkew, kHost, 1, "app=x"};
  EXPECT_EQ(Read({skew, zone, host}).spread, Read({host}).spread);
  EXPECT_EQ(Read({host, zone, skew}).spread, Read({host}).spread);
  EXPECT_EQ(Read({skew, zone}).spread, Read({zone}).spread);
}

// Gangs that differ in their names only ask for the same, and no others.
TEST(SelfRulesTest, TheNameOfTheGangIsTakenOut) {
  const auto whom = [](const std::string& selector) {
    return Read({{SelfRuleKind::kApart, kHost, 0, selector}}).spread.whom;
  };
  EXPECT_EQ(whom("job-name=train"), "job-name=$gang");
  EXPECT_EQ(whom("job-name in (other,train),tier"), "job-name in (other,$gang),tier");
  EXPECT_EQ(whom("job-name=train-2,x!=retrain"), "job-name=train-2,x!=retrain");
  EXPECT_EQ(whom(""), "");
}

TEST(SelfRulesTest, WhatOurAnnotationsSayComesFirst) {
  const std::vector<SelfRule> rules{{SelfRuleKind::kApart, kHost, 0, "app=x"},
                                    {SelfRuleKind::kTogether, kZone, 0, "app=x"}};
  Membership spread = Member();
  spread.spread = {"rack", 2};
  EXPECT_EQ(Read(rules, spread).spread, spread.spread);
  EXPECT_EQ(Read(rules, spread).together.level, kZone);
  Membership segments = Member();
  segments.segment.size = 4;
  EXPECT_EQ(Read(rules, segments).spread, Spread());
}

TEST(SelfRulesTest, OneMemberIsApartAndTogether) {
  Membership one = Member();
  one.size = one.min = 1;
  EXPECT_EQ(Read({{SelfRuleKind::kApart, kHost, 0, ""}}, one).spread, Spread());
  one.sized_by_object = true;  // it is one until the object is read
  EXPECT_EQ(Read({{SelfRuleKind::kApart, kHost, 0, ""}}, one).spread.at_most, 1);
}

}  // namespace
}  // namespace phalanx::wire
