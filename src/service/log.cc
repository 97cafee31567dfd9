#include "service/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <grpc/support/log.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdint>
#include <cstring>

#include "core/base/check_context.h"

namespace phalanx::service {
namespace {

// The fields of the message that this thread is logging: the logger is synchronous, so the
// formatter runs inside the call.
thread_local const LogFields* current_fields = nullptr;

// Length of the valid UTF-8 sequence at the front of `text`; 0 if there is none.
size_t Utf8Length(std::string_view text) {
  auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  unsigned char second = byte(1);
  bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  bool surrogate = lead == 0xED && second >= 0xA0;
  bool too_high = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_high ? 0 : length;
}

void AppendEscaped(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7F) {
    out += fmt::format("\\u{:04x}", byte);
  } else {
    out += c;
  }
}

std::string_view LevelName(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return "debug";
    case spdlog::level::warn:
      return "warning";
    case spdlog::level::err:
    case spdlog::level::critical:
      return "error";
    default:
      return "info";
  }
}

std::string Timestamp(std::chrono::system_clock::time_point time) {
  int64_t ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(time_t{ms / 1000}), ms % 1000);
}

std::string_view BaseName(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

spdlog::level::level_enum LevelOf(std::string_view level) {
  if (level == "debug") return spdlog::level::debug;
  if (level == "warning") return spdlog::level::warn;
  if (level == "error") return spdlog::level::err;
  return spdlog::level::info;
}

void Log(spdlog::level::level_enum level, std::string_view message, const LogFields& fields,
         const LogPlace& where) {
  current_fields = &fields;
  spdlog::default_logger_raw()->log(spdlog::source_loc{where.file, where.line, ""}, level,
                                    spdlog::string_view_t(message.data(), message.size()));
  current_fields = nullptr;
}

void LogOfGrpc(gpr_log_func_args* args) {
  spdlog::level::level_enum level = args->severity == GPR_LOG_SEVERITY_ERROR ? spdlog::level::err
                                    : args->severity == GPR_LOG_SEVERITY_INFO
                                        ? spdlog::level::info
                                        : spdlog::level::debug;
  spdlog::default_logger_raw()->log(spdlog::source_loc{args->file, args->line, ""}, level,
                                    spdlog::string_view_t(args->message));
}

void LogOfCheck(const CheckFailure& failure) {
  LogError("check failed", {{"where", failure.where},
                            {"condition", failure.condition},
                            {"error", failure.message},
                            {"position", failure.position}});
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";  // U+FFFD
      length = 1;
    } else if (length == 1) {
      AppendEscaped(text[0], out);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
  return out;
}

void JsonFormatter::format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) {
  std::string line =
      fmt::format(R"({{"ts":"{}","level":"{}")", Timestamp(message.time), LevelName(message.level));
  if (!message.source.empty()) {
    line += ",\"caller\":" +
            JsonQuote(fmt::format("{}:{}", BaseName(message.source.filename), message.source.line));
  }
  line += ",\"msg\":" + JsonQuote({message.payload.data(), message.payload.size()});
  if (current_fields) {
    for (const auto& [key, value] : *current_fields) {
      line += "," + JsonQuote(key) + ":" + JsonQuote(value);
    }
  }
  line += "}\n";
  out.append(line.data(), line.data() + line.size());
}

std::unique_ptr<spdlog::formatter> JsonFormatter::clone() const {
  return std::make_unique<JsonFormatter>();
}

bool IsLogLevel(std::string_view level) {
  return level == "debug" || level == "info" || level == "warning" || level == "error";
}

void InitLogging(std::string_view level) {
  InitLogging(level, std::make_shared<spdlog::sinks::stderr_sink_mt>());
}

void InitLogging(std::string_view level, std::shared_ptr<spdlog::sinks::sink> sink) {
  auto logger = std::make_shared<spdlog::logger>("phalanxd", std::move(sink));
  logger->set_formatter(std::make_unique<JsonFormatter>());
  logger->set_level(LevelOf(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  gpr_set_log_function(LogOfGrpc);
  SetCheckReporter(LogOfCheck);
}

void LogInfo(std::string_view message, LogFields fields, LogPlace where) {
  Log(spdlog::level::info, message, fields, where);
}

void LogWarning(std::string_view message, LogFields fields, LogPlace where) {
  Log(spdlog::level::warn, message, fields, where);
}

void LogError(std::string_view message, LogFields fields, LogPlace where) {
  Log(spdlog::level::err, message, fields, where);
}

}  // namespace phalanx::service
