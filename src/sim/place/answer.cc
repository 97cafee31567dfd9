#include "sim/place/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/explain/reason_text.h"
#include "core/judge/segments.h"
#include "core/judge/spread.h"
#include "core/judge/uplinks.h"
#include "core/plan/assign.h"
#include "sim/baseline/baseline.h"

namespace phalanx::sim {
namespace {

// A refusal that is about some members names the first one, where not all are alike.
std::string InWords(const PlaceQuestion& question, const PlacementRequest& request, ShapeId about,
                    Reason& reason) {
  size_t named = 0;
  if (request.roles.size() > 1 && about.valid()) {
    const auto member = std::find(question.shapes.begin(), question.shapes.end(), about);
    named = static_cast<size_t>(member - question.shapes.begin());
    reason.member = question.members[named].ns + "/" + question.members[named].name;
  }
  return Explain(reason, {question.asked[named], std::ssize(question.members)});
}

// Members take the hosts in the order of the tree, whoever chose them.
void Assign(const PlaceQuestion& question, size_t members, RuleAnswer& answer) {
  const std::span<const ShapeId> shapes(question.shapes.data(), members);
  const std::vector<HostId> hosts = AssignHosts(shapes, *answer.placement);
  std::vector<std::optional<int32_t>> indexes;
  for (size_t i = 0; i < members; ++i) indexes.push_back(question.members[i].membership->index);
  const auto size = std::max(question.members.front().membership->size,
                             static_cast<int32_t>(question.members.size()));
  const std::vector<int32_t> ranks = AssignRanks(indexes, {}, size);
  std::vector<judge::Assignment> gang;
  for (size_t i = 0; i < members; ++i) {
    gang.push_back(
        {question.members[i], question.cluster->topology().host(hosts[i]).name, ranks[i]});
  }
  answer.wrong = judge::CheckPlacement(question.world, gang);
  for (std::string& wrong : judge::CheckSegments(question.world, gang)) {
    answer.wrong.push_back(std::move(wrong));
  }
  for (std::string& wrong : judge::CheckSpread(question.world, gang)) {
    answer.wrong.push_back(std::move(wrong));
  }
  for (std::string& wrong : judge::CheckUplinks(question.world, gang, question.others)) {
    answer.wrong.push_back(std::move(wrong));
  }
  std::sort(gang.begin(), gang.end(),
            [](const judge::Assignment& a, const judge::Assignment& b) { return a.rank < b.rank; });
  for (const judge::Assignment& member : gang) answer.nodes.push_back(member.node);
}

RuleAnswer AnswerOf(const PlaceQuestion& question, const PlacementRequest& request, size_t members,
                    std::string rule, std::optional<Placement> placement) {
  RuleAnswer answer{.rule = std::move(rule), .placement = std::move(placement)};
  if (!answer.placement) return answer;
  answer.cost = CostOf(*question.cluster, request, *answer.placement);
  Assign(question, members, answer);
  return answer;
}

}  // namespace

PlaceAnswer AnswerTo(const PlaceQuestion& question) {
  const Cluster& cluster = *question.cluster;
  PlaceAnswer out;
  out.members = question.members.size();
  PlacementRequest request = RequestOf(question, out.members);
  PlacementAnswer found = Place(cluster, request);
  out.work_units = found.work_units;
  if (const Reason* refusal = found.refusal()) {
    out.reason = *refusal;
    out.refusal = InWords(question, request, found.refused, out.reason);
    if (question.fewest < out.members) {
      out.members = question.fewest;
      request = RequestOf(question, out.members);
      found = Place(cluster, request);
      out.work_units += found.work_units;
    }
  }
  std::optional<Placement> placement;
  if (found.placement() != nullptr) placement = std::get<Placement>(std::move(found.result));
  out.rules.push_back(AnswerOf(question, request, out.members, "phalanx", std::move(placement)));
  const std::vector<std::string> names = LevelNames(cluster.topology());
  for (const Baseline baseline : kBaselines) {
    RuleAnswer answer = AnswerOf(question, request, out.members, std::string(NameOf(baseline)),
                                 PlaceBy(baseline, cluster, request));
    if (out.phalanx().placement && answer.placement) {
      answer.difference = FirstDifference(out.phalanx().cost, answer.cost, names);
    }
    out.rules.push_back(std::move(answer));
  }
  return out;
}

}  // namespace phalanx::sim
