// The scenario grammar: what each statement means, and what each kind of mistake is told.
#include "sim/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace phalanx::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr char kFrame[] = "why: a test\nnode n[1-2] gpu=8\ngang a members=2 gpu=8\n";

ParseResult Parse(const std::string& lines) {
  return ParseScenario(kFrame + lines + "\nexpect gang a runs\n", "x.scn");
}

Scenario MustParse(const std::string& lines) {
  ParseResult result = Parse(lines);
  for (const ParseError& error : result.errors) ADD_FAILURE() << error.Text();
  return result.scenario;
}

// The one error that `lines` (from line 4 on) make.
std::string ErrorOf(const std::string& lines) {
  ParseResult result = Parse(lines);
  if (result.errors.size() == 1) return result.errors[0].Text();
  return "errors: " + std::to_string(result.errors.size());
}

template <class What>
const What& Last(const Scenario& scenario) {
  return std::get<What>(scenario.actions.back().what);
}

const PodSpec& PodOf(const Scenario& scenario, size_t action) {
  return std::get<CreatePod>(scenario.actions.at(action).what).spec;
}

TEST(Parser, NodeRangesAndQuantities) {
  Scenario s = ParseScenario(
                   "why: x\nnode n[08-10,12] nvidia.com/gpu=4 cpu=500m memory=2Gi label:a/b=c "
                   "taint=x=y:NoExecute cordoned notready\nexpect node n08 pods=0\n",
                   "x.scn")
                   .scenario;
  ASSERT_EQ(s.actions.size(), 4u);
  const NodeObject& node = std::get<AddNode>(s.actions[0].what).node;
  EXPECT_EQ(node.name, "n08");
  EXPECT_EQ(std::get<AddNode>(s.actions[3].what).node.name, "n12");
  EXPECT_THAT(node.allocatable,
              UnorderedElementsAre(Pair("nvidia.com/gpu", 4), Pair("cpu", 500),
                                   Pair("memory", int64_t{2} << 30), Pair("pods", 110)));
  EXPECT_EQ(node.labels.at("a/b"), "c");
  EXPECT_TRUE(node.unschedulable);
  EXPECT_FALSE(node.ready);
  EXPECT_THAT(node.taints, ElementsAre(Taint{"x", "y", TaintEffect::kNoExecute}));
}

TEST(Parser, ShortFormsExpandToTheLabelsOfRealClusters) {
  Scenario s = ParseScenario(
                   "why: x\nnvl72 nvl-01\nhgx pod hosts=3 hosts-per-leaf=2\n"
                   "expect cluster free.gpu=96\n",
                   "x.scn")
                   .scenario;
  ASSERT_EQ(s.actions.size(), 18u + 3u);
  const NodeObject& blackwell = std::get<AddNode>(s.actions[0].what).node;
  EXPECT_EQ(blackwell.name, "nvl-01-h01");
  EXPECT_EQ(blackwell.labels.at("nvidia.com/gpu.clique"), "nvl-01.1");
  EXPECT_EQ(blackwell.allocatable.at("nvidia.com/gpu"), 4);
  const NodeObject& third = std::get<AddNode>(s.actions[20].what).node;
  EXPECT_EQ(third.labels.at("fabric.topograph.run/tier-0"), "pod-leaf-2");
  EXPECT_EQ(third.labels.at("fabric.topograph.run/tier-1"), "pod-spine-1");
}

TEST(Parser, GangsBecomePodsWithLabels) {
  Scenario s = MustParse(
      "gang team/b members=3 every=5s at=1s gpu=2 min=2 required=nvlink priority=-7 runs=1m30s");
  const PodSpec& second = PodOf(s, 5);
  EXPECT_EQ(s.actions[5].at, Duration::Seconds(6));
  EXPECT_EQ(second.ns, "team");
  EXPECT_EQ(second.name, "b-1");
  EXPECT_EQ(second.group, "team/b");
  EXPECT_EQ(second.labels.at("phalanx.dev/gang"), "b");
  EXPECT_EQ(second.labels.at("phalanx.dev/gang-size"), "3");
  EXPECT_EQ(second.annotations.at("phalanx.dev/gang-min"), "2");
  EXPECT_EQ(second.annotations.at("phalanx.dev/topology-required"), "nvlink");
  EXPECT_EQ(second.priority, -7);
  EXPECT_EQ(second.runs, Duration::Seconds(90));
  EXPECT_EQ(second.requests.at("pods"), 1);
}

