// The steps of one pod through the scheduler; see pipeline.h.
#include <fmt/format.h>

#include <algorithm>

#include "sim/pipeline.h"
#include "sim/pod_object.h"
#include "sim/scheduler_filters.h"

namespace phalanx::sim {
namespace {

// A Binding that fails for a moment is tried again after 20 ms, 40 ms, ... 2 s, for 10 s.
constexpr Duration kFirstPause{20};
constexpr Duration kLastPause = Duration::Seconds(2);
constexpr Duration kBindDeadline = Duration::Seconds(10);

bool IsPassing(int32_t code) { return code == 0 || code == 408 || code == 429 || code >= 500; }

}  // namespace

void Pipeline::RunCycle() {
  if (cycles_.empty()) return;
  std::string uid = cycles_.front();
  cycles_.pop_front();
  auto it = members_.find(uid);
  if (it != members_.end()) {
    if (it->second.step == Step::kQueued && !it->second.leaving) RunMemberCycle(it->second);
    return;
  }
  // A member whose plan was withdrawn meanwhile is held again; only loose pods go on.
  const ApiPod* pod = api_.FindPod(uid);
  if (!pod || !pod->spec.node.empty()) return;
  if (!ToPodObject(*pod, brain_.config().accelerators).membership) RunLooseCycle(uid);
}

void Pipeline::RunMemberCycle(Member& member) {
  CheckAnswer(member);
  if (RefusedByFault(member, FaultStage::kFilter, CycleStage::kFilter)) return;
  const ApiPod& pod = *api_.FindPod(member.uid);
  const Tamper* tamper = brain_.tamper();
  std::optional<PluginRefusal> refusal;
  if (!tamper || !tamper->NoFilters()) {
    refusal = RunFilters(api_, pod, member.node, AssumedOn(member.node), assumed_);
  }
  if (refusal) {
    SendConflict(member, CycleStage::kFilter, refusal->plugin, refusal->message, false);
    GiveBack(member);
    return;
  }
  if (RefusedByFault(member, FaultStage::kReserve, CycleStage::kReserve)) return;
  member.step = Step::kReserved;
  assumed_[member.node].insert(member.uid);
  if (link_.LosesCall()) return GiveBack(member, "Permit: no answer in time");
  SendFact(member, MemberState::kReserved);
  if (plans_[member.plan].prepare_open) Prepare(member);
}

// A pod that nobody holds goes where the scheduler likes: here, the first node by name.
void Pipeline::RunLooseCycle(const std::string& uid) {
  const ApiPod& pod = *api_.FindPod(uid);
  if (recorder_.AnswerOf(uid).kind == AnswerKind::kHeld) {
    violations_.push_back(fmt::format("loose pod {} is answered as held", pod.ScenarioName()));
  }
  for (const auto& [name, node] : api_.nodes()) {
    if (RunFilters(api_, pod, name, AssumedOn(name), assumed_)) continue;
    assumed_[name].insert(uid);
    queue_.After(jitter_(settings_.bind), [this, life = life_, uid, name = name] {
      if (life == life_) assumed_[name].erase(uid);
      api_.Bind(uid, name, std::nullopt);
    });
    return;
  }
  loose_waiting_.insert(uid);
}

// The published answers and the Admit must agree: the plugin asks the former.
void Pipeline::CheckAnswer(const Member& member) {
  PodAnswer answer = recorder_.AnswerOf(member.uid);
  bool goes = answer.kind == AnswerKind::kPlanned || answer.kind == AnswerKind::kReleased;
  // A plan that was withdrawn meanwhile: the Reject is on its way.
  if (!goes && answer.plan != member.plan) return;
  if (goes && answer.plan == member.plan && answer.node == member.node) return;
  violations_.push_back(
      fmt::format("pod {} was admitted to node {} under plan {}, but Filter is "
                  "answered with node '{}' under plan {}",
                  member.pod, member.node, member.plan, answer.node, answer.plan));
}

bool Pipeline::RefusedByFault(const Member& member, FaultStage stage, CycleStage as) {
  const FaultRule* rule =
      faults_.Refuses(stage, member.group, member.pod, member.node, queue_.elapsed());
  if (!rule) return false;
  SendConflict(member, as, rule->plugin, rule->message, rule->pod_refused);
  GiveBack(members_[member.uid]);
  return true;
}

void Pipeline::Prepare(Member& member) {
  member.step = Step::kPreparing;
  queue_.After(jitter_(settings_.prepare),
               [this, life = life_, uid = member.uid, plan = member.plan] {
                 Member* waiting = life == life_ ? Find(uid, plan) : nullptr;
                 if (!waiting || waiting->leaving) return;
                 if (RefusedByFault(*waiting, FaultStage::kPreBind, CycleStage::kPreBind)) return;
                 if (plans_[plan].dry_run && RefusedInDryRun(*waiting)) return;
                 waiting->step = Step::kPrepared;
                 SendFact(*waiting, MemberState::kPrepared);
                 if (plans_[plan].bind_open) {
                   QueueBind(*waiting);
                   StartBinds();
                 }
               });
}

bool Pipeline::RefusedInDryRun(Member& member) {
  const FaultRule* rule =
      faults_.Refuses(FaultStage::kBind, member.group, member.pod, member.node, queue_.elapsed());
  if (!rule || IsPassing(rule->code)) return false;
  BindRefused(member, {rule->code, rule->message});
  return true;
}

void Pipeline::QueueBind(Member& member) {
  if (member.leaving) return;
  member.step = Step::kWaitsForBind;
  binds_.push_back(member.uid);
}

// Gangs in the order of their plans, members as the scenario says.
void Pipeline::OrderBindQueue() {
  auto before = [this](const std::string& a, const std::string& b) {
    const Member& x = members_[a];
    const Member& y = members_[b];
    if (x.plan != y.plan) return x.plan < y.plan;
    if (settings_.order == BindOrder::kName) return x.pod < y.pod;
    return settings_.order == BindOrder::kReversed ? x.rank > y.rank : x.rank < y.rank;
  };
  std::erase_if(binds_, [this](const std::string& uid) {
    auto it = members_.find(uid);
    return it == members_.end() || it->second.step != Step::kWaitsForBind || it->second.leaving;
  });
  std::stable_sort(binds_.begin(), binds_.end(), before);
}

void Pipeline::StartBinds() {
  if (binds_.empty() || in_flight_ >= settings_.binds_in_flight) return;
  OrderBindQueue();
  while (!binds_.empty() && in_flight_ < settings_.binds_in_flight) {
    Member& member = members_[binds_.front()];
    binds_.pop_front();
    StartBind(member);
  }
}

void Pipeline::StartBind(Member& member) {
  const NodeObject* node = api_.FindNode(member.node);
  if (!node || (!member.node_uid.empty() && node->uid != member.node_uid)) {
    std::string what = node ? "has another UID than at the time of the plan" : "is gone";
    SendConflict(member, CycleStage::kBind, "Phalanx", fmt::format("node {} {}", member.node, what),
                 false);
    GiveBack(member);
    return;
  }
  if (!leads_) {
    SendConflict(member, CycleStage::kBind, "Phalanx", "this scheduler does not lead", true);
    GiveBack(member);
    return;
  }
  member.step = Step::kBinding;
  member.give_up = queue_.now() + kBindDeadline;
  ++in_flight_;
  SendBinding(member);
}

void Pipeline::SendBinding(const Member& member) {
  queue_.After(jitter_(settings_.bind), [this, life = life_, copy = member] {
    if (life != life_) return FinishOrphan(copy);
    FinishBind(*Find(copy.uid, copy.plan));  // nothing takes a Binding back
  });
}

// The adapter died, its request did not.
void Pipeline::FinishOrphan(const Member& member) {
  if (slow_until_ > queue_.now()) {
    queue_.At(slow_until_, [this, member] { FinishOrphan(member); });
    return;
  }
  const FaultRule* rule =
      faults_.Refuses(FaultStage::kBind, member.group, member.pod, member.node, queue_.elapsed());
  if (rule && !rule->commits) return;
  api_.Bind(member.uid, member.node, BoundPlan{member.plan, member.rank, member.gang_size});
}

void Pipeline::FinishBind(Member& member) {
  const FaultRule* rule =
      faults_.Refuses(FaultStage::kBind, member.group, member.pod, member.node, queue_.elapsed());
  const bool passing = rule && IsPassing(rule->code);
  if (rule && !rule->commits && !passing) return BindRefused(member, {rule->code, rule->message});
  std::optional<ApiError> error;
  if (!rule || rule->commits) {
    error = api_.Bind(member.uid, member.node, {{member.plan, member.rank, member.gang_size}});
  }
  // The answer does not tell whether it was done.
  if (passing) return RetryBind(member);
  const ApiPod* pod = api_.FindPod(member.uid);
  const bool bound = pod && !pod->spec.node.empty();
  if (error && !bound && pod && !pod->deleting) return BindRefused(member, *error);
  FindBound(member);
}

// Looks where the pod is, and tries again if it is nowhere.
void Pipeline::RetryBind(Member& member) {
  member.pause = std::min(std::max(Duration{member.pause.ms * 2}, kFirstPause), kLastPause);
  queue_.After(member.pause, [this, life = life_, copy = member] {
    if (life != life_) return;  // known to nobody: the snapshot tells
    Member& binding = *Find(copy.uid, copy.plan);
    const ApiPod* pod = api_.FindPod(copy.uid);
    if (!pod || pod->deleting || !pod->spec.node.empty()) return FindBound(binding);
    if (queue_.now() > binding.give_up) return BindRefused(binding, {503, "no answer in time"});
    SendBinding(binding);
  });
}

// The outcome is certain: the pod is where the API server says, or is leaving.
void Pipeline::FindBound(Member& member) {
  const ApiPod* pod = api_.FindPod(member.uid);
  --in_flight_;
  if (!pod || pod->spec.node.empty()) {
    GiveBack(member);
  } else {
    Member bound = member;
    bound.node = pod->spec.node;
    Drop(member.uid);
    SendFact(bound, MemberState::kBound);
  }
  StartBinds();
}

void Pipeline::BindRefused(Member& member, const ApiError& error) {
  if (member.step == Step::kBinding) --in_flight_;
  SendFact(member, MemberState::kBindRefused, error.code, error.message);
  GiveBack(member);
  StartBinds();
}

}  // namespace phalanx::sim
