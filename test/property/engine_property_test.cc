// Random histories: whatever happens in whatever order, the invariants hold after each command, the
// same commands give the same state, and once nothing misbehaves everything that fits runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/rig.h"

namespace phalanx::test {
namespace {

using ::testing::IsEmpty;

class History {
 public:
  explicit History(uint32_t seed) : random_(seed) {
    rig.keep_digests = true;
    rig.SetNodes(MakeRacks(2, 3, 4));
    rig.Start();
  }

  void Step() {
    switch (Draw(13)) {
      case 0:
      case 1:
        return NewGang();
      case 2:
        return Misbehave();
      case 3:
        return ToggleNode();
      case 4:
        return EndSome();
      case 5:
        return DeleteSome();
      case 6:
        return rig.Advance(Duration::Seconds(Draw(40)));
      case 7:
        return Restart();
      case 8:
        return rig.Plan();
      case 9:
        return Foreign();
      case 10:
        return EditObject();
      default:
        return rig.Run();
    }
  }

  // Nothing misbehaves from now on; deleted pods go, failed ones are made again by their Job.
  void Heal() {
    ClearFaults();
    for (NodeObject node : MakeRacks(2, 3, 4)) rig.UpdateNode(node);
    for (const GangSpec& spec : specs_) {
      if (grouped_.count(spec.name) > 0) rig.SetObject(GroupOf(spec, spec.min));
    }
    rig.Start();
    for (int round = 0; round < 60; ++round) {
      for (const auto& [uid, pod] : std::map(rig.pods)) {
        if (!pod.ours || pod.deleting || pod.phase == PodPhase::kFailed) rig.RemovePod(uid);
      }
      MakeMissing();
      rig.Run();
      rig.Advance(Duration::Minutes(11));
      for (const GangView& view : rig.engine.Gangs()) {
        if (view.phase == GangPhase::kRunning) Finish(view);
      }
    }
  }

  Rig rig;

 private:
  int Draw(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }
  std::string AnyPod() {
    if (rig.pods.empty()) return "";
    return std::next(rig.pods.begin(), Draw(static_cast<int>(rig.pods.size())))->first;
  }
  std::string AnyNode() {
    return "rack-" + std::to_string(Draw(2)) + "-host-" + std::to_string(Draw(3));
  }

