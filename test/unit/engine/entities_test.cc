// Hashes per entity: one that is spoilt is named, and no other; two engines are compared by them.
#include "core/engine/entities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/engine/field_hasher.h"
#include "core/engine/inputs.h"
#include "core/engine/planning.h"
#include "core/engine/settle.h"
#include "core/engine/snapshot.h"
#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two racks of two hosts; "run" is admitted, "wait" is larger than what is left, "gate" is gated.
class Small {
 public:
  Small() : state(EngineConfig()) {
    state.now = Time{1'000'000};
    ApplyConnect(state, {1, "test"});
    state.leading = true;
    Changes changes;
    changes.nodes = MakeRacks(2, 2, 4);
    for (PodObject& pod : MakeGang({.name = "run", .size = 2, .gpus = 4})) {
      changes.pods.push_back(std::move(pod));
    }
    for (PodObject& pod : MakeGang({.name = "wait", .size = 3, .gpus = 4, .created_s = 5})) {
      changes.pods.push_back(std::move(pod));
    }
    changes.pods.push_back(MakeMember({.name = "gate"}, 0));
    changes.pods.back().gates = {"later"};
    changes.pods.push_back(MakeForeign("thief", "rack-1-host-1", 1));
    Apply([&] { ApplyChanges(state, changes); });
    Apply([&] { ApplySyncDone(state); });
    for (int i = 0; i < 100 && HasPlanningWork(state); ++i) {
      Apply([&] { RunPlanSlice(state, 1000); });
    }
  }

  void Apply(const std::function<void()>& command) {
    state.admitted.clear();
    command();
    SettleTouched(state);
    state.outbox.Take();
  }

  Gang& TheGang(const std::string& name) {
    return state.gangs.Get(state.gangs.Find({"team-a", "label", name}));
  }

  // "KIND NAME: PARTS" of the entities whose derived state is wrong.
  std::vector<std::string> Stale() const {
    std::vector<std::string> out;
    for (const EntityHash& entity : EntityHashes(state)) {
      EXPECT_EQ(entity.stale.empty(), entity.derived == entity.recomputed) << entity.name;
      std::string line = entity.name + ":";
      for (const std::string& part : entity.stale) line += " " + part;
      if (!entity.stale.empty()) out.push_back(line);
    }
    return out;
  }

  State state;
};

TEST(EntitiesTest, NothingIsStaleAndEachEntityIsThere) {
  Small world;
  EXPECT_THAT(world.Stale(), IsEmpty());
  EXPECT_THAT(StaleEntities(world.state), IsEmpty());
  std::vector<std::string> names;
  std::set<uint64_t> hashes;
  for (const EntityHash& entity : EntityHashes(world.state)) {
    names.push_back(entity.name);
    hashes.insert(entity.state);
  }
  EXPECT_THAT(names, ElementsAre("engine", "rack-0-host-0", "rack-0-host-1", "rack-1-host-0",
                                 "rack-1-host-1", "team-a/label/gate", "team-a/label/run",
                                 "team-a/label/wait"));
  EXPECT_EQ(hashes.size(), names.size());
  EXPECT_TRUE(world.TheGang("run").plan.has_value());
  EXPECT_TRUE(world.TheGang("wait").queued.has_value());
}

TEST(EntitiesTest, ASpoiltHostIsNamedAndNoOther) {
  Small world;
  const NodeId node = world.state.cluster.FindNode("rack-1-host-1");
  const PodId thief = world.state.pods.Find("other/thief");
  Resources more = world.state.pods.Get(thief).request;
  more.Add(more);
  world.state.cluster.ledger().Book(thief, node, BookingKind::kBound, more);
  EXPECT_THAT(world.Stale(), ElementsAre("rack-1-host-1: bound"));
  ASSERT_EQ(StaleEntities(world.state).size(), 1u);
  EXPECT_THAT(StaleEntities(world.state)[0], HasSubstr("host rack-1-host-1: derived state"));
}

