#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace kg::testing {

// The bytes as a file that lies in memory; readers that map take its name.
class FuzzFile {
 public:
  FuzzFile(const std::uint8_t* data, std::size_t size) : file_(::memfd_create("fuzz", 0)) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::write(file_, data + done, size - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  ~FuzzFile() { ::close(file_); }
  FuzzFile(const FuzzFile&) = delete;
  FuzzFile& operator=(const FuzzFile&) = delete;
  int number() const { return file_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace kg::testing
