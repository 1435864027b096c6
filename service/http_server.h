#pragma once

#include <httplib.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace kg::service {

struct HttpBounds {
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 8 << 20;
  double request_seconds = 30;  // for a whole request to arrive
  double idle_seconds = 60;     // between requests of a connection
  int connections = 256;        // served at once; others get 503
};

// cpp-httplib's server behind a stream that bounds what a client can make of it: bytes and seconds of a request are
// counted from its first byte to its last, so that neither endless headers nor a trickle hold memory or a thread.
// Refuse in the pre-routing handler, which sees the headers, whatever needs no body: the connection is then closed.
class HttpServer : public httplib::Server {
 public:
  explicit HttpServer(const HttpBounds& bounds);

  // Binds host and port (0: any free one) and gives the port. Throws Error that says why it cannot be had.
  int bind(const std::string& host, int port);
  // Ends idle connections; those with a request get its answer. From any thread.
  void close_idle() { closing_ = true; }

 private:
  bool process_and_close_socket(socket_t socket) override;

  const HttpBounds bounds_;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> closing_ = false;
};

// From a pre-routing handler: the request's body is not wanted, so the connection cannot be used any more.
void close_after_this();

}  // namespace kg::service
