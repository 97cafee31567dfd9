// The steps of one pod through the scheduler; see pipeline.h.
#include <fmt/format.h>

#include <algorithm>

#include "sim/pipeline.h"
#include "sim/pod_object.h"
#include "sim/scheduler_filters.h"

namespace phalanx::sim {

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
  std::optional<PluginRefusal> refusal = RunFilters(api_, pod, member.node, AssumedOn(member.node));
  if (refusal) {
    SendConflict(member, CycleStage::kFilter, refusal->plugin, refusal->message, false);
    GiveBack(member);
    return;
  }
  if (RefusedByFault(member, FaultStage::kReserve, CycleStage::kReserve)) return;
  member.step = Step::kReserved;
  assumed_[member.node].insert(member.uid);
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
    if (RunFilters(api_, pod, name, AssumedOn(name))) continue;
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
  if (rule) BindRefused(member, {rule->code, rule->message});
  return rule != nullptr;
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
  member.step = Step::kBinding;
  ++in_flight_;
  queue_.After(jitter_(settings_.bind), [this, life = life_, copy = member] {
    if (life == life_) {
      --in_flight_;
      FinishBind(copy.uid, copy.plan);
      StartBinds();
      return;
    }
    // The adapter died, its request did not.
    if (!faults_.Refuses(FaultStage::kBind, copy.group, copy.pod, copy.node, queue_.elapsed())) {
      api_.Bind(copy.uid, copy.node, BoundPlan{copy.plan, copy.rank, copy.gang_size});
    }
  });
}

void Pipeline::FinishBind(const std::string& uid, uint64_t plan) {
  Member* member = Find(uid, plan);
  if (!member) return;
  const FaultRule* rule = faults_.Refuses(FaultStage::kBind, member->group, member->pod,
                                          member->node, queue_.elapsed());
  if (rule) return BindRefused(*member, {rule->code, rule->message});
  const BoundPlan written{plan, member->rank, member->gang_size};
  std::optional<ApiError> error = api_.Bind(uid, member->node, written);
  const ApiPod* pod = api_.FindPod(uid);
  if (error && pod && !pod->spec.node.empty()) {  // bound already: that is where it is
    member->node = pod->spec.node;
    error.reset();
  }
  if (error && (!pod || pod->deleting)) return GiveBack(*member);
  if (error) return BindRefused(*member, *error);
  Member bound = *member;
  Drop(uid);
  SendFact(bound, MemberState::kBound);
}

void Pipeline::BindRefused(Member& member, const ApiError& error) {
  SendFact(member, MemberState::kBindRefused, error.code, error.message);
  GiveBack(member);
}

}  // namespace phalanx::sim
