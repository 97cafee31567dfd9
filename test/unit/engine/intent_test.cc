// The table of Intent in docs/ARCHITECTURE.md, row by row: a story gives the field a value, the
// brain is killed and started again with what the API server and the adapter still know, and the
// field is what the table says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "support/rig.h"

namespace phalanx::test {
namespace {

constexpr char kTrain[] = "team-a/label/train";
constexpr char kFirst[] = "team-a/train-0";
constexpr char kSecond[] = "team-a/train-1";
constexpr char kThird[] = "team-a/train-2";

// Field -> "the same" or "begins anew".
std::map<std::string, std::string> TableOfIntent() {
  std::ifstream file("docs/ARCHITECTURE.md");
  std::map<std::string, std::string> out;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| intent |")) inside = true;
    if (!line.starts_with("|")) inside = false;
    if (!inside) continue;
    const size_t end = line.find('|', 1);
    const size_t after = line.find('|', end + 1);
    const std::string names = line.substr(0, end);
    static const std::regex name("`([A-Za-z]+\\.[a-z_]+)`");
    for (std::sregex_iterator it(names.begin(), names.end(), name), none; it != none; ++it) {
      out[(*it)[1]] = line.substr(end + 2, after - end - 3);
    }
  }
  return out;
}

struct Story {
  std::function<void(Rig&)> play;
  std::vector<std::string> binding;  // members of "train" whose Binding is under way at the end
};

// ---- the stories

void StartTwo(Rig& rig) {
  rig.AddPods(MakeGang({.size = 2}));
  rig.Run();
}

void AdmitTwo(Rig& rig) {
  rig.manual = true;
  rig.AddPods(MakeGang({.size = 2}));
  rig.Plan();
}

void ReserveOne(Rig& rig) {
  AdmitTwo(rig);
  rig.Fact(kFirst, MemberState::kReserved);
}

void WithdrawTwo(Rig& rig) {
  AdmitTwo(rig);
  rig.Send(Leadership{false});
}

void BindOneOfTwo(Rig& rig) {
  rig.stuck_binds = {kSecond};
  StartTwo(rig);
}

void LoseOneOfThreeWhileBinding(Rig& rig) {
  rig.stuck_binds = {kSecond, kThird};
  rig.AddPods(MakeGang({.size = 3}));
  rig.Run();
  rig.RemovePod(kThird);
}

void JoinRunningGang(Rig& rig) {
  rig.stuck_binds = {kThird};
  const GangSpec spec{.size = 3, .min = 2};
  rig.AddPods({MakeMember(spec, 0), MakeMember(spec, 1)});
  rig.Run();
  rig.AddPods({MakeMember(spec, 2)});
  rig.Run();
}

void RefuseOneOfTwo(Rig& rig) {
  rig.refuse_bind[kSecond] = "denied";
  rig.refuse_evictions = true;
  StartTwo(rig);
}

// Nothing is bound, so the gang waits.
void RefuseBoth(Rig& rig) {
  rig.refuse_bind = {{kFirst, "denied"}, {kSecond, "denied"}};
  StartTwo(rig);
}

// Evictions are sent and nobody has carried them out.
void EvictOne(Rig& rig) {
  BindOneOfTwo(rig);
  rig.manual = true;
  rig.Fact(kSecond, MemberState::kBindRefused, 403, "denied");
  rig.Fact(kSecond, MemberState::kReturned);
  rig.Run();
}

void ConflictOnAllNodes(Rig& rig) {
  for (const auto& [name, node] : rig.nodes) rig.refuse_node[name] = "NodePorts";
  StartTwo(rig);
}

// A restart finds nothing of them any more.
void StartAfterOthersAreGone(Rig& rig) {
  rig.AddPods(MakeGang({.name = "other", .size = 2}));
  rig.Run();
  rig.RemovePod("team-a/other-0");
  rig.RemovePod("team-a/other-1");
  StartTwo(rig);
}

void WaitForRoom(Rig& rig) {
  rig.AddPods(MakeGang({.size = 9}));
  rig.Run();
}

void WaitWhileOthersTakeRoom(Rig& rig) {
  WaitForRoom(rig);
  rig.UpdatePod(MakeForeign("thief", rig.nodes.begin()->first, 1));
}

// A pass has looked at one of two gangs.
void BeginAPass(Rig& rig) {
  rig.AddPods(MakeGang({.name = "other", .size = 8, .created_s = 1}));
  WaitForRoom(rig);
  rig.UpdateNode(MakeNode("new", 1));
  rig.Send(PlanSlice{1});
}

void WaitUntilTold(Rig& rig) {
  WaitForRoom(rig);
  rig.Advance(Duration::Minutes(1));
}

void StartLate(Rig& rig) {
  const std::string node = rig.nodes.begin()->first;
  rig.UpdatePod(MakeForeign("thief", node, 1));
  rig.AddPods(MakeGang({.size = 4}));
  rig.Advance(Duration::Minutes(1));
  rig.RemovePod("other/thief");
  rig.Run();
}

void SendWhatCannotBeRead(Rig& rig) {
  Changes changes;
  changes.refused_pods.push_back({.uid = "u", .ns = "team-a", .name = "odd", .what = "no size"});
  rig.Send(std::move(changes));
}

void DeclareALevel(Rig& rig) {
  ApiObject object;
  object.key = {"ClusterTopology", "", "default"};
  object.uid = "uid-default";
  object.body = DeclaredTopology{0, true, {{"row", "example.com/row"}}};
  rig.SetObject(std::move(object));
  rig.Advance(Duration::Seconds(1));
}

// Its answer has not come.
void AskAJob(Rig& rig) {
  rig.jobs_answer = false;
  BindOneOfTwo(rig);
  rig.manual = true;
  rig.Fact(kSecond, MemberState::kBindRefused, 403, "denied");
  rig.Fact(kSecond, MemberState::kReturned);
}

void LoseOneWhileRunning(Rig& rig) {
  StartTwo(rig);
  rig.RemovePod(kSecond);
}

void FindPartBoundGang(Rig& rig) {
  std::vector<PodObject> pods = MakeGang({.size = 2});
  pods[0].node = rig.nodes.begin()->first;
  rig.SetPods(pods);
  for (const auto& [name, node] : rig.nodes) {
    if (name != pods[0].node) rig.SetPods({MakeForeign("thief-on-" + name, name, 1)});
  }
  rig.Start();
}

void Finish(Rig& rig) {
  StartTwo(rig);
  rig.EndPod(kFirst, PodPhase::kSucceeded);
  rig.EndPod(kSecond, PodPhase::kSucceeded);
}

const std::map<std::string, Story>& Stories() {
  static const Story bind{BindOneOfTwo, {kSecond}};
  static const Story refused{RefuseOneOfTwo, {}};
  static const Story waits{RefuseBoth, {}};
  static const std::map<std::string, Story> stories = {
      {"Gang.plan", bind},
      {"Plan.id", bind},
      {"Plan.stage", bind},
      {"Plan.joining", {JoinRunningGang, {kThird}}},
      {"Plan.size", bind},
      {"Plan.bound", bind},
      {"Plan.gang_size", bind},
      {"Member.started_under", bind},
      {"Plan.admitted", {AdmitTwo, {}}},
      {"Plan.deadline", {AdmitTwo, {}}},
      {"Plan.lost", {LoseOneOfThreeWhileBinding, {kSecond}}},
      {"Member.stage", bind},
      {"Member.plan", bind},
      {"Member.node", bind},
      {"Member.rank", bind},
      {"Member.evicting", {EvictOne, {}}},
      {"Gang.domain", bind},
      {"Gang.ran", {StartTwo, {}}},
      {"Gang.started", {StartTwo, {}}},
      {"Gang.attempts", waits},
      {"Gang.serious_in_row", waits},
      {"Gang.conflicts_in_row", {ConflictOnAllNodes, {}}},
      {"Gang.failure", waits},
      {"Gang.not_before", waits},
      {"Gang.rolling_back", refused},
      {"Gang.partial_since", refused},
      {"Gang.evict_at", refused},
      {"Gang.broken_since", {LoseOneWhileRunning, {}}},
      {"Gang.repair_by", {FindPartBoundGang, {}}},
      {"Gang.resend_at", {WithdrawTwo, {}}},
      {"Gang.forget_at", {Finish, {}}},
      {"Gang.verdict", {WaitForRoom, {}}},
      {"Member.told", {WaitUntilTold, {}}},
      {"Gang.waited", {StartLate, {}}},
      {"Gang.complete_since", {WaitForRoom, {}}},
      {"Gang.dry_run", refused},
      {"Gang.jobs", refused},
      {"State.board", {WaitUntilTold, {}}},
      {"State.topologies", {DeclareALevel, {}}},
      {"State.refused_told", {SendWhatCannotBeRead, {}}},
      {"State.job_reads", {AskAJob, {}}},
      {"State.plans_made", {AdmitTwo, {}}},
      {"State.outbox", {StartTwo, {}}},
      {"State.progress", {ReserveOne, {}}},
      {"State.pass", {BeginAPass, {}}},
      {"State.refusals", {WaitForRoom, {}}},
      {"State.refresh_at", {WaitWhileOthersTakeRoom, {}}},
      {"State.exclusions", {ConflictOnAllNodes, {}}},
      {"State.mix", {StartAfterOthersAreGone, {}}},
      {"State.fragmentation", {StartAfterOthersAreGone, {}}},
      {"State.evictions", {EvictOne, {}}},
  };
  return stories;
}

// ---- before and after

// What the field's hash is; nullopt if there is no such entity, or no plan.
std::optional<uint64_t> HashOf(const Rig& rig, const std::string& field) {
  const bool engine = field.starts_with("State.");
  // Of a plan as a whole its number is looked at: the parts that are kept have rows of their own.
  const std::string name = field == "Gang.plan" ? "Plan.id" : field;
  for (const FieldHash& item : rig.engine.FieldHashes(
           engine ? EntityKind::kEngine : EntityKind::kGang, engine ? "engine" : kTrain)) {
    if (item.name == name) return item.hash;
  }
  return std::nullopt;
}

void Begin(Rig& rig) {
  rig.SetNodes(MakeRacks(1, 4, 1));
  rig.Start();
}

// What the adapter says of a member whose Binding is under way.
MemberFact Binding(const Rig& rig, const std::string& uid) {
  MemberFact fact{.pod_uid = uid, .state = MemberState::kBinding};
  const GangView view = rig.View("train");
  fact.plan = view.plan;
  for (const MemberView& member : view.members) {
    if (member.pod_uid == uid) fact.node = member.node;
  }
  return fact;
}

// A new process, five minutes later, with the same cluster.
void Restart(const Rig& before, const std::vector<std::string>& binding, Rig& after) {
  after.manual = true;
  after.nodes = before.nodes;
  after.pods = before.pods;
  after.now = before.now + Duration::Minutes(5);
  after.Send(Connect{before.epoch + 1, "test"});
  Changes snapshot;
  for (const auto& [name, node] : after.nodes) snapshot.nodes.push_back(node);
  for (const auto& [uid, pod] : after.pods) snapshot.pods.push_back(pod);
  after.Send(std::move(snapshot));
  for (const std::string& uid : binding) after.Send(Binding(before, uid));
  after.Send(Leadership{true});
  after.Send(SyncDone{});
}

// The same cluster, of whose gang nothing has been decided yet.
void Untouched(const Rig& before, Rig& fresh) {
  fresh.nodes = before.nodes;
  for (const auto& [uid, pod] : before.pods) {
    PodObject waiting = pod;
    waiting.node.clear();
    waiting.bound_plan.reset();
    waiting.told = false;
    waiting.phase = PodPhase::kPending;
    waiting.gates = {"nobody/looks"};
    fresh.pods[uid] = std::move(waiting);
  }
  fresh.Start();
}

class IntentTest : public ::testing::TestWithParam<std::string> {};

TEST_P(IntentTest, IsWhatTheTableSaysAfterARestart) {
  const std::string field = GetParam();
  const std::string says = TableOfIntent()[field];
  const auto story = Stories().find(field);
  ASSERT_NE(story, Stories().end()) << "no story for " << field << ": write one";
  Rig before, after, fresh;
  Begin(before);
  story->second.play(before);
  const auto value = HashOf(before, field);
  ASSERT_TRUE(value.has_value()) << field;
  Untouched(before, fresh);
  EXPECT_NE(value, HashOf(fresh, field)) << "the story gives " << field << " no value of its own";
  Restart(before, story->second.binding, after);
  if (says == "the same") {
    EXPECT_EQ(HashOf(after, field), value) << field;
  } else {
    EXPECT_EQ(says, "begins anew") << field;
    EXPECT_NE(HashOf(after, field), value) << field;
  }
}

std::vector<std::string> Fields() {
  std::vector<std::string> out;
  for (const auto& [field, after] : TableOfIntent()) out.push_back(field);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Table, IntentTest, ::testing::ValuesIn(Fields()), [](const auto& field) {
  return std::regex_replace(field.param, std::regex("\\."), "_");
});

// Without it a table that is not found would pass unseen.
TEST(IntentTableTest, HasARowForEachIntent) {
  Rig rig;
  Begin(rig);
  BindOneOfTwo(rig);
  const std::map<std::string, std::string> table = TableOfIntent();
  size_t rows = 0;
  for (const auto& [kind, name] :
       {std::pair(EntityKind::kEngine, "engine"), std::pair(EntityKind::kGang, kTrain)}) {
    for (const FieldHash& field : rig.engine.FieldHashes(kind, name)) {
      EXPECT_EQ(table.count(field.name), field.kind == FieldKind::kIntent ? 1u : 0u) << field.name;
      if (field.kind == FieldKind::kIntent) ++rows;
    }
  }
  EXPECT_EQ(rows, table.size());
}

}  // namespace
}  // namespace phalanx::test
