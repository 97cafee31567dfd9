#include "sim/place/place_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/explain/placement_text.h"
#include "core/explain/reason_text.h"
#include "sim/place/drawing.h"
#include "sim/text.h"

namespace phalanx::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostHostsInWords = 16;

std::string Counted(int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "1 x nvidia.com/gpu 1, 4 x nvidia.com/gpu 8"
std::string AskedText(const PlaceQuestion& question) {
  std::vector<std::pair<std::string, int>> kinds;  // in the order of the first member
  for (const std::string& asked : question.asked) {
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&asked](const auto& kind) { return kind.first == asked; });
    if (known == kinds.end()) {
      kinds.emplace_back(asked, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [asked, count] : kinds) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count,
                        asked.empty() ? "no accelerator" : asked);
  }
  return text;
}

std::string WhereText(const PlaceQuestion& question, const RuleAnswer& answer) {
  const std::string path = question.cluster->topology().Path(answer.placement->common);
  return fmt::format("on {}{}", Counted(answer.cost.touched.back(), "host"),
                     path.empty() ? "" : " of " + path);
}

std::string TermText(const Difference& difference) {
  if (difference.term == 8) {
    return difference.a < difference.b ? "equal but for term 8: it begins further back"
                                       : "equal but for term 8: it begins further in front";
  }
  const char* than = difference.a < difference.b ? "worse" : "better";
  // What is stranded is weighted: the number itself says nothing.
  if (difference.what == "stranded") return fmt::format("{} by term 7: stranded", than);
  return fmt::format("{} by term {}: {} {}, not {}", than, difference.term, difference.what,
                     difference.b, difference.a);
}

std::string SpreadText(const PlaceQuestion& question, const RuleAnswer& answer) {
  std::vector<PlacedMember> members;
  for (size_t i = 0; i < answer.nodes.size(); ++i) {
    members.push_back(
        {&*question.members[i].membership, question.cluster->FindNode(answer.nodes[i])});
  }
  return PlacementText(question.cluster->topology(), members);
}

std::string PhalanxText(const PlaceQuestion& question, const PlaceAnswer& answer) {
  const RuleAnswer& phalanx = answer.phalanx();
  if (!phalanx.placement) {
    return fmt::format("refuses, {} work units: {}", answer.work_units, answer.refusal);
  }
  return fmt::format("places {} {}, {}, proven through {}, {} work units",
                     Counted(static_cast<int64_t>(answer.members), "member"),
                     WhereText(question, phalanx), SpreadText(question, phalanx),
                     ProvenName(phalanx.placement->proven), answer.work_units);
}

std::string BaselineText(const PlaceQuestion& question, const PlaceAnswer& answer,
                         const RuleAnswer& rule) {
  if (!rule.placement) return "finds no place";
  std::string text = WhereText(question, rule);
  if (rule.difference) {
    text += "; " + TermText(*rule.difference);
  } else if (answer.phalanx().placement) {
    text += "; the same";
  }
  return text;
}

// --- The table of terms

struct Term {
  std::string name;
  std::vector<std::string> values;  // by rule with a placement
};

std::string SegmentsText(const Cost& cost, int term) {
  std::string text;
  for (const SegmentCost& segments : cost.segments) {
    if (!text.empty()) text += ", ";
    if (term == 2) text += fmt::format("{} of {}", segments.cut, segments.segments);
    if (term == 3 && !segments.whole_in.empty()) text += segments.whole_in;
    if (term == 3 && segments.whole_in.empty()) text += segments.given_up == 0 ? "-" : "none";
  }
  return text;
}

// In devices, the mean over the sizes of gangs.
std::string StrandedText(const Cost& cost) {
  return fmt::format("{:.1f}", static_cast<double>(cost.fragments->stranded) /
                                   static_cast<double>(cost.gang_weight));
}

