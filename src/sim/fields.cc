#include "sim/fields.h"

#include <string_view>

#include "core/explain/reason_text.h"

namespace phalanx::sim {
namespace {

// Both in the order of the enums in the contract.
const std::vector<std::string> kAnswers = {"Unknown", "Loose", "Held", "Planned", "Released"};

std::vector<FieldInfo> GangFields() {
  std::vector<FieldInfo> fields = {
      {"phase", FieldType::kText, PhaseWords()},
      {"code", FieldType::kText, CodeWords()},
  };
  for (const char* name : {"reason", "queue", "domain", "level", "best-domain", "subject", "detail",
                           "member", "shown", "shown-reason", "placement"}) {
    fields.push_back({name, FieldType::kText, {}});
  }
  for (const char* name :
       {"bound",    "present", "size",   "min",  "devices",        "priority", "position",
        "attempts", "have",    "need",   "held", "running",        "hosts",    "admits",
        "rejects",  "evicts",  "writes", "told", "shown-position", "excluded."}) {
    fields.push_back({name, FieldType::kNumber, {}});
  }
  for (const char* name : {"started", "waited"}) fields.push_back({name, FieldType::kTime, {}});
  for (const char* name : {"nodes", "ranks", "events"}) {
    fields.push_back({name, FieldType::kList, {}});
  }
  for (const char* name : {"waits", "runs", "done", "gone", "ended", "over", "partial",
                           "holds-none", "never-fits", "object"}) {
    fields.push_back({name, FieldType::kFlag, {}});
  }
  return fields;
}

std::vector<FieldInfo> PodFields() {
  return {{"node", FieldType::kText, {}},
          {"phase", FieldType::kText, {"Pending", "Running", "Succeeded", "Failed"}},
          {"answer", FieldType::kText, kAnswers},
          {"rank", FieldType::kNumber, {}},
          {"unbound", FieldType::kFlag, {}},
          {"told", FieldType::kFlag, {}},
          {"gone", FieldType::kFlag, {}}};
}

std::vector<FieldInfo> NodeFields() {
  return {{"free.", FieldType::kNumber, {}},  {"bound.", FieldType::kNumber, {}},
          {"held.", FieldType::kNumber, {}},  {"allocatable.", FieldType::kNumber, {}},
          {"pods", FieldType::kNumber, {}},   {"path", FieldType::kText, {}},
          {"cordoned", FieldType::kFlag, {}}, {"notready", FieldType::kFlag, {}},
          {"gone", FieldType::kFlag, {}}};
}

std::vector<FieldInfo> ClusterFields() {
  return {{"free.", FieldType::kNumber, {}},
          {"bound.", FieldType::kNumber, {}},
          {"held.", FieldType::kNumber, {}},
          {"levels", FieldType::kList, {}}};
}

// From the first value on to the last that has a name.
template <class Enum>
std::vector<std::string> AllNames(std::string_view (*name_of)(Enum)) {
  std::vector<std::string> names;
  for (int i = 0; name_of(static_cast<Enum>(i)) != "Unknown"; ++i) {
    names.emplace_back(name_of(static_cast<Enum>(i)));
  }
  return names;
}

std::vector<FieldInfo> StatsFields() {
  std::vector<FieldInfo> fields;
  for (const char* name : {"plans", "work-units", "partial-spells", "epoch", "placements.",
                           "directives.", "conflicts.", "refused."}) {
    fields.push_back({name, FieldType::kNumber, {}});
  }
  fields.push_back({"partial-max", FieldType::kTime, {}});
  return fields;
}

}  // namespace

const std::vector<std::string>& PhaseWords() {
  static const auto* const kWords = new auto(AllNames(PhaseName));
  return *kWords;
}

const std::vector<std::string>& CodeWords() {
  static const auto* const kWords = new auto(AllNames(ReasonName));
  return *kWords;
}

const std::vector<std::string>& CauseWords() {
  static const auto* const kWords = new auto(AllNames(ExclusionName));
  return *kWords;
}

std::string ResourceOf(const std::string& name) { return name == "gpu" ? "nvidia.com/gpu" : name; }

const std::vector<FieldInfo>& FieldsOf(Subject subject) {
  static const auto* const kFields =
      new std::map<Subject, std::vector<FieldInfo>>{{Subject::kGang, GangFields()},
                                                    {Subject::kPod, PodFields()},
                                                    {Subject::kNode, NodeFields()},
                                                    {Subject::kCluster, ClusterFields()},
                                                    {Subject::kStats, StatsFields()}};
  return kFields->at(subject);
}

const FieldInfo* FindField(Subject subject, const std::string& name) {
  for (const FieldInfo& field : FieldsOf(subject)) {
    bool prefix = field.name.ends_with('.');
    if (prefix ? name.size() > field.name.size() && name.starts_with(field.name)
               : name == field.name) {
      return &field;
    }
  }
  return nullptr;
}

}  // namespace phalanx::sim
