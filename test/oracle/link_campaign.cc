#include "oracle/link_campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "oracle/hosts.h"
#include "oracle/link_worlds.h"

namespace phalanx::oracle {
namespace {

std::optional<int64_t> OverOf(const LinkWorld& links, const Searched& searched) {
  const std::vector<Host> hosts = HostsInOrder(links.world);
  RoleCounts counts(links.world.roles.size(), std::vector<int32_t>(hosts.size(), 0));
  const auto members = searched.Members();
  for (size_t host = 0; host < hosts.size(); ++host) {
    const auto here = members.find(hosts[host].name);
    for (size_t role = 0; here != members.end() && role < counts.size(); ++role) {
      counts[role][host] = here->second[role];
    }
  }
  return OverLimits(links, counts);
}

// Nothing runs, and all hosts are well.
LinkWorld Emptied(LinkWorld links) {
  links.world.occupants.clear();
  links.neighbours.clear();
  for (NodeObject& node : links.world.nodes) {
    node.ready = true;
    node.unschedulable = false;
  }
  return links;
}

void CheckRefusal(const LinkWorld& links, const Searched& searched, bool exact, bool fits,
                  LinkTally& tally) {
  const Reason& reason = *searched.answer.refusal();
  ++(fits ? tally.missed : tally.refused);
  if (fits) {
    ASSERT_FALSE(exact) << "a refusal of what fits\n" << links.Describe();
    ASSERT_EQ(reason.proven, ProvenThrough::kNothing) << links.Describe();
    return;
  }
  if (!BruteForceLinks(links, /*limits=*/false)) return;
  ++tally.by_limit;
  if (!exact) return;
  ASSERT_EQ(reason.code, ReasonCode::kUplink) << links.Describe();
  ASSERT_GT(reason.need, reason.have) << links.Describe();
  if (links.world.roles[0].segment.size > 1) return;
  ASSERT_EQ(reason.proven, ProvenThrough::kFeasibility) << links.Describe();
  ASSERT_EQ(reason.never, !BruteForceLinks(Emptied(links))) << links.Describe();
  tally.never += reason.never;
}

void CheckWorld(const LinkWorld& links, LinkTally& tally) {
  const Searched searched = SearchLinks(links);
  const auto expected = BruteForceLinks(links);
  ++tally.worlds;
  const bool exact = links.world.roles.size() == 1 && !searched.request.joining;
  const Placement* got = searched.answer.placement();
  if (got == nullptr) return CheckRefusal(links, searched, exact, expected.has_value(), tally);
  ++tally.fits;
  ASSERT_TRUE(expected.has_value()) << links.Describe();
  const std::optional<int64_t> over = OverOf(links, searched);
  ASSERT_TRUE(over.has_value()) << "a hard limit is exceeded\n" << links.Describe();
  ASSERT_THAT(JudgeLinks(links, searched), testing::IsEmpty()) << links.Describe();
  if (exact) {
    ASSERT_EQ(got->proven, ProvenThrough::kAll) << links.Describe();
  }
  if (got->proven != ProvenThrough::kAll) return;
  ++tally.exact;
  ASSERT_EQ(got->touched, expected->touched) << links.Describe();
  ASSERT_EQ(*over, expected->over) << links.Describe();
  if (links.world.roles.size() > 1) return;  // ties go by the larger role, if one is
  ASSERT_EQ(searched.Members(), expected->members) << links.Describe();
  tally.over += *over > 0;
  tally.moved += expected->members != BruteForceLinks(links, /*limits=*/false)->members;
}

}  // namespace

void LinkTally::Print(const char* what) const {
  std::printf(
      "oracle: %lld worlds with %s: %lld fit (%lld proven through all, %lld of them over a limit "
      "and %lld elsewhere than without links), %lld refused (%lld by a hard limit, %lld of "
      "them for ever), %lld missed without a proof\n",
      static_cast<long long>(worlds), what, static_cast<long long>(fits),
      static_cast<long long>(exact), static_cast<long long>(over), static_cast<long long>(moved),
      static_cast<long long>(refused), static_cast<long long>(by_limit),
      static_cast<long long>(never), static_cast<long long>(missed));
}

LinkTally CampaignOfLinks(uint64_t seed, int worlds, int roles) {
  Random random(seed);
  LinkTally tally;
  for (int i = 0; i < worlds && !testing::Test::HasFailure(); ++i) {
    CheckWorld(RandomLinkWorld(random, roles), tally);
  }
  tally.Print(roles == 1 ? "links, one role" : "links, two roles");
  return tally;
}

}  // namespace phalanx::oracle
