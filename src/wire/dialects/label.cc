#include "wire/dialects/label.h"

#include <fmt/format.h>

#include <utility>

#include "wire/dialects/index.h"
#include "wire/dialects/spread.h"
#include "wire/dialects/traffic.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

constexpr Duration kLongestExpected = Duration::Minutes(60 * 8760);
constexpr Duration kShortestExpected = Duration::Seconds(1);

const std::string* Find(const LabelMap& map, const char* key) {
  auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

std::string LabelField(const char* key) { return fmt::format("metadata.labels[{}]", key); }
std::string AnnotationField(const char* key) {
  return fmt::format("metadata.annotations[{}]", key);
}

void ReadGangName(const std::string& value, Membership& out) {
  out.gang.name = value;
  if (IsLabelValue(value)) return;
  out.problems.push_back(
      {LabelField(kGangLabel), Clip(value),
       "the name of a gang in the pod's own namespace: at most 63 of A-Z a-z 0-9 . _ -, first and "
       "last alphanumeric"});
}

void ReadSize(const LabelMap& labels, Membership& out) {
  const std::string* text = Find(labels, kGangSizeLabel);
  std::optional<int64_t> size = text ? ParseInt(*text) : std::nullopt;
  if (size && *size >= 1 && *size <= kMaxGangSize) {
    out.size = static_cast<int32_t>(*size);
    return;
  }
  out.problems.push_back({LabelField(kGangSizeLabel), text ? Clip(*text) : "",
                          fmt::format("a whole number from 1 to {}", kMaxGangSize)});
}

void ReadMin(const LabelMap& annotations, Membership& out) {
  out.min = out.size;
  const std::string* text = Find(annotations, kGangMinAnnotation);
  if (!text) return;
  std::optional<int64_t> min = ParseInt(*text);
  if (min && *min >= 1 && *min <= out.size) {
    out.min = static_cast<int32_t>(*min);
    return;
  }
  out.problems.push_back({AnnotationField(kGangMinAnnotation), Clip(*text),
                          fmt::format("a whole number from 1 to the gang size {}", out.size)});
}

void ReadRole(const LabelMap& labels, Membership& out) {
  const std::string* text = Find(labels, kRoleLabel);
  if (!text) return;
  if (IsLabelValue(*text)) {
    out.role = *text;
    return;
  }
  out.problems.push_back({LabelField(kRoleLabel), Clip(*text),
                          "a role name: at most 63 of A-Z a-z 0-9 . _ -, first and last "
                          "alphanumeric"});
}

void ReadQueue(const LabelMap& labels, Membership& out) {
  const std::string* text = Find(labels, kQueueLabel);
  if (!text) return;
  if (IsLabelValue(*text)) {
    out.queue = *text;
    return;
  }
  out.problems.push_back({LabelField(kQueueLabel), Clip(*text),
                          "the name of a GangQueue: at most 63 of a-z 0-9 . -, first and last "
                          "alphanumeric"});
}

void ReadLevel(const LabelMap& annotations, const char* key, std::string& level, Membership& out) {
  const std::string* text = Find(annotations, key);
  if (!text) return;
  if (IsLabelKey(*text)) {
    level = *text;
    return;
  }
  out.problems.push_back({AnnotationField(key), Clip(*text),
                          "the name of a topology level (for example nvlink) or a node label key"});
}

void ReadSegmentSize(const std::string& text, Membership& out) {
  const std::optional<int64_t> size = ParseInt(text);
  const int32_t most = out.sized_by_object ? kMaxGangSize : out.size;
  if (size && *size >= 1 && *size <= most) {
    out.segment.size = static_cast<int32_t>(*size);
    return;
  }
  out.problems.push_back(
      {AnnotationField(kSegmentSizeAnnotation), Clip(text),
       fmt::format("a whole number from 1 to {}{}, that divides the number of members of the role",
                   out.sized_by_object ? "" : "the gang size ", most)});
}

// A size says nothing without a level, and a level nothing without a size.
void ReadSegment(const LabelMap& annotations, Membership& out) {
  const std::string* size = Find(annotations, kSegmentSizeAnnotation);
  Segment& segment = out.segment;
  ReadLevel(annotations, kSegmentRequiredAnnotation, segment.required_level, out);
  ReadLevel(annotations, kSegmentPreferredAnnotation, segment.preferred_level, out);
  const std::string* level = Find(annotations, kSegmentRequiredAnnotation);
  if (!level) level = Find(annotations, kSegmentPreferredAnnotation);
  if (size) ReadSegmentSize(*size, out);
  if (size && !level) {
    out.problems.push_back({AnnotationField(kSegmentRequiredAnnotation), "",
                            fmt::format("a topology level, here or in {}, since {} is set",
                                        kSegmentPreferredAnnotation, kSegmentSizeAnnotation)});
  }
  if (!size && level) {
    out.problems.push_back(
        {AnnotationField(kSegmentSizeAnnotation), "",
         "the members of a segment, since a topology level for segments is set"});
  }
  // Segments of one member lie in one domain of every level: equal roles stay equal.
  if (segment.size == 1) segment = Segment();
}

void ReadGroupSize(const LabelMap& annotations, Membership& out) {
  const std::string* text = Find(annotations, kGroupSizeAnnotation);
  if (!text) return;
  const std::optional<int64_t> size = ParseInt(*text);
  if (size && *size >= 1 && *size <= kMaxGangSize) {
    out.group.size = static_cast<int32_t>(*size);
    return;
  }
  out.problems.push_back({AnnotationField(kGroupSizeAnnotation), Clip(*text),
                          fmt::format("a whole number of gangs from 1 to {}", kMaxGangSize)});
}

// A level without a group would hold for one gang, which has levels of its own.
void ReadGroup(const PodText& pod, Membership& out) {
  Group& group = out.group;
  ReadLevel(pod.annotations, kGroupRequiredAnnotation, group.required_level, out);
  ReadLevel(pod.annotations, kGroupPreferredAnnotation, group.preferred_level, out);
  ReadGroupSize(pod.annotations, out);
  const bool level = !group.required_level.empty() || !group.preferred_level.empty();
  const std::string* name = Find(pod.labels, kGroupLabel);
  if (!name || !IsLabelValue(*name)) {
    if (name || level) {
      out.problems.push_back({LabelField(kGroupLabel), name ? Clip(*name) : "",
                              "the name of a group of gangs in the pod's own namespace: at most 63 "
                              "of A-Z a-z 0-9 . _ -, first and last alphanumeric"});
    }
    group = Group();
  } else {
    group.name = *name;
  }
  // A name alone is no constraint.
  if (!level) group = Group();
}

void ReadExpectedDuration(const LabelMap& annotations, Membership& out) {
  const std::string* text = Find(annotations, kExpectedDurationAnnotation);
  if (!text) return;
  out.expected_duration = ParseDuration(*text);
  if (out.expected_duration) return;
  out.problems.push_back({AnnotationField(kExpectedDurationAnnotation), Clip(*text),
                          "a duration such as 90s, 45m or 2h30m, from 1s to 8760h"});
}

void ReadCommon(const PodText& pod, Membership& out) {
  ReadRole(pod.labels, out);
  ReadQueue(pod.labels, out);
  ReadLevel(pod.annotations, kTopologyRequiredAnnotation, out.required_level, out);
  ReadLevel(pod.annotations, kTopologyPreferredAnnotation, out.preferred_level, out);
  ReadSegment(pod.annotations, out);
  ReadSpread(pod.annotations, out);
  ReadTraffic(pod.annotations, out);
  ReadLevel(pod.annotations, kTopologyExclusiveAnnotation, out.exclusive_level, out);
  ReadGroup(pod, out);
  ReadExpectedDuration(pod.annotations, out);
}

// Milliseconds of one unit of Go's durations, taken off the front of `text`; 0 if none is there.
int64_t TakeUnit(std::string_view& text) {
  constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"ms", 1}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}};
  for (auto [name, ms] : kUnits) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return ms;
  }
  return 0;
}

