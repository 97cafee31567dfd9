// The whole conversation of one gang over a real Unix socket, and what breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "service/server.h"
#include "unit/service/support.h"

namespace phalanx::service {
namespace {

using ::testing::AllOf;
using testing::Context;
using testing::Eventually;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::TestAdapter;

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() : settings_(testing::TestSettings(folder_)) {}

  void StartServer() {
    server_ = std::make_unique<Server>(settings_);
    absl::Status status = server_->Start();
    ASSERT_TRUE(status.ok()) << status;
    channel_ = testing::Dial(settings_.socket_path);
    scheduler_ = pb::SchedulerService::NewStub(channel_);
  }

  // An adapter with a complete snapshot of 2 nodes and the gang "train" of 2.
  std::unique_ptr<TestAdapter> Join(const std::string& id = "test-adapter") {
    auto adapter = std::make_unique<TestAdapter>(channel_);
    EXPECT_NE(adapter->Hello(id), 0u);
    adapter->SendLeadership(true);
    adapter->SendChanges(testing::World(2, 2));
    adapter->SendSyncDone();
    return adapter;
  }

  grpc::Status Permit(uint64_t epoch, const std::string& uid, uint64_t plan,
                      const std::string& node, pb::PermitResponse* response) {
    pb::PermitRequest request;
    request.set_epoch(epoch);
    request.set_pod_uid(uid);
    request.set_plan(plan);
    request.set_node_name(node);
    return scheduler_->Permit(Context().get(), request, response);
  }

  grpc::Status Filter(uint64_t epoch, const std::string& uid, pb::FilterResponse* response) {
    pb::FilterRequest request;
    request.set_epoch(epoch);
    request.set_pod_uid(uid);
    return scheduler_->Filter(Context().get(), request, response);
  }

  // Filter, Reserve and Permit of a member of a current plan.
  void ReserveMember(uint64_t epoch, uint64_t plan, const pb::Admit::Member& member) {
    EXPECT_EQ(member.node_uid(), "uid-" + member.node_name());
    pb::FilterResponse filter;
    ASSERT_TRUE(Filter(epoch, member.pod_uid(), &filter).ok());
    EXPECT_EQ(filter.verdict(), pb::FilterResponse::VERDICT_NODE);
    EXPECT_EQ(filter.node_name(), member.node_name());
    EXPECT_EQ(filter.plan(), plan);
    pb::ReserveRequest request;
    request.set_epoch(epoch);
    request.set_pod_uid(member.pod_uid());
    request.set_plan(plan);
    request.set_node_name(member.node_name());
    pb::ReserveResponse reserve;
    ASSERT_TRUE(scheduler_->Reserve(Context().get(), request, &reserve).ok());
    EXPECT_TRUE(reserve.accepted()) << reserve.reason();
    pb::PermitResponse permit;
    ASSERT_TRUE(Permit(epoch, member.pod_uid(), plan, member.node_name(), &permit).ok());
    EXPECT_NE(permit.verdict(), pb::PermitResponse::VERDICT_REJECT) << permit.reason();
  }

  void TellAll(TestAdapter& adapter, const pb::Admit& admit, pb::MemberFact::State state) {
    for (const auto& member : admit.members()) {
      adapter.SendFact(member.pod_uid(), admit.plan(), member.node_name(), state);
    }
  }

  nlohmann::json Get(const std::string& path) {
    testing::HttpReply reply = testing::Http(server_->http_port(), "GET", path);
    EXPECT_EQ(reply.status, 200) << path << ": " << reply.body;
    return nlohmann::json::parse(reply.body, nullptr, false);
  }

