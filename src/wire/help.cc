#include <string>

#include "core/explain/help_text.h"
#include "wire/inspect.h"

namespace phalanx::wire {
namespace {

pb::RoomHolder EncodeHolder(const GangKey& gang, int64_t members, Time until) {
  pb::RoomHolder out;
  out.set_namespace_(gang.ns);
  out.set_source(gang.source);
  out.set_name(gang.name);
  out.set_members(members);
  if (until.ms != 0) out.set_until_ms(until.ms);
  return out;
}

pb::LevelRoom EncodeRoom(const LevelRoom& room) {
  pb::LevelRoom out;
  out.set_level(room.level);
  out.set_domain(room.domain);
  out.set_have(room.have);
  out.set_need(room.need);
  out.set_when_empty(room.when_empty);
  for (const RoomHolder& holder : room.held_by) {
    *out.add_held_by() = EncodeHolder(holder.gang, holder.members, holder.until);
  }
  out.set_message(ExplainRoom(room));
  return out;
}

pb::Help EncodeChange(const Help& help) {
  pb::Help out;
  out.set_kind(std::string(HelpName(help.kind)));
  out.set_message(ExplainHelp(help));
  out.set_level(help.level);
  out.set_domain(help.domain);
  out.set_amount(help.amount);
  out.set_hosts(help.hosts);
  if (help.kind == HelpKind::kGangEnds) {
    *out.mutable_gang() = EncodeHolder(help.gang, 0, help.until);
  }
  return out;
}

}  // namespace

pb::WhatHelps EncodeHelp(const HelpView& view) {
  pb::WhatHelps out;
  out.set_later(view.later);
  out.set_fits(view.fits);
  for (const LevelRoom& room : view.levels) *out.add_levels() = EncodeRoom(room);
  for (const Help& help : view.helps) *out.add_changes() = EncodeChange(help);
  out.set_more_gangs(view.more_gangs);
  return out;
}

}  // namespace phalanx::wire