// "2", "1.5": thousandths, taken off the front. -1 if there is no such number or it has more than
// nine digits before the dot (which is beyond the longest duration in every unit but ms).
int64_t TakeThousandths(std::string_view& text) {
  int64_t value = 0;
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    value = value * 10 + (text[digits++] - '0');
    if (digits > 12) return -1;
  }
  if (digits == 0) return -1;
  text.remove_prefix(digits);
  value *= 1000;
  if (!text.starts_with('.')) return value;
  text.remove_prefix(1);
  int64_t weight = 100;
  if (text.empty() || text[0] < '0' || text[0] > '9') return -1;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    value += (text[0] - '0') * weight;
    weight /= 10;
    text.remove_prefix(1);
  }
  return value;
}

}  // namespace

std::optional<Duration> ParseDuration(const std::string& text) {
  std::string_view rest = text;
  Duration total;
  while (!rest.empty()) {
    int64_t thousandths = TakeThousandths(rest);
    int64_t unit_ms = TakeUnit(rest);
    if (thousandths < 0 || unit_ms == 0) return std::nullopt;
    if (thousandths > kLongestExpected.ms * 1000 / unit_ms) return std::nullopt;
    total.ms += thousandths * unit_ms / 1000;
    if (total > kLongestExpected) return std::nullopt;
  }
  if (total < kShortestExpected) return std::nullopt;
  return total;
}

