// What the HTTP server answers, without the server: a path and a query in, a response out.
// Read-only.
//
//   /metrics            Prometheus text format 0.0.4
//   /healthz /livez     the engine thread makes progress
//   /readyz             an adapter's snapshot is applied, and no drain is under way
//   /api/v1/...         InspectService as JSON: kRoutes in the .cc file has the paths. The query
//                       holds the fields of the request
//
// Errors are JSON: 400 names the field, its value and what was expected, 404 the paths that exist,
// 405 the methods, 503 what did not answer in time.
#ifndef PHALANX_SERVICE_HTTP_API_H_
#define PHALANX_SERVICE_HTTP_API_H_

#include <atomic>
#include <string>

#include "runtime/brain.h"
#include "service/inspector.h"
#include "service/metrics.h"
#include "service/settings.h"

namespace phalanx::service {

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::string body;
};

class HttpApi {
 public:
  // All outlive it.
  HttpApi(runtime::Brain& brain, Inspector& inspector, Metrics& metrics, const Settings& settings,
          const std::atomic<bool>& draining);

  // Any thread; waits for the engine thread for at most the query deadline. `path` is decoded,
  // `query` is not.
  HttpResponse Handle(const std::string& method, const std::string& path,
                      const std::string& query = "");

 private:
  HttpResponse Live() const;
  HttpResponse Ready() const;

  runtime::Brain& brain_;
  Inspector& inspector_;
  Metrics& metrics_;
  const Settings& settings_;
  const std::atomic<bool>& draining_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_HTTP_API_H_