  void NewGang() {
    GangSpec spec{.name = "g" + std::to_string(gangs_++), .size = 1 + Draw(5)};
    spec.min = 1 + Draw(spec.size);
    spec.gpus = 1 + Draw(4);
    spec.priority = Draw(3);
    if (Draw(3) == 0) spec.required_level = "nvlink";
    spec.created_s = rig.now.ms / 1000;
    specs_.push_back(spec);
    if (Draw(3) == 0) {
      grouped_.insert(spec.name);
      if (Draw(2) == 0) rig.SetObject(GroupOf(spec, spec.min));
    }
    std::vector<PodObject> pods;
    pods.reserve(static_cast<size_t>(spec.size));
    for (int i = 0; i < spec.size; ++i) pods.push_back(MemberOf(spec, i));
    if (Draw(5) == 0) pods.back().gates = {"gate"};
    rig.AddPods(pods);
  }
  // A gang whose minimum stands in an object; its members say no size.
  static ApiObject GroupOf(const GangSpec& spec, int32_t min) {
    return {{"PodGroup", spec.ns, spec.name}, "uid-" + spec.name, GangTerms{min, std::nullopt}, {}};
  }
  PodObject MemberOf(const GangSpec& spec, int i) const {
    PodObject pod = MakeMember(spec, i);
    if (grouped_.count(spec.name) == 0) return pod;
    pod.membership->gang.source = "podgroup";
    pod.membership->terms_object = GroupOf(spec, 1).key;
    pod.membership->sized_by_object = true;
    pod.membership->size = pod.membership->min = 1;
    return pod;
  }
  void EditObject() {
    if (grouped_.empty()) return;
    const auto name = std::next(grouped_.begin(), Draw(static_cast<int>(grouped_.size())));
    for (const GangSpec& spec : specs_) {
      if (spec.name != *name) continue;
      const ApiObject object = GroupOf(spec, 1 + Draw(6));
      if (Draw(3) > 0) {
        rig.SetObject(object);
      } else if (rig.objects.count(object.key) > 0) {
        rig.RemoveObject(object.key);
      }
    }
  }
  void Misbehave() {
    const std::string pod = AnyPod();
    switch (Draw(7)) {
      case 0:
        rig.refuse_bind[pod] = "denied";
        break;
      case 1:
        rig.refuse_node[AnyNode()] = "NodeAffinity";
        break;
      case 2:
        rig.refuse_pod[pod] = "VolumeBinding";
        break;
      case 3:
        rig.never_reserves.insert(pod);
        break;
      case 4:
        rig.never_prepares.insert(pod);
        break;
      case 5:
        rig.refuse_evictions = !rig.refuse_evictions;
        break;
      default:
        ClearFaults();
    }
  }
  void ClearFaults() {
    rig.refuse_bind.clear();
    rig.refuse_node.clear();
    rig.refuse_pod.clear();
    rig.never_reserves.clear();
    rig.never_prepares.clear();
    rig.refuse_evictions = false;
  }
  void ToggleNode() {
    const std::string name = AnyNode();
    NodeObject node = MakeRacks(2, 3, 4)[0];
    for (const NodeObject& other : MakeRacks(2, 3, 4)) {
      if (other.name == name) node = other;
    }
    switch (Draw(5)) {
      case 0:
        if (rig.nodes.count(name) > 0) rig.RemoveNode(name);
        return;
      case 1:
        node.unschedulable = true;
        break;
      case 2:
        node.ready = false;
        break;
      case 3:
        node.uid += "-" + std::to_string(Draw(1000));
        break;
      default:
        break;
    }
    rig.UpdateNode(node);
  }
  void EndSome() {
    const std::string uid = AnyPod();
    if (uid.empty() || rig.Pod(uid).node.empty()) return;
    rig.EndPod(uid, Draw(3) == 0 ? PodPhase::kFailed : PodPhase::kSucceeded);
  }
  void DeleteSome() {
    const std::string uid = AnyPod();
    if (uid.empty()) return;
    if (Draw(2) == 0) {
      rig.DeletePod(uid);
    } else {
      rig.RemovePod(uid);
    }
  }
  void Restart() { rig.Start(); }
  void Foreign() {
    if (rig.nodes.empty()) return;
    // A new one each time: an ended pod never runs again.
    rig.UpdatePod(MakeForeign("f" + std::to_string(++lives_), rig.nodes.begin()->first, 1));
  }
  void MakeMissing() {
    for (const GangSpec& spec : specs_) {
      for (int i = 0; i < spec.size; ++i) {
        PodObject pod = MemberOf(spec, i);
        const bool there = std::any_of(rig.pods.begin(), rig.pods.end(), [&](const auto& entry) {
          return entry.second.name == pod.name && entry.second.ns == pod.ns;
        });
        if (there && rig.pods.count(pod.uid) > 0 && !rig.pods.at(pod.uid).gates.empty()) {
          PodObject open = rig.pods.at(pod.uid);
          open.gates.clear();
          rig.UpdatePod(open);
        }
        if (there) continue;
        pod.uid += "-" + std::to_string(++lives_);
        rig.AddPods({pod});
      }
    }
  }
  void Finish(const GangView& view) {
    for (const MemberView& member : view.members) {
      if (member.state == "bound") rig.EndPod(member.pod_uid, PodPhase::kSucceeded);
    }
  }