TEST(EntitiesTest, ALostHoldIsNamed) {
  Small world;
  Gang& gang = world.TheGang("run");
  const Member& member = gang.roster.members().begin()->second;
  const std::string host = world.state.cluster.node(member.node).object.name;
  world.state.cluster.ledger().Release(member.pod);
  EXPECT_THAT(world.Stale(), ElementsAre(host + ": held"));
}

TEST(EntitiesTest, EachSpoiltPartOfAGangIsNamed) {
  using Spoil = std::function<void(State&, Gang&)>;
  const auto first = [](Gang& gang) -> Member& { return gang.roster.members().begin()->second; };
  const std::pair<std::string, Spoil> cases[] = {
      {"phase", [](State&, Gang& gang) { gang.phase = GangPhase::kDone; }},
      {"queue", [](State&, Gang& gang) { gang.queued->since = Time{9}; }},
      {"timer", [](State&, Gang& gang) { gang.wake = Time{5'000'000}; }},
      {"standings", [&](State&, Gang& gang) { first(gang).standing = Standing::kBound; }},
      {"answers", [&](State& state,
                      Gang& gang) { state.pods.Get(first(gang).pod).published.reason = "other"; }},
      {"starting",
       [](State& state, Gang& gang) { state.starting.insert(state.gangs.Find(gang.key)); }},
      // The roster is not told of the change.
      {"roster", [&](State&, Gang& gang) { first(gang).object.created = Time{7}; }},
  };
  for (const auto& [part, spoil] : cases) {
    Small world;
    spoil(world.state, world.TheGang("wait"));
    EXPECT_THAT(world.Stale(), ElementsAre("team-a/label/wait: " + part));
  }
}

TEST(EntitiesTest, FieldsOfAGangAreNamedByTheirKind) {
  Small world;
  const std::vector<FieldHash> fields =
      FieldHashes(world.state, EntityKind::kGang, "team-a/label/run");
  std::set<std::string> names;
  for (const FieldHash& field : fields) EXPECT_TRUE(names.insert(field.name).second) << field.name;
  for (const char* name : {"Gang.key", "Plan.id", "Member.rank"}) EXPECT_TRUE(names.count(name));
  EXPECT_THAT(FieldHashes(world.state, EntityKind::kGang, "team-a/label/nobody"), IsEmpty());
  EXPECT_FALSE(FieldHashes(world.state, EntityKind::kEngine, "engine").empty());
}

// ---- two engines

void Play(Rig& rig, bool with_the_last) {
  rig.SetNodes(MakeRacks(1, 4, 1));
  rig.Start();
  rig.AddPods(MakeGang({.name = "a", .size = 2}));
  rig.AddPods(MakeGang({.name = "b", .size = 2}));
  rig.Run();
  rig.AddPods(MakeGang({.name = "c", .size = 2}));
  rig.Run();
  if (with_the_last) rig.EndPod("team-a/b-0", PodPhase::kFailed);
}

