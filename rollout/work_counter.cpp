#include "rollout/work_counter.h"

#include <charconv>
#include <string>

#include "base/error.h"

namespace kg::rollout {
namespace {

constexpr std::uint64_t kBlock = 16384;

}  // namespace

WorkCounter::WorkCounter(const fs::path& file) : file_(file) {
  if (!fs::exists(file_)) return;
  const std::string text = read_file(file_);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), reserved_);
  if (parsed.ec != std::errc() || reserved_ == 0 || parsed.ptr == text.data() || *parsed.ptr != '\n')
    throw Error("not a work counter: \"" + text.substr(0, 40) + "\"", file_.string(),
                "write into it a number above every work_id of the run's rollouts, and a line end");
  next_ = reserved_;
}

void WorkCounter::reserve(std::uint64_t up_to) {
  if (up_to <= reserved_) return;
  const std::uint64_t bound = up_to + kBlock - 1;
  write_file_durably(file_, std::to_string(bound) + "\n");
  reserved_ = bound;
}

std::uint64_t WorkCounter::next() {
  reserve(next_ + 1);
  return next_++;
}

void WorkCounter::skip_to(std::uint64_t first_free) {
  if (first_free <= next_) return;
  reserve(first_free);
  next_ = first_free;
}

}  // namespace kg::rollout
