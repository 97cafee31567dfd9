// `phalanx-sim place`: the world is the one that the gang meets, the answer is the engine's own,
// costs are counted apart from the search, and what is wrong is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "sim/parser.h"
#include "sim/place/answer.h"
#include "sim/place/drawing.h"
#include "sim/place/place_command.h"
#include "sim/runner.h"

namespace phalanx::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

Scenario World(const std::string& text) {
  ParseResult parsed = ParseScenario(text, "w.scn", FileKind::kWorld);
  for (const ParseError& error : parsed.errors) ADD_FAILURE() << error.Text();
  return parsed.scenario;
}

PlaceQuestion Question(const Scenario& scenario, const std::string& gang) {
  std::string error;
  std::optional<PlaceQuestion> question = AskFor(scenario, "default/" + gang, error);
  EXPECT_TRUE(question) << error;
  return question ? *std::move(question) : PlaceQuestion();
}

PlaceAnswer Answer(const std::string& text, const std::string& gang) {
  return AnswerTo(Question(World(text), gang));
}

std::vector<std::string> NodesOf(const std::string& text, const std::string& gang) {
  return Answer(text, gang).phalanx().nodes;
}

std::string ErrorOf(const std::string& text, const std::string& gang) {
  std::string error;
  EXPECT_FALSE(AskFor(World(text), "default/" + gang, error));
  return error;
}

// --- The world of the question

TEST(PlaceQuestion, GangsAboveHaveTheirPlacesAndThoseBelowAreNotThere) {
  const std::string world =
      "node n[1-3] gpu=8\n"
      "gang a members=1 gpu=8\n"
      "gang b members=1 gpu=8\n"
      "gang c members=1 gpu=8\n";
  EXPECT_THAT(NodesOf(world, "a"), ElementsAre("n1"));
  EXPECT_THAT(NodesOf(world, "b"), ElementsAre("n2"));
  EXPECT_THAT(NodesOf(world, "c"), ElementsAre("n3"));
}

TEST(PlaceQuestion, GangsOfOneStatementComeOneAfterTheOther) {
  EXPECT_THAT(NodesOf("node n[1-3] gpu=8\ngang a[1-3] members=1 gpu=8\n", "a3"), ElementsAre("n3"));
}

TEST(PlaceQuestion, TheTimeOfTheGangCounts) {
  const std::string world =
      "node n[1-2] gpu=8\n"
      "gang a members=1 gpu=8 runs=5s\n"
      "cordon n2 at=30s\n"
      "gang b members=1 gpu=8 at=";
  EXPECT_THAT(NodesOf(world + "2s\n", "b"), ElementsAre("n2")) << "a runs on n1";
  EXPECT_THAT(NodesOf(world + "20s\n", "b"), ElementsAre("n1")) << "a has ended";
  EXPECT_THAT(NodesOf(world + "40s\nset node n1 gpu=4 at=35s\n", "b"), IsEmpty());
  EXPECT_THAT(NodesOf(world + "40s\nset node n1 gpu=4 at=50s\n", "b"), ElementsAre("n1"));
}

TEST(PlaceQuestion, AGangIsAskedAboutWhenItsLastMemberIsThere) {
  const std::string world =
      "node n[1-2] gpu=8\n"
      "gang late members=2 gpu=8 every=10s\n"
      "foreign f node=n1 gpu=4 at=5s\n";
  EXPECT_EQ(Question(World(world), "late").at, Duration::Seconds(10));
  EXPECT_THAT(Answer(world, "late").refusal, HasSubstr("1 of 2 members"));
}

TEST(PlaceQuestion, WhatIsHeldIsTakenAsWellAsWhatIsBound) {
  // Binding takes its time: at 1 s the members of a are only held.
  const std::string world =
      "node n[1-2] gpu=8\nlatency bind=30s\ngang a members=1 gpu=8\ngang b members=1 gpu=8 at=1s\n";
  EXPECT_THAT(NodesOf(world, "b"), ElementsAre("n2"));
}