std::optional<Membership> ReadLabelDialect(const PodText& pod) {
  const std::string* gang = Find(pod.labels, kGangLabel);
  const std::string* size = Find(pod.labels, kGangSizeLabel);
  if (!gang && !size) return std::nullopt;
  if (!gang) {
    Membership alone = GangOfOne(pod);
    alone.problems.push_back(
        {LabelField(kGangLabel), "",
         fmt::format("the name of the gang, since {} is set", kGangSizeLabel)});
    return alone;
  }
  Membership out;
  out.gang.ns = pod.ns;
  out.gang.source = kLabelSource;
  ReadGangName(*gang, out);
  ReadSize(pod.labels, out);
  ReadMin(pod.annotations, out);
  ReadSharedKeys(pod, out);
  return out;
}

void ReadSharedKeys(const PodText& pod, Membership& out) {
  ReadCommon(pod, out);
  ReadIndex(pod.labels, pod.annotations, out);
}

Membership GangOfOne(const PodText& pod) {
  Membership out;
  out.gang = {pod.ns, kPodSource, pod.name};
  ReadCommon(pod, out);
  return out;
}

std::optional<BoundPlan> ReadBoundPlan(const LabelMap& annotations,
                                       std::vector<Problem>& problems) {
  const std::string* plan_text = Find(annotations, kPlanAnnotation);
  const std::string* rank_text = Find(annotations, kRankAnnotation);
  if (!plan_text && !rank_text) return std::nullopt;
  uint64_t plan = plan_text ? ParseUint(*plan_text).value_or(0) : 0;
  int64_t rank = rank_text ? ParseInt(*rank_text).value_or(-1) : -1;
  const std::string* size_text = Find(annotations, kGangSizeLabel);
  int64_t size = size_text ? ParseInt(*size_text).value_or(-1) : 0;
  bool plan_ok = plan != 0;
  bool rank_ok = rank >= 0 && rank < kMaxGangSize;
  bool size_ok = size >= 0 && size <= kMaxGangSize;
  if (!plan_ok) {
    problems.push_back({AnnotationField(kPlanAnnotation), plan_text ? Clip(*plan_text) : "",
                        "the number of a plan, as the Binding wrote it"});
  }
  if (!rank_ok) {
    problems.push_back({AnnotationField(kRankAnnotation), rank_text ? Clip(*rank_text) : "",
                        fmt::format("a rank from 0 to {}", kMaxGangSize - 1)});
  }
  if (!size_ok) {
    problems.push_back({AnnotationField(kGangSizeLabel), Clip(*size_text),
                        fmt::format("a gang size from 1 to {}", kMaxGangSize)});
  }
  if (!plan_ok || !rank_ok || !size_ok) return std::nullopt;
  BoundPlan out{plan, static_cast<int32_t>(rank), static_cast<int32_t>(size), ""};
  const std::string* domain = Find(annotations, kDomainAnnotation);
  if (domain && domain->size() > kMaxDomainPath) {
    problems.push_back({AnnotationField(kDomainAnnotation), Clip(*domain),
                        fmt::format("a path of at most {} bytes", kMaxDomainPath)});
  } else if (domain) {
    out.domain = *domain;
  }
  return out;
}

}  // namespace phalanx::wire
