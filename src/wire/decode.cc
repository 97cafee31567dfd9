#include "wire/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "wire/decode_fields.h"
#include "wire/decode_objects.h"
#include "wire/dialects/device_rules.h"
#include "wire/dialects/dialects.h"
#include "wire/dialects/job.h"
#include "wire/dialects/self_rules.h"
#include "wire/dialects/shared_resources.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

constexpr size_t kMessageLimit = 1024;

absl::Status Invalid(std::string field, std::string value, std::string expected) {
  return ToStatus({std::move(field), std::move(value), std::move(expected)});
}

// What is wrong with the node as such.
std::optional<Problem> CheckNode(const pb::Node& node) {
  if (node.uid().empty()) return Problem{"metadata.uid", "", "a UID"};
  for (int i = 0; i < node.taints_size(); ++i) {
    const pb::Taint& taint = node.taints(i);
    std::string field = fmt::format("spec.taints[{}]", i);
    if (taint.key().empty()) return Problem{field + ".key", "", "a taint key"};
    if (!DecodeEffect(taint.effect())) {
      return Problem{field + ".effect", fmt::format("{}", int{taint.effect()}),
                     "a known effect: NoSchedule, PreferNoSchedule or NoExecute"};
    }
  }
  return std::nullopt;
}

Refusal NodeRefusal(const pb::Node& node, Problem problem, bool left_out) {
  return {ObjectKind::kNode, Clip(node.name()), std::move(problem), left_out};
}

void DecodeNode(const pb::Node& message, Changes& out, std::vector<Refusal>& refusals) {
  if (message.name().empty()) {
    refusals.push_back(NodeRefusal(message, {"metadata.name", "", "a node name"}, true));
    return;
  }
  if (auto problem = CheckNode(message)) {
    refusals.push_back(NodeRefusal(message, *std::move(problem), true));
    out.removed_nodes.push_back(message.name());
    return;
  }
  NodeObject node;
  node.name = message.name();
  node.uid = message.uid();
  node.labels = DecodeMap(message.labels());
  for (const pb::Taint& taint : message.taints()) {
    node.taints.push_back({taint.key(), taint.value(), *DecodeEffect(taint.effect())});
  }
  node.unschedulable = message.unschedulable();
  node.ready = message.ready();
  std::vector<Problem> problems;
  node.allocatable =
      DecodeQuantities(message.allocatable(), "status.allocatable", TooLarge::kDrop, problems);
  for (Problem& problem : problems) {
    refusals.push_back(NodeRefusal(message, std::move(problem), false));
  }
  out.nodes.push_back(std::move(node));
}

PodPhase DecodePhase(const pb::Pod& pod, std::vector<Problem>& problems) {
  switch (pod.phase()) {
    case pb::Pod::PHASE_PENDING:
      return PodPhase::kPending;
    case pb::Pod::PHASE_RUNNING:
      return PodPhase::kRunning;
    case pb::Pod::PHASE_SUCCEEDED:
      return PodPhase::kSucceeded;
    case pb::Pod::PHASE_FAILED:
      return PodPhase::kFailed;
    default:
      break;
  }
  problems.push_back({"status.phase", fmt::format("{}", int{pod.phase()}),
                      "a known phase: Pending, Running, Succeeded or Failed"});
  // Of the phases that are possible, the one under which its room stays taken.
  return pod.node_name().empty() ? PodPhase::kPending : PodPhase::kRunning;
}

int64_t DecodeMillis(int64_t value, const char* field, std::vector<Problem>& problems) {
  constexpr int64_t kLast = int64_t{1} << 47;  // the year 6429
  if (value >= 0 && value <= kLast) return value;
  problems.push_back(
      {field, fmt::format("{}", value), fmt::format("milliseconds from 0 to {}", kLast)});
  return 0;
}

// Everything but the gang.
PodObject DecodePodBody(const pb::Pod& message, std::vector<Problem>& problems) {
  PodObject pod;
  pod.uid = message.uid();
  pod.ns = message.namespace_();
  pod.name = message.name();
  pod.node = message.node_name();
  pod.phase = DecodePhase(message, problems);
  pod.phase_reason = Clip(message.phase_reason(), kMessageLimit);
  pod.deleting = message.deleting();
  pod.priority = message.priority();
  pod.created.ms = DecodeMillis(message.created_ms(), "metadata.creationTimestamp", problems);
  pod.bound.ms = DecodeMillis(message.bound_ms(), "status.conditions[PodScheduled]", problems);
  pod.requests = DecodeQuantities(message.requests(), "spec.containers.resources.requests",
                                  TooLarge::kClamp, problems);
  const pb::Owner& owner = message.owner();
  pod.owner = {owner.api_version(), owner.kind(), owner.name(), owner.uid()};
  pod.gates.assign(message.scheduling_gates().begin(), message.scheduling_gates().end());
  pod.node_selector = DecodeMap(message.node_selector());
  pod.required_terms = DecodeTerms(message, problems);
  pod.tolerations = DecodeTolerations(message, problems);
  pod.unresolved_objects.assign(message.unresolved_objects().begin(),
                                message.unresolved_objects().end());
  pod.termination_grace.ms =
      DecodeMillis(message.termination_grace_ms(), "spec.terminationGracePeriodSeconds", problems);
  pod.told = message.told();
  return pod;
}

