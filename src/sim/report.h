// Results in words and as JSON.
#ifndef PHALANX_SIM_REPORT_H_
#define PHALANX_SIM_REPORT_H_

#include <ostream>
#include <string>

#include "sim/parser.h"
#include "sim/runner.h"

namespace phalanx::sim {

// "PASS a.scn (5 expectations, 1m30s, 120 commands)", or FAIL with every failure under it.
void PrintResult(std::ostream& out, const RunResult& result);
// One line of JSON.
void PrintResultJson(std::ostream& out, const RunResult& result);
void PrintParseErrors(std::ostream& out, const ParseResult& parsed);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_REPORT_H_
