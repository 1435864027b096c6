#include "tests/reference/chip_page.h"

#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "npu/chip.h"

namespace kg::npu::reference {
namespace {

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kKib = 1 << 10, kMib = 1 << 20, kGib = 1 << 30;
  if (bytes >= kGib && bytes % kGib == 0) return fmt::format("{} GiB", bytes / kGib);
  if (bytes >= kMib && bytes % kMib == 0) return fmt::format("{} MiB", bytes / kMib);
  if (bytes >= kKib && bytes % kKib == 0) return fmt::format("{} KiB", bytes / kKib);
  return fmt::format("{} B", bytes);
}

std::string value_text(double value, std::string_view unit) {
  if (unit == "bytes") return size_text(static_cast<std::int64_t>(value));
  if (unit == "bytes/s") return fmt::format("{:.4g} TB/s", value / 1e12);
  if (unit == "bytes/cycle") return fmt::format("{:.4g} B/cycle", value);
  if (unit == "Hz")
    return value >= 1e9 ? fmt::format("{:.4g} GHz", value / 1e9) : fmt::format("{:.4g} MHz", value / 1e6);
  if (unit == "s") return fmt::format("{:.4g} us", value * 1e6);
  return fmt::format("{:.4g} {}", value, unit);
}

std::string row(std::string_view name, double value, std::string_view unit, std::string_view source,
                std::string_view what) {
  return fmt::format("| `{}` | {} | {} | {} |\n", name, value_text(value, unit), source, what);
}

}  // namespace

std::string chip_page() {
  std::string page = R"(# The chip

Every figure of the emulated chip, an Atlas A2 (Ascend 910B). `chip_page` prints this page from `npu/chip.h`, where the
emulator, the host side, the DSL, the baseline and the prompts take them from too
(`--target chip_page_update` prints it again).

Sources: **guide** is the vendor's public programming guide; **sheet** a published measurement or specification; **fit**
a value fitted to several published points; **assumed** has no published figure; **derived** follows from other rows.
)";
#define KG_ROW(type, name, value, unit, source, what) \
  page += row(#name, static_cast<double>(chip::name), unit, #source, what);
#define KG_SECTION(title, rows)                                                                      \
  page += std::string("\n## ") + (title) + "\n\n| figure | value | source | |\n|---|---|---|---|\n"; \
  rows(KG_ROW)
  KG_CHIP_SECTIONS(KG_SECTION)
#undef KG_SECTION
#undef KG_ROW
  return page;
}

std::string time_table() {
  namespace c = chip;
  const auto elements = [](std::int64_t bytes) { return c::kRepeatBytes / bytes; };
  std::string text = "| | |\n|---|---|\n";
  text += fmt::format(
      "| vector instruction | {} cycles + repeats of {} B x the larger of the bank conflict and the operation's own "
      "rate: 1 "
      "for simple operations and casts (by the wider type: {}, {} or {} elements a cycle), MulAddDst {}, whole "
      "reductions "
      "{}, block reductions {} (half) or 1, Exp, Ln, Sqrt, Div {} elements a cycle |\n",
      c::kVectorStart, c::kRepeatBytes, elements(2), elements(4), elements(8), c::kMulAddCycles, c::kReduceCycles,
      c::kReduceCycles, c::kSlowElements);
  text += fmt::format(
      "| bank conflict | in one cycle a bank of UB serves one block of {} B, a bank group one read and one write; the "
      "blocks "
      "of a repeat that meet are served one after the other. The first repeat decides for all |\n",
      c::kBlockBytes);
  text += fmt::format(
      "| copy | {} cycles + bytes of its requests / {}; results are in UB {} cycles later. Every block is split every "
      "{} bytes "
      "from its start; a piece that crosses a {}-byte line takes two requests, each rounded up to 128, 256 or {} bytes "
      "(16 "
      "KB, worst alignment: 69 % of the bandwidth) |\n",
      c::kMoveStart, c::kMoveBytesPerCycle, c::kMoveInLatency, c::kGmLineBytes, c::kGmLineBytes, c::kGmLineBytes);
  text += fmt::format(
      "| GM, shared | a copy takes {:.2g} cycles of the GM that all cores share, + {} B at L2's {} TB/s for each "
      "line of each of its blocks, of which it may want only a part (four published times of kernels with rows of 128 "
      "and 256 B say so), + {} B at HBM's rate "
      "for each line that the launch touches for the first time, and once for each line written. Where the cores "
      "together "
      "ask for more in a window of {} cycles than it holds, that window takes longer for all of them. L2 holds {}: "
      "a line is paid again where the launch has asked for more other lines since |\n",
      c::kSharedCopy, c::kGmLineBytes, c::kL2BytesPerSecond / 1e12, c::kGmLineBytes, c::kShareWindow,
      size_text(c::kL2Bytes));
  text += fmt::format(
      "| one line, several cores | their requests for the same {} bytes are served one after the other, {:.3g} cycles "
      "each: a "
      "lower bound of the phase between two SyncAll |\n",
      c::kGmLineBytes, c::kSameLine);
  text += fmt::format(
      "| cube core | {} x {} x {} a cycle (K {} for int8_t, {} for float); L1 to L0A {} B, to L0B {} B, L0C to L1 {} "
      "B, to BT {} B, GM to L1 and (assumed) L0C to GM {} B a cycle. The Matmul object walks over base blocks, "
      "double-buffered, and its panels ask GM for lines as copies do: along K, one base block at a time, or `stepKa` "
      "and `stepKb` blocks by the MDL templates. A panel for which L1 has room (`depthA1`, `depthB1`) is copied once "
      "|\n",
      c::kMmadSide, c::kMmadSide, c::kMmadDepth, c::kMmadByteDepth, c::kMmadFloatDepth, c::kL0aBytesPerCycle,
      c::kL0bBytesPerCycle, c::kL0cBytesPerCycle, c::kBiasBytesPerCycle, c::kCubeMoveBytesPerCycle);
  text += fmt::format(
      "| scalar unit | GetValue, SetValue and accesses through pointers {} cycles; a miss of the {} data cache ({} "
      "ways) the copy of a line, {:.3g}; "
      "every other instruction that the kernel's own text retires {} (assumed): arithmetic, addresses, branches, its "
      "own variables in memory, as clang compiles them for rv64. Instructions of our headers cost nothing unless they "
      "compute what the kernel asked for (floating-point numbers, bits, casts of scalars); those without a place in a "
      "source do. A loop of load, load, add, store takes the published 34 cycles |\n",
      c::kScalarAccess, size_text(c::kCacheBytes), c::kCacheWays, c::kScalarMiss, c::kScalarStep);
  text +=
      fmt::format("| launch | {:.4g} us; blocks beyond {} run in waves |\n", c::kLaunchSeconds * 1e6, c::kVectorCores);
  return text;
}

std::string with_section(const std::string& page, const std::string& name, const std::string& text) {
  const std::string begin = "<!-- " + name + " -->\n", end = "<!-- end of " + name + " -->\n";
  const std::size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from)
    throw Error("the page has no section \"" + name + "\"", "chip_page",
                "put the text between the lines " + begin.substr(0, begin.size() - 1) + " and " + end);
  return page.substr(0, from + begin.size()) + text + page.substr(to);
}

}  // namespace kg::npu::reference
