#include "rollout/lineage.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/clock.h"
#include "base/error.h"

namespace kg::rollout {
namespace {

constexpr std::uint64_t kLargest = (std::uint64_t{1} << 31) - 1;
constexpr std::int64_t kBegin = 1577836800;  // 2020-01-01 UTC

std::uint64_t second_now() {
  const std::int64_t seconds = static_cast<std::int64_t>(epoch_microseconds() / 1000000) - kBegin;
  return seconds < 0 ? 0 : std::min(static_cast<std::uint64_t>(seconds), kLargest - 1);
}

}  // namespace

Lineage begin_lineage(const fs::path& run_folder) {
  const fs::path file = run_folder / "lineage";
  Lineage lineage{.number = second_now(), .first = !fs::exists(file)};
  if (!lineage.first) {
    const std::string text = read_file(file);
    std::uint64_t least = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), least);
    if (parsed.ec != std::errc() || parsed.ptr == text.data() || *parsed.ptr != '\n' || least >= kLargest)
      throw Error(
          "not a lineage: \"" + text.substr(0, 40) + "\"", file.string(),
          "write into it a number above the policy versions of the run's rollouts divided by 2^32, and a line end");
    lineage.number = std::max(lineage.number, least);
  }
  write_file_durably(file, std::to_string(lineage.number + 1) + "\n");
  return lineage;
}

}  // namespace kg::rollout