// Whatever a pod says decides something: two engines that were told different things differ.
TEST(HashesTest, EachPartOfWhatAPodSaysCounts) {
  using Change = std::function<void(Membership&)>;
  const std::vector<std::pair<const char*, Change>> changes = {
      {"gang", [](Membership& m) { m.gang.name = "other"; }},
      {"size", [](Membership& m) { m.size = 7; }},
      {"min", [](Membership& m) { m.min = 7; }},
      {"terms_object",
       [](Membership& m) {
         m.terms_object = ObjectKey{"PodGroup", "a", "b"};
       }},
      {"sized_by_object", [](Membership& m) { m.sized_by_object = true; }},
      {"role", [](Membership& m) { m.role = "leader"; }},
      {"required_level", [](Membership& m) { m.required_level = "leaf"; }},
      {"preferred_level", [](Membership& m) { m.preferred_level = "leaf"; }},
      {"segment.size", [](Membership& m) { m.segment.size = 2; }},
      {"segment.required_level", [](Membership& m) { m.segment.required_level = "leaf"; }},
      {"segment.preferred_level", [](Membership& m) { m.segment.preferred_level = "leaf"; }},
      {"spread.level", [](Membership& m) { m.spread.level = "leaf"; }},
      {"spread.at_most", [](Membership& m) { m.spread.at_most = 2; }},
      {"spread.at_least", [](Membership& m) { m.spread.at_least = 2; }},
      {"spread.evenly", [](Membership& m) { m.spread.evenly = true; }},
      {"exclusive_level", [](Membership& m) { m.exclusive_level = "leaf"; }},
      {"group.name", [](Membership& m) { m.group.name = "g"; }},
      {"group.required_level", [](Membership& m) { m.group.required_level = "leaf"; }},
      {"group.preferred_level", [](Membership& m) { m.group.preferred_level = "leaf"; }},
      {"group.size", [](Membership& m) { m.group.size = 2; }},
      {"index", [](Membership& m) { m.index = 3; }},
      {"index_group", [](Membership& m) { m.index_group = 1; }},
      {"expected_duration", [](Membership& m) { m.expected_duration = Duration::Minutes(1); }},
      {"problems",
       [](Membership& m) {
         m.problems.push_back({"field", "", ""});
       }},
  };
  const State state{EngineConfig()};
  const auto hash = [&state](const Membership& m) { return FieldHasher(state).Add(m).Done(); };
  std::set<uint64_t> seen = {hash(Membership())};
  for (const auto& [what, change] : changes) {
    Membership says;
    change(says);
    EXPECT_TRUE(seen.insert(hash(says)).second) << what;
  }
}

TEST(HashesTest, EqualHistoriesHaveEqualHashes) {
  Rig a, b;
  Play(a, true);
  Play(b, true);
  EXPECT_EQ(FirstDifference(a.engine.Hashes(), b.engine.Hashes()), "");
  EXPECT_EQ(a.engine.Digest(), b.engine.Digest());
}

TEST(HashesTest, TheFirstEntityThatDiffersIsNamed) {
  Rig a, b;
  Play(a, true);
  Play(b, false);
  std::set<std::string> differ;
  const std::vector<EntityHash> here = a.engine.Hashes(), there = b.engine.Hashes();
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); ++i) {
    if (here[i] != there[i]) differ.insert(here[i].name);
  }
  EXPECT_THAT(FirstDifference(here, there), HasSubstr(*differ.begin()));
  EXPECT_EQ(differ.count("team-a/label/b"), 1u);
  EXPECT_EQ(differ.count("team-a/label/a"), 0u);
  EXPECT_THAT(FirstDifference(here, {}), HasSubstr("engine is only here"));
}

// Of a cluster at rest nothing but what begins anew differs after a restart: hosts are the same.
TEST(HashesTest, HostsAreTheSameAfterARestart) {
  Rig before, after;
  Play(before, false);
  after.nodes = before.nodes;
  after.pods = before.pods;
  after.Start();
  const std::vector<EntityHash> here = before.engine.Hashes(), there = after.engine.Hashes();
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); ++i) {
    if (here[i].kind != EntityKind::kHost) continue;
    EXPECT_EQ(here[i], there[i]) << here[i].name;
  }
}

// Whoever changes what is hashed has to know that hashes of two versions can not be compared.
TEST(HashesTest, TheDefinitionIsTheOneOfTheGuide) {
  Hash empty;
  empty.Add("");
  Hash node;
  node.Add("n1");
  node.Add(8);
  EXPECT_EQ(empty.Done(), 0x30fffcdfbbbc3f43uLL);
  EXPECT_EQ(node.Done(), 0x3f2c87e0177bcbb0uLL);
}

}  // namespace
}  // namespace phalanx::test
