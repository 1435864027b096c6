#include "service/http_server.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/error.h"

namespace kg::service {
namespace {

constexpr double kLingerSeconds = 5, kWriteSeconds = 30;
constexpr std::size_t kLingerBytes = 64 << 20, kRequestsOfOne = 100000;
constexpr int kSpareThreads = 8;  // threads that answer further connections with 503

thread_local bool close_wanted = false;

void address_of(bool peer, int socket, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  const int failed = peer ? ::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size)
                          : ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (failed != 0 || ::getnameinfo(reinterpret_cast<sockaddr*>(&address), size, host.data(), host.size(),
                                   service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return;
  ip = host.data();
  port = std::atoi(service.data());
}

// A connection's bytes, with the remaining limits of the current request.
class BoundedStream : public httplib::Stream {
 public:
  BoundedStream(socket_t socket, const HttpBounds& bounds) : socket_(socket), bounds_(bounds) {}

  // True when the first byte of a request is there.
  bool wait_for_request(const std::atomic<bool>& closing) {
    const double until = monotonic_seconds() + bounds_.idle_seconds;
    while (begin_ == end_ && !ready(POLLIN, 0.1))
      if (closing || monotonic_seconds() > until) return false;
    if (begin_ == end_ && fill() <= 0) return false;
    left_ = bounds_.header_bytes + bounds_.body_bytes;
    until_ = monotonic_seconds() + bounds_.request_seconds;
    return true;
  }

  bool is_readable() const override {
    return begin_ < end_ || ready(POLLIN, std::max(0.0, until_ - monotonic_seconds()));
  }
  bool is_writable() const override { return ready(POLLOUT, kWriteSeconds); }
  socket_t socket() const override { return socket_; }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { address_of(true, socket_, ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { address_of(false, socket_, ip, port); }

  ssize_t read(char* to, std::size_t size) override {
    if (left_ == 0) return -1;
    if (begin_ == end_) {
      if (!is_readable()) return -1;
      if (const ssize_t got = fill(); got <= 0) return got;
    }
    size = std::min({size, end_ - begin_, left_});
    std::memcpy(to, buffer_.data() + begin_, size);
    begin_ += size;
    left_ -= size;
    return static_cast<ssize_t>(size);
  }

  ssize_t write(const char* from, std::size_t size) override {
    if (!is_writable()) return -1;
    ssize_t written = 0;
    while ((written = ::send(socket_, from, size, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return written;
  }

  // Lets the last answer reach a client that is still sending: a close with unread bytes would reset the connection.
  void linger() {
    ::shutdown(socket_, SHUT_WR);
    const double until = monotonic_seconds() + kLingerSeconds;
    for (std::size_t dropped = 0; dropped < kLingerBytes;) {
      const double left = until - monotonic_seconds();
      if (left <= 0 || !ready(POLLIN, left)) return;
      begin_ = end_ = 0;
      const ssize_t got = fill();
      if (got <= 0) return;
      dropped += static_cast<std::size_t>(got);
    }
  }

 private:
  bool ready(short what, double seconds) const {
    pollfd waiting{socket_, what, 0};
    int count = 0;
    while ((count = ::poll(&waiting, 1, static_cast<int>(seconds * 1000))) < 0 && errno == EINTR) {
    }
    return count > 0;
  }

  ssize_t fill() {
    begin_ = end_ = 0;
    ssize_t got = 0;
    while ((got = ::recv(socket_, buffer_.data(), buffer_.size(), 0)) < 0 && errno == EINTR) {
    }
    if (got > 0) end_ = static_cast<std::size_t>(got);
    return got;
  }

  const socket_t socket_;
  const HttpBounds& bounds_;
  std::array<char, 16384> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t left_ = 0;
  double until_ = 0;
};

struct Counted {
  std::atomic<int>& count;
  const int number = ++count;
  ~Counted() { --count; }
};

}  // namespace

void close_after_this(httplib::Response& response) {
  close_wanted = true;
  response.set_header("Connection", "close");  // or the client would send its next request on it
}

HttpServer::HttpServer(const HttpBounds& bounds) : bounds_(bounds) {
  set_tcp_nodelay(true);
  set_payload_max_length(bounds_.body_bytes);
  set_keep_alive_max_count(kRequestsOfOne);
  set_keep_alive_timeout(static_cast<time_t>(bounds_.idle_seconds));
  const int threads = bounds_.connections + kSpareThreads;
  new_task_queue = [threads] { return new httplib::ThreadPool(static_cast<std::size_t>(threads)); };
}

int HttpServer::bind(const std::string& host, int port) {
  // Not SO_REUSEPORT, which is cpp-httplib's default: two services would take turns without knowing.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  errno = 0;
  const int bound = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
  if (bound <= 0)
    throw Error("cannot listen" + (errno != 0 ? ": " + std::string(std::strerror(errno)) : ""),
                host + ":" + std::to_string(port), "choose another --port, or stop the program that uses it",
                Error::Kind::kEnvironment);
  return bound;
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  const Counted counted{connections_};
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  BoundedStream stream(socket, bounds_);
  bool good = true;
  if (counted.number > bounds_.connections) {
    constexpr char kBusy[] =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    stream.write(kBusy, sizeof(kBusy) - 1);
    stream.linger();
    good = false;
  }
  while (good && stream.wait_for_request(closing_)) {
    bool closed = false;
    close_wanted = false;
    good = process_request(stream, /*close_connection=*/closing_, closed, nullptr) && !closed && !close_wanted;
    if (!good) stream.linger();
  }
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  return good;
}

}  // namespace kg::service
