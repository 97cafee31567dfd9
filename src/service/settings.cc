#include "service/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "service/log.h"
#include "wire/decode.h"
#include "wire/dialects/label.h"
#include "wire/text.h"

namespace phalanx::service {
namespace {

using Texts = std::vector<std::string>;
using Expected = std::optional<std::string>;  // nullopt: the text does

Expected SetSocketPath(Settings& settings, const Texts& texts) {
  const std::string& path = texts[0];
  if (path.size() > kMaxSocketPath || path.size() < 3 || path[0] != '/' || path.back() == '/') {
    return fmt::format("an absolute path of at most {} bytes", kMaxSocketPath);
  }
  settings.socket_path = path;
  return std::nullopt;
}

Expected SetHttpAddress(Settings& settings, const Texts& texts) {
  if (!texts[0].empty() && !ParseHostPort(texts[0])) {
    return "HOST:PORT with a port from 0 to 65535, or nothing to listen nowhere";
  }
  settings.http_address = texts[0];
  return std::nullopt;
}

Expected SetLogLevel(Settings& settings, const Texts& texts) {
  if (!IsLogLevel(texts[0])) return "debug, info, warning or error";
  settings.log_level = texts[0];
  return std::nullopt;
}

bool IsResourcePattern(const std::string& text) {
  if (text.empty() || text.size() > 317) return false;
  return std::ranges::all_of(text.substr(0, text.size() - 1),
                             [](char c) { return c != '*' && c > ' ' && c < 0x7F && c != ','; }) &&
         text.back() > ' ' && text.back() < 0x7F;
}

Expected SetAccelerators(Settings& settings, const Texts& texts) {
  if (texts.empty() || !std::ranges::all_of(texts, IsResourcePattern)) {
    return "resource names such as nvidia.com/gpu, a * only at the end";
  }
  settings.engine.accelerators = texts;
  return std::nullopt;
}

Expected SetNodeScope(Settings& settings, const Texts& texts) {
  LabelMap scope;
  for (const std::string& text : texts) {
    size_t equals = text.find('=');
    std::string key = text.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    bool value_ok = value.empty() || wire::IsLabelValue(value);
    if (equals == std::string::npos || !wire::IsLabelKey(key) || !value_ok) {
      return "node labels as KEY=VALUE";
    }
    scope[key] = value;
  }
  settings.engine.node_scope = std::move(scope);
  return std::nullopt;
}

template <class Target>
auto DurationSetter(Target target) {
  return [target](Settings& settings, const Texts& texts) -> Expected {
    std::optional<Duration> duration = wire::ParseDuration(texts[0]);
    if (!duration) return "a duration such as 90s, 45m or 2h30m, from 1s to 8760h";
    target(settings) = *duration;
    return std::nullopt;
  };
}

auto NumberSetter(int64_t Settings::*member, int64_t least, int64_t most) {
  return [=](Settings& settings, const Texts& texts) -> Expected {
    std::optional<int64_t> number = wire::ParseInt(texts[0]);
    if (!number || *number < least || *number > most) {
      return fmt::format("a whole number from {} to {}", least, most);
    }
    settings.*member = *number;
    return std::nullopt;
  };
}

Expected SetStatusWrites(Settings& settings, const Texts& texts) {
  std::optional<int64_t> number = wire::ParseInt(texts[0]);
  if (!number || *number < 1 || *number > 10'000) return "a whole number from 1 to 10000";
  settings.engine.status_writes_per_second = *number;
  return std::nullopt;
}

auto OfEngine(Duration EngineConfig::*member) {
  return DurationSetter([member](Settings& s) -> Duration& { return s.engine.*member; });
}

auto OfSettings(Duration Settings::*member) {
  return DurationSetter([member](Settings& s) -> Duration& { return s.*member; });
}

std::vector<Setting> ListeningSettings() {
  using enum SettingShape;
  return {
      {"socketPath", "--socket-path", "Unix socket for the adapter; its folder is made with 0700",
       kScalar, SetSocketPath},
      {"httpAddress", "--http-address",
       "where /metrics, /healthz, /livez, /readyz and /api/v1 listen; empty: nowhere", kScalar,
       SetHttpAddress},
      {"logLevel", "--log-level", "debug, info, warning or error", kScalar, SetLogLevel},
      {"maxFrameBytes", "--max-frame-bytes", "largest message that the adapter may send", kScalar,
       NumberSetter(&Settings::max_frame_bytes, 64 << 10, 256 << 20)},
      {"queryDeadline", "--query-deadline", "how long an HTTP request waits for the engine",
       kScalar, OfSettings(&Settings::query_deadline)},
      {"livenessDeadline", "--liveness-deadline",
       "/livez fails when the engine thread made no progress for this long", kScalar,
       OfSettings(&Settings::liveness_deadline)},
      {"factCapacity", "--fact-capacity", "facts that may wait for the engine", kScalar,
       NumberSetter(&Settings::fact_capacity, 1, 1 << 24)},
      {"bulkCapacity", "--bulk-capacity", "changed objects that may wait for the engine", kScalar,
       NumberSetter(&Settings::bulk_capacity, 1, 1 << 24)},
      {"sliceWorkUnits", "--slice-work-units", "planning work between two looks at the mailbox",
       kScalar, NumberSetter(&Settings::slice_work_units, 1, int64_t{1} << 40)},
      {"invariantPeriod", "--invariant-period",
       "how often the idle engine checks its own state, at most", kScalar,
       OfSettings(&Settings::invariant_period)},
  };
}

std::vector<Setting> PolicySettings() {
  using enum SettingShape;
  return {
      {"accelerators", "--accelerators",
       "resources that are accelerators (a trailing * matches any rest); pods that ask for one are "
       "held until admitted",
       kList, SetAccelerators},
      {"nodeScope", "--node-scope", "only nodes with these labels are used, KEY=VALUE", kMap,
       SetNodeScope},
      {"reserveDeadline", "--reserve-deadline", "from Admit until all members are reserved",
       kScalar, OfEngine(&EngineConfig::reserve_deadline)},
      {"prepareDeadline", "--prepare-deadline", "from reserved until all members are prepared",
       kScalar, OfEngine(&EngineConfig::prepare_deadline)},
      {"backoffFirst", "--backoff-first", "wait of a gang after its first failed start", kScalar,
       OfEngine(&EngineConfig::backoff_first)},
      {"backoffLast", "--backoff-last", "longest wait of a gang between two starts", kScalar,
       OfEngine(&EngineConfig::backoff_last)},
      {"exclusionTTL", "--exclusion-ttl",
       "how long a node that a plugin refused is left out for members of that shape", kScalar,
       OfEngine(&EngineConfig::exclusion_ttl)},
      {"keepDone", "--keep-done", "how long a finished gang is shown", kScalar,
       OfEngine(&EngineConfig::keep_done)},
      {"statusWritesPerSecond", "--status-writes-per-second",
       "what may be written a second for users to read: Gang objects, events, conditions", kScalar,
       SetStatusWrites},
  };
}

}  // namespace

const std::vector<Setting>& AllSettings() {
  static const auto* settings = [] {
    auto* all = new std::vector<Setting>(ListeningSettings());
    std::vector<Setting> policy = PolicySettings();
    all->insert(all->end(), policy.begin(), policy.end());
    return all;
  }();
  return *settings;
}

absl::Status CheckSettings(const Settings& settings) {
  const EngineConfig& engine = settings.engine;
  if (engine.backoff_last < engine.backoff_first) {
    return wire::ToStatus(
        {"backoffLast", fmt::format("{}s", engine.backoff_last.ms / 1000),
         fmt::format("at least backoffFirst, {}s", engine.backoff_first.ms / 1000)});
  }
  return absl::OkStatus();
}

std::optional<HostPort> ParseHostPort(const std::string& text) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  std::string host = text.substr(0, colon);
  std::optional<int64_t> port = wire::ParseInt(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return std::nullopt;
  bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  bool plain = std::ranges::all_of(host, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-';
  });
  if (!brackets && !plain) return std::nullopt;
  return HostPort{host, static_cast<int>(*port)};
}

}  // namespace phalanx::service
