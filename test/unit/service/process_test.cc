// The program itself: how it starts, refuses to start, and ends.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "unit/service/support.h"

extern char** environ;

namespace phalanx::service {
namespace {

using ::testing::HasSubstr;
using testing::TestAdapter;

// A phalanxd with its standard error in a file.
class Phalanxd {
 public:
  Phalanxd(const testing::TempFolder& folder, const std::string& name,
           std::vector<std::string> arguments)
      : log_(folder.path(name + ".log")) {
    arguments.insert(arguments.begin(), PHALANXD_PROGRAM);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_.c_str(),
                                     O_CREAT | O_WRONLY | O_TRUNC, 0600);
    EXPECT_EQ(::posix_spawn(&pid_, PHALANXD_PROGRAM, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Phalanxd() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  void Signal(int signal) const { ::kill(pid_, signal); }
  // Its exit status once it has ended; -1 if it was killed or did not end.
  int Wait() {
    int status = 0;
    bool ended = testing::Eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
    if (!ended) return -1;
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool running() const { return ::kill(pid_, 0) == 0; }
  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }
  bool Serves() const {
    return testing::Eventually(
        [this] { return log().find("phalanxd serves") != std::string::npos; });
  }

 private:
  std::string log_;
  pid_t pid_ = 0;
};

class ProcessTest : public ::testing::Test {
 protected:
  std::vector<std::string> Arguments() const {
    return {"--socket-path=" + socket_, "--http-address=127.0.0.1:0"};
  }
  testing::TempFolder folder_;
  std::string socket_ = folder_.path("p/phalanxd.sock");
};

TEST_F(ProcessTest, TermEndsItWithStatusZeroWhileStreamsAreOpen) {
  Phalanxd phalanxd(folder_, "a", Arguments());
  ASSERT_TRUE(phalanxd.Serves()) << phalanxd.log();
  std::shared_ptr<grpc::Channel> channel = testing::Dial(socket_);
  TestAdapter current(channel);
  ASSERT_NE(current.Hello(), 0u);
  TestAdapter silent(channel);  // a stream that never says hello
  // The health service's Watch is a stream that nobody of ours finishes.
  grpc::GenericStub health(channel);
  grpc::CompletionQueue queue;
  std::unique_ptr<grpc::ClientContext> watch_context = testing::Context();
  auto watch = health.PrepareCall(watch_context.get(), "/grpc.health.v1.Health/Watch", &queue);
  watch->StartCall(nullptr);
  void* tag;
  bool ok;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  grpc::ByteBuffer empty;
  watch->Write(empty, nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok));
  auto start = std::chrono::steady_clock::now();
  phalanxd.Signal(SIGTERM);
  grpc::Status status = current.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("going away"));
  EXPECT_EQ(phalanxd.Wait(), 0) << phalanxd.log();
  // The bound is a promise to Kubernetes; the program itself cuts an end that takes too long short.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(phalanxd.log().find("took too long"), std::string::npos) << phalanxd.log();
  EXPECT_NE(::access(socket_.c_str(), F_OK), 0) << "the socket is gone";
  watch_context->TryCancel();
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
}

TEST_F(ProcessTest, ASecondInstanceLeavesTheFirstAlone) {
  Phalanxd first(folder_, "a", Arguments());
  ASSERT_TRUE(first.Serves()) << first.log();
  Phalanxd second(folder_, "b", Arguments());
  EXPECT_EQ(second.Wait(), 1);
  EXPECT_THAT(second.log(), HasSubstr("another phalanxd (pid "));
  EXPECT_TRUE(first.running());
  TestAdapter adapter(testing::Dial(socket_));
  EXPECT_NE(adapter.Hello(), 0u) << "the first still serves";
}

TEST_F(ProcessTest, AKilledOneIsFollowedByALaterEpoch) {
  uint64_t before;
  {
    Phalanxd first(folder_, "a", Arguments());
    ASSERT_TRUE(first.Serves()) << first.log();
    TestAdapter adapter(testing::Dial(socket_));
    before = adapter.Hello();
    ASSERT_NE(before, 0u);
    first.Signal(SIGKILL);
    EXPECT_EQ(adapter.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  Phalanxd second(folder_, "b", Arguments());
  ASSERT_TRUE(second.Serves()) << second.log();
  TestAdapter adapter(testing::Dial(socket_));
  EXPECT_GT(adapter.Hello(), before);
}

TEST_F(ProcessTest, EveryLineOfItsLogIsJson) {
  Phalanxd phalanxd(folder_, "a", Arguments());
  ASSERT_TRUE(phalanxd.Serves()) << phalanxd.log();
  {
    TestAdapter adapter(testing::Dial(socket_));
    ASSERT_NE(adapter.Hello("quote\" newline\n"), 0u);
    testing::pb::Changes changes;
    changes.add_nodes()->set_name("bad\"node\n\x01");
    adapter.SendChanges(changes);
    EXPECT_TRUE(testing::Eventually(
        [&] { return phalanxd.log().find("input refused") != std::string::npos; }));
  }
  phalanxd.Signal(SIGTERM);
  EXPECT_EQ(phalanxd.Wait(), 0);
  std::istringstream lines(phalanxd.log());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line;
    EXPECT_TRUE(json.contains("ts") && json.contains("level") && json.contains("msg")) << line;
  }
  EXPECT_GE(count, 4);
}

TEST_F(ProcessTest, AnAddressThatCanNotBeListenedOnEndsTheStart) {
  Phalanxd phalanxd(folder_, "a", {"--socket-path=" + socket_, "--http-address=192.0.2.1:1"});
  EXPECT_EQ(phalanxd.Wait(), 1);
  EXPECT_THAT(phalanxd.log(), HasSubstr("192.0.2.1:1"));
}

}  // namespace
}  // namespace phalanx::service
