// Logs: one JSON object a line on standard error, valid JSON whatever the message holds.
//
//   {"ts":"2026-03-01T12:00:00.123Z","level":"info","caller":"server.cc:42","msg":"...", FIELDS}
//
// Quotes, control characters and invalid UTF-8 in messages, field names and values are escaped or
// replaced. What gRPC and civetweb log comes out the same way, and a PHALANX_CHECK that breaks.
//
// Threads: every function from any thread.
#ifndef PHALANX_SERVICE_LOG_H_
#define PHALANX_SERVICE_LOG_H_

#include <spdlog/formatter.h>
#include <spdlog/sinks/sink.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace phalanx::service {

// `text` as a JSON string with its quotes; every byte that is not part of valid UTF-8 becomes
// U+FFFD.
std::string JsonQuote(std::string_view text);

// Formats any spdlog message as one JSON line.
class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::formatter> clone() const override;
};

// "debug", "info", "warning" or "error".
bool IsLogLevel(std::string_view level);

// Makes the default logger write JSON to standard error, and lets gRPC and civetweb log through it.
// REQUIRES: IsLogLevel(level).
void InitLogging(std::string_view level);
// The same with a sink of the caller; for tests.
void InitLogging(std::string_view level, std::shared_ptr<spdlog::sinks::sink> sink);

using LogField = std::pair<std::string_view, std::string>;
using LogFields = std::initializer_list<LogField>;

// Where the caller stands. The built-ins are those behind std::source_location, which clang 14 does
// not know.
struct LogPlace {
  const char* file = __builtin_FILE();
  int line = __builtin_LINE();
};

void LogInfo(std::string_view message, LogFields fields = {}, LogPlace where = {});
void LogWarning(std::string_view message, LogFields fields = {}, LogPlace where = {});
void LogError(std::string_view message, LogFields fields = {}, LogPlace where = {});

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_LOG_H_
