#include "sim/trace/engine_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "phalanx/engine.h"

namespace phalanx::sim {
namespace {

constexpr char kGpu[] = "nvidia.com/gpu";
constexpr int64_t kSliceUnits = 1'000'000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Nobody reads reasons or finished gangs here.
EngineConfig ConfigOfReplay() {
  EngineConfig config;
  config.keep_done = Duration::Seconds(1);
  config.refresh_reasons = Duration::Minutes(60 * 24 * 365);
  return config;
}

class Driver {
 public:
  Driver(const Trace& trace, const ReplaySettings& settings)
      : trace_(trace), settings_(settings), engine_(ConfigOfReplay()) {
    out_.result.start_s.resize(trace.jobs.size(), -1);
  }

  EngineReplay Run() {
    now_s_ = trace_.jobs.empty() ? 0 : trace_.jobs.front().submit_s;
    Connect();
    size_t next = 0;
    while (next < trace_.jobs.size() || !running_.empty()) {
      const int64_t arrival = next < trace_.jobs.size() ? trace_.jobs[next].submit_s : kNever;
      const int64_t end = running_.empty() ? kNever : running_.begin()->first;
      if (arrival == kNever && end == kNever) break;
      now_s_ = std::min(arrival, end);
      Changes changes;
      EndDue(changes);
      for (; next < trace_.jobs.size() && trace_.jobs[next].submit_s == now_s_; ++next) {
        AddPods(static_cast<int32_t>(next), changes);
        ++waiting_;
      }
      Apply(std::move(changes));
      Plan();
      out_.result.max_queue = std::max(out_.result.max_queue, waiting_);
      if (!out_.error.empty()) break;
    }
    if (out_.error.empty() && waiting_ > 0) {
      out_.error = fmt::format("{} jobs never started", waiting_);
    }
    return std::move(out_);
  }

 private:
  void Connect() {
    Apply(phalanx::Connect{.epoch = 1, .adapter_id = "replay"});
    Apply(Leadership{true});
    Changes changes;
    for (int32_t i = 0; i < settings_.nodes; ++i) {
      NodeObject node;
      node.name = fmt::format("node-{:05}", i);
      node.uid = node.name;
      node.allocatable = {{kGpu, settings_.gpus_per_node}, {"pods", 250}};
      changes.nodes.push_back(std::move(node));
    }
    Apply(std::move(changes));
    Apply(SyncDone{});
  }

  // "JOB/MEMBER" tells the job from the UID of a pod.
  static int32_t JobOf(const std::string& uid) { return std::stoi(uid); }

  int32_t MembersOf(int32_t job) const {
    const int32_t gpus = trace_.jobs[static_cast<size_t>(job)].gpus;
    return (gpus + settings_.gpus_per_node - 1) / settings_.gpus_per_node;
  }

  void AddPods(int32_t index, Changes& changes) {
    const TraceJob& job = trace_.jobs[static_cast<size_t>(index)];
    int32_t left = job.gpus;
    for (int32_t i = 0; i < MembersOf(index); ++i, left -= settings_.gpus_per_node) {
      PodObject pod;
      pod.uid = fmt::format("{}/{}", index, i);
      pod.ns = "philly";
      pod.name = fmt::format("job-{:06}-{}", index, i);
      pod.ours = true;
      pod.created = {job.submit_s * 1000};
      pod.requests = {{kGpu, std::min(left, settings_.gpus_per_node)}, {"pods", 1}};
      Membership membership;
      membership.gang = {"philly", "label", fmt::format("job-{:06}", index)};
      membership.size = membership.min = MembersOf(index);
      pod.membership = std::move(membership);
      changes.pods.push_back(std::move(pod));
      ++out_.pods;
    }
  }

  void EndDue(Changes& changes) {
    while (!running_.empty() && running_.begin()->first <= now_s_) {
      const int32_t job = running_.begin()->second;
      for (int32_t i = 0; i < MembersOf(job); ++i) {
        changes.removed_pods.push_back(fmt::format("{}/{}", job, i));
      }
      running_.erase(running_.begin());
    }
  }

  template <class Body>
  void Apply(Body body) {
    ++out_.commands;
    Outcome outcome = engine_.Apply(Command{{now_s_ * 1000}, std::move(body)});
    for (Directive& directive : outcome.directives) due_.push_back(std::move(directive.body));
  }

  void Plan() {
    do {
      if (engine_.NextDeadline() <= Time{now_s_ * 1000}) Apply(Tick{});
      while (engine_.HasPlanningWork()) {
        Apply(PlanSlice{kSliceUnits});
        Obey();
      }
      Obey();
    } while (engine_.HasPlanningWork());
  }

  void Obey() {
    for (size_t i = 0; i < due_.size(); ++i) {
      // What is done may add to `due_`.
      const DirectiveBody body = std::move(due_[i]);
      std::visit([this](const auto& directive) { Do(directive); }, body);
    }
    due_.clear();
  }

  void Do(const Admit& admit) {
    admitted_[admit.plan] = admit;
    Facts(admit.plan, MemberState::kReserved);
    const int32_t job = JobOf(admit.members.front().pod_uid);
    out_.result.start_s[static_cast<size_t>(job)] = now_s_;
    running_.emplace(now_s_ + trace_.jobs[static_cast<size_t>(job)].run_s, job);
    --waiting_;
  }
  void Do(const Release& release) {
    const bool prepare = release.stage == ReleaseStage::kPrepare;
    Facts(release.plan, prepare ? MemberState::kPrepared : MemberState::kBound);
    if (!prepare) admitted_.erase(release.plan);
  }
  void Do(const Reject& reject) { out_.error = "a plan was withdrawn: " + reject.reason; }
  void Do(const Evict& evict) { out_.error = "a member was evicted: " + evict.reason; }
  // What people read: nobody does here.
  void Do(const PodEvent&) {}
  void Do(const PodWaits&) {}
  void Do(const MakeGang&) {}
  void Do(const ShowGang&) {}
  void Do(const DropGang&) {}
  void Do(const ReadJob&) {}
  void Do(const ShowTopology&) {}

  void Facts(uint64_t plan, MemberState state) {
    for (const AdmitMember& member : admitted_.at(plan).members) {
      Apply(MemberFact{member.pod_uid, plan, member.node, state, 0, ""});
    }
  }

  const Trace& trace_;
  const ReplaySettings& settings_;
  Engine engine_;
  EngineReplay out_;
  int64_t now_s_ = 0;
  int64_t waiting_ = 0;
  std::set<std::pair<int64_t, int32_t>> running_;
  std::vector<DirectiveBody> due_;
  std::map<uint64_t, Admit> admitted_;  // until it is bound
};

}  // namespace

EngineReplay ReplayThroughEngine(const Trace& trace, const ReplaySettings& settings) {
  return Driver(trace, settings).Run();
}

}  // namespace phalanx::sim
