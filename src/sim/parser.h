// Reads the text of a scenario. The grammar is in docs/guides/scenarios.md.
#ifndef PHALANX_SIM_PARSER_H_
#define PHALANX_SIM_PARSER_H_

#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario.h"

namespace phalanx::sim {

struct ParseError {
  std::string file;
  int line = 0;
  std::string value;     // as written
  std::string expected;  // "a time such as 5s or 1h30m"

  // "a.scn:3: 'x': expected …"
  std::string Text() const;
};

struct ParseResult {
  Scenario scenario;
  std::vector<ParseError> errors;  // empty: the scenario may be run
};

enum class FileKind {
  kScenario,  // says why it is there, and what is expected
  kWorld,     // may leave out both: somewhere to place a gang
};

// All errors of the file are found in one go; `file` is for messages only.
ParseResult ParseScenario(std::string_view text, std::string file,
                          FileKind kind = FileKind::kScenario);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PARSER_H_
