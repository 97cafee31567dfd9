#include "wire/dialects/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/cluster/topology.h"
#include "core/cluster/topology_labels.h"
#include "wire/dialects/shared_resources.h"
#include "wire/json_read.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

using Json = nlohmann::json;

constexpr char kHostLabel[] = "kubernetes.io/hostname";

// The text under `key`, "" if it is absent. What is no text is a problem.
std::string Text(const Json& level, const char* key, const std::string& where, ApiObject& out) {
  const Json* value = FindField(level, {key});
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  out.problems.push_back({where + key, Show(*value), "a text"});
  return "";
}

// As it was written; a text without its quotes.
std::string Shown(const Json& value) {
  return value.is_string() ? Clip(value.get_ref<const std::string&>()) : Show(value);
}

// One object's levels, read one after the other.
class LevelReader {
 public:
  // `name_key`: where a level's name stands; `named`: it must stand there.
  LevelReader(const char* name_key, bool named, ApiObject& out)
      : name_key_(name_key), named_(named), out_(out) {}

  void Read(const Json& level, size_t index, bool last) {
    const std::string where = fmt::format("spec.levels[{}].", index);
    const std::string label = Text(level, "nodeLabel", where, out_);
    if (label == kHostLabel && last) {
      RefuseUplink(level, where, "no uplink of the host: its level has none");
      return;
    }
    if (!IsLabelKey(label) || label == kHostLabel) {
      Refuse(where + "nodeLabel", label,
             fmt::format("the key of a node label; {} only as the last level", kHostLabel));
    }
    DeclaredLevel read{NameOf(level, label, where), label, BeforeDot(level, where),
                       Crosses(level, where), UplinkOf(level, where)};
    if (!read.crosses.empty()) {
      RefuseUplink(level, where, "no uplink of a level that crosses another: it has no single one");
    }
    CheckUnique(read, where);
    levels_.push_back(std::move(read));
  }

  std::vector<DeclaredLevel> Take() { return std::move(levels_); }

 private:
  void Refuse(std::string field, const std::string& value, std::string expected) {
    out_.problems.push_back({std::move(field), Clip(value), std::move(expected)});
  }

  std::string NameOf(const Json& level, const std::string& label, const std::string& where) {
    std::string name = name_key_ != nullptr ? Text(level, name_key_, where, out_) : "";
    if (name.empty() && !named_) {
      name = LevelNameOf(label);
      // Two labels of one name keep their keys.
      return Has(&DeclaredLevel::name, name) ? label : name;
    }
    if (!IsLabelValue(name) || name == "host") {
      Refuse(where + name_key_, name,
             "a name of at most 63 of A-Z a-z 0-9 . _ -, and not \"host\": that level is always "
             "there");
    }
    return name;
  }

  bool BeforeDot(const Json& level, const std::string& where) {
    const std::string part = Text(level, "part", where, out_);
    if (part.empty() || part == "Whole") return false;
    if (part != "BeforeDot") Refuse(where + "part", part, "Whole or BeforeDot");
    return true;
  }

  std::string Crosses(const Json& level, const std::string& where) {
    std::string crosses = Text(level, "crosses", where, out_);
    if (crosses.empty() || Has(&DeclaredLevel::name, crosses)) return crosses;
    Refuse(where + "crosses", crosses, "the name of a level above");
    return "";
  }

  void RefuseUplink(const Json& level, const std::string& where, const char* expected) {
    const Json* uplink = FindField(level, {"uplink"});
    if (uplink != nullptr) Refuse(where + "uplink", Show(*uplink), expected);
  }

  Uplink UplinkOf(const Json& level, const std::string& where) {
    const Json* uplink = FindField(level, {"uplink"});
    if (uplink == nullptr) return {};
    if (!uplink->is_object()) {
      Refuse(where + "uplink", Show(*uplink), "an object with gigabytesPerSecond");
      return {};
    }
    return {Bandwidth(*uplink, where + "uplink.gigabytesPerSecond"),
            IsHard(*uplink, where + "uplink.hard")};
  }

