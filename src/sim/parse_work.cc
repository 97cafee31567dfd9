// Statements that make pods: gang, member, job and foreign.
#include <fmt/format.h>

#include <set>

#include "sim/parse_line.h"

namespace phalanx::sim {
namespace {

constexpr char kSizeLabel[] = "phalanx.dev/gang-size";
constexpr char kPodGroupLabel[] = "scheduling.x-k8s.io/pod-group";
constexpr char kGangLabel[] = "phalanx.dev/gang";
constexpr char kCompletionIndex[] = "batch.kubernetes.io/job-completion-index";

struct PodLine {
  PodSpec spec;
  Duration at;
  Duration every;
  int32_t members = 0;
  bool names_pod_group = false;
};

using PodAttribute = Attribute<PodLine>;

// An attribute that is passed on as text, right or wrong: the brain judges it.
PodAttribute AnnotationAttribute(const char* name, const char* key, const char* expected) {
  return {name, expected, [key](const Word& word, PodLine& line) {
            line.spec.annotations[key] = word.value;
            return true;
          }};
}

std::optional<Toleration> ReadToleration(const std::string& text) {
  Toleration toleration;
  if (std::optional<Taint> taint = ReadTaint(text)) {
    toleration.key = taint->key;
    toleration.value = taint->value;
    toleration.exists = taint->value.empty();
    toleration.effect = taint->effect;
    return toleration;
  }
  size_t equal = text.find('=');
  if (text.empty() || equal == 0) return std::nullopt;
  toleration.exists = equal == std::string::npos;
  if (text != "all") toleration.key = text.substr(0, equal);
  if (!toleration.exists) toleration.value = text.substr(equal + 1);
  return toleration;
}

// KEY, KEY:SKEW, with @WHOM where it is not about all pods of the gang.
bool ReadSelfRule(SelfRuleKind kind, const Word& word, PodLine& line) {
  SelfRule rule{.kind = kind, .key = word.value, .selector = "all"};
  if (const size_t at = rule.key.find('@'); at != std::string::npos) {
    rule.selector = rule.key.substr(at + 1);
    rule.key.resize(at);
  }
  if (kind == SelfRuleKind::kSkew) {
    const size_t colon = rule.key.find(':');
    if (colon == std::string::npos) return false;
    const Word skew{.key = word.key, .value = rule.key.substr(colon + 1)};
    rule.key.resize(colon);
    if (!ReadNumberInto(skew, rule.max_skew, 1, kMaxGangSize)) return false;
  }
  line.spec.self_rules.push_back(rule);
  return !rule.key.empty();
}

bool ReadSizeLabel(const Word& word, PodLine& line) {
  if (word.value == "absent") {
    line.spec.labels.erase(kSizeLabel);
  } else {
    line.spec.labels[kSizeLabel] = word.value;
  }
  return true;
}

bool ReadOwner(const Word& word, PodLine& line) {
  line.spec.job_owned = word.value == "job";
  return word.value == "job" || word.value == "none";
}

bool ReadScheduler(const Word& word, PodLine& line) {
  line.spec.ours = word.value == "phalanx";
  return !word.value.empty();
}

bool ReadRuns(const Word& word, PodLine& line) {
  if (word.value == "forever") {
    line.spec.runs.reset();
    return true;
  }
  return ReadTimeInto(word, line.spec.runs);
}

std::vector<PodAttribute> TextAttributes() {
  return {
      {"label:", "the value of the label",
       [](const Word& w, PodLine& p) { return ReadLabelInto(w, p.spec.labels); }},
      {"annotation:", "the value of the annotation",
       [](const Word& w, PodLine& p) { return ReadLabelInto(w, p.spec.annotations); }},
      {"selector:", "the value of the node label",
       [](const Word& w, PodLine& p) { return ReadLabelInto(w, p.spec.node_selector); }},
      {"podgroup", "the text of the pod-group label, which stands for our gang labels",
       [](const Word& w, PodLine& p) {
         p.spec.labels[kPodGroupLabel] = w.value;
         p.names_pod_group = true;
         return true;
       }},
      {"size", "the text of the gang-size label, or 'absent'", ReadSizeLabel},
      {"role", "the name of a role",
       [](const Word& w, PodLine& p) {
         p.spec.labels["phalanx.dev/role"] = w.value;
         return true;
       }},
      {"queue", "the name of a GangQueue",
       [](const Word& w, PodLine& p) {
         p.spec.labels["phalanx.dev/queue"] = w.value;
         return true;
       }},
      {"tolerate", "KEY, KEY=VALUE, KEY=VALUE:EFFECT or all",
       [](const Word& w, PodLine& p) {
         std::optional<Toleration> toleration = ReadToleration(w.value);
         if (toleration) p.spec.tolerations.push_back(*toleration);
         return toleration.has_value();
       }},
      AnnotationAttribute("min", "phalanx.dev/gang-min", "the text of the gang-min annotation"),
      AnnotationAttribute("required", "phalanx.dev/topology-required", "a level or node label key"),
      AnnotationAttribute("preferred", "phalanx.dev/topology-preferred",
                          "a level or node label key"),
      AnnotationAttribute("segment", "phalanx.dev/segment-size", "the members of a segment"),
      AnnotationAttribute("segment_required", "phalanx.dev/segment-topology-required",
                          "a level or node label key"),
      AnnotationAttribute("segment_preferred", "phalanx.dev/segment-topology-preferred",
                          "a level or node label key"),
      AnnotationAttribute("spread", "phalanx.dev/spread-topology", "a level or node label key"),
      AnnotationAttribute("spread_max", "phalanx.dev/spread-max", "the most members in a domain"),
      AnnotationAttribute("spread_min", "phalanx.dev/spread-min", "the fewest members in a domain"),
      AnnotationAttribute("spread_evenly", "phalanx.dev/spread-evenly", "true or false"),
      AnnotationAttribute("traffic", "phalanx.dev/traffic", "PATTERN:GB/s, ..."),
      AnnotationAttribute("exclusive", "phalanx.dev/topology-exclusive",
                          "a level or node label key"),
      {"group", "the name of a group of gangs",
       [](const Word& w, PodLine& p) {
         p.spec.labels["phalanx.dev/group"] = w.value;
         return true;
       }},
      AnnotationAttribute("group_size", "phalanx.dev/group-size", "the gangs of the group"),
      AnnotationAttribute("group_required", "phalanx.dev/group-topology-required",
                          "a level or node label key"),
      AnnotationAttribute("group_preferred", "phalanx.dev/group-topology-preferred",
                          "a level or node label key"),
      AnnotationAttribute("shared", "phalanx.dev/shared-resources", "NAME=QUANTITY,..."),
      AnnotationAttribute("expected", "phalanx.dev/expected-duration", "a duration such as 2h"),
      AnnotationAttribute("index", kCompletionIndex, "the completion index of the pod"),
  };
}

std::vector<PodAttribute> PodAttributes() {
  std::vector<PodAttribute> table = TextAttributes();
  std::vector<PodAttribute> more = {
      {"at", kTimeExpected, [](const Word& w, PodLine& p) { return ReadTimeInto(w, p.at); }},
      {"runs", "a time such as 60s, or forever", ReadRuns},
      {"grace", kTimeExpected,
       [](const Word& w, PodLine& p) { return ReadTimeInto(w, p.spec.grace); }},
      {"priority", "a whole number of 32 bits",
       [](const Word& w, PodLine& p) {
         return ReadNumberInto(w, p.spec.priority, INT32_MIN, INT32_MAX);
       }},
      {"gate", "the name of a scheduling gate",
       [](const Word& w, PodLine& p) {
         p.spec.gates.push_back(w.value);
         return !w.value.empty();
       }},
      {"late", "claim/NAME or pvc/NAME",
       [](const Word& w, PodLine& p) {
         p.spec.unresolved_objects.push_back(w.value);
         return w.value.starts_with("claim/") || w.value.starts_with("pvc/");
       }},
      {"apart", "KEY or KEY@WHOM",
       [](const Word& w, PodLine& p) { return ReadSelfRule(SelfRuleKind::kApart, w, p); }},
      {"together", "KEY or KEY@WHOM",
       [](const Word& w, PodLine& p) { return ReadSelfRule(SelfRuleKind::kTogether, w, p); }},
      {"skew", "KEY:SKEW or KEY:SKEW@WHOM",
       [](const Word& w, PodLine& p) { return ReadSelfRule(SelfRuleKind::kSkew, w, p); }},
      {"owner", "job or none", ReadOwner},
      {"scheduler", "the schedulerName; phalanx is ours", ReadScheduler},
      {"node", "the name of a node",
       [](const Word& w, PodLine& p) {
         p.spec.node = w.value;
         return !w.value.empty();
       }},
  };
  table.insert(table.end(), more.begin(), more.end());
  AddResourceAttributes<PodLine>(table, [](PodLine& p) -> QuantityMap& { return p.spec.requests; });
  return table;
}

std::vector<PodAttribute> GangAttributes() {
  std::vector<PodAttribute> table = PodAttributes();
  table.push_back({"members", "a whole number from 1 to 20000", [](const Word& w, PodLine& p) {
                     return ReadNumberInto(w, p.members, 1, 20'000);
                   }});
  table.push_back(
      {"keeps-names", "", [](const Word&, PodLine& p) { return p.spec.keeps_name = true; }});
  table.push_back(
      {"every", kTimeExpected, [](const Word& w, PodLine& p) { return ReadTimeInto(w, p.every); }});
  return table;
}

PodLine ModestPod() {
  PodLine line;
  line.spec.requests = {{"cpu", 1000}, {"memory", int64_t{1} << 30}, {"pods", 1}};
  return line;
}

bool CheckNodeOf(Line& line, const PodLine& pod) {
  return pod.spec.node.empty() || line.CheckNodes({pod.spec.node});
}

bool AddPod(Line& line, const std::string& group, PodLine pod, const std::string& name) {
  Draft& draft = line.draft();
  pod.spec.ns = SplitQualified(group).first;
  pod.spec.name = name;
  pod.spec.group = group;
  if (!draft.pods.insert(pod.spec.ns + "/" + name).second) {
    return line.Fail(name, "a pod name that is not taken");
  }
  draft.pods_of_group[group].push_back(line.scenario().actions.size());
  line.AddAction(pod.at, CreatePod{std::move(pod.spec)});
  return true;
}

bool AddGroup(Line& line, const std::string& group, bool ours) {
  if (line.draft().pods_of_group.contains(group)) {
    return line.Fail(group, "a name that no gang or job above has");
  }
  if (ours) line.scenario().groups.push_back(group);
  return true;
}

void AddGang(Line& line, const std::string& group, const PodLine& gang) {
  if (!AddGroup(line, group, gang.spec.ours)) return;
  std::string name = SplitQualified(group).second;
  for (int32_t i = 0; i < gang.members; ++i) {
    PodLine member = gang;
    if (!member.names_pod_group) member.spec.labels.emplace(kGangLabel, name);
    member.at = gang.at + Duration{gang.every.ms * i};
    if (!AddPod(line, group, std::move(member), fmt::format("{}-{}", name, i))) return;
  }
}

// Pods without a gang label, one per name.
void AddSingles(Line& line, const PodLine& pod, const std::vector<std::string>& names) {
  for (const std::string& group : names) {
    if (!AddGroup(line, group, pod.spec.ours)) return;
    if (!AddPod(line, group, pod, SplitQualified(group).second)) return;
  }
}

}  // namespace

void ParseGang(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(1, "the name of a gang", true);
  PodLine gang = ModestPod();
  // "absent" must survive the default below, hence the empty mark.
  gang.spec.labels[kSizeLabel] = "default";
  if (!names || !ReadAttributes(line, 2, GangAttributes(), gang)) return;
  if (gang.members == 0) {
    line.Fail(line.text(), "members=N, the number of pods that are created");
    return;
  }
  if (!CheckNodeOf(line, gang)) return;
  auto size = gang.spec.labels.find(kSizeLabel);
  if (size != gang.spec.labels.end() && size->second == "default") {
    size->second = std::to_string(gang.members);
    if (gang.names_pod_group) gang.spec.labels.erase(size);
  }
  for (const std::string& name : *names) AddGang(line, name, gang);
}

// Changes members of a gang that a line above declared: `member team/a[9] selector:pool=special`.
void ParseMember(Line& line) {
  const std::string* word = line.Bare(1, "GANG[INDEX], such as team/a[9]");
  if (!word) return;
  std::optional<IndexedName> name = ReadIndexedName(*word);
  if (!name || name->indexes.empty()) {
    line.Fail(*word, "GANG[INDEX], such as team/a[9] or a[0-3]");
    return;
  }
  std::string group = Qualified(name->name);
  if (!line.CheckGroups({group})) return;
  const std::vector<size_t>& pods = line.draft().pods_of_group[group];
  for (int64_t index : name->indexes) {
    if (index >= static_cast<int64_t>(pods.size())) {
      line.Fail(*word, fmt::format("an index from 0 to {}", pods.size() - 1));
      return;
    }
    Action& action = line.scenario().actions[pods[static_cast<size_t>(index)]];
    PodLine member{std::get<CreatePod>(action.what).spec, action.at, {}, 0, false};
    if (!ReadAttributes(line, 2, PodAttributes(), member) || !CheckNodeOf(line, member)) return;
    action.what = CreatePod{std::move(member.spec)};
    action.at = member.at;
  }
}

void ParseJob(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(1, "the name of a job", true);
  PodLine pod = ModestPod();
  if (!names || !ReadAttributes(line, 2, PodAttributes(), pod) || !CheckNodeOf(line, pod)) return;
  AddSingles(line, pod, *names);
}

void ParseForeign(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(1, "the name of a pod", true);
  PodLine pod = ModestPod();
  pod.spec.ours = false;
  pod.spec.job_owned = false;
  if (!names || !ReadAttributes(line, 2, PodAttributes(), pod) || !CheckNodeOf(line, pod)) return;
  AddSingles(line, pod, *names);
}

}  // namespace phalanx::sim
