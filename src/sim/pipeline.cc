#include "sim/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/pod_object.h"
#include "sim/scheduler_filters.h"

namespace phalanx::sim {

Pipeline::Pipeline(EventQueue& queue, ApiServer& api, Brain& brain, Link& link, Recorder& recorder,
                   Settings& settings, Faults& faults, Jitter& jitter)
    : queue_(queue),
      api_(api),
      brain_(brain),
      link_(link),
      recorder_(recorder),
      settings_(settings),
      faults_(faults),
      jitter_(jitter) {
  api_.Watch(this);
}

void Pipeline::NodeChanged(const std::string&, const NodeObject*) {
  for (const std::string& uid : loose_waiting_) cycles_.push_back(uid);
  loose_waiting_.clear();
  ScheduleCycle();
}

void Pipeline::PodChanged(const std::string& uid, const ApiPod* pod) {
  auto it = members_.find(uid);
  if (it != members_.end() && (!pod || pod->deleting || pod->Ended())) {
    if (it->second.step != Step::kBinding) GiveBack(it->second);
  }
  if (!pod || pod->Ended()) NodeChanged("", nullptr);
  bool fresh = pod && pod->spec.ours && pod->spec.node.empty() && !pod->deleting;
  if (!fresh || ToPodObject(*pod, brain_.config().accelerators).membership) return;
  if (pod->spec.gates.empty() && loose_waiting_.insert(uid).second) NodeChanged("", nullptr);
}

void Pipeline::Carry(const Admit& admit) {
  if (plans_.contains(admit.plan)) return;  // a repetition
  Plan& plan = plans_[admit.plan];
  plan.prepare_open = admit.late_barrier;
  plan.dry_run = admit.dry_run;
  for (const AdmitMember& m : admit.members) {
    plan.nodes[m.pod_uid] = m.node;
    if (Member* old = members_.contains(m.pod_uid) ? &members_[m.pod_uid] : nullptr) {
      violations_.push_back(
          fmt::format("pod {} is admitted under plan {} while it is still in the "
                      "pipeline under plan {}",
                      old->pod, admit.plan, old->plan));
      continue;
    }
    const ApiPod* pod = api_.FindPod(m.pod_uid);
    Member member{.uid = m.pod_uid,
                  .pod = {},
                  .group = {},
                  .plan = admit.plan,
                  .node = m.node,
                  .node_uid = m.node_uid,
                  .rank = m.rank,
                  .gang_size = admit.gang_size,
                  .step = Step::kQueued,
                  .leaving = false};
    if (!pod || pod->deleting || !pod->spec.node.empty()) {
      // Not at once: brain and adapter would go round in one instant until the watch tells.
      queue_.After(jitter_(settings_.give_back),
                   [this, member] { SendFact(member, MemberState::kReturned); });
      continue;
    }
    member.pod = pod->ScenarioName();
    member.group = pod->spec.group;
    ++busy_[member.group];
    members_.emplace(m.pod_uid, std::move(member));
    cycles_.push_back(m.pod_uid);
  }
  ScheduleCycle();
}

void Pipeline::Carry(const Release& release) {
  auto it = plans_.find(release.plan);
  if (it == plans_.end()) return;
  bool bind = release.stage == ReleaseStage::kBind;
  it->second.prepare_open = true;
  it->second.bind_open = it->second.bind_open || bind;
  for (const auto& [uid, node] : it->second.nodes) {
    Member* member = Find(uid, release.plan);
    if (!member) continue;
    if (member->step == Step::kReserved) Prepare(*member);
    if (bind && member->step == Step::kPrepared) QueueBind(*member);
  }
  StartBinds();
}

void Pipeline::Carry(const Reject& reject) {
  auto it = plans_.find(reject.plan);
  if (it == plans_.end()) return;
  it->second.rejected = true;
  for (const auto& [uid, node] : it->second.nodes) {
    if (Member* member = Find(uid, reject.plan)) {
      if (member->step != Step::kBinding) GiveBack(*member);
      continue;
    }
    // Said before, perhaps not heard: where the pod is now.
    const ApiPod* pod = api_.FindPod(uid);
    Member past{.uid = uid,
                .pod = {},
                .group = {},
                .plan = reject.plan,
                .node = node,
                .node_uid = {},
                .rank = 0,
                .step = Step::kQueued,
                .leaving = false};
    bool bound = pod && !pod->spec.node.empty();
    if (bound) past.node = pod->spec.node;
    if (!members_.contains(uid)) {
      SendFact(past, bound ? MemberState::kBound : MemberState::kReturned);
    }
  }
}

void Pipeline::Stop(Duration slow) {
  ++life_;
  slow_until_ = queue_.now() + slow;
  stopped_ = true;
  plans_.clear();
  members_.clear();
  assumed_.clear();
  busy_.clear();
  cycles_.clear();
  cycle_due_ = false;
  binds_.clear();
  in_flight_ = 0;
  loose_waiting_.clear();
}

void Pipeline::Start() {
  stopped_ = false;
  for (const auto& [uid, pod] : api_.pods()) PodChanged(uid, &pod);
}

void Pipeline::DropUnreleased() {
  std::vector<std::string> leaving;
  for (const auto& [uid, member] : members_) {
    if (!plans_[member.plan].bind_open) leaving.push_back(uid);
  }
  for (const std::string& uid : leaving) Drop(uid);
}

std::vector<MemberFact> Pipeline::ReleasedMembers() const {
  std::vector<MemberFact> facts;
  for (const auto& [uid, member] : members_) {
    if (!plans_.at(member.plan).bind_open) continue;
    facts.push_back({uid, member.plan, member.node, MemberState::kBinding, 0, ""});
  }
  return facts;
}

bool Pipeline::Busy(const std::string& group) const {
  auto it = busy_.find(group);
  return it != busy_.end() && it->second > 0;
}

void Pipeline::ScheduleCycle() {
  if (stopped_ || cycle_due_ || cycles_.empty()) return;
  cycle_due_ = true;
  queue_.After(jitter_(settings_.cycle), [this, life = life_] {
    if (life != life_) return;
    cycle_due_ = false;
    RunCycle();
    ScheduleCycle();
  });
}

// Removes what is known of the member without a word.
void Pipeline::Drop(const std::string& uid) {
  auto it = members_.find(uid);
  if (it == members_.end()) return;
  assumed_[it->second.node].erase(uid);
  --busy_[it->second.group];
  members_.erase(it);
}

void Pipeline::GiveBack(Member& member, const std::string& why) {
  if (member.leaving) return;
  member.leaving = true;
  queue_.After(jitter_(settings_.give_back), [this, life = life_, copy = member, why] {
    Member* left = life == life_ ? Find(copy.uid, copy.plan) : nullptr;
    if (!left) return;
    Drop(copy.uid);
    SendFact(copy, MemberState::kReturned, 0, why);
    NodeChanged("", nullptr);
  });
}

void Pipeline::SendFact(const Member& member, MemberState state, int32_t code,
                        const std::string& message) {
  link_.Up(MemberFact{member.uid, member.plan, member.node, state, code, message});
}

void Pipeline::SendConflict(const Member& member, CycleStage stage, const std::string& plugin,
                            const std::string& message, bool pod_refused) {
  link_.Up(Conflict{member.uid, member.plan, member.node, plugin, message, stage, pod_refused});
}

Pipeline::Member* Pipeline::Find(const std::string& uid, uint64_t plan) {
  auto it = members_.find(uid);
  return it == members_.end() || it->second.plan != plan ? nullptr : &it->second;
}

QuantityMap Pipeline::AssumedOn(const std::string& node) const {
  QuantityMap sum;
  auto it = assumed_.find(node);
  if (it == assumed_.end()) return sum;
  for (const std::string& uid : it->second) {
    const ApiPod* pod = api_.FindPod(uid);
    if (!pod || pod->TakesRoom()) continue;
    for (const auto& [name, quantity] : pod->spec.requests) sum[name] += quantity;
  }
  return sum;
}

}  // namespace phalanx::sim
