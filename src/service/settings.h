// What phalanxd can be told, by flag or by config file, with the defaults.
//
// Every setting has one entry in AllSettings(): its key in the file, its flag, its help text and
// how its text is read. docs/guides/configuration.md lists them.
#ifndef PHALANX_SERVICE_SETTINGS_H_
#define PHALANX_SERVICE_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "phalanx/engine.h"
#include "phalanx/time.h"

namespace phalanx::service {

// sizeof(sockaddr_un::sun_path) - 1.
inline constexpr size_t kMaxSocketPath = 107;

struct Settings {
  std::string socket_path = "/run/phalanx/private/phalanxd.sock";
  std::string http_address = "127.0.0.1:8473";  // empty: no HTTP
  std::string log_level = "info";
  EngineConfig engine;
  int64_t max_frame_bytes = int64_t{4} << 20;
  // How long an HTTP request waits for the engine thread.
  Duration query_deadline = Duration::Seconds(2);
  // /livez fails when the engine thread made no progress for this long.
  Duration liveness_deadline = Duration::Seconds(30);
  int64_t fact_capacity = 65'536;
  int64_t bulk_capacity = 16'384;
  int64_t slice_work_units = 20'000;
  // How often the idle engine thread compares derived state with a recomputation.
  Duration invariant_period = Duration::Seconds(10);
};

enum class SettingShape { kScalar, kList, kMap };  // of the value in the file

struct Setting {
  const char* key;   // "socketPath"
  const char* flag;  // "--socket-path"
  const char* help;
  SettingShape shape;
  // Reads one scalar, the items of a list, or "KEY=VALUE" items of a map. Returns what was expected
  // if the text does not do.
  std::function<std::optional<std::string>(Settings&, const std::vector<std::string>&)> set;
};

const std::vector<Setting>& AllSettings();

// What no single value shows: INVALID_ARGUMENT with field, value and what was expected.
absl::Status CheckSettings(const Settings& settings);

// "HOST:PORT" or "[HOST]:PORT"; nullopt if `text` is neither.
struct HostPort {
  std::string host;
  int port = 0;
};
std::optional<HostPort> ParseHostPort(const std::string& text);

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_SETTINGS_H_