bool AsksForAccelerator(const PodObject& pod, const DecodeOptions& options) {
  return std::ranges::any_of(pod.requests, [&options](const auto& request) {
    return request.second > 0 && MatchesAny(options.accelerators, request.first);
  });
}

std::optional<SelfRuleKind> DecodeRuleKind(pb::SelfRule::Kind kind) {
  switch (kind) {
    case pb::SelfRule::KIND_APART:
      return SelfRuleKind::kApart;
    case pb::SelfRule::KIND_TOGETHER:
      return SelfRuleKind::kTogether;
    case pb::SelfRule::KIND_SKEW:
      return SelfRuleKind::kSkew;
    default:
      return std::nullopt;
  }
}

void ReadRules(const pb::Pod& message, Membership& out, std::vector<Problem>& problems) {
  std::vector<SelfRule> rules;
  for (const pb::SelfRule& rule : message.self_rules()) {
    const std::optional<SelfRuleKind> kind = DecodeRuleKind(rule.kind());
    if (kind) {
      rules.push_back({*kind, rule.topology_key(), rule.max_skew(), rule.selector()});
    } else {
      problems.push_back({"spec.self_rules.kind", fmt::format("{}", int{rule.kind()}),
                          "a known kind: apart, together or skew"});
    }
  }
  ReadSelfRules(rules, out);
}

void ReadGang(const pb::Pod& message, const DecodeOptions& options, PodObject& pod,
              std::vector<Problem>& problems) {
  LabelMap labels = DecodeMap(message.labels());
  LabelMap annotations = DecodeMap(message.annotations());
  PodText text{pod.ns, pod.name, labels, annotations};
  // Of a bound pod its node is the answer, and of what is wrong nobody needs to know.
  std::vector<Problem> of_devices;
  ReadDeviceRules(annotations, pod.required_terms, of_devices);
  pod.membership = ReadMembership(text);
  if (!pod.membership && AsksForAccelerator(pod, options)) pod.membership = GangOfOne(text);
  if (!pod.membership) return;
  if (pod.node.empty()) std::ranges::move(of_devices, std::back_inserter(pod.membership->problems));
  ReadRules(message, *pod.membership, problems);
  // A bound member is past planning: what is wrong with its annotations keeps nobody waiting.
  pod.bound_plan = ReadBoundPlan(annotations, problems);
}

Refusal PodRefusal(const pb::Pod& pod, Problem problem, bool left_out) {
  return {ObjectKind::kPod, Clip(pod.namespace_()) + "/" + Clip(pod.name()), std::move(problem),
          left_out};
}

void DecodePod(const pb::Pod& message, const DecodeOptions& options, Changes& out,
               std::vector<Refusal>& refusals) {
  const char* missing = message.uid().empty()          ? "metadata.uid"
                        : message.namespace_().empty() ? "metadata.namespace"
                        : message.name().empty()       ? "metadata.name"
                                                       : nullptr;
  if (missing) {
    refusals.push_back(PodRefusal(message, {missing, "", "not empty"}, true));
    return;
  }
  std::vector<Problem> problems;
  PodObject pod = DecodePodBody(message, problems);
  pod.ours = std::ranges::find(options.scheduler_names, message.scheduler_name()) !=
             options.scheduler_names.end();
  ReadSharedRequests(DecodeMap(message.annotations()), pod.requests, problems);
  size_t of_body = problems.size();
  if (pod.ours) ReadGang(message, options, pod, problems);
  bool gang_tells = pod.membership.has_value() && pod.node.empty();
  for (size_t i = 0; i < problems.size(); ++i) {
    bool told = gang_tells && i < of_body;
    if (told) pod.membership->problems.push_back(problems[i]);
    if (pod.ours && !told) {
      out.refused_pods.push_back({pod.uid, pod.ns, pod.name,
                                  fmt::format("{} is '{}', expected {}", problems[i].field,
                                              problems[i].value, problems[i].expected)});
    }
    refusals.push_back(PodRefusal(message, problems[i], false));
  }
  out.pods.push_back(std::move(pod));
}

std::optional<MemberState> DecodeState(pb::MemberFact::State state) {
  switch (state) {
    case pb::MemberFact::STATE_RESERVED:
      return MemberState::kReserved;
    case pb::MemberFact::STATE_PREPARED:
      return MemberState::kPrepared;
    case pb::MemberFact::STATE_BINDING:
      return MemberState::kBinding;
    case pb::MemberFact::STATE_BOUND:
      return MemberState::kBound;
    case pb::MemberFact::STATE_BIND_REFUSED:
      return MemberState::kBindRefused;
    case pb::MemberFact::STATE_RETURNED:
      return MemberState::kReturned;
    default:
      return std::nullopt;
  }
}

