#include "sim/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/text.h"

namespace phalanx::sim {
namespace {

void PrintFailure(std::ostream& out, const std::string& file, const Failure& failure) {
  std::string place = failure.line == 0 ? file : fmt::format("{}:{}", file, failure.line);
  out << fmt::format("  {}: {}\n", place, failure.statement);
  if (!failure.expected.empty()) out << "    expected  " << failure.expected << '\n';
  out << fmt::format("    got       {} at {}\n", failure.got, DurationText(failure.at));
  if (!failure.state.empty()) out << "    state     " << failure.state << '\n';
}

}  // namespace

void PrintResult(std::ostream& out, const RunResult& result) {
  out << fmt::format("{} {} ({} expectations, {} of virtual time, {} commands)\n",
                     result.failures.empty() ? "PASS" : "FAIL", result.file, result.expectations,
                     DurationText(result.lasted), result.commands);
  for (const Failure& failure : result.failures) PrintFailure(out, result.file, failure);
}

void PrintResultJson(std::ostream& out, const RunResult& result) {
  using Json = nlohmann::ordered_json;
  Json failures = Json::array();
  for (const Failure& f : result.failures) {
    failures.push_back({{"line", f.line},
                        {"t_ms", f.at.ms},
                        {"statement", f.statement},
                        {"expected", f.expected},
                        {"got", f.got},
                        {"state", f.state}});
  }
  Json line = {{"type", "result"},
               {"file", result.file},
               {"passed", result.failures.empty()},
               {"expectations", result.expectations},
               {"commands", result.commands},
               {"t_ms", result.lasted.ms},
               {"digest", fmt::format("{:016x}", result.digest)},
               {"decisions", fmt::format("{:016x}", result.decisions)},
               {"failures", std::move(failures)}};
  out << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void PrintParseErrors(std::ostream& out, const ParseResult& parsed) {
  for (const ParseError& error : parsed.errors) out << error.Text() << '\n';
}

}  // namespace phalanx::sim
