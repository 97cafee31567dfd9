#include "sim/place/place_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>
#include <vector>

#include "sim/parse_line.h"
#include "sim/parser.h"
#include "sim/place/place_report.h"
#include "sim/place/question.h"

namespace phalanx::sim {
namespace {

constexpr int kPlaced = 0;
constexpr int kRefused = 1;
constexpr int kBad = 2;
constexpr char kStated[] = "--gang";

bool ReadAll(const std::string& file, std::string& text, std::ostream& err) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  if (in) content << in.rdbuf();
  text = content.str();
  if (in && !in.bad()) return true;
  err << fmt::format("{}: cannot be read, expected a scenario or world file\n", file);
  return false;
}

// Tells errors of the file, or those behind its `lines` lines as of --gang.
bool Tell(const ParseResult& parsed, int lines, std::ostream& err) {
  for (ParseError error : parsed.errors) {
    if (error.line > lines) {
      error.file = kStated;
      error.line -= lines;
    }
    err << error.Text() << "\n";
  }
  return parsed.errors.empty();
}

// The scenario with what --gang states, and the gang that was asked for.
struct Read {
  Scenario scenario;
  std::string group;
};

std::optional<Read> ReadStated(std::string text, const PlaceCommand& command, size_t declared,
                               std::ostream& err) {
  if (text.empty() || text.back() != '\n') text += '\n';
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  ParseResult parsed =
      ParseScenario(text + "gang " + command.stated, command.file, FileKind::kWorld);
  if (!Tell(parsed, lines, err)) return std::nullopt;
  const std::vector<std::string>& groups = parsed.scenario.groups;
  if (groups.size() != declared + 1) {
    err << fmt::format("{}: '{}', expected one gang of ours, such as \"train members=4 gpu=8\"\n",
                       kStated, command.stated);
    return std::nullopt;
  }
  return Read{parsed.scenario, groups.back()};
}

std::optional<Read> ReadDeclared(const Scenario& scenario, const PlaceCommand& command,
                                 std::ostream& err) {
  const std::vector<std::string>& groups = scenario.groups;
  const std::string group = command.gang.empty() ? "" : Qualified(command.gang);
  if (group.empty() && groups.size() == 1) return Read{scenario, groups.front()};
  if (std::find(groups.begin(), groups.end(), group) != groups.end()) return Read{scenario, group};
  if (groups.empty()) {
    err << fmt::format("{}: declares no gang, expected one, or --gang \"NAME members=N gpu=8\"\n",
                       command.file);
    return std::nullopt;
  }
  constexpr size_t kMostNames = 20;
  const auto end = groups.begin() + std::min(std::ssize(groups), std::ptrdiff_t{kMostNames});
  const std::string named =
      group.empty() ? "no gang is named" : fmt::format("the gang is '{}'", command.gang);
  err << fmt::format("{}: {}, expected one of: {}{}\n", command.file, named,
                     fmt::join(groups.begin(), end, " "), end == groups.end() ? "" : " ...");
  return std::nullopt;
}

std::optional<Read> ReadGang(const PlaceCommand& command, std::ostream& err) {
  if (!command.gang.empty() && !command.stated.empty()) {
    err << fmt::format("the gang is '{}' and --gang '{}', expected one of the two\n", command.gang,
                       command.stated);
    return std::nullopt;
  }
  std::string text;
  if (!ReadAll(command.file, text, err)) return std::nullopt;
  const ParseResult parsed = ParseScenario(text, command.file, FileKind::kWorld);
  if (!Tell(parsed, INT32_MAX, err)) return std::nullopt;
  if (command.stated.empty()) return ReadDeclared(parsed.scenario, command, err);
  return ReadStated(text, command, parsed.scenario.groups.size(), err);
}

}  // namespace

int RunPlace(const PlaceCommand& command, std::ostream& out, std::ostream& err) {
  const std::optional<Read> read = ReadGang(command, err);
  if (!read) return kBad;
  std::string error;
  const std::optional<PlaceQuestion> question = AskFor(read->scenario, read->group, error);
  if (!question) {
    err << fmt::format("{}: gang {}: {}\n", command.file, read->group, error);
    return kBad;
  }
  const PlaceAnswer answer = AnswerTo(*question);
  if (command.json) {
    PrintPlacedJson(out, command.file, *question, answer);
  } else {
    PrintPlaced(out, *question, answer);
  }
  return answer.phalanx().placement ? kPlaced : kRefused;
}

}  // namespace phalanx::sim
