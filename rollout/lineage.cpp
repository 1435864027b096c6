#include "rollout/lineage.h"

#include <charconv>
#include <string>

#include "base/error.h"

namespace kg::rollout {
namespace {

constexpr std::uint64_t kMostLineages = std::uint64_t{1} << 20;

}  // namespace

std::uint64_t begin_lineage(const fs::path& run_folder) {
  const fs::path file = run_folder / "lineage";
  std::uint64_t lineage = 0;
  if (fs::exists(file)) {
    const std::string text = read_file(file);
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), lineage);
    if (parsed.ec != std::errc() || parsed.ptr == text.data() || *parsed.ptr != '\n' || lineage >= kMostLineages)
      throw Error(
          "not a lineage: \"" + text.substr(0, 40) + "\"", file.string(),
          "write into it a number above the policy versions of the run's rollouts divided by 2^32, and a line end");
  }
  write_file_durably(file, std::to_string(lineage + 1) + "\n");
  return lineage;
}

}  // namespace kg::rollout
