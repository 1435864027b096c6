#pragma once

#include <httplib.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace kg::service {

struct HttpBounds {
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 8 << 20;
  double request_seconds = 30;  // limit for a whole request to arrive
  double idle_seconds = 60;     // limit between requests on a connection
  int connections = 256;        // served at the same time; others get 503
};

// cpp-httplib's server behind a stream that limits what a client can do with it: bytes and seconds of a request are
// counted from its first byte to its last, so neither endless headers nor a trickle can hold memory or a thread.
// Refuse requests that need no body in the pre-routing handler, which sees the headers: the connection is then closed.
class HttpServer : public httplib::Server {
 public:
  explicit HttpServer(const HttpBounds& bounds);

  // Binds host and port (0: any free one) and returns the port. Throws Error with the reason if that fails.
  int bind(const std::string& host, int port);
  // Ends idle connections; those with a request still get their answer. May be called from any thread.
  void close_idle() { closing_ = true; }

 private:
  bool process_and_close_socket(socket_t socket) override;

  const HttpBounds bounds_;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> closing_ = false;
};

// For a response whose request was not read to its end: the connection cannot be used any more, and the response says
// so ("Connection: close", RFC 9112, 9.6).
void close_after_this(httplib::Response& response);

}  // namespace kg::service
