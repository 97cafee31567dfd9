#include "core/explain/reason_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/explain/quantity_text.h"

namespace phalanx {
namespace {

using ::testing::HasSubstr;

const ReasonCode kAllCodes[] = {
    ReasonCode::kSyncing,  ReasonCode::kMembersMissing,  ReasonCode::kMembersGated,
    ReasonCode::kInvalid,  ReasonCode::kMembersDisagree, ReasonCode::kObjectMissing,
    ReasonCode::kQueued,   ReasonCode::kCapacity,        ReasonCode::kFragmentation,
    ReasonCode::kTopology, ReasonCode::kNoSuchNode,      ReasonCode::kLevelUnknown,
    ReasonCode::kConflict, ReasonCode::kLateObjects,     ReasonCode::kReturning,
    ReasonCode::kBackoff,  ReasonCode::kRollingBack,     ReasonCode::kSharedResource};

// Numbers and names in every field: what a sentence leaves out is a choice, what it mangles a bug.
Reason Full(ReasonCode code) {
  Reason reason;
  reason.code = code;
  reason.have = 14;
  reason.need = 16;
  reason.level = "nvlink";
  reason.domain = "nvl-07";
  reason.subject = "the-subject";
  reason.detail = "the-detail";
  reason.member = "team-a/train-9";
  reason.exclusions = {{ExclusionCause::kSelector, "x=y", 10}};
  return reason;
}

TEST(ReasonTextTest, EveryCodeHasItsOwnNameAndSentence) {
  std::set<std::string_view> names;
  std::set<std::string> sentences;
  for (ReasonCode code : kAllCodes) {
    names.insert(ReasonName(code));
    const std::string text = Explain(Full(code));
    EXPECT_GT(text.size(), 20u) << ReasonName(code);
    EXPECT_NE(text.back(), '.') << text;
    sentences.insert(text);
  }
  EXPECT_EQ(names.size(), std::size(kAllCodes));
  EXPECT_EQ(sentences.size(), std::size(kAllCodes));
  EXPECT_EQ(Explain({}), "");
}

TEST(ReasonTextTest, EveryExclusionSaysHowManyNodes) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ExclusionCause::kConflict); ++i) {
    const auto cause = static_cast<ExclusionCause>(i);
    EXPECT_THAT(ExplainExclusion({cause, "detail", 3}, 10), HasSubstr("(3 of 10 nodes)"));
    names.insert(ExclusionName(cause));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(ExclusionCause::kConflict) + 1);
}

TEST(ReasonTextTest, FragmentationNamesTheRequest) {
  Reason reason{.code = ReasonCode::kFragmentation, .have = 1, .need = 3};
  EXPECT_THAT(Explain(reason, {"nvidia.com/gpu 4"}),
              ::testing::StartsWith("needs 3 members × nvidia.com/gpu 4; 1 of 3 members placeable "
                                    "(fragmentation)"));
}

// GB-20: three workers of a gang with a leader do not fit.
TEST(ReasonTextTest, UnequalMembersAreNamedWithTheSum) {
  Reason reason{.code = ReasonCode::kCapacity, .have = 2, .need = 3};
  reason.subject = "nvidia.com/gpu";
  reason.detail = "16 of 24";
  reason.member = "team-a/w-1";
  reason.never = true;
  const std::string text = Explain(reason, {.per_member = "nvidia.com/gpu 8", .members = 4});
  EXPECT_THAT(text, ::testing::StartsWith(
                        "needs 3 of its 4 members (like team-a/w-1) × nvidia.com/gpu 8; 16 of the "
                        "24 nvidia.com/gpu are free; 2 of 3 members placeable"));
  EXPECT_THAT(text, HasSubstr("all nodes together would not do even when empty"));
}

TEST(ReasonTextTest, TopologyNamesTheBestDomain) {
  Reason reason = Full(ReasonCode::kTopology);
  reason.detail.clear();
  reason.subject.clear();
  EXPECT_THAT(
      Explain(reason),
      HasSubstr(
          "needs 16 members (like team-a/train-9) in one nvlink; best nvl-07 has room for 14"));
}

TEST(ReasonTextTest, TopologyOfAGroupCountsTheMembersOfAllItsGangs) {
  Reason reason = Full(ReasonCode::kTopology);
  reason.detail.clear();
  reason.subject = "pipeline";
  EXPECT_THAT(
      Explain(reason),
      HasSubstr("the gangs of group pipeline need one nvlink for 16 members; best nvl-07 has "
                "room for 14"));
}

