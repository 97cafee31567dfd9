#include "support/rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/judge/judge.h"

namespace phalanx::test {

void Rig::SetNodes(std::vector<NodeObject> list) {
  for (NodeObject& node : list) nodes[node.name] = std::move(node);
}

void Rig::SetPods(std::vector<PodObject> list) {
  for (PodObject& pod : list) pods[pod.uid] = std::move(pod);
}

void Rig::AddPods(std::vector<PodObject> list) {
  for (const PodObject& pod : list) pods[pod.uid] = pod;
  Send(Changes{.pods = std::move(list)});
}

void Rig::UpdateNode(NodeObject node) {
  nodes[node.name] = node;
  Send(Changes{.nodes = {std::move(node)}});
}

void Rig::RemoveNode(const std::string& name) {
  nodes.erase(name);
  Send(Changes{.removed_nodes = {name}});
}

void Rig::UpdatePod(PodObject pod) {
  pods[pod.uid] = pod;
  Send(Changes{.pods = {std::move(pod)}});
}

void Rig::DeletePod(const std::string& uid) {
  PodObject pod = pods.at(uid);
  pod.deleting = true;
  UpdatePod(std::move(pod));
}

void Rig::RemovePod(const std::string& uid) {
  pods.erase(uid);
  pipeline_.erase(uid);
  Send(Changes{.removed_pods = {uid}});
}

void Rig::EndPod(const std::string& uid, PodPhase phase) {
  PodObject pod = pods.at(uid);
  pod.phase = phase;
  UpdatePod(std::move(pod));
}

void Rig::SetObject(ApiObject object) {
  objects[object.key] = object;
  Send(Changes{.objects = {std::move(object)}});
}

void Rig::RemoveObject(const ObjectKey& key) {
  std::string uid = objects.at(key).uid;
  objects.erase(key);
  Send(Changes{.removed_objects = {{key, std::move(uid)}}});
}

void Rig::Start() {
  pipeline_.clear();
  inbox_.clear();
  Send(Connect{++epoch, "test"});
  Changes snapshot;
  for (const auto& [name, node] : nodes) snapshot.nodes.push_back(node);
  for (const auto& [key, object] : objects) snapshot.objects.push_back(object);
  for (const auto& [uid, pod] : pods) snapshot.pods.push_back(pod);
  Send(std::move(snapshot));
  Send(Leadership{true});
  Send(SyncDone{});
}

void Rig::Send(Body body) {
  Outcome outcome = engine.Apply({now, std::move(body)});
  EXPECT_THAT(engine.CheckInvariants(), ::testing::IsEmpty());
  if (keep_digests) digests.push_back(engine.Digest());
  for (const PodAnswer& answer : outcome.answers) answers_[answer.pod_uid] = answer;
  for (const Directive& directive : outcome.directives) {
    log.push_back(directive);
    CarryOut(directive);
  }
  outcomes.push_back(std::move(outcome));
}

MemberFact Rig::FactOf(const std::string& uid, MemberState state) const {
  MemberFact fact{.pod_uid = uid, .state = state};
  auto it = pipeline_.find(uid);
  if (it == pipeline_.end()) return fact;
  fact.plan = it->second.plan;
  fact.node = it->second.node;
  return fact;
}

void Rig::Fact(const std::string& uid, MemberState state, int32_t code,
               const std::string& message) {
  MemberFact fact = FactOf(uid, state);
  fact.code = code;
  fact.message = message;
  if (state == MemberState::kReturned || state == MemberState::kBound) pipeline_.erase(uid);
  Send(std::move(fact));
}

void Rig::Plan() {
  for (int i = 0; engine.HasPlanningWork(); ++i) {
    ASSERT_LT(i, 100'000) << "planning never ends";
    Send(PlanSlice{1000});
  }
}

void Rig::Run() {
  for (int i = 0;; ++i) {
    ASSERT_LT(i, 1'000'000) << "the conversation never ends";
    if (!inbox_.empty()) {
      Body next = std::move(inbox_.front());
      inbox_.pop_front();
      Send(std::move(next));
    } else if (engine.HasPlanningWork()) {
      Plan();
    } else {
      return;
    }
  }
}

void Rig::Advance(Duration by) {
  const Time end = now + by;
  Run();
  for (int i = 0; engine.NextDeadline() <= end; ++i) {
    ASSERT_LT(i, 10'000) << "ticking never ends";
    now = std::max(now, engine.NextDeadline());
    Send(Tick{});
    Run();
  }
  now = end;
}

GangView Rig::View(const std::string& name) const {
  for (const GangView& view : engine.Gangs()) {
    if (view.key.name == name) return view;
  }
  ADD_FAILURE() << "no gang " << name;
  return {};
}

PodAnswer Rig::Answer(const std::string& uid) const {
  auto it = answers_.find(uid);
  return it == answers_.end() ? PodAnswer{.pod_uid = uid} : it->second;
}

int Rig::BoundIn(const std::string& gang) const {
  int count = 0;
  for (const auto& [uid, pod] : pods) {
    if (pod.membership && pod.membership->gang.name == gang && !pod.node.empty()) ++count;
  }
  return count;
}

void Rig::CarryOut(const Directive& directive) {
  if (const auto* admit = std::get_if<Admit>(&directive.body)) OnAdmit(*admit);
  OnWrite(directive);
  if (const auto* waits = std::get_if<PodWaits>(&directive.body)) {
    const auto pod = pods.find(waits->pod_uid);
    if (pod != pods.end()) pod->second.told = true;
  }
  if (const auto* read = std::get_if<ReadJob>(&directive.body)) {
    if (jobs_answer) OnReadJob(directive.sequence, *read);
  }
  if (manual) return;
  if (const auto* release = std::get_if<Release>(&directive.body)) OnRelease(*release);
  if (const auto* reject = std::get_if<Reject>(&directive.body)) OnReject(*reject);
  if (const auto* evict = std::get_if<Evict>(&directive.body)) {
    OnEvict(directive.sequence, *evict);
  }
}

void Rig::OnAdmit(const Admit& admit) {
  judge::World world;
  for (const auto& [name, node] : nodes) world.nodes.push_back(node);
  world.topologies = judge::TopologiesOf(objects);
  for (const auto& [uid, pod] : pods) {
    const bool ended = pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
    if (!pod.node.empty() && !ended) world.occupants.push_back({pod.node, pod.requests});
  }
  for (const auto& [uid, item] : pipeline_) {
    if (pods.count(uid) > 0 && pods.at(uid).node.empty()) {
      world.occupants.push_back({item.node, pods.at(uid).requests});
    }
  }
  std::vector<judge::Assignment> gang;
  for (const AdmitMember& member : admit.members) {
    gang.push_back({pods.at(member.pod_uid), member.node});
    pipeline_[member.pod_uid] = {admit.plan,    member.node, admit.gang_size,
                                 admit.dry_run, member.rank, admit.domain};
  }
  EXPECT_THAT(judge::CheckPlacement(world, gang), ::testing::IsEmpty());
  if (manual) return;
  for (const AdmitMember& member : admit.members) {
    const auto node = refuse_node.find(member.node);
    const auto pod = refuse_pod.find(member.pod_uid);
    if (node == refuse_node.end() && pod == refuse_pod.end()) {
      if (never_reserves.count(member.pod_uid) > 0) continue;
      inbox_.push_back(FactOf(member.pod_uid, MemberState::kReserved));
      continue;
    }
    Conflict conflict{.pod_uid = member.pod_uid, .plan = admit.plan, .node = member.node};
    conflict.plugin = pod != refuse_pod.end() ? pod->second : node->second;
    conflict.message = "does not suit";
    conflict.pod_refused = pod != refuse_pod.end();
    inbox_.push_back(std::move(conflict));
  }
}

void Rig::OnRelease(const Release& release) {
  const std::map<std::string, InPipeline> now_in = pipeline_;
  for (const auto& [uid, item] : now_in) {
    if (item.plan != release.plan) continue;
    if (release.stage == ReleaseStage::kPrepare) {
      const auto refusal = refuse_bind.find(uid);
      if (item.dry_run && refusal != refuse_bind.end()) {
        RefuseBind(uid, refusal->second);
      } else if (never_prepares.count(uid) == 0) {
        inbox_.push_back(FactOf(uid, MemberState::kPrepared));
      }
    } else {
      Bind(uid, item);
    }
  }
}

void Rig::Bind(const std::string& uid, const InPipeline& item) {
  if (stuck_binds.count(uid) > 0) return;
  auto refusal = refuse_bind.find(uid);
  if (refusal != refuse_bind.end()) return RefuseBind(uid, refusal->second);
  PodObject& pod = pods.at(uid);
  pod.node = item.node;
  pod.phase = PodPhase::kRunning;
  pod.bound_plan = BoundPlan{item.plan, item.rank, item.gang_size, item.domain};
  inbox_.push_back(FactOf(uid, MemberState::kBound));
  inbox_.push_back(Changes{.pods = {pod}});
  pipeline_.erase(uid);
}

void Rig::RefuseBind(const std::string& uid, const std::string& message) {
  MemberFact fact = FactOf(uid, MemberState::kBindRefused);
  fact.code = 403;
  fact.message = message;
  inbox_.push_back(std::move(fact));
  inbox_.push_back(FactOf(uid, MemberState::kReturned));
  pipeline_.erase(uid);
}

void Rig::OnReadJob(uint64_t sequence, const ReadJob& read) {
  if (jobs_gone.count(read.name) > 0) {
    inbox_.push_back(DirectiveResult{sequence, false, 404, "not found"});
    return;
  }
  const auto it = jobs.find(read.name);
  JobObject job = it == jobs.end() ? JobObject{.failures_left = 6} : it->second;
  if (job.uid.empty()) job.uid = read.uid;
  inbox_.push_back(DirectiveResult{sequence, true, 200, "", false, job});
}

void Rig::OnReject(const Reject& reject) {
  const std::map<std::string, InPipeline> now_in = pipeline_;
  for (const auto& [uid, item] : now_in) {
    if (item.plan != reject.plan || never_returns.count(uid) > 0) continue;
    if (stuck_binds.count(uid) > 0) continue;
    inbox_.push_back(FactOf(uid, MemberState::kReturned));
    pipeline_.erase(uid);
  }
}

void Rig::OnEvict(uint64_t sequence, const Evict& evict) {
  if (refuse_evictions) {
    inbox_.push_back(DirectiveResult{sequence, false, 429, "disruption budget", false});
    return;
  }
  inbox_.push_back(DirectiveResult{sequence, true, 201, "", false});
  inbox_.push_back(Changes{.removed_pods = {evict.pod_uid}});
  pods.erase(evict.pod_uid);
}

void Rig::OnWrite(const Directive& directive) {
  const bool object = std::holds_alternative<phalanx::MakeGang>(directive.body) ||
                      std::holds_alternative<ShowGang>(directive.body) ||
                      std::holds_alternative<DropGang>(directive.body) ||
                      std::holds_alternative<ShowTopology>(directive.body);
  if (!object) return;
  ++writes;
  if (hold_writes) return;
  DirectiveResult result = Write(directive);
  result.sequence = directive.sequence;
  inbox_.push_back(std::move(result));
}

DirectiveResult Rig::Write(const Directive& directive) {
  const auto name = [](const GangObject& object) { return object.gang.ns + "/" + object.name; };
  if (!serves_gangs) return {0, false, 404, "no such kind", true};
  if (refuse_writes != 0) return {0, false, refuse_writes, "refused", false};
  if (const auto* make = std::get_if<phalanx::MakeGang>(&directive.body)) {
    gang_objects[name(make->object)].object = make->object;
  } else if (const auto* show = std::get_if<ShowGang>(&directive.body)) {
    auto it = gang_objects.find(name(show->report.object));
    if (it == gang_objects.end()) return {0, false, 404, "not found", false};
    it->second.status = show->report;
  } else if (const auto* drop = std::get_if<DropGang>(&directive.body)) {
    gang_objects.erase(name(drop->object));
  } else if (const auto* topology = std::get_if<ShowTopology>(&directive.body)) {
    topology_status[topology->report.key] = topology->report;
  }
  return {0, true, 200, "", false};
}

}  // namespace phalanx::test
