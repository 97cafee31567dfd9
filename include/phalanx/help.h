// What would make a waiting gang start: what each level has room for, and single changes that would
// do. Made when someone asks.
#ifndef PHALANX_HELP_H_
#define PHALANX_HELP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "phalanx/objects.h"
#include "phalanx/time.h"

namespace phalanx {

// A gang that takes room in a domain.
struct RoomHolder {
  GangKey gang;
  int64_t members = 0;  // of the waiting gang, that its end makes room for there
  Time until;           // when it is expected to end; 0: nobody said
};

// The best domain of a level for the members that the refusal is about.
struct LevelRoom {
  std::string level;   // "cluster" for all nodes together
  std::string domain;  // path; empty for all nodes
  int64_t have = 0;    // members that find room now
  int64_t need = 0;
  int64_t when_empty = 0;           // members that found room if nothing else ran
  std::vector<RoomHolder> held_by;  // most members first, at most kHoldersShown
};
inline constexpr size_t kHoldersShown = 3;

enum class HelpKind {
  kCoarserLevel,  // `level` as the required one
  kNoLevel,       // no required level
  kNoSegments,    // segments that may be cut
  kNoSpread,      // no rule for the domains of a level
  kNoGroup,       // a place apart from the other gangs of its group
  kShared,        // domains that are shared with other gangs
  kFewerMembers,  // a minimum of `amount`
  kGangEnds,      // `gang`; at `until`, if that is known
  kMoreRoom,      // for `amount` more members in `domain`
};

// One change by which alone the gang would start now.
struct Help {
  HelpKind kind = HelpKind::kCoarserLevel;
  std::string level;
  std::string domain;
  int64_t amount = 0;
  int64_t hosts = 0;  // kMoreRoom: so many hosts that are empty, at least
  GangKey gang;
  Time until;
};

struct HelpView {
  // Nodes have changed and are not planned with yet: nothing is known at the moment.
  bool later = false;
  // It would fit now: it is about to be planned.
  bool fits = false;
  std::vector<LevelRoom> levels;  // fine to coarse
  std::vector<Help> helps;  // in the order of HelpKind; empty: no single change that was tried
  // More gangs hold room than were tried.
  bool more_gangs = false;
};

}  // namespace phalanx

#endif  // PHALANX_HELP_H_