std::vector<Term> TermsOf(const PlaceQuestion& question, const std::vector<const Cost*>& costs) {
  const std::vector<std::string> names = LevelNames(question.cluster->topology());
  const std::string& required = question.members.front().membership->required_level;
  std::vector<Term> terms;
  const auto add = [&](std::string name, const auto& value) {
    Term term{std::move(name), {}};
    for (const Cost* cost : costs) term.values.push_back(value(*cost));
    terms.push_back(std::move(term));
  };
  if (!required.empty()) {
    add("1 domains of the required " + required,
        [](const Cost& cost) { return fmt::format("{}", cost.domains); });
  }
  if (!costs.front()->segments.empty()) {
    add("2 segments cut", [](const Cost& cost) { return SegmentsText(cost, 2); });
    add("3 segments whole in", [](const Cost& cost) { return SegmentsText(cost, 3); });
  }
  for (size_t i = 0; i < names.size(); ++i) {
    add(fmt::format("{} touched: {}", i + 1 == names.size() ? 5 : 4, names[i]),
        [i](const Cost& cost) { return fmt::format("{}", cost.touched[i]); });
  }
  if (costs.front()->links) {
    add("6 links: MB/s over", [](const Cost& cost) { return fmt::format("{}", cost.links->over); });
  }
  if (costs.front()->fragments) {
    add("7 fragments: score", [](const Cost& cost) {
      return fmt::format("{}", Fragmentation::ScorePart(cost.fragments->hosts));
    });
    add("7 fragments: left on hosts", [](const Cost& cost) {
      return fmt::format("{:.1f}", Fragmentation::LeftPart(cost.fragments->hosts) / 1000.0);
    });
    add("7 fragments: stranded", [](const Cost& cost) { return StrandedText(cost); });
  }
  return terms;
}

void PrintTerms(std::ostream& out, const PlaceQuestion& question, const PlaceAnswer& answer) {
  std::vector<const Cost*> costs;
  std::string heading;
  std::vector<size_t> widths;
  for (const RuleAnswer& rule : answer.rules) {
    if (!rule.placement) continue;
    costs.push_back(&rule.cost);
    widths.push_back(rule.rule.size());
    heading += fmt::format("  {}", rule.rule);
  }
  if (costs.empty()) return;
  const std::vector<Term> terms = TermsOf(question, costs);
  size_t width = 0;
  for (const Term& term : terms) width = std::max(width, term.name.size());
  out << fmt::format("\n{:<{}}{}\n", "term", width, heading);
  for (const Term& term : terms) {
    out << fmt::format("{:<{}}", term.name, width);
    for (size_t i = 0; i < costs.size(); ++i)
      out << fmt::format("  {:>{}}", term.values[i], widths[i]);
    out << "\n";
  }
}

// "y1 y2 a1*4": hosts in the order of the ranks.
std::string RanksText(const std::vector<std::string>& nodes) {
  std::string text;
  size_t shown = 0;
  for (size_t from = 0, to = 0; from < nodes.size(); from = to, ++shown) {
    if (shown == kMostHostsInWords) return text + fmt::format(" and {} more", nodes.size() - from);
    while (to < nodes.size() && nodes[to] == nodes[from]) ++to;
    text += fmt::format("{}{}", text.empty() ? "" : " ", nodes[from]);
    if (to - from > 1) text += fmt::format("*{}", to - from);
  }
  return text;
}

// "z/leaf-1 carries 60 GB/s of its 100 GB/s"
std::string LinkText(const Topology& topology, const LinkLoad& link, int64_t used) {
  return fmt::format("{} carries {} of its {}{}", topology.Path(link.domain), GigabytesText(used),
                     link.uplink.hard ? "limit of " : "", GigabytesText(link.uplink.mbps));
}

// The uplink that is used most for what it carries, without the gang and with it.
void PrintLinks(std::ostream& out, const PlaceQuestion& question, const PlaceAnswer& answer) {
  const RuleAnswer& ours = answer.phalanx();
  if (!ours.placement || !ours.cost.links) return;
  const Topology& topology = question.cluster->topology();
  const LinkLoad& before = ours.cost.links->hottest_before;
  const LinkLoad& after = ours.cost.links->hottest_after;
  out << fmt::format("\nhottest uplink before: {}\n", LinkText(topology, before, before.before));
  out << fmt::format("hottest uplink after:  {}\n", LinkText(topology, after, after.after));
}

Json ReasonJson(const PlaceAnswer& answer) {
  if (answer.reason.code == ReasonCode::kNone) return nullptr;
  return {{"code", ReasonName(answer.reason.code)},
          {"text", answer.refusal},
          {"have", answer.reason.have},
          {"need", answer.reason.need},
          {"never", answer.reason.never},
          {"proven", ProvenName(answer.reason.proven)}};
}

