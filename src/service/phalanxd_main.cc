// phalanxd: the brain of Phalanx.
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "service/flags.h"
#include "service/log.h"
#include "service/server.h"

namespace {

using phalanx::service::CommandLine;

// Nothing that matters lives in memory: when ending takes too long, it is cut short.
void EndWithin(std::chrono::milliseconds limit) {
  std::thread([limit] {
    std::this_thread::sleep_for(limit);
    phalanx::service::LogWarning("shutting down took too long; leaving");
    ::_exit(0);
  }).detach();
}

int Run(const CommandLine& line) {
  // Blocked before any thread starts, so that all inherit it and the main thread waits for them.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  phalanx::service::Server server(line.settings);
  absl::Status status = server.Start();
  if (!status.ok()) {
    phalanx::service::LogError(std::string(status.message()));
    return 1;
  }
  int signal = 0;
  sigwait(&ends, &signal);
  phalanx::service::LogInfo("shutting down", {{"signal", signal == SIGTERM ? "TERM" : "INT"}});
  EndWithin(std::chrono::milliseconds(4500));
  server.Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line = phalanx::service::ParseCommandLine(argc, argv);
  std::fputs(line.out.c_str(), stdout);
  std::fputs(line.error.c_str(), stderr);
  if (line.exit_status) return *line.exit_status;
  ::umask(0077);  // the socket is for this user alone
  phalanx::service::InitLogging(line.settings.log_level);
  return Run(line);
}
