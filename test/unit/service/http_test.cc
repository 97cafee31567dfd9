// HTTP: routes, errors as JSON, probes and the metrics exposition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "service/server.h"
#include "unit/service/support.h"

namespace phalanx::service {
namespace {

using ::testing::HasSubstr;
using testing::Http;
using testing::HttpReply;
using ::testing::Not;
using testing::TestAdapter;

class HttpTest : public ::testing::Test {
 protected:
  HttpTest() : server_(testing::TestSettings(folder_)) {
    absl::Status status = server_.Start();
    EXPECT_TRUE(status.ok()) << status;
  }
  HttpReply Get(const std::string& path) { return Http(server_.http_port(), "GET", path); }
  // An adapter with a snapshot; the gang "train" is admitted.
  std::unique_ptr<TestAdapter> Join() {
    auto adapter =
        std::make_unique<TestAdapter>(testing::Dial(testing::TestSettings(folder_).socket_path));
    EXPECT_NE(adapter->Hello(), 0u);
    adapter->SendLeadership(true);
    adapter->SendChanges(testing::World(2, 2));
    adapter->SendSyncDone();
    EXPECT_TRUE(adapter->Next(pb::SyncResponse::kAdmit).has_value());
    return adapter;
  }

  testing::TempFolder folder_;
  Server server_;
};

TEST_F(HttpTest, ErrorsAreJson) {
  HttpReply missing = Get("/api/v2/gangs");
  EXPECT_EQ(missing.status, 404);
  nlohmann::json error = nlohmann::json::parse(missing.body);
  EXPECT_EQ(error["error"]["code"], 404);
  EXPECT_THAT(std::string(error["error"]["message"]), HasSubstr("'/api/v2/gangs'"));
  EXPECT_THAT(std::string(error["error"]["message"]), HasSubstr("/api/v1/topology"));
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"}) {
    HttpReply refused = Http(server_.http_port(), method, "/api/v1/gangs");
    EXPECT_EQ(refused.status, 405) << method;
    EXPECT_THAT(refused.head, HasSubstr("Allow: GET, HEAD"));
    EXPECT_EQ(nlohmann::json::parse(refused.body)["error"]["code"], 405);
  }
  EXPECT_EQ(Get("/api/v1/gangs/team/label/nobody").status, 404);
  EXPECT_THAT(Get("/api/v1/gangs/team/label/nobody").body, HasSubstr("'nobody'"));
  EXPECT_EQ(Get("/api/v1/gangs/team").status, 404);
  EXPECT_EQ(Get("/api/v1/gangs/a/b/c/d").status, 404);
  EXPECT_EQ(Get("/").status, 404);
}

TEST_F(HttpTest, HeadHasNoBody) {
  HttpReply head = Http(server_.http_port(), "HEAD", "/livez");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
}

TEST_F(HttpTest, ReadyMeansSynced) {
  EXPECT_EQ(Get("/livez").status, 200);
  EXPECT_EQ(Get("/healthz").status, 200);
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_THAT(Get("/readyz").body, HasSubstr("no adapter is connected"));
  TestAdapter adapter(testing::Dial(testing::TestSettings(folder_).socket_path));
  ASSERT_NE(adapter.Hello(), 0u);
  EXPECT_THAT(Get("/readyz").body, HasSubstr("is not complete"));
  adapter.SendSyncDone();
  EXPECT_TRUE(testing::Eventually([this] { return Get("/readyz").status == 200; }));
}

TEST_F(HttpTest, ShowsGangsNodesAndTopology) {
  std::unique_ptr<TestAdapter> adapter = Join();
  nlohmann::json gangs = nlohmann::json::parse(Get("/api/v1/gangs").body);
  ASSERT_EQ(gangs["gangs"].size(), 1u);
  EXPECT_EQ(gangs["gangs"][0]["name"], "train");
  EXPECT_EQ(gangs["gangs"][0]["phase"], "starting");
  EXPECT_FALSE(gangs["gangs"][0].contains("members"));
  nlohmann::json gang = nlohmann::json::parse(Get("/api/v1/gangs/team/label/train").body);
  EXPECT_EQ(gang["devices"], 16);
  EXPECT_EQ(gang["members"][1]["rank"], 1);
  nlohmann::json nodes = nlohmann::json::parse(Get("/api/v1/nodes").body);
  ASSERT_EQ(nodes["nodes"].size(), 2u);
  EXPECT_EQ(nodes["nodes"][0]["held"]["nvidia.com/gpu"], 8);
  nlohmann::json topology = nlohmann::json::parse(Get("/api/v1/topology").body);
  EXPECT_TRUE(topology["levels"].is_array());
  EXPECT_TRUE(topology["domains"].is_array());
}

// What promtool checks, by hand: HELP and TYPE once and before the samples, names and labels well
// formed, histograms cumulative and ending in +Inf, counters ending in _total.
class Exposition {
 public:
  explicit Exposition(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) Read(line);
  }
  std::map<std::string, std::string> types;
  std::map<std::string, double> samples;

