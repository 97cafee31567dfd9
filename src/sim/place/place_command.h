// `phalanx-sim place FILE [GANG]`: where one gang goes, what that costs, and what first fit and
// nested best fit would have done.
#ifndef PHALANX_SIM_PLACE_PLACE_COMMAND_H_
#define PHALANX_SIM_PLACE_PLACE_COMMAND_H_

#include <iosfwd>
#include <string>

namespace phalanx::sim {

struct PlaceCommand {
  std::string file;    // a scenario, or a world without `why:` and `expect`
  std::string gang;    // declared there; empty: the only one
  std::string stated;  // the text of a `gang` statement behind its verb, read as if it stood last
  bool json = false;   // one object on one line
};

// Exit status: 0 placed, 1 refused by Phalanx, 2 a file or an argument is wrong: the reasons are on
// `err` and nothing is on `out`.
int RunPlace(const PlaceCommand& command, std::ostream& out, std::ostream& err);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PLACE_PLACE_COMMAND_H_