TEST(Parser, MembersCanDiffer) {
  Scenario s = MustParse("member a[1] selector:pool=special size=zero gate=wait at=3s gpu=1");
  EXPECT_EQ(PodOf(s, 2).name, "a-0");
  const PodSpec& second = PodOf(s, 3);
  EXPECT_EQ(second.node_selector.at("pool"), "special");
  EXPECT_EQ(second.labels.at("phalanx.dev/gang-size"), "zero");
  EXPECT_THAT(second.gates, ElementsAre("wait"));
  EXPECT_EQ(second.requests.at("nvidia.com/gpu"), 1);
  EXPECT_EQ(s.actions[3].at, Duration::Seconds(3));
}

TEST(Parser, RangesOfGangsAndJobs) {
  Scenario s = MustParse("gang g[1-3] members=2\njob j[1-2] gpu=1");
  EXPECT_THAT(s.groups, ElementsAre("default/a", "default/g1", "default/g2", "default/g3",
                                    "default/j1", "default/j2"));
}

TEST(Parser, CommandsOverTime) {
  EXPECT_TRUE(Last<DeletePods>(MustParse("delete gang a at=5s")).with_owner);
  EXPECT_FALSE(Last<DeletePods>(MustParse("delete pod a-0 at=5s")).with_owner);
  EXPECT_EQ(Last<RemoveGate>(MustParse("ungate pod a-1 gate=g at=5s")).gate, "g");
  EXPECT_TRUE(Last<EndPods>(MustParse("fail pod a-1 at=5s reason=OutOfcpu")).failed);
  EXPECT_EQ(Last<ChangeNode>(MustParse("cordon n2 at=5s")).unschedulable, true);
  EXPECT_EQ(Last<ChangeNode>(MustParse("set node n1 gpu=7 at=5s")).allocatable.at("nvidia.com/gpu"),
            7);
  EXPECT_EQ(Last<Restart>(MustParse("restart brain at=5s down=10s")).down, Duration::Seconds(10));
  FaultRule refuse =
      Last<AddFault>(MustParse("refuse plugin=P stage=prebind pod=a-1 times=2 at=5s")).rule;
  EXPECT_EQ(refuse.stage, FaultStage::kPreBind);
  EXPECT_THAT(refuse.pods.pods, ElementsAre("default/a-1"));
  EXPECT_EQ(refuse.times, 2);
  FaultRule bind = Last<AddFault>(MustParse("refuse-bind gang=a code=500 message=\"no way\"")).rule;
  EXPECT_EQ(bind.stage, FaultStage::kBind);
  EXPECT_EQ(bind.message, "no way");
}

TEST(Parser, FaultsOverTime) {
  const FaultRule bind = Last<AddFault>(MustParse("refuse-bind code=0 commits times=2")).rule;
  EXPECT_EQ(bind.code, 0);
  EXPECT_TRUE(bind.commits);
  EXPECT_EQ(Last<AddFault>(MustParse("refuse-pod node=n1")).rule.stage, FaultStage::kKubelet);
  const Restart leader = Last<Restart>(MustParse("restart leader at=5s down=1s slow=2s"));
  EXPECT_EQ(leader.process, Process::kLeader);
  EXPECT_EQ(leader.slow, Duration::Seconds(2));
  EXPECT_EQ(Last<JumpClock>(MustParse("clock back=1h at=5s")).by, Duration::Minutes(-60));
  EXPECT_FALSE(Last<SetLeading>(MustParse("lead lost at=5s")).leads);
  Last<CutStream>(MustParse("cut at=5s"));
}