 private:
  void Read(const std::string& line) {
    static const std::regex help(R"(# HELP ([a-z_]+) .+\.)");
    static const std::regex type(R"(# TYPE ([a-z_]+) (counter|gauge|histogram))");
    static const std::regex sample(
        R"re(([a-z_]+)(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? ([0-9.e+-]+|\+Inf))re");
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      EXPECT_TRUE(helps_.insert(match[1]).second) << line;
    } else if (std::regex_match(line, match, type)) {
      EXPECT_TRUE(helps_.contains(match[1])) << line;
      EXPECT_TRUE(types.emplace(match[1], match[2]).second) << line;
      bool total = std::string(match[1]).ends_with("_total");
      EXPECT_EQ(match[2] == "counter", total) << line;
    } else if (std::regex_match(line, match, sample)) {
      EXPECT_TRUE(HasType(match[1])) << line;
      EXPECT_TRUE(samples.emplace(match[1].str() + match[2].str(), std::stod(match[4])).second)
          << line;
    } else {
      ADD_FAILURE() << "not a line of the text format: " << line;
    }
  }
  bool HasType(const std::string& name) const {
    if (types.contains(name)) return true;
    for (const char* suffix : {"_bucket", "_sum", "_count"}) {
      std::string base = name.substr(0, name.size() - std::string(suffix).size());
      auto it = types.find(base);
      if (name.ends_with(suffix) && it != types.end() && it->second == "histogram") return true;
    }
    return false;
  }
  std::set<std::string> helps_;
};

TEST_F(HttpTest, MetricsAreWellFormedAndCount) {
  std::unique_ptr<TestAdapter> adapter = Join();
  HttpReply reply = Get("/metrics");
  ASSERT_EQ(reply.status, 200);
  EXPECT_THAT(reply.head, HasSubstr("text/plain; version=0.0.4"));
  Exposition exposition(reply.body);
  EXPECT_EQ(exposition.samples["phalanx_gangs{phase=\"starting\"}"], 1);
  EXPECT_EQ(exposition.samples["phalanx_gangs{phase=\"queued\"}"], 0);
  EXPECT_EQ(exposition.samples["phalanx_epoch"], static_cast<double>(adapter->epoch()));
  EXPECT_EQ(exposition.samples["phalanx_synced"], 1);
  EXPECT_EQ(exposition.samples["phalanx_sessions_total"], 1);
  EXPECT_EQ(exposition.samples["phalanx_resource_allocatable{resource=\"nvidia.com/gpu\"}"], 16);
  EXPECT_EQ(exposition.samples["phalanx_resource_held{resource=\"nvidia.com/gpu\"}"], 16);
  EXPECT_EQ(exposition.samples["phalanx_resource_held{resource=\"cpu\"}"], 2);
  EXPECT_GE(exposition.samples["phalanx_plans_total"], 1);
  EXPECT_GE(exposition.samples["phalanx_commands_total"], 4);
  EXPECT_EQ(exposition.samples["phalanx_invariant_violations_total"], 0);
  for (const char* name :
       {"phalanx_gangs", "phalanx_gang_waiting_seconds", "phalanx_plan_duration_seconds",
        "phalanx_plan_work_units_total", "phalanx_placements_total", "phalanx_directives_total",
        "phalanx_resource_allocatable", "phalanx_resource_bound", "phalanx_resource_held",
        "phalanx_conflicts_total", "phalanx_epoch", "phalanx_partial_spells_total",
        "phalanx_status_writes_waiting", "phalanx_gang_kind_missing",
        "phalanx_partial_spell_seconds_total", "phalanx_mailbox_messages", "phalanx_build_info",
        "phalanx_invariant_violations_total", "phalanx_invariant_check_duration_seconds"}) {
    EXPECT_TRUE(exposition.types.contains(name)) << name;
  }
  EXPECT_THAT(reply.body, Not(HasSubstr("train")));
  EXPECT_THAT(reply.body, Not(HasSubstr("scheduler_")));
}

TEST_F(HttpTest, PluginNamesAreBounded) {
  std::unique_ptr<TestAdapter> adapter = Join();
  for (const char* plugin : {"NodeResourcesFit", "evil\"name\n{}"}) {
    pb::SyncRequest request = adapter->Message();
    pb::Conflict* conflict = request.mutable_conflict();
    conflict->set_pod_uid("uid-train-0");
    conflict->set_plan(server_.brain().Answer(adapter->epoch(), "uid-train-0")->plan);
    conflict->set_node_name("n0");
    conflict->set_plugin(plugin);
    conflict->set_stage(pb::Conflict::STAGE_FILTER);
    adapter->Send(request);
  }
  EXPECT_TRUE(testing::Eventually([this] {
    return Get("/metrics").body.find("phalanx_conflicts_total{plugin=\"NodeResourcesFit\"} 1") !=
           std::string::npos;
  }));
  std::string body = Get("/metrics").body;
  Exposition still_well_formed(body);
  EXPECT_THAT(body, Not(HasSubstr("evil")));
}

}  // namespace
}  // namespace phalanx::service
