#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace kg::sandbox {

// A process's output, up to a cap; the rest is counted and dropped, so that its pipe is always drained.
class CappedText {
 public:
  explicit CappedText(std::uint64_t cap) : cap_(cap) {}

  void append(const char* data, std::size_t size) {
    const std::size_t kept = std::min<std::uint64_t>(size, cap_ - text_.size());
    text_.append(data, kept);
    dropped_ += size - kept;
  }

  const std::string& text() const { return text_; }
  std::uint64_t dropped() const { return dropped_; }
  bool truncated() const { return dropped_ > 0; }

 private:
  std::uint64_t cap_;
  std::string text_;
  std::uint64_t dropped_ = 0;
};

}  // namespace kg::sandbox
