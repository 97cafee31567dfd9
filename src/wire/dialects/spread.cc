#include "wire/dialects/spread.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "wire/text.h"

namespace phalanx::wire {
namespace {

const std::string* Find(const LabelMap& map, const char* key) {
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

void Refuse(const char* key, const std::string& value, std::string expected, Membership& out) {
  out.problems.push_back(
      {fmt::format("metadata.annotations[{}]", key), Clip(value), std::move(expected)});
}

// A number of members from 1 to `most`; `number` is left as it is where none is there.
void ReadNumber(const LabelMap& annotations, const char* key, int32_t most, int32_t& number,
                Membership& out) {
  const std::string* text = Find(annotations, key);
  if (!text) return;
  const std::optional<int64_t> read = ParseInt(*text);
  if (read && *read >= 1 && *read <= most) {
    number = static_cast<int32_t>(*read);
  } else {
    const char* whose = most < kMaxGangSize ? "the gang size " : "";
    Refuse(key, *text, fmt::format("a whole number from 1 to {}{}", whose, most), out);
  }
}

void ReadEvenly(const LabelMap& annotations, Membership& out) {
  const std::string* text = Find(annotations, kSpreadEvenlyAnnotation);
  if (!text) return;
  out.spread.evenly = *text == "true";
  if (*text != "true" && *text != "false") {
    Refuse(kSpreadEvenlyAnnotation, *text, "true or false", out);
  }
}

}  // namespace

void ReadSpread(const LabelMap& annotations, Membership& out) {
  Spread& spread = out.spread;
  ReadNumber(annotations, kSpreadMaxAnnotation, kMaxGangSize, spread.at_most, out);
  ReadNumber(annotations, kSpreadMinAnnotation, out.sized_by_object ? kMaxGangSize : out.size,
             spread.at_least, out);
  ReadEvenly(annotations, out);
  if (spread.at_most > 0 && spread.at_least > spread.at_most) {
    Refuse(kSpreadMinAnnotation, fmt::to_string(spread.at_least),
           fmt::format("at most {}, as {} says", spread.at_most, kSpreadMaxAnnotation), out);
  }
  const std::string* level = Find(annotations, kSpreadLevelAnnotation);
  const bool rule = spread.at_most > 0 || spread.at_least > 1 || spread.evenly;
  if (!level) {
    if (rule) {
      Refuse(kSpreadLevelAnnotation, "",
             fmt::format("a topology level, since {}, {} or {} is set", kSpreadMaxAnnotation,
                         kSpreadMinAnnotation, kSpreadEvenlyAnnotation),
             out);
    }
  } else if (!IsLabelKey(*level)) {
    Refuse(kSpreadLevelAnnotation, *level,
           "the name of a topology level (for example rack) or a node label key", out);
  } else if (rule && out.segment.size > 1) {
    Refuse(kSpreadLevelAnnotation, *level,
           "nothing, since segments are set: members come in segments or are spread", out);
  }
  if (level && rule) {
    spread.level = *level;
  } else {
    // A level alone is no rule: equal roles stay equal.
    spread = Spread();
  }
}

}  // namespace phalanx::wire