TEST(PlaceQuestion, FewerMembersStartWhereTheirMinimumAllows) {
  const PlaceAnswer answer = Answer("node n[1-2] gpu=8\ngang a members=4 min=2 gpu=8\n", "a");
  EXPECT_EQ(answer.members, 2u);
  EXPECT_THAT(answer.phalanx().nodes, ElementsAre("n1", "n2"));
  EXPECT_THAT(answer.refusal, HasSubstr("needs 4 members"));
  EXPECT_THAT(answer.rules[1].nodes, SizeIs(2));
}

TEST(PlaceQuestion, AMinimumOfAPodGroupCounts) {
  const std::string gang = "node n1 gpu=8\ngang a members=2 gpu=8 podgroup=pg\n";
  EXPECT_EQ(Answer("podgroup pg min=1\n" + gang, "a").members, 1u);
  EXPECT_THAT(ErrorOf(gang, "a"), HasSubstr("name the PodGroup default/pg, expected one that"));
  EXPECT_THAT(ErrorOf("podgroup pg min=lots\n" + gang, "a"),
              StartsWith("PodGroup default/pg: spec.minMember is '"));
  EXPECT_THAT(ErrorOf("podgroup pg min=3\n" + gang, "a"),
              "has 2 members in the file, expected at least 3");
}

TEST(PlaceQuestion, WhatTheBrainWouldNotPlanIsTold) {
  EXPECT_EQ(ErrorOf("node n1 gpu=8\ngang a members=2 gpu=4\nmember a[1] node=n1\n", "a"),
            "pod default/a-1: node is 'n1', expected a member that is not bound yet");
  EXPECT_EQ(ErrorOf("node n1 gpu=8\njob a\n", "a"),
            "pod default/a: names no gang and asks for no accelerator, expected a member");
  EXPECT_EQ(ErrorOf("node n1 gpu=8\ngang a members=2 gpu=4 size=lots\n", "a"),
            "pod default/a-0: metadata.labels[phalanx.dev/gang-size] is 'lots', expected a whole "
            "number from 1 to 10000");
  EXPECT_EQ(ErrorOf("node n1 gpu=8\ngang a members=2 gpu=4 size=3\n", "a"),
            "has 2 members in the file, expected at least 3");
  EXPECT_EQ(ErrorOf("node n1 gpu=8 rack=r\ngang a members=2 gpu=4 required=rack\n"
                    "member a[1] required=host\n",
                    "a"),
            "pod default/a-1: the required level is 'host', expected 'rack' as of pod default/a-0");
  EXPECT_EQ(ErrorOf("rack r1 hosts=1 gpu=8\ngang a members=1 gpu=8 exclusive=rack\n", "a"),
            "pod default/a-0: the exclusive level is 'rack', expected none: other gangs are not "
            "looked at");
  EXPECT_EQ(
      ErrorOf("node n1 gpu=8\nrestart brain at=1s down=5s\ngang a members=1 gpu=4 at=2s\n", "a"),
      "comes at 2s, when the brain knows no cluster: expected another time");
}

// --- The answer

// What the engine admits at the very instant at which a gang is complete: "node" by rank, by gang.
std::map<std::string, std::vector<std::string>> AdmittedAtOnce(
    const Scenario& scenario, const std::map<std::string, Duration>& complete) {
  std::ostringstream lines;
  RunScenario(scenario, {.decisions = &lines});
  std::map<std::string, std::vector<std::string>> nodes;
  std::istringstream in(lines.str());
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line);
    if (json.value("kind", "") != "Admit") continue;
    const std::string group = json["gang"].get<std::string>();
    const auto gang = complete.find(group);
    const bool at_once = gang != complete.end() && json["t_ms"].get<int64_t>() == gang->second.ms;
    if (!at_once || nodes.contains(group)) continue;
    for (const Json& member : json["members"]) {
      nodes[group].push_back(member["node"].get<std::string>());
    }
  }
  return nodes;
}

