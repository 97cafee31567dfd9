// The simulator itself: determinism, the shape of failures, and checks that
// must be able to fail.
#include "sim/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/parser.h"
#include "sim/report.h"

namespace phalanx::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Scenario Parsed(const std::string& text) {
  ParseResult parsed = ParseScenario("why: a test\n" + text, "x.scn");
  for (const ParseError& error : parsed.errors) ADD_FAILURE() << error.Text();
  return parsed.scenario;
}

RunResult RunText(const std::string& text) { return RunScenario(Parsed(text), {}); }

std::string Report(const RunResult& result) {
  std::ostringstream out;
  PrintResult(out, result);
  return out.str();
}

constexpr char kBusy[] =
    "node n[1-4] gpu=4\n"
    "gang g[1-6] members=3 gpu=2 runs=5s every=3ms\n"
    "cordon n2 at=2s\n"
    "uncordon n2 at=9s\n"
    "refuse plugin=Trouble node=n1 times=2 at=1s\n"
    "restart adapter at=4s\n"
    "restart brain at=11s down=1s\n";

TEST(Runner, TwoRunsAreTheSame) {
  std::string text = std::string(kBusy) + "jitter seed=5 max=30ms\nexpect by=10m gang * done\n";
  RunResult first = RunText(text);
  RunResult second = RunText(text);
  EXPECT_THAT(Report(first), HasSubstr("PASS"));
  EXPECT_EQ(first.digest, second.digest);
  EXPECT_EQ(first.decisions, second.decisions);
  EXPECT_EQ(first.commands, second.commands);
}

TEST(Runner, JitterChangesTheRun) {
  std::string expectation = "expect by=10m gang * done\n";
  RunResult calm = RunText(kBusy + expectation);
  RunResult jittered = RunText(std::string(kBusy) + "jitter seed=5\n" + expectation);
  EXPECT_NE(calm.decisions, jittered.decisions);
}

TEST(Runner, AFailureTellsLineExpectedGotAndState) {
  RunResult result = RunText(
      "node n1 gpu=1\ngang a members=2 gpu=1\n"
      "expect at=5s gang a phase=Running\n"
      "expect gang a nodes=[n1 n2]\n");
  std::string report = Report(result);
  EXPECT_THAT(report, HasSubstr("FAIL x.scn"));
  EXPECT_THAT(report, HasSubstr("x.scn:4: expect at=5s gang a phase=Running"));
  EXPECT_THAT(report, HasSubstr("expected  phase=Running"));
  EXPECT_THAT(report, HasSubstr("got       phase=\"Queued\" (default/a)"));
  EXPECT_THAT(report, HasSubstr("state     gang default/a: Queued, 0 of 2 bound"));
  EXPECT_THAT(report, HasSubstr("expected  nodes=[n1 n2]"));
}

TEST(Runner, EveryKindOfTimeCanFail) {
  std::string world = "node n1 gpu=1\njob a gpu=1 at=10s runs=10s\n";
  EXPECT_THAT(RunText(world + "expect by=9s job a runs\n").failures, ::testing::SizeIs(1));
  EXPECT_THAT(RunText(world + "expect by=11s job a runs\n").failures, IsEmpty());
  EXPECT_THAT(RunText(world + "expect always from=11s to=21s job a runs\n").failures,
              ::testing::SizeIs(1));
  EXPECT_THAT(RunText(world + "expect always from=11s to=19s job a runs\n").failures, IsEmpty());
  EXPECT_THAT(RunText(world + "expect never to=12s job a runs\n").failures, ::testing::SizeIs(1));
  EXPECT_THAT(RunText(world + "expect never from=21s job a runs\n").failures, IsEmpty());
  EXPECT_THAT(RunText(world + "expect at=9s job a runs\n").failures, ::testing::SizeIs(1));
  EXPECT_THAT(RunText(world + "expect at=15s job a runs\n").failures, IsEmpty());
  EXPECT_THAT(RunText(world + "expect job a started<=9s\n").failures, ::testing::SizeIs(1));
}

// A time of something that never happened fulfils no comparison.
TEST(Runner, NeverStartedIsNotEarly) {
  EXPECT_THAT(RunText("node n1 gpu=0\njob a gpu=1\nexpect job a started<=1h\n").failures,
              ::testing::SizeIs(1));
}

TEST(Runner, CountsOfNames) {
  std::string world = "node n1 gpu=3\njob a[1-5] gpu=1\n";
  EXPECT_THAT(RunText(world + "expect job a[1-5] runs count=3\n").failures, IsEmpty());
  RunResult wrong = RunText(world + "expect job a[1-5] runs count=5\n");
  EXPECT_THAT(Report(wrong), HasSubstr("got       count=3 of 5"));
}

// A gang of bare pods whose second Binding is refused can't be rolled back: it
// is part-bound, and `never partial` says so. Without this the expectation
// could not fail.
TEST(Runner, PartBoundGangsAreSeen) {
  RunResult result = RunText(
      "node n[1-2] gpu=1\ngang a members=2 gpu=1 owner=none\n"
      "refuse-bind pod=a-1 code=403\n"
      "end at=5m\n"
      "expect never partial\n");
  EXPECT_THAT(Report(result), HasSubstr("expected  that at no time"));
}

TEST(Runner, JsonLinesAreJson) {
  std::ostringstream out;
  RunOptions options;
  options.decisions = &out;
  options.answers = true;
  RunResult result = RunScenario(Parsed("node n1 gpu=2\ngang a members=2 gpu=1 "
                                        "runs=5s\nexpect gang a done\n"),
                                 options);
  PrintResultJson(out, result);
  std::istringstream lines(out.str());
  std::map<std::string, int> kinds;
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json json = nlohmann::json::parse(line);
    ++kinds[json.contains("kind") ? json["kind"].get<std::string>()
                                  : json["type"].get<std::string>()];
  }
  EXPECT_EQ(kinds["Admit"], 1);
  EXPECT_EQ(kinds["Release"], 2);
  EXPECT_GE(kinds["answer"], 4);
  EXPECT_GE(kinds["phase"], 3);
  EXPECT_EQ(kinds["result"], 1);
}

}  // namespace
}  // namespace phalanx::sim