std::optional<CycleStage> DecodeStage(pb::Conflict::Stage stage) {
  switch (stage) {
    case pb::Conflict::STAGE_FILTER:
      return CycleStage::kFilter;
    case pb::Conflict::STAGE_RESERVE:
      return CycleStage::kReserve;
    case pb::Conflict::STAGE_PERMIT:
      return CycleStage::kPermit;
    case pb::Conflict::STAGE_PRE_BIND:
      return CycleStage::kPreBind;
    case pb::Conflict::STAGE_BIND:
      return CycleStage::kBind;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string ToString(const Refusal& refusal) {
  static const char* const kKinds[] = {"node", "pod", "object"};
  return fmt::format("{}/{}: {} is '{}', expected {}{}", kKinds[static_cast<size_t>(refusal.kind)],
                     refusal.name, refusal.problem.field, refusal.problem.value,
                     refusal.problem.expected, refusal.left_out ? "; the object is left out" : "");
}

Changes DecodeChanges(const pb::Changes& message, const DecodeOptions& options,
                      std::vector<Refusal>& refusals) {
  Changes out;
  out.removed_nodes.assign(message.removed_node_names().begin(),
                           message.removed_node_names().end());
  out.removed_pods.assign(message.removed_pod_uids().begin(), message.removed_pod_uids().end());
  out.nodes.reserve(message.nodes_size());
  out.pods.reserve(message.pods_size());
  for (const pb::Node& node : message.nodes()) DecodeNode(node, out, refusals);
  DecodeObjects(message, out, refusals);
  for (const pb::Pod& pod : message.pods()) DecodePod(pod, options, out, refusals);
  return out;
}

absl::StatusOr<MemberFact> DecodeMemberFact(const pb::MemberFact& message) {
  std::optional<MemberState> state = DecodeState(message.state());
  if (!state) {
    return Invalid("member_fact.state", fmt::format("{}", int{message.state()}),
                   "a known state from 1 to 6");
  }
  if (message.pod_uid().empty()) return Invalid("member_fact.pod_uid", "", "the UID of a pod");
  if (message.plan() == 0) return Invalid("member_fact.plan", "0", "the plan of an Admit");
  bool at_node = *state != MemberState::kReturned && *state != MemberState::kBindRefused;
  if (at_node && message.node_name().empty()) {
    return Invalid("member_fact.node_name", "", "the name of a node in this state");
  }
  return MemberFact{message.pod_uid(),   message.plan(),
                    message.node_name(), *state,
                    message.code(),      Clip(message.message(), kMessageLimit)};
}

absl::StatusOr<Conflict> DecodeConflict(const pb::Conflict& message) {
  std::optional<CycleStage> stage = DecodeStage(message.stage());
  if (!stage) {
    return Invalid("conflict.stage", fmt::format("{}", int{message.stage()}),
                   "a known stage from 1 to 5");
  }
  if (message.pod_uid().empty()) return Invalid("conflict.pod_uid", "", "the UID of a pod");
  if (message.plan() == 0) return Invalid("conflict.plan", "0", "the plan of an Admit");
  if (message.plugin().empty()) return Invalid("conflict.plugin", "", "the name of a plugin");
  return Conflict{message.pod_uid(),
                  message.plan(),
                  message.node_name(),
                  Clip(message.plugin()),
                  Clip(message.message(), kMessageLimit),
                  *stage,
                  message.pod_refused()};
}

absl::StatusOr<DirectiveResult> DecodeDirectiveResult(const pb::DirectiveResult& message) {
  if (message.sequence() == 0) {
    return Invalid("directive_result.sequence", "0", "the sequence of a directive, from 1 on");
  }
  DirectiveResult result{message.sequence(), message.applied(), message.code(),
                         Clip(message.message(), kMessageLimit), message.kind_missing()};
  if (message.object().empty()) return result;
  absl::StatusOr<JobObject> job = ReadJobObject(message.object());
  if (job.ok()) {
    result.job = *std::move(job);
  } else {  // as if it had not been read
    result.applied = false;
    result.message = std::string(job.status().message());
  }
  return result;
}

absl::Status CheckHello(const pb::Hello& message) {
  if (message.adapter_id().empty() || message.adapter_id().size() > 253) {
    return Invalid("hello.adapter_id", Clip(message.adapter_id()), "1 to 253 bytes");
  }
  if (message.scheduler_names().empty()) {
    return Invalid("hello.scheduler_names", "[]", "at least one profile name");
  }
  for (const std::string& name : message.scheduler_names()) {
    if (!IsLabelKey(name)) {
      return Invalid("hello.scheduler_names", Clip(name), "the name of a scheduler profile");
    }
  }
  return absl::OkStatus();
}

absl::Status ToStatus(const Problem& problem) {
  return absl::InvalidArgumentError(
      fmt::format("{} is '{}', expected {}", problem.field, problem.value, problem.expected));
}

}  // namespace phalanx::wire
