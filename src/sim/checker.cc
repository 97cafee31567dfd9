#include "sim/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/explain/reason_text.h"
#include "core/judge/exclusive.h"
#include "core/judge/group.h"
#include "core/judge/judge.h"
#include "core/judge/segments.h"
#include "core/judge/spread.h"
#include "phalanx/host_port.h"
#include "sim/text.h"

namespace phalanx::sim {
namespace {

// With more pods than this not every command is followed by a full check.
constexpr size_t kSmallWorld = 150;
// With more gangs than this their views are made at most once in a second.
constexpr size_t kFewGangs = 50;
constexpr size_t kMostViolations = 10;

std::string KeyText(const GangKey& key) { return key.ns + "/" + key.name; }

}  // namespace

Checker::Checker(World& world) : world_(world) {
  world_.api().Watch(this);
  world_.brain().AfterCommand(
      [this](const Command& command, const Outcome& outcome) { AfterCommand(command, outcome); });
}

void Checker::Fail(std::string text) {
  if (violations_.size() >= kMostViolations) return;
  violations_.push_back({world_.queue().elapsed(), std::move(text)});
}

void Checker::NodeChanged(const std::string& name, const NodeObject*) {
  if (world_.queue().elapsed().ms > 0) disturbed_.insert(name);
}

void Checker::PodChanged(const std::string& uid, const ApiPod* pod) {
  if (pod) group_of_pod_[uid] = pod->spec.group;
  dirty_.insert(group_of_pod_[uid]);
  if (!pod || !pod->TakesRoom()) return;
  if (!pod->spec.ours || pod->bound_at == world_.queue().start()) {
    disturbed_.insert(pod->spec.node);
    return;
  }
  const NodeObject* node = world_.api().FindNode(pod->spec.node);
  if (!node || disturbed_.contains(pod->spec.node)) return;
  for (const auto& [name, used] : world_.api().UsedOn(pod->spec.node)) {
    const int64_t room = AllocatableOf(*node, name);
    if (used <= room) continue;
    Fail(fmt::format("node {} has {} of {} and its pods take {}, {} among them", node->name, room,
                     name, used, pod->ScenarioName()));
  }
}

void Checker::AfterCommand(const Command& command, const Outcome& outcome) {
  FollowFacts(command);
  for (const Directive& directive : outcome.directives) {
    if (const auto* admit = std::get_if<Admit>(&directive.body)) JudgeAdmit(*admit);
  }
  size_t pods = world_.adapter().mirror().pods().size();
  int64_t stride = pods <= kSmallWorld ? 1 : static_cast<int64_t>(pods / 50);
  if (world_.brain().commands() % stride != 0) return;
  for (const std::string& broken : world_.brain().engine().CheckInvariants()) {
    Fail("invariant: " + broken);
  }
}

// What the adapter has said about rooms that are held.
void Checker::FollowFacts(const Command& command) {
  if (std::holds_alternative<Connect>(command.body)) held_.clear();
  const auto* fact = std::get_if<MemberFact>(&command.body);
  if (fact && fact->state == MemberState::kReturned) {
    auto it = held_.find(fact->pod_uid);
    if (it != held_.end() && it->second.plan == fact->plan) held_.erase(it);
  }
  const auto& pods = world_.adapter().mirror().pods();
  if (fact && fact->state == MemberState::kBinding) {
    auto pod = pods.find(fact->pod_uid);
    if (pod != pods.end()) held_[fact->pod_uid] = {fact->plan, fact->node, pod->second.requests};
  }
  if (const auto* changes = std::get_if<Changes>(&command.body)) {
    for (const std::string& uid : changes->removed_pods) held_.erase(uid);
    for (const PodObject& pod : changes->pods) {
      if (!pod.node.empty()) held_.erase(pod.uid);
    }
  }
}

int32_t Checker::MinOf(const Membership& membership) {
  if (!membership.sized_by_object) return membership.min;
  const auto& objects = world_.adapter().mirror().objects();
  auto it = objects.find(*membership.terms_object);
  return it == objects.end() ? kMaxGangSize : std::get<GangTerms>(it->second.body).min;
}

// Members beside those of their own gang, and of others.
void Checker::JudgeNeighbours(const GangKey& key, const judge::World& before,
                              const std::vector<judge::Assignment>& gang,
                              std::vector<std::string>& wrong) {
  std::vector<judge::Assignment> own, others, group;
  bool exclusive = false;
  for (const auto& [uid, pod] : world_.adapter().mirror().pods()) {
    const auto held = held_.find(uid);
    const bool ended = pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
    if (!pod.ours || !pod.membership || ended) continue;
    exclusive |= !pod.membership->exclusive_level.empty();
    const std::string& node = held != held_.end() ? held->second.node : pod.node;
    if (node.empty()) continue;
    (pod.membership->gang == key ? own : others).push_back({pod, node});
    if (!pod.membership->group.name.empty()) group.push_back({pod, node});
  }
  for (std::string& what : judge::CheckSpread(before, gang, own)) wrong.push_back(std::move(what));
  for (std::string& what : judge::CheckGroup(before, gang, group)) wrong.push_back(std::move(what));
  if (!exclusive) return;
  for (std::string& what : judge::CheckExclusive(before, gang, others)) {
    wrong.push_back(std::move(what));
  }
}

void Checker::JudgeAdmit(const Admit& admit) {
  const auto& pods = world_.adapter().mirror().pods();
  judge::World before;
  before.node_scope = world_.brain().config().node_scope;
  for (const auto& [name, node] : world_.adapter().mirror().nodes()) before.nodes.push_back(node);
  before.topologies = judge::TopologiesOf(world_.adapter().mirror().objects());
  for (const auto& [uid, pod] : pods) {
    bool ended = pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
    if (!pod.node.empty() && !ended) before.occupants.push_back({pod.node, pod.requests});
  }
  for (const auto& [uid, held] : held_) before.occupants.push_back({held.node, held.requests});
  std::vector<judge::Assignment> gang;
  int32_t min = 1;
  for (const AdmitMember& member : admit.members) {
    auto pod = pods.find(member.pod_uid);
    if (pod == pods.end()) {
      Fail(fmt::format("Admit of {} names pod {} that is not there", KeyText(admit.gang),
                       member.pod_uid));
      continue;
    }
    gang.push_back({pod->second, member.node, member.rank});
    if (pod->second.membership) min = std::max(min, MinOf(*pod->second.membership));
  }
  std::vector<std::string> wrong = judge::CheckPlacement(before, gang);
  JudgeNeighbours(admit.gang, before, gang, wrong);
  for (const judge::Assignment& member : gang) {
    held_[member.pod.uid] = {admit.plan, member.node, member.pod.requests};
  }
  // Members that join what is bound already come as they find room.
  std::optional<GangView> view = world_.brain().engine().Gang(admit.gang);
  bool start = !view || view->bound == 0;
  int64_t placed = static_cast<int64_t>(admit.members.size());
  for (const auto& member : view ? view->members : std::vector<MemberView>{}) {
    if (member.state == "ended") ++placed;
  }
  if (start) {
    for (std::string& cut : judge::CheckSegments(before, gang)) wrong.push_back(std::move(cut));
  }
  for (const std::string& what : wrong) {
    Fail(fmt::format("judge: plan {} of {}: {}", admit.plan, KeyText(admit.gang), what));
  }
  if (start && placed < min) {
    Fail(fmt::format("Admit of {} places {} members, its minimum is {}", KeyText(admit.gang),
                     placed, min));
  }
}

// Whether all bound members of the gang may be evicted.
bool Checker::CanLeave(const std::string& group) const {
  for (const ApiPod* pod : const_cast<World&>(world_).api().PodsOfGroup(group)) {
    if (pod->TakesRoom() && !pod->spec.job_owned) return false;
  }
  return true;
}

void Checker::Follow(Spell& spell, const std::string& group) {
  int64_t placed = 0;
  int64_t bound = 0;
  int64_t min = 0;
  for (const ApiPod* pod : world_.api().PodsOfGroup(group)) {
    bool lives = pod->TakesRoom() && !pod->deleting && pod->spec.ours;
    bound += lives ? 1 : 0;
    placed += lives || pod->phase == PodPhase::kSucceeded ? 1 : 0;
  }
  if (std::optional<GangView> view = world_.ViewOf(group)) min = view->min;
  if (bound > 0 && placed >= min) spell.whole = true;
  if (bound == 0) spell.whole = false;
  spell.partial = bound > 0 && placed < min && !spell.whole;
  if (!spell.partial) spell.lasted = {};
}

void Checker::CheckSpells() {
  Duration now = world_.queue().elapsed();
  Duration passed = now - last_instant_;
  last_instant_ = now;
  for (auto& [group, spell] : spells_) {
    if (!spell.partial) continue;
    if (world_.adapter().connected()) spell.lasted = spell.lasted + passed;
    if (spell.lasted <= world_.scenario().partial_bound || spell.told || !CanLeave(group)) continue;
    spell.told = true;
    Fail(fmt::format("gang {} is part-bound for more than {}", group,
                     DurationText(world_.scenario().partial_bound)));
  }
  for (const std::string& group : dirty_) {
    if (!group.empty()) Follow(spells_[group], group);
  }
  dirty_.clear();
}

bool Checker::PartialAtRest(const std::string& group) const {
  auto it = spells_.find(group);
  if (it == spells_.end() || !it->second.partial) return false;
  World& world = const_cast<World&>(world_);
  if (world.adapter().pipeline().Busy(group)) return false;
  for (const ApiPod* pod : world.api().PodsOfGroup(group)) {
    if (pod->deleting) return false;
  }
  return true;
}

void Checker::LookAtGangs() {
  Duration now = world_.queue().elapsed();
  if (world_.brain().down()) return;
  bool few = world_.scenario().groups.size() <= kFewGangs;
  if (!few && last_look_.ms >= 0 && now - last_look_ < Duration::Seconds(1)) return;
  last_look_ = now;
  for (const GangView& gang : world_.brain().engine().Gangs()) {
    world_.recorder().RecordPhase(now, gang);
    bool waits = gang.phase == GangPhase::kGathering || gang.phase == GangPhase::kQueued;
    bool told = gang.reason.code != ReasonCode::kNone && !gang.explanation.empty();
    if (!waits || told) continue;
    Fail(fmt::format("gang {} waits in phase {} without a reason", KeyText(gang.key),
                     PhaseName(gang.phase)));
  }
}

void Checker::AfterInstant() {
  for (std::string& text : world_.adapter().pipeline().TakeViolations()) Fail(std::move(text));
  CheckSpells();
  LookAtGangs();
}

void Checker::AtEnd() {
  AfterInstant();
  if (!world_.adapter().connected()) return;
  for (const std::string& broken : world_.brain().engine().CheckInvariants()) {
    Fail("invariant at the end: " + broken);
  }
  if (!world_.adapter().pipeline().members().empty()) return;
  for (const NodeView& node : world_.brain().engine().Nodes()) {
    for (const auto& [resource, quantity] : node.held) {
      if (quantity == 0) continue;
      Fail(fmt::format("node {} holds {} of {} for nobody at the end", node.name, quantity,
                       resource));
    }
  }
  CheckRebuild();
}

// The live state equals one that is built from the objects alone.
void Checker::CheckRebuild() {
  Engine cold(world_.brain().config());
  Time now = world_.queue().now();
  Changes snapshot;
  for (const auto& [name, node] : world_.adapter().mirror().nodes()) snapshot.nodes.push_back(node);
  for (const auto& [key, object] : world_.adapter().mirror().objects()) {
    snapshot.objects.push_back(object);
  }
  for (const auto& [uid, pod] : world_.adapter().mirror().pods()) snapshot.pods.push_back(pod);
  cold.Apply({now, Connect{1'000'000, "cold"}});
  cold.Apply({now, std::move(snapshot)});
  cold.Apply({now, SyncDone{}});
  std::vector<NodeView> live_nodes = world_.brain().engine().Nodes();
  std::vector<NodeView> cold_nodes = cold.Nodes();
  if (live_nodes.size() != cold_nodes.size()) {
    Fail(fmt::format("a cold rebuild has {} nodes, the live state {}", cold_nodes.size(),
                     live_nodes.size()));
    return;
  }
  for (size_t i = 0; i < live_nodes.size(); ++i) {
    const NodeView& a = live_nodes[i];
    const NodeView& b = cold_nodes[i];
    if (a.name == b.name && a.path == b.path && a.bound == b.bound) continue;
    Fail(fmt::format("a cold rebuild differs from the live state at node {} (live) / {} (cold)",
                     a.name, b.name));
  }
}

}  // namespace phalanx::sim