Json LinkJson(const Topology& topology, const LinkLoad& link) {
  return {{"uplink", topology.Path(link.domain)},
          {"before_mbps", link.before},
          {"after_mbps", link.after},
          {"limit_mbps", link.uplink.mbps},
          {"hard", link.uplink.hard}};
}

Json CostJson(const Topology& topology, const Cost& cost, const std::vector<std::string>& names) {
  Json segments = Json::array();
  for (const SegmentCost& role : cost.segments) {
    segments.push_back(
        {{"segments", role.segments}, {"cut", role.cut}, {"whole_in", role.whole_in}});
  }
  Json touched = Json::object();
  for (size_t i = 0; i < names.size(); ++i) touched[names[i]] = cost.touched[i];
  Json json = {{"required_domains", cost.domains},
               {"required_domain", cost.domain},
               {"segments", std::move(segments)},
               {"touched", std::move(touched)}};
  if (cost.links) {
    json["links"] = {{"over_mbps", cost.links->over},
                     {"over_hard_mbps", cost.links->hard},
                     {"hottest_before", LinkJson(topology, cost.links->hottest_before)},
                     {"hottest_after", LinkJson(topology, cost.links->hottest_after)}};
  }
  if (cost.fragments) {
    json["fragmentation"] = {{"score", Fragmentation::ScorePart(cost.fragments->hosts)},
                             {"left_milli", Fragmentation::LeftPart(cost.fragments->hosts)},
                             {"stranded", cost.fragments->stranded},
                             {"gang_weight", cost.gang_weight}};
  }
  return json;
}

Json DifferenceJson(const std::optional<Difference>& difference) {
  if (!difference) return nullptr;
  return {{"term", difference->term},
          {"what", difference->what},
          {"phalanx", difference->a},
          {"this", difference->b}};
}

Json RuleJson(const PlaceQuestion& question, const RuleAnswer& rule) {
  const Topology& topology = question.cluster->topology();
  Json json = {{"rule", rule.rule}, {"fits", rule.placement.has_value()}};
  if (!rule.placement) return json;
  if (rule.rule == "phalanx") json["proven"] = ProvenName(rule.placement->proven);
  json["placement"] = SpreadText(question, rule);
  json["domain"] = topology.Path(rule.placement->common);
  json["cost"] = CostJson(topology, rule.cost, LevelNames(topology));
  json["against_phalanx"] = DifferenceJson(rule.difference);
  json["breaks"] = rule.wrong;
  json["nodes_by_rank"] = rule.nodes;
  return json;
}

}  // namespace

void PrintPlaced(std::ostream& out, const PlaceQuestion& question, const PlaceAnswer& answer) {
  out << fmt::format("{} at {}: {}\n", question.gang, DurationText(question.at),
                     AskedText(question));
  if (answer.reason.code != ReasonCode::kNone && answer.phalanx().placement) {
    out << fmt::format("all {} do not fit: {}\n", question.members.size(), answer.refusal);
  }
  size_t width = 0;
  for (const RuleAnswer& rule : answer.rules) width = std::max(width, rule.rule.size());
  for (const RuleAnswer& rule : answer.rules) {
    const bool first = &rule == &answer.rules.front();
    out << fmt::format(
        "{:<{}}  {}\n", rule.rule, width,
        first ? PhalanxText(question, answer) : BaselineText(question, answer, rule));
    for (const std::string& wrong : rule.wrong) out << fmt::format("  breaks: {}\n", wrong);
  }
  PrintTerms(out, question, answer);
  PrintLinks(out, question, answer);
  out << "\n" << Draw(question, answer) << "\n";
  for (const RuleAnswer& rule : answer.rules) {
    if (!rule.placement) continue;
    out << fmt::format("{:<{}}  {}\n", rule.rule, width, RanksText(rule.nodes));
  }
}

void PrintPlacedJson(std::ostream& out, const std::string& file, const PlaceQuestion& question,
                     const PlaceAnswer& answer) {
  Json rules = Json::array();
  for (const RuleAnswer& rule : answer.rules) rules.push_back(RuleJson(question, rule));
  const Json line = {{"type", "placement"},
                     {"file", file},
                     {"gang", question.gang},
                     {"t_ms", question.at.ms},
                     {"members", question.members.size()},
                     {"placed", answer.phalanx().placement ? answer.members : 0},
                     {"work_units", answer.work_units},
                     {"refusal", ReasonJson(answer)},
                     {"rules", std::move(rules)}};
  out << line.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace phalanx::sim
