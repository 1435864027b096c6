#include "dataset/store/dsl_prompt.h"

namespace kg::dataset {
namespace {

constexpr const char* kLanguage =
    "You write kernels for Huawei Ascend NPUs in a small language. The program says how the work is cut over the "
    "cores, what is copied in, computed and "
    "copied out; buffers and tile sizes are the compiler's.\n\n"
    "# Example\n"
    "```dsl\n"
    "kernel norm(x: half[R, C], y: half[C]) -> z: half[R, C]:\n"
    "  w = load y[:]\n"
    "  for r in cores(R):\n"
    "    a = load x[r, :]\n"
    "    store z[r, :] = a * rsqrt(mean(a * a) + 1e-5) * w\n"
    "```\n\n"
    "# Rules\n"
    "Extents are numbers or names. for r in cores(R) cuts rows over the cores, for t in cores(tiles(N)) pieces of a "
    "flat tensor (declare x: half[N], use x[t]), "
    "for t in tiles(C) pieces of a long row, for k in range(n) counts. load x[r, :] makes a tile of float, int32 or "
    "int16; store z[r, :] = a converts back. "
    "Operators and functions work element by element: + - * / ** exp log sqrt rsqrt abs relu sigmoid tanh silu gelu "
    "softplus erf max(a, b) min(a, b) "
    "clamp(a, low, high) leaky_relu(a, s) where(a > b, x, y). sum(a) mean(a) max(a) min(a) give a number; store z[r] = "
    "s stores one. all_sum(s) adds the "
    "numbers of all cores.\n\n"
    "# Task\n";

}  // namespace

std::string dsl_prompt(const proto::Task& task, const std::string& form) {
  const std::string& asked = task.prompt_short();
  const std::size_t first_line = asked.find('\n');
  if (asked.empty() || first_line == std::string::npos) return "";
  const std::string head = "Write the kernel " + task.entry_point() + " in the DSL for " +
                           std::to_string(task.block_dim()) + (task.block_dim() == 1 ? " core." : " cores.");
  return (form == "short" ? "" : kLanguage) + head + asked.substr(first_line);
}

}  // namespace kg::dataset
