#include "core/base/check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/base/check_context.h"

namespace phalanx {
namespace {

void ReportToStderr(const CheckFailure& failure) {
  std::fprintf(stderr, "%s: check failed: %s: %s%s\n", failure.where.c_str(),
               failure.condition.c_str(), failure.message.c_str(),
               failure.position.empty() ? "" : (" [" + failure.position + "]").c_str());
  std::fflush(stderr);
}

void (*reporter)(const CheckFailure&) = ReportToStderr;
thread_local CheckPosition* innermost = nullptr;

}  // namespace

void SetCheckReporter(void (*report)(const CheckFailure&)) {
  reporter = report != nullptr ? report : ReportToStderr;
}

CheckPosition::CheckPosition(std::function<std::string()> position)
    : position_(std::move(position)), outer_(std::exchange(innermost, this)) {}

CheckPosition::~CheckPosition() { innermost = outer_; }

std::string CheckPosition::Current() { return innermost ? innermost->position_() : ""; }

void CheckFailed(const char* file, int line, const char* condition, const std::string& message) {
  reporter({fmt::format("{}:{}", file, line), condition, message, CheckPosition::Current()});
  std::abort();
}

}  // namespace phalanx