  std::mt19937 random_;
  int gangs_ = 0;
  int lives_ = 0;
  std::vector<GangSpec> specs_;
  std::set<std::string> grouped_;  // names of those that an object gives their minimum
};

class EngineProperty : public ::testing::TestWithParam<uint32_t> {};

TEST_P(EngineProperty, InvariantsHoldAndEverythingThatFitsRuns) {
  History history(GetParam());
  for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) history.Step();
  history.Heal();
  for (const GangView& view : history.rig.engine.Gangs()) {
    if (view.reason.never) continue;  // larger than any domain
    EXPECT_EQ(view.phase, GangPhase::kDone)
        << view.key.name << " seed " << GetParam() << ": " << view.explanation;
  }
  EXPECT_FALSE(history.rig.engine.HasPlanningWork());
  for (const NodeView& node : history.rig.engine.Nodes()) EXPECT_THAT(node.held, IsEmpty());
}

// Everything that can be asked of an engine.
void AskAll(Engine& engine) {
  for (const GangView& gang : engine.Gangs()) {
    engine.Gang(gang.key);
    const std::string name = gang.key.ns + "/" + gang.key.source + "/" + gang.key.name;
    EXPECT_FALSE(engine.FieldHashes(EntityKind::kGang, name).empty()) << name;
  }
  engine.GangList();
  engine.Nodes();
  engine.TopologySnapshot();
  engine.TakeStats();
  engine.Hashes();
  EXPECT_FALSE(engine.FieldHashes(EntityKind::kEngine, "engine").empty());
  engine.NextDeadline();
  engine.HasPlanningWork();
}

// The second is asked all the time: questions leave no trace either.
TEST_P(EngineProperty, SameCommandsSameState) {
  History a(GetParam()), b(GetParam());
  for (int i = 0; i < 40; ++i) {
    a.Step();
    b.Step();
    AskAll(b.rig.engine);
  }
  EXPECT_EQ(a.rig.digests, b.rig.digests);
  EXPECT_EQ(FirstDifference(a.rig.engine.Hashes(), b.rig.engine.Hashes()), "");
}

// An adapter that sends members back in every way it can think of, at once.
class HostileAdapter {
 public:
  explicit HostileAdapter(uint32_t seed) : random_(seed) {
    rig.manual = true;
    rig.SetNodes(MakeRacks(2, 3, 4));
    rig.Start();
    for (int i = 0; i < 3; ++i) {
      rig.AddPods(MakeGang({.name = "g" + std::to_string(i), .size = 1 + Draw(4)}));
    }
  }

  // Most Admits of one gang within one second of the next ten minutes.
  size_t MostInASecond() {
    const Time end = rig.now + Duration::Minutes(10);
    while (rig.now < end && !::testing::Test::HasFailure()) {
      for (int round = 0; round < 50 && rig.engine.HasPlanningWork(); ++round) {
        const size_t before = rig.Sent<Admit>().size();
        rig.Plan();
        const std::vector<Admit> admits = rig.Sent<Admit>();
        for (size_t i = before; i < admits.size(); ++i) SendBack(admits[i]);
      }
      rig.now = rig.now + Duration{1 + Draw(400)};
      rig.Send(Tick{});
    }
    return most_;
  }

  Rig rig;

 private:
  int Draw(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }

  void All(const Admit& admit, MemberState state) {
    for (const AdmitMember& member : admit.members) rig.Fact(member.pod_uid, state);
  }

  void SendBack(const Admit& admit) {
    std::vector<Time>& times = times_[admit.gang];
    times.push_back(rig.now);
    const auto first = std::upper_bound(times.begin(), times.end(), Time{rig.now.ms - 1000});
    most_ = std::max(most_, static_cast<size_t>(times.end() - first));
    const AdmitMember& one = admit.members.front();
    Conflict conflict{one.pod_uid, admit.plan, one.node, "Plugin", "no", CycleStage::kFilter};
    const int way = Draw(5);
    conflict.pod_refused = way == 1;
    if (way < 2) rig.Send(conflict);
    if (way > 2) {
      All(admit, MemberState::kReserved);
      All(admit, MemberState::kPrepared);
    }
    if (way == 4) rig.Fact(one.pod_uid, MemberState::kBindRefused, 403, "no");
    All(admit, MemberState::kReturned);
  }

  std::mt19937 random_;
  std::map<GangKey, std::vector<Time>> times_;
  size_t most_ = 0;
};

// Four plans in a row while each leaves out a node, then it waits.
TEST_P(EngineProperty, AdmitsInASecondAreBoundedWhateverTheAdapterDoes) {
  HostileAdapter adapter(GetParam());
  const size_t most = adapter.MostInASecond();
  EXPECT_GE(adapter.rig.Sent<Admit>().size(), 10u);
  EXPECT_LE(most, 5u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EngineProperty, ::testing::Range(1u, 41u));

}  // namespace
}  // namespace phalanx::test
