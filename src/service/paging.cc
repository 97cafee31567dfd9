#include "service/paging.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "wire/decode.h"
#include "wire/text.h"

namespace phalanx::service {
namespace {

// Takes the text up to `separator` away from `rest`; nullopt if it is not there.
std::optional<std::string> Take(std::string& rest, char separator) {
  const size_t end = rest.find(separator);
  if (end == std::string::npos) return std::nullopt;
  std::string out = rest.substr(0, end);
  rest.erase(0, end + 1);
  return out;
}

std::optional<GangPlace> Parse(std::string rest) {
  GangPlace place;
  for (int64_t* number : {&place.part, &place.before, &place.since}) {
    const std::optional<std::string> text = Take(rest, ':');
    const std::optional<int64_t> value = text ? wire::ParseInt(*text) : std::nullopt;
    if (!value) return std::nullopt;
    *number = *value;
  }
  const std::optional<std::string> ns = Take(rest, '/');
  const std::optional<std::string> source = Take(rest, '/');
  if (!ns || !source || rest.empty()) return std::nullopt;
  place.key = {*ns, *source, rest};
  return place;
}

}  // namespace

absl::StatusOr<size_t> PageSize(int32_t asked) {
  if (asked < 0 || asked > kLargestPage) {
    return wire::ToStatus({"pageSize", fmt::to_string(asked),
                           fmt::format("a whole number from 0 to {}", kLargestPage)});
  }
  return static_cast<size_t>(asked == 0 ? kUsualPage : asked);
}

GangPlace PlaceOf(const GangView& gang) {
  if (gang.position == 0) return {2, 0, 0, gang.key};
  const int64_t part = gang.phase == GangPhase::kRepairing ? 0 : 1;
  return {part, -int64_t{gang.priority}, gang.waits_since.ms, gang.key};
}

std::string ToToken(const GangPlace& place) {
  return fmt::format("{}:{}:{}:{}/{}/{}", place.part, place.before, place.since, place.key.ns,
                     place.key.source, place.key.name);
}

absl::StatusOr<GangPlace> ReadGangToken(const std::string& token) {
  std::optional<GangPlace> place = Parse(token);
  if (place) return *std::move(place);
  return wire::ToStatus({"pageToken", wire::Clip(token), "nextPageToken of an earlier answer"});
}

}  // namespace phalanx::service
