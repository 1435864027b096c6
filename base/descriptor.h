#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>
#include <utility>

namespace kg {

// Owns one open file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }

  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

// Reads until `size` bytes are there. Returns fewer at the end of the stream (errno is 0) or on an error.
std::size_t read_fully(int descriptor, char* to, std::size_t size);

// Writes everything, or returns false with the reason in errno.
bool write_fully(int descriptor, std::string_view bytes);

// The same for a socket. A peer that is gone is an error and never a SIGPIPE, whatever other threads do with it.
bool send_fully(int socket, std::string_view bytes);

// Closes all inherited descriptors except the standard streams and `kept`, and keeps `kept` from being inherited
// further. A caller's stray descriptor must not reach a kernel.
inline void keep_only(int kept) {
  ::close_range(STDERR_FILENO + 1, kept - 1, 0);
  ::close_range(kept + 1, ~0u, 0);
  ::fcntl(kept, F_SETFD, FD_CLOEXEC);
}

}  // namespace kg