TEST(ReasonTextTest, TopologyTellsHowMuchFitsInWholeSegments) {
  Reason reason = Full(ReasonCode::kTopology);
  reason.detail = "8";
  EXPECT_THAT(
      Explain(reason),
      HasSubstr("needs 16 members (like team-a/train-9) in segments of 8, each whole in one "
                "nvlink; 14 of 16 members placeable so"));
  EXPECT_THAT(Explain(reason), HasSubstr("it starts when enough is free together"));
  reason.never = true;
  EXPECT_THAT(Explain(reason), HasSubstr("ask for smaller segments or a coarser level"));
}

TEST(ReasonTextTest, NoSuchNodeNamesMemberLabelAndCount) {
  EXPECT_THAT(Explain(Full(ReasonCode::kNoSuchNode)),
              HasSubstr("member team-a/train-9: no node carries label x=y (10 of 10 nodes)"));
}

TEST(ReasonTextTest, GatedNamesTheGate) {
  Reason reason = Full(ReasonCode::kMembersGated);
  reason.have = 3;
  reason.need = 4;
  reason.detail = "1";
  reason.subject = "example.com/quota";
  EXPECT_THAT(Explain(reason), HasSubstr("3 of 4, 1 gated"));
  EXPECT_THAT(Explain(reason), HasSubstr("example.com/quota"));
}

TEST(ReasonTextTest, BackoffCarriesTheRefusal) {
  Reason reason{.code = ReasonCode::kBackoff, .have = 1, .need = 10};
  reason.subject = "Binding";
  reason.detail = "403 denied by policy no-gpu";
  const std::string text = Explain(reason);
  EXPECT_THAT(text, HasSubstr("403 denied by policy no-gpu"));
  EXPECT_THAT(text, HasSubstr("start 2 is tried in 10 s"));
}

TEST(ReasonTextTest, RollBackNamesWhoStays) {
  EXPECT_THAT(Explain(Full(ReasonCode::kRollingBack)),
              HasSubstr("team-a/train-9 is not evicted: the-subject"));
}

TEST(ReasonTextTest, LongListsOfCausesAreCut) {
  Reason reason = Full(ReasonCode::kCapacity);
  reason.exclusions.assign(6, {ExclusionCause::kTaint, "t", 1});
  EXPECT_THAT(Explain(reason), HasSubstr("and 2 more causes"));
}

TEST(ReasonTextTest, SharedResources) {
  PoolView pool{.name = "scratch", .capacity = 500'000'000, .used = 400'000'000};
  EXPECT_EQ(PoolText(pool), "100M of 500M are free, held by pods outside of gangs");
  pool.held_by = {{{"team", "label", "a"}, 300'000'000}, {{"team", "label", "b"}, 100'000'000}};
  EXPECT_EQ(PoolText(pool), "100M of 500M are free, held by team/a (300M), team/b (100M)");
  pool.used = 600'000'000;  // the capacity has fallen
  EXPECT_EQ(PoolText(pool), "0 of 500M are free, held by team/a (300M), team/b (100M) and others");
  Reason reason{.code = ReasonCode::kSharedResource, .have = 2, .need = 3};
  reason.subject = "ansys";
  EXPECT_EQ(
      Explain(reason),
      "needs 3 of the shared resource ansys; 2 are free; it starts when enough of it is given "
      "back");
  reason.never = true;
  reason.detail = "2 of 2 are free";
  EXPECT_EQ(
      Explain(reason),
      "needs 3 of the shared resource ansys; 2 of 2 are free; all of it would not do: ask for "
      "less");
  reason.have = -1;
  EXPECT_EQ(Explain(reason),
            "needs 3 of the shared resource ansys, which no ClusterTopology declares: correct the "
            "name, or ask your admin to declare it");
}

TEST(QuantityTextTest, TheShortestWholeNumber) {
  EXPECT_EQ(QuantityText(0), "0");
  EXPECT_EQ(QuantityText(7), "7");
  EXPECT_EQ(QuantityText(500'000'000), "500M");
  EXPECT_EQ(QuantityText(1'500'000), "1500k");
  EXPECT_EQ(QuantityText(int64_t{3} << 30), "3Gi");
  EXPECT_EQ(QuantityText(1'234'567), "1234567");
}

}  // namespace
}  // namespace phalanx