  // MB/s.
  int64_t Bandwidth(const Json& uplink, const std::string& where) {
    const Json* value = FindField(uplink, {"gigabytesPerSecond"});
    std::optional<int64_t> mbps;
    if (value != nullptr && value->is_string()) {
      mbps = ParseThousandths(value->get_ref<const std::string&>());
    } else if (value != nullptr) {
      const std::optional<int64_t> whole = WholeNumber(*value);
      if (whole && *whole <= kMaxUplinkMBps / 1000) mbps = *whole * 1000;
    }
    if (mbps && *mbps > 0 && *mbps <= kMaxUplinkMBps) return *mbps;
    Refuse(where, value != nullptr ? Shown(*value) : "",
           fmt::format("GB/s from 0.001 to {}, as a whole number or a text such as \"12.5\"",
                       kMaxUplinkMBps / 1000));
    return 0;
  }

  bool IsHard(const Json& uplink, const std::string& where) {
    const Json* hard = FindField(uplink, {"hard"});
    if (hard == nullptr) return false;
    if (!hard->is_boolean()) {
      Refuse(where, Shown(*hard), "true or false");
      return false;
    }
    return hard->get<bool>();
  }

  void CheckUnique(const DeclaredLevel& read, const std::string& where) {
    if (Has(&DeclaredLevel::name, read.name)) {
      Refuse(where + (name_key_ != nullptr ? name_key_ : "nodeLabel"), read.name,
             "a name that no level above has");
    }
    const bool same = std::ranges::any_of(levels_, [&](const DeclaredLevel& level) {
      return level.label == read.label && level.before_dot == read.before_dot;
    });
    if (same) Refuse(where + "nodeLabel", read.label, "a label that no level above reads");
  }

  bool Has(std::string DeclaredLevel::*field, const std::string& value) const {
    return std::ranges::find(levels_, value, field) != levels_.end();
  }

  const char* name_key_;
  bool named_;
  ApiObject& out_;
  std::vector<DeclaredLevel> levels_;
};

void Read(const Json& json, DeclaredTopology topology, LevelReader reader, ApiObject& out) {
  const Json* levels = FindField(json, {"spec", "levels"});
  if (topology.complete) topology.pools = ReadSharedPools(json, out.problems);
  const bool pools_only = levels == nullptr && !topology.pools.empty();
  if (pools_only) {
    // The levels are found without it.
  } else if (levels == nullptr || !levels->is_array() || levels->empty() ||
             levels->size() > Topology::kMaxLevels) {
    out.problems.push_back(
        {"spec.levels",
         levels != nullptr && levels->is_array() ? fmt::format("{} levels", levels->size())
         : levels != nullptr                     ? Show(*levels)
                                                 : "",
         fmt::format("a list of 1 to {} levels, coarse to fine", Topology::kMaxLevels)});
  } else {
    for (size_t i = 0; i < levels->size(); ++i) {
      reader.Read((*levels)[i], i, i + 1 == levels->size());
    }
  }
  const Json* generation = FindField(json, {"metadata", "generation"});
  out.generation = generation != nullptr ? WholeNumber(*generation).value_or(0) : 0;
  if (out.problems.empty()) {
    topology.levels = reader.Take();
    out.followed_generation = out.generation;
  } else {
    topology.pools.clear();
  }
  out.body = std::move(topology);
}

}  // namespace

void ReadClusterTopology(const Json& json, ApiObject& out) {
  Read(json, {.precedence = 0, .complete = true, .levels = {}}, LevelReader("name", true, out),
       out);
}

void ReadKueueTopology(const Json& json, ApiObject& out) {
  Read(json, {.precedence = 1, .complete = false, .levels = {}}, LevelReader(nullptr, false, out),
       out);
}

void ReadKaiTopology(const Json& json, ApiObject& out) {
  Read(json, {.precedence = 2, .complete = false, .levels = {}}, LevelReader("alias", false, out),
       out);
}

}  // namespace phalanx::wire
