#include "core/explain/help_text.h"

#include <fmt/format.h>

namespace phalanx {
namespace {

constexpr int64_t kMinute = 60'000;

// Of the day: who asks knows which.
std::string TimeOfDay(Time time) {
  const int64_t minutes = time.ms / kMinute % (24 * 60);
  return fmt::format("{:02}:{:02} UTC", minutes / 60, minutes % 60);
}

std::string Until(Time until) {
  return until.ms == 0 ? "" : fmt::format(" until about {}", TimeOfDay(until));
}

std::string MoreRoom(const Help& help) {
  const std::string where =
      help.domain.empty() ? "in the cluster" : fmt::format("in {} {}", help.level, help.domain);
  return fmt::format("room for {} more member{} {}: {} empty host{} at least", help.amount,
                     help.amount == 1 ? "" : "s", where, help.hosts, help.hosts == 1 ? "" : "s");
}

}  // namespace

std::string_view HelpName(HelpKind kind) {
  switch (kind) {
    case HelpKind::kCoarserLevel:
      return "coarserLevel";
    case HelpKind::kNoLevel:
      return "noLevel";
    case HelpKind::kNoSegments:
      return "noSegments";
    case HelpKind::kNoSpread:
      return "noSpread";
    case HelpKind::kNoGroup:
      return "noGroup";
    case HelpKind::kShared:
      return "shared";
    case HelpKind::kFewerMembers:
      return "fewerMembers";
    case HelpKind::kGangEnds:
      return "gangEnds";
    case HelpKind::kMoreRoom:
      return "moreRoom";
  }
  return "unknown";
}

std::string ExplainRoom(const LevelRoom& room) {
  std::string text = fmt::format("{}: ", room.level);
  text += room.domain.empty() ? "all nodes have" : fmt::format("best {} has", room.domain);
  text +=
      fmt::format(" room for {} of {}, for {} when empty", room.have, room.need, room.when_empty);
  for (size_t i = 0; i < room.held_by.size(); ++i) {
    const RoomHolder& holder = room.held_by[i];
    text += fmt::format("{}{} held by {}/{}{}", i == 0 ? "; " : ", ", holder.members,
                        holder.gang.ns, holder.gang.name, Until(holder.until));
  }
  return text;
}

std::string ExplainHelp(const Help& help) {
  switch (help.kind) {
    case HelpKind::kCoarserLevel:
      return fmt::format("if it required {} instead", help.level);
    case HelpKind::kNoLevel:
      return "if it required no level";
    case HelpKind::kNoSegments:
      return "if its segments might be cut";
    case HelpKind::kNoSpread:
      return "if it had no rule for the members in a domain";
    case HelpKind::kNoGroup:
      return "if it need not be where the other gangs of its group are";
    case HelpKind::kShared:
      return "if it shared domains with other gangs";
    case HelpKind::kFewerMembers:
      return fmt::format("if {} members were enough", help.amount);
    case HelpKind::kGangEnds:
      return fmt::format(
          "when {}/{} ends{}", help.gang.ns, help.gang.name,
          help.until.ms == 0 ? "" : fmt::format(", at about {}", TimeOfDay(help.until)));
    case HelpKind::kMoreRoom:
      return fmt::format("with {}", MoreRoom(help));
  }
  return "";
}

}  // namespace phalanx
