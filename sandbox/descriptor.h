#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace kg::sandbox {

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

// Closes what this process has inherited besides its standard streams and `kept`, and keeps `kept` from being inherited
// further. A caller's stray descriptor must not reach a kernel.
inline void keep_only(int kept) {
  ::close_range(STDERR_FILENO + 1, kept - 1, 0);
  ::close_range(kept + 1, ~0u, 0);
  ::fcntl(kept, F_SETFD, FD_CLOEXEC);
}

}  // namespace kg::sandbox
