// The HTTP server (civetweb) in front of HttpApi.
#ifndef PHALANX_SERVICE_HTTP_SERVER_H_
#define PHALANX_SERVICE_HTTP_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "service/http_api.h"

struct mg_context;
struct mg_connection;

namespace phalanx::service {

class HttpServer {
 public:
  // Listens on "HOST:PORT", port 0 for any free one. `api` outlives the server.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address,
                                                           HttpApi& api);
  ~HttpServer();  // waits for requests under way
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }

 private:
  explicit HttpServer(HttpApi& api) : api_(api) {}
  static int OnRequest(mg_connection* connection, void* self);
  int Respond(mg_connection* connection);

  HttpApi& api_;
  mg_context* context_ = nullptr;
  int port_ = 0;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_HTTP_SERVER_H_
