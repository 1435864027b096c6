#include "base/descriptor.h"

#include <sys/socket.h>

#include <cerrno>

namespace kg {
namespace {

// Calls `some(from, size)` until all bytes are taken.
template <typename Some>
bool in_parts(std::string_view bytes, const Some& some) {
  while (!bytes.empty()) {
    const ssize_t n = some(bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

std::size_t read_fully(int descriptor, char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::read(descriptor, to + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = 0;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

bool write_fully(int descriptor, std::string_view bytes) {
  return in_parts(bytes, [&](const char* from, std::size_t size) { return ::write(descriptor, from, size); });
}

bool send_fully(int socket, std::string_view bytes) {
  return in_parts(bytes, [&](const char* from, std::size_t size) { return ::send(socket, from, size, MSG_NOSIGNAL); });
}

}  // namespace kg
