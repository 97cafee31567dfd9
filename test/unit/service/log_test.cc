// One line of log is one JSON object, whatever somebody put into a pod's name.
#include "service/log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/check_context.h"

namespace phalanx::service {
namespace {

class LogTest : public ::testing::Test {
 protected:
  LogTest() { InitLogging("debug", std::make_shared<spdlog::sinks::ostream_sink_mt>(out_)); }
  ~LogTest() override { InitLogging("info"); }

  // The only line that was written.
  nlohmann::json Line() {
    std::string text = out_.str();
    out_.str("");
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << text;
    return json;
  }

  std::ostringstream out_;
};

TEST_F(LogTest, HasTheKeysThatKubernetesToolsExpect) {
  LogWarning("gang waits", {{"gang", "train"}, {"namespace", "team"}});
  nlohmann::json line = Line();
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["msg"], "gang waits");
  EXPECT_EQ(line["gang"], "train");
  EXPECT_EQ(line["namespace"], "team");
  EXPECT_EQ(std::string(line["caller"]).find("log_test.cc:"), 0u);
  EXPECT_EQ(std::string(line["ts"]).size(), std::string("2026-03-01T12:00:00.123Z").size());
}

TEST_F(LogTest, HostileMessagesStayOneValidLine) {
  const std::vector<std::string> hostile = {
      R"(he said "no" \ and left)",
      "two\nlines\r\nand\ttabs",
      std::string("nul\0inside", 10),
      "\x01\x1b[31mred\x7f",
      "{\"msg\":\"forged\"}\n{\"level\":\"error\"}",
      "%v %n {} {0} %s",
      "caf\xc3\xa9 \xe2\x9c\x93 \xf0\x9f\x98\x80",
  };
  for (const std::string& text : hostile) {
    LogInfo(text, {{"value", text}});
    nlohmann::json line = Line();
    EXPECT_EQ(line["msg"], text);
    EXPECT_EQ(line["value"], text);
  }
}

TEST_F(LogTest, InvalidUtf8IsReplacedByteForByte) {
  const std::vector<std::string> broken = {"\xff\xfe",         "\xc3",     "\xe2\x9c",
                                           "\xf0\x9f\x98",     "\xc0\xaf", "\xed\xa0\x80",
                                           "\xf4\x90\x80\x80", "\x80",     "a\xc3(b"};
  for (const std::string& text : broken) {
    LogInfo(text);
    std::string message = Line()["msg"];
    EXPECT_NE(message.find("\xEF\xBF\xBD"), std::string::npos);
  }
}

TEST_F(LogTest, RandomBytesStayValid) {
  std::mt19937 random(20260301);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    LogInfo(text, {{text, text}});
    Line();
  }
}

TEST_F(LogTest, PlainSpdlogCallsAreJsonToo) {
  spdlog::info("say \"{}\"\n", 5);
  EXPECT_EQ(Line()["msg"], "say \"5\"\n");
}

TEST(LogDeathTest, ABrokenCheckIsOneLineOfJsonToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto fail = [] {
    InitLogging("info");
    CheckPosition position([] { return std::string("command 5 (Tick) of epoch 7"); });
    PHALANX_CHECK(1 + 1 == 3, "pod \"{}\"", "a");
  };
  EXPECT_DEATH(fail(), R"("msg":"check failed","where":".*log_test.cc:[0-9]+",.*)"
                       R"("error":"pod ..a..","position":"command 5 .Tick. of epoch 7")");
}

TEST_F(LogTest, FieldsDoNotLeakIntoTheNextLine) {
  LogInfo("a", {{"gang", "x"}});
  Line();
  spdlog::info("b");
  EXPECT_FALSE(Line().contains("gang"));
}

}  // namespace
}  // namespace phalanx::service
