// InspectService and /api/v1: the same answers both ways, pages, filters, refusals.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "phalanx/v1alpha1/inspect.grpc.pb.h"
#include "service/server.h"
#include "unit/service/support.h"

namespace phalanx::service {
namespace {

using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Http;
using testing::HttpReply;
using testing::TestAdapter;

constexpr char kGpu[] = "nvidia.com/gpu";

class InspectTest : public ::testing::Test {
 protected:
  InspectTest() : server_(testing::TestSettings(folder_)) {
    absl::Status status = server_.Start();
    EXPECT_TRUE(status.ok()) << status;
    auto channel = testing::Dial(testing::TestSettings(folder_).socket_path);
    stub_ = pb::InspectService::NewStub(channel);
    adapter_ = std::make_unique<TestAdapter>(channel);
  }

  // Two racks of three nodes with 8 GPUs; the gang "train" of `members` pods is admitted, and the
  // gangs "wait-0", ... of one pod with 8 GPUs each come after it.
  void Join(int members, int waiting) {
    ASSERT_NE(adapter_->Hello(), 0u);
    adapter_->SendLeadership(true);
    pb::Changes changes = testing::World(6, members);
    for (int i = 0; i < 6; ++i) {
      (*changes.mutable_nodes(i)->mutable_labels())["nvidia.com/gpu.clique"] =
          i < 3 ? "rack-a.0" : "rack-b.0";
    }
    for (int i = 0; i < waiting; ++i) {
      *changes.add_pods() = testing::GangPod("wait-" + std::to_string(i), 0, 1);
      changes.mutable_pods(changes.pods_size() - 1)->set_created_ms(1'700'000'000'001 + i);
    }
    adapter_->SendChanges(changes);
    adapter_->SendSyncDone();
    ASSERT_TRUE(adapter_->Next(pb::SyncResponse::kAdmit).has_value());
    ASSERT_TRUE(testing::Eventually([&] {
      pb::ListGangsRequest request;
      request.add_phases("queued");
      return List(request).total() == waiting && LastReason() == "capacity";
    }));
  }

  // Reason of the last gang that waits, or "capacity" if none does.
  std::string LastReason() {
    pb::ListGangsResponse all = List({});
    std::string code = "capacity";
    for (const pb::Gang& gang : all.gangs()) {
      if (gang.has_position()) code = gang.reason().code();
    }
    return code;
  }

  HttpReply Get(const std::string& path) { return Http(server_.http_port(), "GET", path); }

  pb::ListGangsResponse List(const pb::ListGangsRequest& request) {
    return Call(&pb::InspectService::Stub::ListGangs, request);
  }

