// Flags and config file: every refusal names the place, the value and what was expected.
#include "service/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "service/config_file.h"
#include "service/flags.h"
#include "unit/service/support.h"

namespace phalanx::service {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string WrongWith(const std::string& yaml) {
  Settings settings;
  return std::string(ReadConfig(yaml, "brain.yaml", settings).message());
}

CommandLine Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "phalanxd");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(ConfigFile, SetsEveryKey) {
  Settings s;
  absl::Status status = ReadConfig(R"(
socketPath: /run/a/b.sock
httpAddress: "0.0.0.0:9000"
logLevel: debug
maxFrameBytes: 1048576
queryDeadline: 3s
livenessDeadline: 1m
factCapacity: 10
bulkCapacity: 20
sliceWorkUnits: 30
invariantPeriod: 1m30s
accelerators: [nvidia.com/gpu, "nvidia.com/mig-*"]
nodeScope: {pool: training, zone: ""}
reserveDeadline: 90s
prepareDeadline: 5m
backoffFirst: 2s
backoffLast: 1h
exclusionTTL: 45s
keepDone: 1h30m
)",
                                   "brain.yaml", s);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(s.socket_path, "/run/a/b.sock");
  EXPECT_EQ(s.http_address, "0.0.0.0:9000");
  EXPECT_EQ(s.log_level, "debug");
  EXPECT_EQ(s.max_frame_bytes, 1 << 20);
  EXPECT_EQ(s.query_deadline, Duration::Seconds(3));
  EXPECT_EQ(s.liveness_deadline, Duration::Minutes(1));
  EXPECT_EQ(s.fact_capacity, 10);
  EXPECT_EQ(s.bulk_capacity, 20);
  EXPECT_EQ(s.slice_work_units, 30);
  EXPECT_EQ(s.invariant_period, Duration::Seconds(90));
  EXPECT_THAT(s.engine.accelerators, ElementsAre("nvidia.com/gpu", "nvidia.com/mig-*"));
  EXPECT_EQ(s.engine.node_scope, (LabelMap{{"pool", "training"}, {"zone", ""}}));
  EXPECT_EQ(s.engine.reserve_deadline, Duration::Seconds(90));
  EXPECT_EQ(s.engine.prepare_deadline, Duration::Minutes(5));
  EXPECT_EQ(s.engine.backoff_first, Duration::Seconds(2));
  EXPECT_EQ(s.engine.backoff_last, Duration::Minutes(60));
  EXPECT_EQ(s.engine.exclusion_ttl, Duration::Seconds(45));
  EXPECT_EQ(s.engine.keep_done, Duration::Minutes(90));
}

TEST(ConfigFile, AnEmptyFileLeavesTheDefaults) {
  EXPECT_EQ(WrongWith(""), "");
  EXPECT_EQ(WrongWith("# nothing\n"), "");
}

TEST(ConfigFile, UnknownKeysAreRefusedWithLineAndValue) {
  EXPECT_THAT(WrongWith("logLevel: info\nlogLevle: debug\n"),
              AllOf(HasSubstr("brain.yaml:2: unknown key 'logLevle' with value 'debug'"),
                    HasSubstr("socketPath")));
  EXPECT_THAT(WrongWith("nested: {a: [1, 2]}\n"), HasSubstr("{a: [1, 2]}"));
}

