#include "dataset/cot/dsl_questions.h"

#include <array>

#include "dataset/cot/words.h"
#include "dsl/lower.h"
#include "npu/chip.h"

namespace kg::dataset::cot {
namespace {

// Decisions made by the DSL's compiler.
Answer dsl_tile(std::uint64_t index, sandbox::Sandbox&) {
  static const std::array<std::int64_t, 12> lengths = {1000,   4096,    10007, 32768, 65536,  100000,
                                                       262144, 1000003, 999,   16384, 500000, 7};
  constexpr int kAll = npu::chip::kVectorCores;
  static const std::array<int, 4> cores = {kAll, kAll / 2, kAll / 6, 1};
  static const std::array<std::string, 4> functions = {"relu", "exp", "sigmoid", "gelu"};
  const std::int64_t length = lengths[index % lengths.size()];
  const int launched = cores[index / lengths.size() % cores.size()];
  const std::string function = functions[index / (lengths.size() * cores.size()) % functions.size()];
  const std::string program =
      "kernel f(x: half[N]) -> z: half[N]:\n  for t in cores(tiles(N)):\n    store z[t] = " + function +
      "(load x[t])\n";
  dsl::LowerOptions options;
  options.bindings.cores = launched;
  options.bindings.names = {{"N", length}};
  const auto lowered = dsl::lower(program, options);
  if (!lowered.ok) return std::nullopt;
  const std::size_t at = lowered.source.find("InitBuffer(");
  const std::size_t end = lowered.source.find(')', at), comma = lowered.source.rfind(", ", end);
  if (at == std::string::npos) return std::nullopt;
  const std::int64_t tile = std::stoll(lowered.source.substr(comma + 2, end - comma - 2)) / 2;
  return Question{"dsl",
                  "Which tile does the DSL's compiler choose for " + function + " of " + number(length) + " halfs on " +
                      number(launched) + (launched == 1 ? " core?" : " cores?"),
                  number(tile) + " elements a buffer: " + number((length + tile - 1) / tile) + " tiles, at most " +
                      number(((length + tile - 1) / tile + launched - 1) / launched) +
                      " a core. It takes the size that its cycle model finds fastest among those that fit UB.",
                  "lowered the program"};
}

Answer dsl_refusals(std::uint64_t index, sandbox::Sandbox&) {
  struct Row {
    const char* question;
    const char* line;
  };
  static const std::array<Row, 12> rows = {{
      {"adding a tensor in global memory to a tile", "store z[r, :] = load x[r, :] + x"},
      {"comparing without where", "store z[r, :] = load x[r, :] > 0"},
      {"an exponent of 5", "store z[r, :] = load x[r, :] ** 5"},
      {"reading the output", "store z[r, :] = load z[r, :]"},
      {"storing a number through a reduction of nothing", "store z[r, :] = sum(3.0)"},
      {"an index beyond the rows", "store z[r, :] = load x[r + 1, :]"},
      {"a slice with a step in load", "store z[r, :] = load x[r, 0:8:2]"},
      {"tiles of different lengths", "a = load x[r, :]\n    store z[r, :] = a + a[0:8]"},
      {"the remainder of tiles", "store z[r, :] = load x[r, :] % 2"},
      {"all_sum inside the loop", "store z[r, :] = all_sum(sum(load x[r, :]))"},
      {"a misspelt function", "store z[r, :] = sigmod(load x[r, :])"},
      {"a name that was never set", "store z[r, :] = load x[r, :] * scale"},
  }};
  const Row& row = rows[index % rows.size()];
  static const std::array<std::int64_t, 4> widths = {100, 256, 1000, 2048};
  const std::int64_t width = widths[index / rows.size() % widths.size()];
  const std::string program =
      "kernel f(x: half[R, C]) -> z: half[R, C]:\n  for r in cores(R):\n    " + std::string(row.line) + "\n";
  dsl::LowerOptions options;
  options.bindings.names = {{"R", 32}, {"C", width}};
  const auto lowered = dsl::lower(program, options);
  if (lowered.ok) return std::nullopt;
  return Question{"dsl",
                  "What does the DSL's compiler say to this program with R = 32, C = " + number(width) + "?\n```dsl\n" +
                      program + "```",
                  "It refuses: " + lowered.refusal + ".", "lowered the program"};
}

}  // namespace

const std::vector<QuestionFamily>& dsl_questions() {
  static const std::vector<QuestionFamily> all = {{dsl_tile, 12 * 4 * 4}, {dsl_refusals, 12 * 4}};
  return all;
}

}  // namespace kg::dataset::cot
