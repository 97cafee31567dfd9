#include "sim/trace/openb_engine.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "core/base/hash.h"
#include "phalanx/device_share.h"
#include "phalanx/engine.h"
#include "sim/baseline/gpu_nodes.h"

namespace phalanx::sim {
namespace {

constexpr char kGpu[] = "nvidia.com/gpu";
constexpr char kModel[] = "gpu-model";
constexpr char kNamespace[] = "openb";
constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr int64_t kSliceUnits = 1'000'000;

// Nobody reads reasons or Gang objects here.
EngineConfig ConfigOfFill() {
  EngineConfig config;
  config.refresh_reasons = Duration::Minutes(60 * 24 * 365);
  return config;
}

NodeObject ObjectOf(const OpenbNode& node) {
  NodeObject object;
  object.name = object.uid = node.name;
  object.labels = {{kModel, node.model}};
  object.allocatable = {
      {"cpu", node.cpu_milli}, {"memory", node.memory_mib * kMebibyte}, {kGpu, node.gpus}};
  return object;
}

PodObject ObjectOf(const OpenbRequest& request, const std::string& name, Time now) {
  PodObject pod;
  pod.uid = pod.name = name;
  pod.ns = kNamespace;
  pod.ours = true;
  pod.created = now;
  pod.requests = {{"cpu", request.cpu_milli}, {"memory", request.memory_mib * kMebibyte}};
  if (request.Shares()) {
    pod.requests[std::string(kShareOf) + kGpu] = request.gpu_milli;
  } else {
    pod.requests[kGpu] = request.gpus;
  }
  if (!request.models.empty()) {
    pod.required_terms = {{{kModel, SelectorOp::kIn, request.models}}};
  }
  // Pods without GPUs are planned too.
  Membership membership;
  membership.gang = {kNamespace, "pod", name};
  pod.membership = std::move(membership);
  return pod;
}

class Driver {
 public:
  explicit Driver(const FillInput& input) : input_(input), engine_(ConfigOfFill()) {}

  FillResult Run() {
    Connect();
    for (const size_t index : input_.arrivals) {
      ++now_s_;
      Offer(input_.requests[index], fmt::format("pod-{:06}", now_s_));
      if (!result_.error.empty()) break;
    }
    result_.hash = hash_.Done();
    return std::move(result_);
  }

 private:
  void Connect() {
    Apply(phalanx::Connect{.epoch = 1, .adapter_id = "fill"});
    Apply(Leadership{true});
    Changes changes;
    for (const OpenbNode& node : input_.nodes) {
      index_of_.emplace(node.name, nodes_.size());
      nodes_.push_back(IdleNode(node));
      changes.nodes.push_back(ObjectOf(node));
    }
    Apply(std::move(changes));
    Apply(SyncDone{});
  }

  void Offer(const OpenbRequest& request, const std::string& name) {
    node_.reset();
    Changes changes;
    changes.pods.push_back(ObjectOf(request, name, Time{now_s_ * 1000}));
    Apply(std::move(changes));
    if (engine_.NextDeadline() <= Time{now_s_ * 1000}) Apply(Tick{});
    while (engine_.HasPlanningWork()) Apply(PlanSlice{kSliceUnits});
    Obey();
    hash_.Add(node_ ? *node_ + 1 : 0);
    if (node_) return Put(request, name);
    Changes dropped;
    dropped.removed_pods.push_back(name);
    Apply(std::move(dropped));
  }

  void Put(const OpenbRequest& request, const std::string& name) {
    GpuNode& node = nodes_[*node_];
    if (!Takes(node, request)) {
      result_.error = fmt::format("{} does not fit {}", name, input_.nodes[*node_].name);
      return;
    }
    Use(node, request, request.Shares() ? BestFittingGpu(node, request) : 0);
    result_.allocated_milli += request.TotalGpuMilli();
    ++result_.placed;
  }

  template <class Body>
  void Apply(Body body) {
    Outcome outcome = engine_.Apply(Command{{now_s_ * 1000}, std::move(body)});
    for (Directive& directive : outcome.directives) due_.push_back(std::move(directive.body));
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
    admitted_ = admit.members.front();
    node_ = index_of_.at(admitted_.node);
    Fact(admit.plan, MemberState::kReserved);
  }
  void Do(const Release& release) {
    const bool prepare = release.stage == ReleaseStage::kPrepare;
    Fact(release.plan, prepare ? MemberState::kPrepared : MemberState::kBound);
  }
  void Do(const Reject& reject) { result_.error = "a plan was withdrawn: " + reject.reason; }
  void Do(const Evict& evict) { result_.error = "a member was evicted: " + evict.reason; }
  template <class Shown>
  void Do(const Shown& /*directive*/) {}

  void Fact(uint64_t plan, MemberState state) {
    Apply(MemberFact{admitted_.pod_uid, plan, admitted_.node, state, 0, ""});
  }

  const FillInput& input_;
  Engine engine_;
  FillResult result_;
  Hash hash_;
  int64_t now_s_ = 0;
  std::vector<GpuNode> nodes_;
  std::map<std::string, size_t> index_of_;
  std::vector<DirectiveBody> due_;
  AdmitMember admitted_;        // of the only plan that is under way
  std::optional<size_t> node_;  // where the pod that was offered last goes
};

}  // namespace

FillResult FillThroughEngine(const FillInput& input) { return Driver(input).Run(); }

}  // namespace phalanx::sim
