#include "service/http_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/message_json.h"
#include "wire/text.h"

namespace phalanx::service {
namespace {

constexpr char kJson[] = "application/json";
constexpr char kText[] = "text/plain; charset=utf-8";
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

HttpResponse ErrorOf(const absl::Status& status) {
  const std::string message(status.message());
  if (absl::IsInvalidArgument(status)) return Error(400, message);
  return Error(absl::IsNotFound(status) ? 404 : 503, message);
}

// `variables` are what stood in the path where the route has names in braces.
using Variables = std::vector<std::pair<std::string, std::string>>;

// Reads the request from the query and the path, asks, and shows the part of the response that
// `shown` picks.
template <class Request, class Response, class Shown>
HttpResponse Ask(Inspector& inspector, absl::Status (Inspector::*method)(const Request&, Response&),
                 Shown shown, const Variables& variables, const std::string& query) {
  Request request;
  absl::Status status = wire::ReadQuery(query, request);
  for (const auto& [name, value] : variables) {
    if (status.ok()) status = wire::ReadField(name, value, request);
  }
  Response response;
  if (status.ok()) status = (inspector.*method)(request, response);
  if (!status.ok()) return ErrorOf(status);
  return {200, kJson, wire::MessageToJson(shown(response)) + "\n"};
}

template <auto kMethod>
HttpResponse Whole(Inspector& inspector, const Variables& variables, const std::string& query) {
  return Ask(
      inspector, kMethod, [](const auto& response) -> const auto& { return response; }, variables,
      query);
}

HttpResponse OneGang(Inspector& inspector, const Variables& variables, const std::string& query) {
  return Ask(
      inspector, &Inspector::GetGang,
      [](const pb::GetGangResponse& response) -> const auto& { return response.gang(); }, variables,
      query);
}

struct Route {
  const char* path;
  HttpResponse (*ask)(Inspector&, const Variables&, const std::string& query);
};
constexpr Route kRoutes[] = {
    {"/api/v1/gangs", Whole<&Inspector::ListGangs>},
    {"/api/v1/gangs/{namespace}/{source}/{name}", OneGang},
    {"/api/v1/gangs/{namespace}/{source}/{name}/explain", Whole<&Inspector::ExplainGang>},
    {"/api/v1/nodes", Whole<&Inspector::ListNodes>},
    {"/api/v1/topology", Whole<&Inspector::GetTopology>},
    {"/api/v1/hashes", Whole<&Inspector::ListHashes>},
    {"/api/v1/fields", Whole<&Inspector::GetFieldHashes>},
};

// Whether `path` is of this form; fills `variables`.
bool Matches(const char* route, const std::string& path, Variables* variables) {
  const std::vector<std::string> want = Split(route, '/');
  const std::vector<std::string> have = Split(path, '/');
  if (want.size() != have.size()) return false;
  variables->clear();
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i].starts_with("{")) {
      variables->emplace_back(want[i].substr(1, want[i].size() - 2), have[i]);
    } else if (want[i] != have[i]) {
      return false;
    }
  }
  return true;
}

HttpResponse NoSuchPath(const std::string& path) {
  std::string paths = "/metrics, /healthz, /livez, /readyz";
  for (const Route& route : kRoutes) paths += std::string(", ") + route.path;
  return Error(404, fmt::format("path is '{}', expected one of {}", wire::Clip(path), paths));
}

}  // namespace

HttpApi::HttpApi(runtime::Brain& brain, Inspector& inspector, Metrics& metrics,
                 const Settings& settings, const std::atomic<bool>& draining)
    : brain_(brain),
      inspector_(inspector),
      metrics_(metrics),
      settings_(settings),
      draining_(draining) {}

HttpResponse HttpApi::Handle(const std::string& method, const std::string& path,
                             const std::string& query) {
  Variables variables;
  const auto* route = std::ranges::find_if(
      kRoutes, [&](const Route& r) { return Matches(r.path, path, &variables); });
  const bool found = route != std::end(kRoutes);
  const bool probe = path == "/healthz" || path == "/livez" || path == "/readyz";
  const bool metrics = path == "/metrics";
  if (!found && !probe && !metrics) return NoSuchPath(path);
  if (method != "GET" && method != "HEAD") {
    return Error(405, fmt::format("method is '{}', expected GET or HEAD: this API only shows",
                                  wire::Clip(method)));
  }
  if (found) return route->ask(inspector_, variables, query);
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

}  // namespace phalanx::service