// The scenarios about topology, whole: what `place` says is what the engine does.
TEST(PlaceAnswer, IsWhatTheEngineDoesInTheScenariosOfPlacement) {
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator("test/scenario/pt")) {
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    const ParseResult parsed = ParseScenario(text.str(), entry.path().string());
    std::map<std::string, PlaceQuestion> questions;
    std::map<std::string, Duration> complete;
    for (const std::string& group : parsed.scenario.groups) {
      std::string error;
      std::optional<PlaceQuestion> question = AskFor(parsed.scenario, group, error);
      if (error.find("other gangs are not looked at") != std::string::npos) continue;
      ASSERT_TRUE(question) << entry.path() << error;
      complete[group] = question->at;
      questions.emplace(group, *std::move(question));
    }
    for (const auto& [group, nodes] : AdmittedAtOnce(parsed.scenario, complete)) {
      EXPECT_EQ(AnswerTo(questions.at(group)).phalanx().nodes, nodes)
          << entry.path() << " " << group;
      ++compared;
    }
  }
  EXPECT_GE(compared, 15);
}

// Two spines, leaves and racks of their own in half of the cases, hosts of 4 GPUs that are partly
// used, and one gang with or without a required level and segments.
std::string RandomWorld(std::mt19937& random) {
  const auto draw = [&random](uint32_t below) { return random() % below; };
  std::ostringstream text;
  for (int host = 0; host < 10; ++host) {
    text << "node n" << host << " gpu=4 spine=s" << draw(2);
    if (draw(8) != 0) text << " leaf=l" << draw(3);
    if (draw(2) != 0) text << " clique=r" << draw(3) << ".0";
    text << "\n";
    const auto used = draw(6);
    if (used > 0 && used < 5)
      text << "foreign f" << host << " node=n" << host << " gpu=" << used << "\n";
  }
  const auto segment = 1 + draw(3);
  text << "gang a members=" << segment * (1 + draw(4)) << " gpu=" << 1 + draw(4);
  constexpr const char* kLevels[] = {"spine", "leaf", "nvlink", "host"};
  if (draw(2) == 0) text << " required=" << kLevels[draw(3)];
  if (segment > 1) text << " segment=" << segment << " segment_required=" << kLevels[draw(4)];
  if (segment > 1 && draw(2) == 0) text << " segment_preferred=" << kLevels[draw(4)];
  text << "\n";
  return text.str();
}

class RandomPlace : public ::testing::TestWithParam<uint32_t> {};