  testing::TempFolder folder_;
  Settings settings_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pb::SchedulerService::Stub> scheduler_;
};

// Keeps the engine thread busy until it is destroyed: what a slow engine looks like from outside.
class Blocker {
 public:
  explicit Blocker(runtime::Brain& brain) {
    std::shared_future<void> wait = free_.get_future().share();
    auto blocked = std::make_shared<std::promise<void>>();
    std::future<void> is_blocked = blocked->get_future();
    thread_ = std::thread([&brain, wait, blocked] {
      brain.Query(
          [wait, blocked](const Engine&) {
            blocked->set_value();
            wait.wait();
            return 0;
          },
          kPatience);
    });
    is_blocked.wait();
  }
  ~Blocker() {
    free_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> free_;
  std::thread thread_;
};

TEST_F(ServiceTest, AGangBindsStepByStep) {
  StartServer();
  std::unique_ptr<TestAdapter> adapter = Join();
  std::optional<pb::SyncResponse> first = adapter->Next(pb::SyncResponse::kAdmit);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->epoch(), adapter->epoch());
  EXPECT_GT(first->sequence(), 0u);
  const pb::Admit& admit = first->admit();
  EXPECT_EQ(admit.gang_size(), 2);
  ASSERT_EQ(admit.members_size(), 2);
  for (const auto& member : admit.members()) ReserveMember(adapter->epoch(), admit.plan(), member);
  std::optional<pb::SyncResponse> prepare = adapter->Next(pb::SyncResponse::kRelease);
  ASSERT_TRUE(prepare.has_value());
  EXPECT_EQ(prepare->release().stage(), pb::Release::STAGE_PREPARE);
  EXPECT_EQ(prepare->release().plan(), admit.plan());
  TellAll(*adapter, admit, pb::MemberFact::STATE_PREPARED);
  std::optional<pb::SyncResponse> bind = adapter->Next(pb::SyncResponse::kRelease);
  ASSERT_TRUE(bind.has_value());
  EXPECT_EQ(bind->release().stage(), pb::Release::STAGE_BIND);
  const auto& member = admit.members(0);
  pb::PermitResponse permit;
  ASSERT_TRUE(
      Permit(adapter->epoch(), member.pod_uid(), admit.plan(), member.node_name(), &permit).ok());
  EXPECT_EQ(permit.verdict(), pb::PermitResponse::VERDICT_ALLOW);
  TellAll(*adapter, admit, pb::MemberFact::STATE_BOUND);
  EXPECT_TRUE(
      Eventually([this] { return Get("/api/v1/gangs/team/label/train")["phase"] == "running"; }));
  nlohmann::json gang = Get("/api/v1/gangs/team/label/train");
  EXPECT_EQ(gang["bound"], 2);
  EXPECT_EQ(gang["members"].size(), 2u);
  EXPECT_EQ(gang["members"][0]["state"], "bound");
}

TEST_F(ServiceTest, AGangThatMustWaitHoldsNothingAndSaysWhy) {
  StartServer();
  TestAdapter adapter(channel_);
  ASSERT_NE(adapter.Hello(), 0u);
  adapter.SendLeadership(true);
  pb::Changes changes = testing::World(2, 3);
  (*changes.mutable_pods(0)->mutable_labels())["phalanx.dev/gang-size"] = "3";
  adapter.SendChanges(changes);
  adapter.SendSyncDone();
  EXPECT_TRUE(Eventually([this] {
    return Get("/api/v1/gangs").value("/gangs/0/reason/code"_json_pointer, "") == "capacity";
  })) << Get("/api/v1/gangs");
  pb::FilterResponse filter;
  ASSERT_TRUE(Filter(adapter.epoch(), "uid-train-0", &filter).ok());
  EXPECT_EQ(filter.verdict(), pb::FilterResponse::VERDICT_HELD);
  EXPECT_NE(filter.reason(), "");
  pb::PermitResponse permit;
  ASSERT_TRUE(Permit(adapter.epoch(), "uid-train-0", 7, "n0", &permit).ok());
  EXPECT_EQ(permit.verdict(), pb::PermitResponse::VERDICT_REJECT);
  for (const auto& node : Get("/api/v1/nodes")["nodes"]) EXPECT_TRUE(node["held"].empty()) << node;
}

TEST_F(ServiceTest, LoosePodsGoAnywhereButPreferPlainNodes) {
  StartServer();
  std::unique_ptr<TestAdapter> adapter = Join();
  pb::Changes changes;
  pb::Pod* pod = changes.add_pods();
  *pod = testing::GangPod("web", 0, 1);
  pod->clear_labels();
  pod->clear_requests();
  (*pod->mutable_requests())["cpu"] = 100;
  adapter->SendChanges(changes);
  pb::FilterResponse filter;
  EXPECT_TRUE(Eventually([&] { return Filter(adapter->epoch(), "uid-web-0", &filter).ok(); }));
  EXPECT_EQ(filter.verdict(), pb::FilterResponse::VERDICT_ANY_NODE);
  pb::ScoreRequest request;
  request.set_epoch(adapter->epoch());
  request.set_pod_uid("uid-web-0");
  pb::ScoreResponse score;
  ASSERT_TRUE(scheduler_->Score(Context().get(), request, &score).ok());
  EXPECT_GT(score.plain_node_score(), score.accelerator_node_score());
}

TEST_F(ServiceTest, CallsOfAnotherEpochOrPodAreRefusedWithTheirValue) {
  StartServer();
  pb::FilterResponse filter;
  grpc::Status none = Filter(1, "u", &filter);
  EXPECT_EQ(none.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(none.error_message(), HasSubstr("no adapter is connected"));
  std::unique_ptr<TestAdapter> adapter = Join();
  grpc::Status stale = Filter(77, "uid-train-0", &filter);
  EXPECT_EQ(stale.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(stale.error_message(),
              AllOf(HasSubstr("epoch is 77"), HasSubstr(std::to_string(adapter->epoch()))));
  grpc::Status unknown = Filter(adapter->epoch(), "nobody", &filter);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("'nobody'"));
  grpc::Status empty = Filter(adapter->epoch(), "", &filter);
  EXPECT_EQ(empty.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServiceTest, AMessageOfAnotherEpochEndsTheStream) {
  StartServer();
  std::unique_ptr<TestAdapter> adapter = Join();
  pb::SyncRequest request = adapter->Message();
  request.set_epoch(adapter->epoch() + 5);
  request.mutable_sync_done();
  adapter->Send(request);
  grpc::Status status = adapter->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr(std::to_string(adapter->epoch() + 5)));
  EXPECT_TRUE(Eventually([this] { return server_->brain().epoch() == 0; }));
}

TEST_F(ServiceTest, AStreamBeginsWithOneHello) {
  StartServer();
  {
    TestAdapter adapter(channel_);
    pb::SyncRequest request;
    request.mutable_sync_done();
    adapter.Send(request);
    EXPECT_EQ(adapter.Finish().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  }
  {
    TestAdapter adapter(channel_);
    pb::SyncRequest request;
    request.mutable_hello()->set_adapter_id("x");
    adapter.Send(request);
    grpc::Status status = adapter.Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr("hello.scheduler_names is '[]'"));
  }
  std::unique_ptr<TestAdapter> adapter = Join();
  pb::SyncRequest again = adapter->Message();
  again.mutable_hello();
  adapter->Send(again);
  EXPECT_EQ(adapter->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServiceTest, ASecondAdapterEndsTheStreamOfTheFirst) {
  StartServer();
  std::unique_ptr<TestAdapter> first = Join("adapter-1");
  ASSERT_TRUE(first->Next(pb::SyncResponse::kAdmit).has_value());
  std::unique_ptr<TestAdapter> second = Join("adapter-2");
  EXPECT_GT(second->epoch(), first->epoch());
  grpc::Status status = first->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(status.error_message(), HasSubstr("'adapter-2'"));
  std::optional<pb::SyncResponse> admit = second->Next(pb::SyncResponse::kAdmit);
  ASSERT_TRUE(admit.has_value());
  EXPECT_EQ(admit->epoch(), second->epoch());
  EXPECT_EQ(server_->brain().epoch(), second->epoch());
}

TEST_F(ServiceTest, AnOversizedFrameEndsTheStreamAndNothingElse) {
  settings_.max_frame_bytes = 64 << 10;
  StartServer();
  std::unique_ptr<TestAdapter> adapter = Join();
  pb::Changes changes;
  pb::Pod* pod = changes.add_pods();
  *pod = testing::GangPod("big", 0, 1);
  pod->set_phase_reason(std::string(100 << 10, 'x'));
  adapter->SendChanges(changes);
  grpc::Status status = adapter->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  EXPECT_THAT(status.error_message(), HasSubstr("65536"));
  std::unique_ptr<TestAdapter> next = Join();
  EXPECT_TRUE(next->Next(pb::SyncResponse::kAdmit).has_value());
}

TEST_F(ServiceTest, BadObjectsAreCountedAndTheRestOfTheMessageCounts) {
  StartServer();
  TestAdapter adapter(channel_);
  ASSERT_NE(adapter.Hello(), 0u);
  adapter.SendLeadership(true);
  pb::Changes changes = testing::World(2, 2);
  pb::Node bad = testing::GpuNode("bad");
  (*bad.mutable_allocatable())["nvidia.com/gpu"] = -8;
  *changes.add_nodes() = bad;
  pb::Pod* loose = changes.add_pods();
  *loose = testing::GangPod("web", 0, 1);
  loose->clear_labels();
  loose->clear_requests();
  (*loose->mutable_requests())["cpu"] = -100;
  pb::Pod* zero = changes.add_pods();
  *zero = testing::GangPod("zero", 0, 1);
  (*zero->mutable_labels())["phalanx.dev/gang-size"] = "0";
  pb::Object* secret = changes.add_objects();
  secret->mutable_key()->set_resource("secrets");
  secret->mutable_key()->set_name("password");
  adapter.SendChanges(changes);
  adapter.SendFact("uid-train-0", 0, "n0", pb::MemberFact::STATE_BOUND);
  adapter.SendSyncDone();
  std::optional<pb::SyncResponse> event = adapter.Next(pb::SyncResponse::kEvent);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->event().pod_uid(), "uid-web-0");
  EXPECT_THAT(event->event().message(), HasSubstr("is '-100'"));
  EXPECT_TRUE(adapter.Next(pb::SyncResponse::kAdmit).has_value()) << "other gangs go on";
  nlohmann::json gang = Get("/api/v1/gangs/team/label/zero");
  EXPECT_EQ(gang["reason"]["code"], "invalid") << gang;
  EXPECT_THAT(gang.dump(), HasSubstr("phalanx.dev/gang-size"));
  std::string metrics = testing::Http(server_->http_port(), "GET", "/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("phalanx_refused_input_total{kind=\"node\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("phalanx_refused_input_total{kind=\"pod\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("phalanx_refused_input_total{kind=\"object\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("phalanx_refused_input_total{kind=\"fact\"} 1"));
}

TEST_F(ServiceTest, CallsAreAnsweredWhileTheEngineIsSlowAndQueriesAreNot) {
  settings_.query_deadline = Duration{50};
  StartServer();
  std::unique_ptr<TestAdapter> adapter = Join();
  std::optional<pb::SyncResponse> admit = adapter->Next(pb::SyncResponse::kAdmit);
  ASSERT_TRUE(admit.has_value());
  Blocker blocker(server_->brain());
  pb::FilterResponse filter;
  EXPECT_TRUE(Filter(adapter->epoch(), "uid-train-0", &filter).ok());
  EXPECT_EQ(filter.verdict(), pb::FilterResponse::VERDICT_NODE);
  testing::HttpReply reply = testing::Http(server_->http_port(), "GET", "/api/v1/gangs");
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("did not answer within 50 ms"));
  EXPECT_EQ(testing::Http(server_->http_port(), "GET", "/metrics").status, 200);
  EXPECT_EQ(testing::Http(server_->http_port(), "GET", "/livez").status, 200);
}

TEST_F(ServiceTest, ACallWhoseDeadlinePassedIsNotAnswered) {
  StartServer();
  std::unique_ptr<TestAdapter> adapter = Join();
  pb::FilterRequest request;
  request.set_epoch(adapter->epoch());
  request.set_pod_uid("uid-train-0");
  pb::FilterResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() - std::chrono::seconds(1));
  EXPECT_EQ(scheduler_->Filter(&context, request, &response).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(ServiceTest, AFullMailboxRefusesPermitAndSlowsTheStream) {
  settings_.fact_capacity = 1;
  settings_.bulk_capacity = 1;
  StartServer();
  std::unique_ptr<TestAdapter> adapter = Join();
  std::optional<pb::SyncResponse> admit = adapter->Next(pb::SyncResponse::kAdmit);
  ASSERT_TRUE(admit.has_value());
  {
    Blocker blocker(server_->brain());
    const auto& member = admit->admit().members(0);
    pb::PermitResponse permit;
    EXPECT_TRUE(Permit(adapter->epoch(), member.pod_uid(), admit->admit().plan(),
                       member.node_name(), &permit)
                    .ok());
    grpc::Status full = Permit(adapter->epoch(), member.pod_uid(), admit->admit().plan(),
                               member.node_name(), &permit);
    EXPECT_EQ(full.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(full.error_message(), HasSubstr("1 facts wait"));
    for (int i = 0; i < 10; ++i) {
      pb::Changes changes;
      *changes.add_nodes() = testing::GpuNode("late" + std::to_string(i));
      ASSERT_TRUE(adapter->SendChanges(changes));
    }
  }
  // Nothing that the stream carried was lost.
  EXPECT_TRUE(Eventually([this] { return Get("/api/v1/nodes")["nodes"].size() == 12; }));
}

TEST_F(ServiceTest, AnAdapterThatGoesAwayStopsBeingTheCurrentOne) {
  StartServer();
  std::unique_ptr<TestAdapter> adapter = Join();
  ASSERT_TRUE(adapter->Next(pb::SyncResponse::kAdmit).has_value());
  EXPECT_EQ(testing::Http(server_->http_port(), "GET", "/readyz").status, 200);
  adapter->Cancel();
  adapter.reset();
  EXPECT_TRUE(Eventually([this] { return server_->brain().epoch() == 0; }));
  EXPECT_EQ(testing::Http(server_->http_port(), "GET", "/readyz").status, 503);
  std::unique_ptr<TestAdapter> next = Join();
  EXPECT_TRUE(next->Next(pb::SyncResponse::kAdmit).has_value());
}

TEST_F(ServiceTest, ARestartHasALaterEpoch) {
  StartServer();
  uint64_t before = Join()->epoch();
  server_.reset();
  StartServer();
  uint64_t after = Join()->epoch();
  EXPECT_GT(after, before);
}

}  // namespace
}  // namespace phalanx::service
