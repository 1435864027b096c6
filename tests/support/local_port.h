#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/descriptor.h"

namespace kg::testing {

// A port of 127.0.0.1 that this process listens at.
class LocalPort {
 public:
  LocalPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.number(), any, size) == 0 && ::listen(socket_.number(), 1) == 0 &&
        ::getsockname(socket_.number(), any, &size) == 0)
      number_ = ntohs(address.sin_port);
  }
  int number() const { return number_; }

 private:
  Descriptor socket_;
  int number_ = 0;
};

}  // namespace kg::testing
