// What the HTTP server answers, without the server: a path in, a response out. Read-only.
//
//   /metrics                                 Prometheus text format 0.0.4
//   /healthz /livez                          the engine thread makes progress
//   /readyz                                  an adapter's snapshot is applied, and no drain is
//   under way /api/v1/gangs                            all gangs without members
//   /api/v1/gangs/{namespace}/{source}/{name}  one gang
//   /api/v1/nodes  /api/v1/topology
//
// Errors are JSON: 404 names the paths that exist, 405 the methods, 503 what did not answer in
// time.
#ifndef PHALANX_SERVICE_HTTP_API_H_
#define PHALANX_SERVICE_HTTP_API_H_

#include <atomic>
#include <string>

#include "runtime/brain.h"
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
  HttpApi(runtime::Brain& brain, Metrics& metrics, const Settings& settings,
          const std::atomic<bool>& draining);

  // Any thread; waits for the engine thread for at most the query deadline. `path` is decoded.
  HttpResponse Handle(const std::string& method, const std::string& path);

 private:
  HttpResponse Live() const;
  HttpResponse Ready() const;
  HttpResponse Gangs();
  // `rest` is "{namespace}/{source}/{name}".
  HttpResponse OneGang(const std::string& rest);
  HttpResponse Nodes();
  HttpResponse TopologyView();
  template <class Look, class ToText>
  HttpResponse FromEngine(Look look, ToText to_text);

  runtime::Brain& brain_;
  Metrics& metrics_;
  const Settings& settings_;
  const std::atomic<bool>& draining_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_HTTP_API_H_
