#include "service/http_server.h"

#include <civetweb.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "service/log.h"

namespace phalanx::service {
namespace {

int OnLog(const mg_connection* /*connection*/, const char* message) {
  LogWarning("http", {{"error", message}});
  return 1;  // handled
}

const char* StatusText(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 500:
      return "Internal Server Error";
    default:
      return "Service Unavailable";
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                              HttpApi& api) {
  std::unique_ptr<HttpServer> server(new HttpServer(api));
  mg_init_library(0);
  mg_callbacks callbacks{};
  callbacks.log_message = OnLog;
  // A few threads: probes must be answered while a slow query waits for its deadline.
  std::array<const char*, 13> options = {"listening_ports",
                                         address.c_str(),
                                         "num_threads",
                                         "6",
                                         "request_timeout_ms",
                                         "5000",
                                         "linger_timeout_ms",
                                         "500",
                                         "enable_directory_listing",
                                         "no",
                                         "decode_url",
                                         "yes",
                                         nullptr};
  server->context_ = mg_start(&callbacks, nullptr, options.data());
  if (!server->context_) {
    return absl::FailedPreconditionError(fmt::format(
        "httpAddress is '{}', expected an address of this host with a free port", address));
  }
  mg_server_port port{};
  if (mg_get_server_ports(server->context_, 1, &port) == 1) server->port_ = port.port;
  mg_set_request_handler(server->context_, "/**", OnRequest, server.get());
  return server;
}

HttpServer::~HttpServer() {
  if (context_) mg_stop(context_);
}

int HttpServer::OnRequest(mg_connection* connection, void* self) {
  return static_cast<HttpServer*>(self)->Respond(connection);
}

int HttpServer::Respond(mg_connection* connection) {
  const mg_request_info* request = mg_get_request_info(connection);
  HttpResponse response =
      api_.Handle(request->request_method, request->local_uri ? request->local_uri : "",
                  request->query_string ? request->query_string : "");
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
      response.status, StatusText(response.status), response.content_type, response.body.size(),
      response.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  mg_write(connection, head.data(), head.size());
  if (std::string(request->request_method) != "HEAD") {
    mg_write(connection, response.body.data(), response.body.size());
  }
  return response.status;
}

}  // namespace phalanx::service
