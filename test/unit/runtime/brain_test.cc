// The engine on its thread. Each test drives the real engine; what it decides is tested elsewhere,
// here it matters when, in which order and for whom.
#include "runtime/brain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace phalanx::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience{60};

// Keeps what it gets; WaitFor() blocks the test, never the engine thread.
class RecordingSink : public DirectiveSink {
 public:
  void Deliver(std::vector<Directive> directives) override {
    std::lock_guard lock(mutex_);
    for (Directive& directive : directives) directives_.push_back(std::move(directive));
    changed_.notify_all();
  }
  template <class Body>
  std::optional<Body> WaitFor(std::function<bool(const Body&)> wanted = nullptr) {
    std::unique_lock lock(mutex_);
    std::optional<Body> found;
    changed_.wait_for(lock, kPatience, [&] {
      for (const Directive& directive : directives_) {
        const Body* body = std::get_if<Body>(&directive.body);
        if (body && (!wanted || wanted(*body))) {
          found = *body;
          return true;
        }
      }
      return false;
    });
    return found;
  }
  std::vector<uint64_t> sequences() {
    std::lock_guard lock(mutex_);
    std::vector<uint64_t> out;
    for (const Directive& directive : directives_) out.push_back(directive.sequence);
    return out;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Directive> directives_;
};

NodeObject GpuNode(const std::string& name) {
  NodeObject node;
  node.name = name;
  node.uid = "uid-" + name;
  node.allocatable = {{"cpu", 64'000}, {"pods", 110}, {"nvidia.com/gpu", 8}};
  return node;
}

PodObject Member(const std::string& gang, int index, int size) {
  PodObject pod;
  pod.name = gang + "-" + std::to_string(index);
  pod.uid = "uid-" + pod.name;
  pod.ns = "team";
  pod.ours = true;
  pod.created.ms = 1'700'000'000'000;
  pod.requests = {{"cpu", 1000}, {"pods", 1}, {"nvidia.com/gpu", 8}};
  Membership membership;
  membership.gang = {"team", "label", gang};
  membership.size = membership.min = size;
  pod.membership = membership;
  return pod;
}

Changes World(int nodes, const std::string& gang, int members) {
  Changes changes;
  for (int i = 0; i < nodes; ++i) changes.nodes.push_back(GpuNode("n" + std::to_string(i)));
  for (int i = 0; i < members; ++i) changes.pods.push_back(Member(gang, i, members));
  return changes;
}

class BrainTest : public ::testing::Test {
 protected:
  void Post(Brain& brain, uint64_t epoch, CommandBody body) {
    ASSERT_TRUE(brain.Post(epoch, body));
  }
  // Connects as `epoch` with a whole snapshot.
  std::shared_ptr<RecordingSink> Join(Brain& brain, uint64_t epoch, Changes snapshot) {
    auto sink = std::make_shared<RecordingSink>();
    brain.Connect(epoch, "adapter", sink);
    Post(brain, epoch, Leadership{true});
    Post(brain, epoch, std::move(snapshot));
    Post(brain, epoch, SyncDone{});
    return sink;
  }
  // Until everything posted so far is applied.
  void Settle(Brain& brain) {
    for (int i = 0; i < 1000; ++i) {
      size_t waiting = 0;
      for (Lane lane : {Lane::kControl, Lane::kFact, Lane::kBulk}) {
        waiting += brain.mailbox(lane).depth;
      }
      auto query = brain.Query([](const Engine& engine) { return engine.HasPlanningWork(); },
                               milliseconds(10'000));
      if (waiting == 0 && query.value && !*query.value) return;
    }
    FAIL() << "the brain does not come to rest";
  }
};

TEST_F(BrainTest, AdmitsAGangAndPublishesItsAnswersFirst) {
  Brain brain({});
  brain.Start();
  auto sink = Join(brain, 1, World(2, "train", 2));
  std::optional<Admit> admit = sink->WaitFor<Admit>();
  ASSERT_TRUE(admit.has_value());
  ASSERT_EQ(admit->members.size(), 2u);
  for (const AdmitMember& member : admit->members) {
    std::optional<PodAnswer> answer = brain.Answer(1, member.pod_uid);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->kind, AnswerKind::kPlanned);
    EXPECT_EQ(answer->node, member.node);
    EXPECT_EQ(answer->plan, admit->plan);
  }
  EXPECT_TRUE(brain.synced());
}

TEST_F(BrainTest, CarriesAGangThroughBothBarriers) {
  Brain brain({});
  brain.Start();
  auto sink = Join(brain, 1, World(2, "train", 2));
  std::optional<Admit> admit = sink->WaitFor<Admit>();
  ASSERT_TRUE(admit.has_value());
  auto tell = [&](MemberState state) {
    for (const AdmitMember& member : admit->members) {
      Post(brain, 1, MemberFact{member.pod_uid, admit->plan, member.node, state, 0, ""});
    }
  };
  tell(MemberState::kReserved);
  auto prepare = [](const Release& r) { return r.stage == ReleaseStage::kPrepare; };
  ASSERT_TRUE(sink->WaitFor<Release>(prepare).has_value());
  tell(MemberState::kPrepared);
  auto bind = [](const Release& r) { return r.stage == ReleaseStage::kBind; };
  ASSERT_TRUE(sink->WaitFor<Release>(bind).has_value());
  EXPECT_EQ(brain.Answer(1, admit->members[0].pod_uid)->kind, AnswerKind::kReleased);
  tell(MemberState::kBound);
  Settle(brain);
  auto gang = brain.Query(
      [](const Engine& engine) {
        return engine.Gang({"team", "label", "train"});
      },
      kPatience);
  ASSERT_TRUE(gang.value && *gang.value);
  EXPECT_EQ((*gang.value)->phase, GangPhase::kRunning);
  std::vector<uint64_t> sequences = sink->sequences();
  for (size_t i = 0; i < sequences.size(); ++i) EXPECT_EQ(sequences[i], i + 1);
}

TEST_F(BrainTest, ANewEpochVoidsTheOldOne) {
  Brain brain({});
  brain.Start();
  auto first = Join(brain, 1, World(2, "train", 2));
  std::optional<Admit> admit = first->WaitFor<Admit>();
  ASSERT_TRUE(admit.has_value());
  auto second = std::make_shared<RecordingSink>();
  brain.Connect(2, "adapter-2", second);
  EXPECT_EQ(brain.epoch(), 2u);
  EXPECT_FALSE(brain.synced());
  Post(brain, 1,
       MemberFact{admit->members[0].pod_uid, admit->plan, admit->members[0].node,
                  MemberState::kReserved, 0, ""});
  Post(brain, 1, SyncDone{});
  Settle(brain);
  std::optional<PodAnswer> answer = brain.Answer(2, admit->members[0].pod_uid);
  EXPECT_TRUE(!answer || answer->kind == AnswerKind::kHeld) << "the old plan is taken back";
  EXPECT_FALSE(brain.Answer(1, admit->members[0].pod_uid).has_value());
  EXPECT_EQ(brain.metrics().dropped_stale.load(), 2);
  EXPECT_FALSE(brain.synced());
  brain.Disconnect(1);  // of the old session, late
  EXPECT_EQ(brain.epoch(), 2u) << "an old session can not end the current one";
  brain.Disconnect(2);
  EXPECT_EQ(brain.epoch(), 0u);
}

TEST_F(BrainTest, AReconnectWithTheSameSnapshotHasAllAnswersAgain) {
  Brain brain({});
  brain.Start();
  Changes world = World(1, "train", 2);  // room for one member: the gang waits
  PodObject loose = Member("web", 0, 1);
  loose.membership.reset();
  loose.requests = {{"cpu", 100}, {"pods", 1}};
  world.pods.push_back(loose);
  Join(brain, 1, world);
  Settle(brain);
  brain.Disconnect(1);
  Join(brain, 2, world);
  Settle(brain);
  ASSERT_TRUE(brain.Answer(2, "uid-web-0").has_value());
  EXPECT_EQ(brain.Answer(2, "uid-web-0")->kind, AnswerKind::kLoose);
  ASSERT_TRUE(brain.Answer(2, "uid-train-0").has_value());
  EXPECT_EQ(brain.Answer(2, "uid-train-0")->kind, AnswerKind::kHeld);
}

TEST_F(BrainTest, PlansOfALaterEpochHaveOtherNumbers) {
  Brain brain({});
  brain.Start();
  std::optional<Admit> first = Join(brain, 5, World(2, "train", 2))->WaitFor<Admit>();
  brain.Disconnect(5);
  std::optional<Admit> second = Join(brain, 6, World(2, "train", 2))->WaitFor<Admit>();
  ASSERT_TRUE(first && second);
  EXPECT_GT(second->plan, first->plan);
  EXPECT_EQ(second->plan >> kPlanBits, 6u);
}

TEST_F(BrainTest, AFullLaneRefusesUntilTheEngineHasCaughtUp) {
  BrainOptions options;
  options.bulk_capacity = 2;
  Brain brain(options);
  std::promise<void> free, blocked;
  std::shared_future<void> wait = free.get_future().share();
  brain.Start();
  // A query that does not return is what a slow engine looks like from outside.
  std::thread slow([&] {
    brain.Query(
        [&blocked, wait](const Engine&) {
          blocked.set_value();
          wait.wait();
          return 0;
        },
        kPatience);
  });
  blocked.get_future().wait();
  auto sink = std::make_shared<RecordingSink>();
  brain.Connect(1, "adapter", sink);
  int taken = 0;
  CommandBody body = Leadership{true};
  while (taken < 100 && brain.Post(1, body)) ++taken;
  EXPECT_EQ(taken, 2);
  EXPECT_TRUE(std::holds_alternative<Leadership>(body)) << "what was refused is untouched";
  std::promise<void> room;
  brain.WhenRoom(body, [&room] { room.set_value(); });
  EXPECT_EQ(brain.Query([](const Engine&) { return 1; }, milliseconds(1)).error,
            QueryError::kTimeout);
  free.set_value();
  slow.join();
  EXPECT_EQ(room.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_TRUE(brain.Post(1, body));
}

TEST_F(BrainTest, AnswersAreReadWhileTheEngineIsSlow) {
  Brain brain({});
  brain.Start();
  std::optional<Admit> admit = Join(brain, 1, World(2, "train", 2))->WaitFor<Admit>();
  ASSERT_TRUE(admit.has_value());
  std::promise<void> free, blocked;
  std::shared_future<void> wait = free.get_future().share();
  std::thread slow([&] {
    brain.Query(
        [&blocked, wait](const Engine&) {
          blocked.set_value();
          wait.wait();
          return 0;
        },
        kPatience);
  });
  blocked.get_future().wait();
  EXPECT_EQ(brain.Answer(1, admit->members[0].pod_uid)->kind, AnswerKind::kPlanned);
  auto stats = brain.Stats(milliseconds(1));
  ASSERT_NE(stats, nullptr) << "the last known numbers, and no waiting";
  free.set_value();
  slow.join();
  EXPECT_EQ(brain.Stats(kPatience)->gangs_by_phase.at(GangPhase::kStarting), 1);
}

TEST_F(BrainTest, StopFailsWhatWaitsAndCanBeRepeated) {
  Brain brain({});
  // Never started: nobody runs the query.
  std::thread waits([&] {
    auto result = brain.Query([](const Engine&) { return 0; }, kPatience);
    EXPECT_EQ(result.error, QueryError::kStopped);
  });
  while (brain.Query([](const Engine&) { return 0; }, milliseconds(1)).error !=
         QueryError::kTimeout) {
  }
  std::this_thread::sleep_for(milliseconds(20));
  brain.Stop();
  waits.join();
  brain.Stop();
}

TEST_F(BrainTest, ManySessionsPostersAndReadersAtOnce) {
  Brain brain({});
  brain.Start();
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      brain.Answer(brain.epoch(), "uid-train-0");
      brain.Stats(milliseconds(5));
      brain.SinceProgress();
    }
  });
  // Not about a member: one that is told to be reserved before SyncDone is in the adapter's
  // pipeline, and is waited for.
  std::thread poster([&] {
    while (!stop) {
      CommandBody fact = MemberFact{"uid-other", 1, "n0", MemberState::kReserved, 0, ""};
      brain.Post(brain.epoch(), fact);
      std::this_thread::yield();
    }
  });
  std::shared_ptr<RecordingSink> last;
  for (uint64_t epoch = 1; epoch <= 20; ++epoch) last = Join(brain, epoch, World(2, "train", 2));
  EXPECT_TRUE(last->WaitFor<Admit>().has_value());
  stop = true;
  reader.join();
  poster.join();
  EXPECT_TRUE(brain.synced());
}

TEST_F(BrainTest, TicksWhenADeadlinePasses) {
  // The clock runs 1000 times faster than the wall, so a reserve deadline of 1 s passes at once.
  auto start = std::chrono::steady_clock::now();
  Clock fast(1'700'000'000'000, [start] {
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start)
               .count() *
           1000;
  });
  BrainOptions options;
  options.engine.reserve_deadline = Duration::Seconds(1);
  Brain brain(options, fast);
  brain.Start();
  auto sink = Join(brain, 1, World(2, "train", 2));
  ASSERT_TRUE(sink->WaitFor<Admit>().has_value());
  EXPECT_TRUE(sink->WaitFor<Reject>().has_value()) << "no member was ever reserved";
}

}  // namespace
}  // namespace phalanx::runtime