  template <class Request, class Response>
  Response Call(grpc::Status (pb::InspectService::Stub::*method)(grpc::ClientContext*,
                                                                 const Request&, Response*),
                const Request& request) {
    Response response;
    auto context = testing::Context();
    grpc::Status status = (stub_.get()->*method)(context.get(), request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  // HTTP's answer, read by protobuf's own parser, is the one of gRPC. From when the copy is is not
  // compared: it may have been made anew in between.
  template <class Message>
  void ExpectSame(Message from_grpc, const std::string& path) {
    HttpReply reply = Get(path);
    EXPECT_EQ(reply.status, 200) << path << ": " << reply.body;
    Message from_http;
    auto status = JsonStringToMessage(reply.body, &from_http);
    EXPECT_TRUE(status.ok()) << path << ": " << status.ToString() << "\n" << reply.body;
    for (Message* message : {&from_grpc, &from_http}) {
      if constexpr (requires { message->mutable_view(); }) {
        EXPECT_GT(message->view().as_of_ms(), 0) << path;
        message->mutable_view()->clear_as_of_ms();
        message->mutable_view()->clear_commands();
      }
    }
    MessageDifferencer differencer;
    std::string differences;
    differencer.ReportDifferencesToString(&differences);
    EXPECT_TRUE(differencer.Compare(from_grpc, from_http)) << path << "\n" << differences;
  }

  testing::TempFolder folder_;
  Server server_;
  std::unique_ptr<pb::InspectService::Stub> stub_;
  std::unique_ptr<TestAdapter> adapter_;
};

TEST_F(InspectTest, HttpAnswersAsGrpcDoes) {
  Join(6, 2);
  using Stub = pb::InspectService::Stub;
  ExpectSame(Call(&Stub::ListGangs, pb::ListGangsRequest()), "/api/v1/gangs");
  pb::ListGangsRequest queued;
  queued.add_phases("queued");
  queued.set_page_size(1);
  ExpectSame(Call(&Stub::ListGangs, queued), "/api/v1/gangs?phases=queued&pageSize=1");
  for (const char* name : {"train", "wait-1"}) {
    const std::string path = std::string("/api/v1/gangs/team/label/") + name;
    pb::GetGangRequest get;
    get.set_namespace_("team");
    get.set_source("label");
    get.set_name(name);
    ExpectSame(Call(&Stub::GetGang, get).gang(), path);
    pb::ExplainGangRequest explain;
    explain.set_namespace_("team");
    explain.set_source("label");
    explain.set_name(name);
    ExpectSame(Call(&Stub::ExplainGang, explain), path + "/explain");
  }
  pb::GetTopologyRequest topology;
  topology.set_level("rack");
  ExpectSame(Call(&Stub::GetTopology, topology), "/api/v1/topology?level=rack");
  pb::ListNodesRequest nodes;
  nodes.set_inside("rack-b");
  ExpectSame(Call(&Stub::ListNodes, nodes), "/api/v1/nodes?inside=rack-b");
  pb::ListHashesRequest hosts;
  hosts.add_kinds("host");
  ExpectSame(Call(&Stub::ListHashes, hosts), "/api/v1/hashes?kinds=host");
  pb::GetFieldHashesRequest fields;
  fields.set_kind("gang");
  fields.set_name("team/label/train");
  ExpectSame(Call(&Stub::GetFieldHashes, fields), "/api/v1/fields?kind=gang&name=team/label/train");
}

TEST_F(InspectTest, ExplainsAWaitingGang) {
  Join(6, 7);
  pb::ExplainGangRequest request;
  request.set_namespace_("team");
  request.set_source("label");
  request.set_name("wait-6");
  const auto out = Call(&pb::InspectService::Stub::ExplainGang, request);
  EXPECT_EQ(out.verdict(), "notNow");
  EXPECT_EQ(out.waits_for(), "room");
  EXPECT_EQ(out.waiting(), 7);
  EXPECT_EQ(out.gang().position(), 7);
  EXPECT_EQ(out.gang().reason().need(), 1);
  EXPECT_THAT(out.message(), HasSubstr(kGpu));
  std::vector<std::pair<std::string, int>> ahead;
  for (const auto& gang : out.ahead()) ahead.emplace_back(gang.name(), gang.position());
  EXPECT_THAT(ahead,
              ElementsAre(std::pair("wait-1", 2), std::pair("wait-2", 3), std::pair("wait-3", 4),
                          std::pair("wait-4", 5), std::pair("wait-5", 6)));
}

TEST_F(InspectTest, TellsWhatWouldHelpWhenAsked) {
  Join(6, 1);
  pb::ExplainGangRequest request;
  request.set_namespace_("team");
  request.set_source("label");
  request.set_name("wait-0");
  EXPECT_FALSE(Call(&pb::InspectService::Stub::ExplainGang, request).has_help());
  request.set_help(true);
  const auto out = Call(&pb::InspectService::Stub::ExplainGang, request);
  ExpectSame(out, "/api/v1/gangs/team/label/wait-0/explain?help=true");
  ASSERT_GE(out.help().changes_size(), 1);
  EXPECT_EQ(out.help().changes(0).kind(), "gangEnds");
  EXPECT_EQ(out.help().changes(0).gang().name(), "train");
  EXPECT_EQ(out.help().changes(0).message(), "when team/train ends");
}

TEST_F(InspectTest, PagesHoldEveryGangOnceAndInOrder) {
  Join(6, 5);
  std::vector<std::string> names;
  pb::ListGangsRequest request;
  request.set_page_size(2);
  do {
    const pb::ListGangsResponse page = List(request);
    EXPECT_EQ(page.total(), 6);
    EXPECT_LE(page.gangs_size(), 2);
    for (const pb::Gang& gang : page.gangs()) names.push_back(gang.name());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && names.size() < 100);
  EXPECT_THAT(names, ElementsAre("wait-0", "wait-1", "wait-2", "wait-3", "wait-4", "train"));
}

TEST_F(InspectTest, PagesOfDomainsAndNodes) {
  Join(2, 0);
  std::vector<std::string> paths;
  pb::GetTopologyRequest topology;
  topology.set_page_size(1);
  do {
    const auto page = Call(&pb::InspectService::Stub::GetTopology, topology);
    for (const pb::Domain& domain : page.domains()) paths.push_back(domain.path());
    topology.set_page_token(page.next_page_token());
  } while (!topology.page_token().empty() && paths.size() < 100);
  EXPECT_THAT(paths, ElementsAre("", "rack-a", "rack-a/rack-a.0", "rack-b", "rack-b/rack-b.0"));
  std::vector<std::string> names;
  pb::ListNodesRequest nodes;
  nodes.set_page_size(4);
  do {
    const auto page = Call(&pb::InspectService::Stub::ListNodes, nodes);
    for (const pb::HostNode& node : page.nodes()) names.push_back(node.name());
    nodes.set_page_token(page.next_page_token());
  } while (!nodes.page_token().empty() && names.size() < 100);
  EXPECT_THAT(names, ElementsAre("n0", "n1", "n2", "n3", "n4", "n5"));
}

TEST_F(InspectTest, HashesOfAllEntitiesOnPages) {
  Join(6, 1);
  std::vector<std::string> names;
  pb::ListHashesRequest request;
  request.set_page_size(4);
  do {
    const auto page = Call(&pb::InspectService::Stub::ListHashes, request);
    EXPECT_EQ(page.total(), 9);
    for (const pb::EntityHash& entity : page.entities()) {
      names.push_back(entity.kind() + " " + entity.name());
      EXPECT_EQ(entity.state().size(), 16u);
      EXPECT_EQ(entity.derived(), entity.recomputed()) << names.back();
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && names.size() < 100);
  EXPECT_THAT(names,
              ElementsAre("engine engine", "host n0", "host n1", "host n2", "host n3", "host n4",
                          "host n5", "gang team/label/train", "gang team/label/wait-0"));
  request.Clear();
  request.set_stale_only(true);
  EXPECT_EQ(Call(&pb::InspectService::Stub::ListHashes, request).total(), 0);
}

TEST_F(InspectTest, FiltersChooseWhatMatches) {
  Join(6, 2);
  const auto total = [this](const std::string& path) {
    HttpReply reply = Get(path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return nlohmann::json::parse(reply.body).value("total", -1);
  };
  EXPECT_EQ(total("/api/v1/gangs?phases=starting"), 1);
  EXPECT_EQ(total("/api/v1/gangs?phases=starting&phases=queued"), 3);
  EXPECT_EQ(total("/api/v1/gangs?namespace=elsewhere"), 0);
  EXPECT_EQ(total("/api/v1/gangs?nameContains=ait-1"), 1);
  EXPECT_EQ(total("/api/v1/nodes?inside=rack-a%2Frack-a.0"), 3);
  EXPECT_EQ(total("/api/v1/nodes?resource=nvidia.com%2Fgpu"), 6);
  EXPECT_EQ(total("/api/v1/nodes?resource=amd.com/gpu"), 0);
  EXPECT_EQ(total("/api/v1/topology?inside=rack-a"), 2);
  EXPECT_EQ(total("/api/v1/topology?level=nvlink"), 2);
}

TEST_F(InspectTest, BadInputIsRefusedWithValueAndExpectation) {
  Join(2, 0);
  const std::pair<const char*, const char*> cases[] = {
      {"/api/v1/gangs?phases=lost", "phases is 'lost', expected one of gathering, queued"},
      {"/api/v1/gangs?pageSize=2001", "pageSize is '2001', expected a whole number from 0 to 2000"},
      {"/api/v1/gangs?pageToken=1:2:x", "pageToken is '1:2:x', expected nextPageToken"},
      {"/api/v1/gangs?pageToken=1:2:3:a/b", "expected nextPageToken of an earlier answer"},
      {"/api/v1/gangs?limit=5", "'limit', expected one of namespace, phases"},
      {"/api/v1/gangs/a/label/x?name=y", "name is 'x', expected to be given once"},
      {"/api/v1/topology?level=row", "level is 'row', expected one of rack, nvlink"},
      {"/api/v1/topology?inside=rack-z", "inside is 'rack-z', expected the path of a domain"},
      {"/api/v1/topology?pageToken=/gone", "pageToken is '/gone', expected nextPageToken"},
      {"/api/v1/hashes?kinds=rack", "kinds is 'rack', expected one of engine, host, gang"},
      {"/api/v1/hashes?staleOnly=yes", "staleOnly is 'yes', expected true or false"},
      {"/api/v1/hashes?pageToken=rack:1", "pageToken is 'rack:1', expected nextPageToken"},
      {"/api/v1/fields?kind=host&name=n0", "kind is 'host', expected gang or engine"},
      {"/api/v1/nodes?inside=rack-z", "inside is 'rack-z', expected the path of a domain"},
  };
  for (const auto& [path, message] : cases) {
    HttpReply reply = Get(path);
    EXPECT_EQ(reply.status, 400) << path;
    const nlohmann::json error = nlohmann::json::parse(reply.body, nullptr, false);
    EXPECT_THAT(error["error"].value("message", ""), HasSubstr(message)) << path;
  }
}

TEST_F(InspectTest, GrpcRefusesWithTheSameCodes) {
  Join(2, 0);
  pb::GetGangResponse response;
  pb::GetGangRequest request;
  request.set_namespace_("team");
  request.set_source("label");
  grpc::Status empty = stub_->GetGang(testing::Context().get(), request, &response);
  EXPECT_EQ(empty.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(empty.error_message(), HasSubstr("name is ''"));
  request.set_name("nobody");
  grpc::Status missing = stub_->GetGang(testing::Context().get(), request, &response);
  EXPECT_EQ(missing.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(missing.error_message(), HasSubstr("'nobody'"));
}

TEST_F(InspectTest, AnswersBeforeAnyAdapter) {
  const pb::ListGangsResponse none = List({});
  EXPECT_EQ(none.total(), 0);
  EXPECT_FALSE(none.view().synced());
  EXPECT_EQ(Get("/api/v1/topology").status, 200);
  EXPECT_EQ(Get("/api/v1/nodes").status, 200);
}

}  // namespace
}  // namespace phalanx::service