TEST(ConfigFile, BadValuesAreRefusedWithLineValueAndExpectation) {
  EXPECT_THAT(WrongWith("\nlogLevel: loud\n"),
              HasSubstr("brain.yaml:2: logLevel is 'loud', expected debug, info"));
  EXPECT_THAT(WrongWith("accelerators: nvidia.com/gpu\n"), HasSubstr("expected a list"));
  EXPECT_THAT(WrongWith("accelerators: []\n"), HasSubstr("resource names"));
  EXPECT_THAT(WrongWith("accelerators: ['*/gpu']\n"), HasSubstr("a * only at the end"));
  EXPECT_THAT(WrongWith("nodeScope: [a]\n"), HasSubstr("expected a mapping"));
  EXPECT_THAT(WrongWith("nodeScope: {'a b': c}\n"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(WrongWith("logLevel: [info]\n"), HasSubstr("expected one value"));
  EXPECT_THAT(WrongWith("reserveDeadline: 60\n"), HasSubstr("'60', expected a duration"));
  EXPECT_THAT(WrongWith("factCapacity: -1\n"), HasSubstr("'-1', expected a whole number"));
  EXPECT_THAT(WrongWith("httpAddress: nowhere\n"), HasSubstr("HOST:PORT"));
  EXPECT_THAT(WrongWith("httpAddress: 1.2.3.4:70000\n"), HasSubstr("'1.2.3.4:70000'"));
  EXPECT_THAT(WrongWith("socketPath: relative.sock\n"), HasSubstr("at most 107 bytes"));
  EXPECT_THAT(WrongWith("socketPath: /" + std::string(107, 'x') + "\n"), HasSubstr("107"));
  EXPECT_THAT(WrongWith("logLevel: info\nlogLevel: debug\n"), HasSubstr("expected it once"));
}

TEST(ConfigFile, WhatIsNoYamlOrNoMappingIsRefused) {
  EXPECT_THAT(WrongWith("a: [1\n"), HasSubstr("brain.yaml:"));
  EXPECT_THAT(WrongWith("- a\n- b\n"), HasSubstr("expected a mapping"));
  EXPECT_THAT(WrongWith("just words"), HasSubstr("'just words'"));
}

TEST(Flags, WinOverTheFile) {
  testing::TempFolder folder;
  std::string path = folder.path("brain.yaml");
  std::ofstream(path) << "logLevel: debug\nreserveDeadline: 5s\n";
  CommandLine line = Parse({"--config", path.c_str(), "--log-level=error", "--accelerators",
                            "amd.com/gpu,nvidia.com/gpu", "--node-scope=pool=a"});
  ASSERT_FALSE(line.exit_status.has_value()) << line.error;
  EXPECT_EQ(line.settings.log_level, "error");
  EXPECT_EQ(line.settings.engine.reserve_deadline, Duration::Seconds(5));
  EXPECT_THAT(line.settings.engine.accelerators, ElementsAre("amd.com/gpu", "nvidia.com/gpu"));
  EXPECT_EQ(line.settings.engine.node_scope, (LabelMap{{"pool", "a"}}));
}

TEST(Flags, HelpVersionAndCheck) {
  CommandLine help = Parse({"--help"});
  EXPECT_EQ(help.exit_status, 0);
  for (const Setting& setting : AllSettings()) {
    EXPECT_THAT(help.out, HasSubstr(setting.flag));
    EXPECT_THAT(help.out, HasSubstr("[" + std::string(setting.key) + "]"));
  }
  CommandLine version = Parse({"--version"});
  EXPECT_EQ(version.exit_status, 0);
  EXPECT_THAT(version.out, HasSubstr(std::string("phalanxd ") + Version()));
  CommandLine check = Parse({"--check-config", "--log-level", "info"});
  EXPECT_EQ(check.exit_status, 0);
  EXPECT_EQ(check.out, "config: OK\n");
}

TEST(Flags, ErrorsEndWithStatusTwo) {
  CommandLine bad = Parse({"--reserve-deadline=soon"});
  EXPECT_EQ(bad.exit_status, 2);
  EXPECT_THAT(bad.error, HasSubstr("--reserve-deadline is 'soon', expected a duration"));
  EXPECT_EQ(Parse({"--no-such-flag"}).exit_status, 2);
  EXPECT_EQ(Parse({"extra"}).exit_status, 2);
  EXPECT_EQ(Parse({"--log-level=info", "--log-level=debug"}).exit_status, 2);
  CommandLine missing = Parse({"--config=/nonexistent/brain.yaml"});
  EXPECT_THAT(missing.error, HasSubstr("'/nonexistent/brain.yaml' can not be read"));
  testing::TempFolder folder;
  CommandLine not_a_file = Parse({"--config", folder.path().c_str()});
  EXPECT_EQ(not_a_file.exit_status, 2) << "a folder is no empty config file";
  EXPECT_THAT(not_a_file.error, HasSubstr("expected a file and not a folder"));
  EXPECT_THAT(Parse({"extra"}).error, ::testing::StartsWith("phalanxd: "));
  CommandLine crossed = Parse({"--check-config", "--backoff-first=10m", "--backoff-last=5m"});
  EXPECT_EQ(crossed.exit_status, 2);
  EXPECT_THAT(crossed.error, HasSubstr("backoffLast is '300s', expected at least backoffFirst"));
}

}  // namespace
}  // namespace phalanx::service