// The judge and the count of costs share no code with the search.
TEST_P(RandomPlace, CostsAndConstraintsAreCountedApart) {
  std::mt19937 random(GetParam());
  const std::string text = RandomWorld(random);
  const PlaceAnswer answer = Answer(text, "a");
  const RuleAnswer& phalanx = answer.phalanx();
  EXPECT_THAT(phalanx.wrong, IsEmpty()) << text;
  for (const RuleAnswer& rule : answer.rules) {
    if (!rule.placement) continue;
    EXPECT_EQ(rule.cost.touched, rule.placement->touched) << text << rule.rule;
    EXPECT_THAT(rule.nodes, SizeIs(answer.members)) << text << rule.rule;
    const bool obeys = rule.wrong.empty();
    bool counted = rule.cost.domains <= 1;
    for (const SegmentCost& segments : rule.cost.segments) counted &= segments.cut == 0;
    EXPECT_EQ(obeys, counted) << text << rule.rule;
    if (!phalanx.placement) {
      EXPECT_FALSE(obeys) << text << rule.rule << " finds what Phalanx refuses";
    } else if (rule.difference && phalanx.placement->proven >= ProvenThrough::kOverrun) {
      EXPECT_LT(rule.difference->a, rule.difference->b) << text << rule.rule;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlace, ::testing::Range(1u, 401u));

TEST(PlaceCost, NamesTheFirstTermThatDiffers) {
  const std::vector<std::string> names = {"leaf", "host"};
  const Cost best{.touched = {1, 2}, .position = {2, 0, 1, 1}};
  EXPECT_FALSE(FirstDifference(best, best, names));
  const auto term = [&](Cost other) {
    const auto difference = FirstDifference(best, other, names);
    return std::tuple(difference->term, difference->a, difference->b);
  };
  EXPECT_THAT(term({.domains = 2, .touched = {1, 2}}), Eq(std::tuple(1, 0, 2)));
  EXPECT_THAT(term({.touched = {2, 2}}), Eq(std::tuple(4, 1, 2)));
  EXPECT_THAT(term({.touched = {1, 1}}), Eq(std::tuple(5, 2, 1)));
  EXPECT_THAT(term({.touched = {1, 2}, .position = {1, 1, 1, 1}}), Eq(std::tuple(8, 0, 1)));
  EXPECT_THAT(term({.touched = {1, 2}, .position = {2, 0, 2, 0}}), Eq(std::tuple(8, 1, 0)));
  const auto cut = [](int32_t cut, int32_t given_up) {
    return Cost{.segments = {{4, cut, given_up, ""}}, .touched = {1, 2}};
  };
  EXPECT_EQ(FirstDifference(cut(0, 1), cut(1, 0), names)->term, 2);
  EXPECT_EQ(FirstDifference(cut(0, 0), cut(0, 1), names)->term, 3);
}

// --- The drawing

std::string Drawn(const std::string& text) {
  const PlaceQuestion question = Question(World(text), "a");
  return Draw(question, AnswerTo(question));
}

TEST(PlaceDrawing, ShowsFreeTakenAndChosenHosts) {
  EXPECT_THAT(Drawn("node a[1-3] gpu=4 leaf=l1\nnode b[1-2] gpu=4\nforeign f node=a1 gpu=4\n"
                    "foreign g node=b1 gpu=2\ncordon b2\ngang a members=3 gpu=2 required=leaf\n"),
              StartsWith("                    phalanx  first-fit  nested-best-fit\n"
                         "leaf l1             x21      x21        x21\n"
                         "in no finer domain  -x       -x         -x\n"
                         "digit = "));
}

TEST(PlaceDrawing, TenMembersAreAPlusAndManyHostsAreRuns) {
  EXPECT_THAT(Drawn("node n[01-30] gpu=16\ngang a members=17 gpu=1\n"),
              HasSubstr("  +*1 1*1 .*28  "));
}

TEST(PlaceDrawing, OfManyDomainsThoseInUseAreDrawn) {
  std::string world;
  for (int i = 10; i < 70; ++i) {
    world += "node n" + std::to_string(i) + " gpu=8 leaf=l" + std::to_string(i) + "\n";
  }
  const std::string drawn =
      Drawn(world + "cordon n69\nforeign f node=n68 gpu=1\ngang a members=2 gpu=7\n");
  // Phalanx takes the host that has no more than seven left, the baselines the second one.
  EXPECT_EQ(std::count(drawn.begin(), drawn.end(), '\n'), 6);
  EXPECT_THAT(drawn, HasSubstr("leaf l10"));
  EXPECT_THAT(drawn, HasSubstr("leaf l68  1"));
  EXPECT_THAT(drawn,
              HasSubstr("and 57 more domains, 0 with members; without the gang 56 hosts free, "
                        "0 with some room, 1 without\n"));
}

TEST(PlaceDrawing, TheDomainsOfPhalanxComeFirst) {
  // First fit takes what is called a..., a leaf each; 50 leaves of one host are worse than one
  // leaf.
  std::string world = "node z[01-50] gpu=8 leaf=last\n";
  for (int i = 10; i < 60; ++i) {
    world += "node a" + std::to_string(i) + " gpu=8 leaf=l" + std::to_string(i) + "\n";
  }
  const std::string drawn = Drawn(world + "gang a members=50 gpu=8\n");
  EXPECT_THAT(drawn, HasSubstr("leaf last  1*50"));
  EXPECT_THAT(drawn, HasSubstr("and 11 more domains, 11 with members; without the gang 11 hosts"));
}

// --- The command

class PlaceCommandTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  int Run(const std::string& text, PlaceCommand command) {
    std::ofstream(path_) << text;
    command.file = path_;
    return Run(command);
  }
  int Run(const PlaceCommand& command) {
    out_.str("");
    err_.str("");
    return RunPlace(command, out_, err_);
  }

  std::string path_ = ::testing::TempDir() + "/" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".scn";
  std::ostringstream out_;
  std::ostringstream err_;
};

constexpr char kTwoGangs[] =
    "node n[1-2] gpu=8\ngang a members=1 gpu=8\ngang t/b members=2 gpu=8\n";

TEST_F(PlaceCommandTest, JsonSaysItAllOnOneLine) {
  ASSERT_EQ(Run(kTwoGangs, {.gang = "a", .json = true}), 0) << err_.str();
  EXPECT_EQ(std::count(out_.view().begin(), out_.view().end(), '\n'), 1);
  const Json json = Json::parse(out_.str());
  EXPECT_EQ(json["gang"], "default/a");
  EXPECT_EQ(json["placed"], 1);
  EXPECT_TRUE(json["refusal"].is_null());
  const Json& phalanx = json["rules"][0];
  EXPECT_EQ(phalanx["rule"], "phalanx");
  EXPECT_EQ(phalanx["proven"], "all");
  EXPECT_EQ(phalanx["nodes_by_rank"], Json({"n1"}));
  EXPECT_EQ(phalanx["cost"]["touched"], Json({{"host", 1}}));
  EXPECT_EQ(json["rules"][1]["rule"], "first-fit");
  EXPECT_TRUE(json["rules"][2]["against_phalanx"].is_null());
}

TEST_F(PlaceCommandTest, ARefusalHasItsReasonAndAStatusOfItsOwn) {
  ASSERT_EQ(Run(kTwoGangs, {.gang = "t/b", .json = true}), 1) << err_.str();
  const Json json = Json::parse(out_.str());
  EXPECT_EQ(json["placed"], 0);
  EXPECT_EQ(json["refusal"]["code"], "Capacity");
  EXPECT_EQ(json["rules"][0]["fits"], false);
}

TEST_F(PlaceCommandTest, WhatIsWrongIsToldWithItsPlaceAndNothingIsPrinted) {
  const auto error = [this](const std::string& text, const PlaceCommand& command) {
    EXPECT_EQ(Run(text, command), 2);
    EXPECT_EQ(out_.str(), "");
    return err_.str();
  };
  EXPECT_EQ(error(kTwoGangs, {}), path_ + ": no gang is named, expected one of: default/a t/b\n");
  EXPECT_EQ(error(kTwoGangs, {.gang = "b"}),
            path_ + ": the gang is 'b', expected one of: default/a t/b\n");
  EXPECT_THAT(error("node n1\n", {}), StartsWith(path_ + ": declares no gang, expected one, or"));
  EXPECT_THAT(error(kTwoGangs, {.gang = "a", .stated = "c members=1"}),
              HasSubstr("one of the two"));
  EXPECT_THAT(error("node n1 gpu=x\n", {.gang = "a"}), StartsWith(path_ + ":1: 'gpu=x': expected"));
  EXPECT_THAT(error(kTwoGangs, {.stated = "c members=0"}),
              StartsWith("--gang:1: 'members=0': expected a whole number from 1"));
  EXPECT_THAT(error(kTwoGangs, {.stated = "c members=1\nmember c[5] gpu=1"}),
              StartsWith("--gang:2: 'c[5]': expected an index from 0 to 0"));
  EXPECT_THAT(error(kTwoGangs, {.stated = "a members=1"}),
              HasSubstr("that no gang or job above has"));
  EXPECT_THAT(error(kTwoGangs, {.stated = "c[1-2] members=1"}),
              HasSubstr("expected one gang of ours"));
  EXPECT_EQ(Run({.file = path_ + ".none"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("cannot be read, expected a scenario or world file"));
}

}  // namespace
}  // namespace phalanx::sim