TEST(Parser, MessagesAreWellAgainAtTheEnd) {
  const Scenario s = MustParse("messages late=2s twice=10 lost=3 at=5s until=9s");
  const auto& first = std::get<SetMessages>(s.actions[s.actions.size() - 2].what).messages;
  EXPECT_EQ(first.late, Duration::Seconds(2));
  EXPECT_EQ(first.twice_percent, 10);
  EXPECT_EQ(first.lost_percent, 3);
  EXPECT_EQ(s.actions.back().at, Duration::Seconds(9));
  EXPECT_EQ(Last<SetMessages>(s).messages.late, Duration{});
}

TEST(Parser, ActionsAreOrderedByTimeThenLine) {
  Scenario s = MustParse("cordon n1 at=5s\nuncordon n1 at=2s\ncordon n2 at=2s");
  ASSERT_EQ(s.actions.size(), 7u);
  EXPECT_EQ(s.actions[4].line, 5);
  EXPECT_EQ(s.actions[5].line, 6);
  EXPECT_EQ(s.actions[6].line, 4);
}

TEST(Parser, ExpectationsHaveTimesAndConditions) {
  Scenario s = MustParse("expect by=90s gang a phase=Running nodes=[n[1-2]] reason~\"no room\"");
  const Expectation& e = s.expectations[0];
  EXPECT_EQ(e.when, When::kBy);
  EXPECT_EQ(e.to, Duration::Seconds(90));
  EXPECT_THAT(e.names, ElementsAre("default/a"));
  ASSERT_EQ(e.conditions.size(), 3u);
  EXPECT_THAT(e.conditions[1].items, ElementsAre("n1", "n2"));
  EXPECT_EQ(e.conditions[2].op, CompareOp::kContains);
  EXPECT_EQ(e.conditions[2].text, "no room");
  EXPECT_EQ(MustParse("expect never partial").expectations[0].when, When::kNever);
  EXPECT_EQ(MustParse("expect gang * runs count=1").expectations[0].count->number, 1);
}

TEST(Parser, CommentsQuotesAndBlankLines) {
  Scenario s = MustParse(
      "\n   # nothing\n\tcordon n1 at=1s # why not\nexpect gang a "
      "reason=\"a # is a sign\"");
  EXPECT_EQ(s.expectations[0].conditions[0].text, "a # is a sign");
}

// Each kind of mistake: the place, the value, what was expected.
struct Mistake {
  const char* line;
  const char* message;
};

class ParserMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(ParserMistakes, AreToldWithPlaceValueAndExpectation) {
  std::string error = ErrorOf(GetParam().line);
  EXPECT_THAT(error, HasSubstr(GetParam().message));
  EXPECT_THAT(error, HasSubstr("x.scn:4: '"));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParserMistakes,
    ::testing::Values(
        Mistake{"gnag b members=2", "'gnag': expected a statement; did you mean 'gang'?"},
        Mistake{"gang b members=2 priorty=3",
                "'priorty': expected an attribute of 'gang'; did you "
                "mean 'priority'?"},
        Mistake{"gang b", "expected members=N"},
        Mistake{"gang b members=0", "'members=0': expected a whole number from 1 to 20000"},
        Mistake{"gang b members=two", "'members=two'"},
        Mistake{"gang b members=2 at=5", "'at=5': expected a time such as 200ms, 5s or 1h30m"},
        Mistake{"gang b members=2 runs=-1s", "'runs=-1s'"},
        Mistake{"gang b members=2 gpu=-1", "'gpu=-1': expected a whole number from 0 to 2^46"},
        Mistake{"gang b members=2 gpu=99999999999999999999", "expected a whole number from 0"},
        Mistake{"gang b members=2 cpu=1.5", "'cpu=1.5': expected a number of cores"},
        Mistake{"gang b members=2 memory=5000000000Ti", "expected a number of bytes"},
        Mistake{"gang b members=2 priority=3000000000", "'priority=3000000000'"},
        Mistake{"gang b members=2 gpu>1", "'gpu>1': expected gpu="},
        Mistake{"gang a members=2", "'default/a': expected a name that no gang or job above has"},
        Mistake{"gang b members=2 node=n9", "'n9': expected a node that was declared above"},
        Mistake{"member a[2] gpu=1", "'a[2]': expected an index from 0 to 1"},
        Mistake{"member a gpu=1", "'a': expected GANG[INDEX]"},
        Mistake{"member z[0] gpu=1", "'default/z': expected a gang or job that was declared above"},
        Mistake{"node n1 gpu=8", "'n1': expected a node name that is not taken"},
        Mistake{"node m[3-1]", "'m[3-1]': expected a node name, such as x, x[1-4] or [x y]"},
        Mistake{"node m[1", "expected a complete line: a bracket is not closed"},
        Mistake{"node m label:x=\"y", "expected a complete line: a quote is not closed"},
        Mistake{"node m taint=x:Never", "'taint=x:Never': expected KEY=VALUE:NoSchedule"},
        Mistake{"node m cordoned=yes", "expected 'cordoned' without a value"},
        Mistake{"rack r", "expected hosts=N"},
        Mistake{"cordon n3", "'n3': expected a node that was declared above; did you mean"},
        Mistake{"delete gang b", "'default/b': expected a gang or job that was declared above"},
        Mistake{"delete pods a-0", "'pods': expected gang, job or pod; did you mean 'pod'?"},
        Mistake{"refuse stage=bind", "'stage=bind': expected filter, reserve or prebind"},
        Mistake{"refuse-bind code=200", "'code=200': expected an HTTP status from 400 to 599"},
        Mistake{"latency at=1s", "expected at least one of watch="},
        Mistake{"latency bnd=1s",
                "'bnd': expected an attribute of 'latency'; did you mean 'bind'?"},
        Mistake{"binding order=random", "'order=random': expected rank, reversed or name"},
        Mistake{"restart engine", "'engine': expected adapter, brain, both or leader"},
        Mistake{"config backof-first=1s", "did you mean 'backoff-first'?"},
        Mistake{"jitter max=1s", "expected seed=N"},
        Mistake{"expect gang a", "expected at least one condition"},
        Mistake{"expect gang a phase=Runing",
                "'Runing': expected a value of 'phase'; did you mean "
                "'Running'?"},
        Mistake{"expect gang a code=Capcity", "did you mean 'Capacity'?"},
        Mistake{"expect gang a bond=2",
                "'bond': expected something to expect here; did you mean "
                "'bound'?"},
        Mistake{"expect gang a bound~2", "'bound~2': expected bound with = != < <= > >="},
        Mistake{"expect gang a bound=x", "'bound=x': expected bound and a whole number"},
        Mistake{"expect gang a waits=1", "'waits=1': expected 'waits' alone"},
        Mistake{"expect gang a excluded.Taints=1",
                "'Taints': expected a cause of exclusion; did "
                "you mean 'Taint'?"},
        Mistake{"expect gnag a runs", "'gnag': expected a subject; did you mean 'gang'?"},
        Mistake{"expect pod a-7 unbound", "'default/a-7': expected a pod that was declared above"},
        Mistake{"expect at=x gang a runs", "'at=x': expected at=a time"},
        Mistake{"expect from=9s to=5s always gang a runs", "a time span that does not end before"},
        Mistake{"expect from=9s gang a runs",
                "expected from= together with by=, always or never"}));

TEST(Parser, AllErrorsOfAFileAreFound) {
  ParseResult result = ParseScenario("node\nfoo\ngang a members=1\n", "y.scn");
  ASSERT_EQ(result.errors.size(), 4u);
  EXPECT_THAT(result.errors[0].Text(), HasSubstr("y.scn:1:"));
  EXPECT_THAT(result.errors[1].Text(), HasSubstr("y.scn:2:"));
  EXPECT_THAT(result.errors[2].Text(), HasSubstr("why"));
  EXPECT_THAT(result.errors[3].Text(), HasSubstr("expect"));
}

TEST(Parser, TakesAnyBytes) {
  std::string text;
  for (int i = 0; i < 4096; ++i) text += static_cast<char>((i * 7919 + i / 251) % 256);
  EXPECT_FALSE(ParseScenario(text, "bytes").errors.empty());
}

}  // namespace
}  // namespace phalanx::sim
