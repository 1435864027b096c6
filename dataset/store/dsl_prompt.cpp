#include "dataset/store/dsl_prompt.h"

#include <algorithm>

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
    "for k in range(n) counts, for i in tensors(x) the tensors of a list (x: half[..]*, x[i, t]). load x[r, :] makes a "
    "tile, however long the row is, of float, int32 or "
    "int16; store z[r, :] = a converts back. "
    "Operators and functions work element by element: + - * / ** exp log sqrt rsqrt abs relu sigmoid tanh silu gelu "
    "softplus erf max(a, b) min(a, b) "
    "clamp(a, low, high) leaky_relu(a, s) where(a > b, x, y). sum(a) mean(a) max(a) min(a) give a number; store z[r] = "
    "s stores one. all_sum(s) adds the "
    "numbers of all cores.\n\n"
    "# Task\n";

constexpr const char* kName = "custom_op";  // kernel name of every foreign task: it does not reveal the operator

// "Write the Ascend C kernel NAME for 48 cores." becomes "Write the kernel NAME in the DSL for 48 cores."
std::string head_of(const proto::Task& task, const std::string& line) {
  if (task.suite() == "builtin" || task.suite().empty())
    return "Write the kernel " + task.entry_point() + " in the DSL for " + std::to_string(task.block_dim()) +
           (task.block_dim() == 1 ? " core." : " cores.");
  const std::size_t cores = line.rfind(" for ");
  return std::string("Write the kernel ") + kName + " in the DSL" +
         (cores == std::string::npos ? "." : line.substr(cores));
}

// The text that dataset/benchmarks/short_prompt.py writes around a module and its operators.
constexpr const char *kParameters = "\nOf the module's parameters, ",
                     *kWritten = "\nIt computes what this PyTorch code does.\n",
                     *kSteps = "\nPyTorch's operators, one by one:\n";

// A foreign module as its operators only, if they are known; `as_written`: as its own text only.
std::string module_by(const std::string& text, bool as_written) {
  const std::size_t steps = text.rfind(kSteps);
  if (steps == std::string::npos || text.find(kWritten) > steps) return text;
  if (as_written) return text.substr(0, steps);
  return text.substr(0, std::min(text.find(kParameters), text.find(kWritten))) + text.substr(steps);
}

}  // namespace

std::string dsl_prompt(const proto::Task& task, const std::string& form) {
  const std::string& asked = task.prompt_short();
  const std::size_t first_line = asked.find('\n');
  if (asked.empty() || first_line == std::string::npos) return "";
  const bool imported = task.suite() == "npukernelbench" || task.suite() == "multikernelbench";
  if (form == "npukernelbench" && imported)
    return kLanguage + task.prompt_npukernelbench() + "\n\nAnswer in the DSL, with a kernel of the name " + kName +
           ", in place of what is asked for above.";
  const std::string head = head_of(task, asked.substr(0, first_line)), rest = asked.substr(first_line);
  if (form == "short" || form == "written") return head + module_by(rest, form == "written");
  return kLanguage + head + rest;
}

}  // namespace kg::dataset
