#include "service/http_api.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/json_view.h"
#include "wire/text.h"

namespace phalanx::service {
namespace {

constexpr char kJson[] = "application/json";
constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kGangsPrefix[] = "/api/v1/gangs/";
constexpr char kPaths[] =
    "/metrics, /healthz, /livez, /readyz, /api/v1/gangs, "
    "/api/v1/gangs/{namespace}/{source}/{name}, /api/v1/nodes, /api/v1/topology";

HttpResponse Error(int status, const std::string& message) {
  return {status, kJson, wire::ErrorToJson(status, message) + "\n"};
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> out;
  size_t start = 0;
  while (true) {
    size_t end = text.find(separator, start);
    out.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return out;
    start = end + 1;
  }
}

}  // namespace

HttpApi::HttpApi(runtime::Brain& brain, Metrics& metrics, const Settings& settings,
                 const std::atomic<bool>& draining)
    : brain_(brain), metrics_(metrics), settings_(settings), draining_(draining) {}

HttpResponse HttpApi::Handle(const std::string& method, const std::string& path) {
  std::string_view gangs_prefix(kGangsPrefix);
  auto route = [&]() -> HttpResponse (HttpApi::*)() {
    if (path == "/api/v1/gangs") return &HttpApi::Gangs;
    if (path == "/api/v1/nodes") return &HttpApi::Nodes;
    if (path == "/api/v1/topology") return &HttpApi::TopologyView;
    return nullptr;
  }();
  bool one_gang = path.starts_with(gangs_prefix);
  bool probe = path == "/healthz" || path == "/livez" || path == "/readyz";
  bool metrics = path == "/metrics";
  if (!route && !one_gang && !probe && !metrics) {
    return Error(404, fmt::format("path is '{}', expected one of {}", wire::Clip(path), kPaths));
  }
  if (method != "GET" && method != "HEAD") {
    return Error(405, fmt::format("method is '{}', expected GET or HEAD: this API only shows",
                                  wire::Clip(method)));
  }
  if (route) return (this->*route)();
  if (one_gang) return OneGang(path.substr(gangs_prefix.size()));
  if (metrics) return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_.Expose()};
  return path == "/readyz" ? Ready() : Live();
}

HttpResponse HttpApi::Live() const {
  std::chrono::milliseconds idle = brain_.SinceProgress();
  if (idle.count() <= settings_.liveness_deadline.ms) return {200, kText, "ok\n"};
  return Error(503, fmt::format("the engine thread made no progress for {} ms, expected less than "
                                "{} ms",
                                idle.count(), settings_.liveness_deadline.ms));
}

HttpResponse HttpApi::Ready() const {
  if (draining_) return Error(503, "shutting down");
  if (brain_.epoch() == 0) return Error(503, "no adapter is connected");
  if (!brain_.synced()) {
    return Error(503, fmt::format("the snapshot of epoch {} is not complete", brain_.epoch()));
  }
  return {200, kText, "ok\n"};
}

template <class Look, class ToText>
HttpResponse HttpApi::FromEngine(Look look, ToText to_text) {
  auto result = brain_.Query(look, std::chrono::milliseconds(settings_.query_deadline.ms));
  switch (result.error) {
    case runtime::QueryError::kNone:
      // Text is made here and not on the engine thread.
      return {200, kJson, to_text(*result.value) + "\n"};
    case runtime::QueryError::kBusy:
      return Error(503, "too many requests wait for the engine; try again");
    case runtime::QueryError::kTimeout:
      return Error(503, fmt::format("the engine did not answer within {} ms; try again",
                                    settings_.query_deadline.ms));
    case runtime::QueryError::kStopped:
      break;
  }
  return Error(503, "shutting down");
}

HttpResponse HttpApi::Gangs() {
  return FromEngine([](const Engine& engine) { return engine.Gangs(); }, wire::GangsToJson);
}

HttpResponse HttpApi::OneGang(const std::string& rest) {
  std::vector<std::string> parts = Split(rest, '/');
  if (parts.size() != 3) {
    return Error(404, fmt::format("gang is '{}', expected {{namespace}}/{{source}}/{{name}}",
                                  wire::Clip(rest)));
  }
  GangKey key{parts[0], parts[1], parts[2]};
  bool found = true;
  HttpResponse response = FromEngine([key](const Engine& engine) { return engine.Gang(key); },
                                     [&found](const std::optional<GangView>& gang) {
                                       found = gang.has_value();
                                       return found ? wire::GangToJson(*gang) : std::string();
                                     });
  if (found) return response;
  return Error(404, fmt::format("there is no gang '{}' of source '{}' in namespace '{}'",
                                wire::Clip(key.name), wire::Clip(key.source), wire::Clip(key.ns)));
}

HttpResponse HttpApi::Nodes() {
  return FromEngine([](const Engine& engine) { return engine.Nodes(); }, wire::NodesToJson);
}

HttpResponse HttpApi::TopologyView() {
  return FromEngine([](const Engine& engine) { return engine.TopologySnapshot(); },
                    wire::TopologyToJson);
}

}  // namespace phalanx::service
