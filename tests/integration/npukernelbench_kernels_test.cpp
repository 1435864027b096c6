#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ascendc_kernel.h"
#include "base/file.h"

// Some of our own kernels for NPUKernelBench tasks (npukernelbench/README.md) on small shapes: the numbers that a loop
// in double gives, no error, whatever the order of the cores.
namespace kg::npu::testing {
namespace {

using Values = std::vector<double>;

struct Sample {
  std::string task, entry;
  std::string defines;  // what the test of the benchmark's rows would set
  std::vector<proto::Tensor> inputs;
  std::vector<std::pair<proto::DType, Values>> expected;
  double tolerance = 0;
};

Values sequence(std::size_t n, const std::function<double(std::size_t)>& at) {
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = at(i);
  return values;
}

// Values that half and bfloat16_t hold exactly, of both signs.
Values eighths(std::size_t n, int period) {
  return sequence(n, [&](std::size_t i) { return (static_cast<int>(i * 7 % period) - period / 2) / 8.0; });
}

void check(const Sample& sample) {
  const std::string file =
      std::string(KG_SOURCE_DIR) + "/tests/integration/npukernelbench/" + sample.task + "/kernel.cpp";
  const std::string source = "#define ROW 0\n" + sample.defines + "#line 1\n" + read_file(file);
  proto::RunCase run_case;
  for (const proto::Tensor& input : sample.inputs) *run_case.add_inputs() = input;
  for (const auto& [dtype, values] : sample.expected)
    add_output(run_case, "out", dtype, static_cast<std::int64_t>(values.size()));
  for (const std::uint64_t seed : {0, 7}) {
    const proto::CaseResult result = run_kernel(source, sample.entry, run_case, {.block_dim = 48, .seed = seed});
    ASSERT_TRUE(result.ran()) << sample.task << ": " << errors_of(result);
    EXPECT_EQ(errors_of(result), "") << sample.task << ": " << result.faults(0).message();
    for (int i = 0; i < result.outputs_size(); ++i) {
      const Values found = values_of(result.outputs(i)), &wanted = sample.expected[i].second;
      ASSERT_EQ(found.size(), wanted.size()) << sample.task;
      for (std::size_t j = 0; j < found.size(); ++j)
        ASSERT_NEAR(found[j], wanted[j], sample.tolerance * std::max(1.0, std::abs(wanted[j])))
            << sample.task << " output " << i << " element " << j << " seed " << seed;
    }
  }
}

std::string number(std::size_t n) { return std::to_string(n); }

TEST(NpuKernelBenchSample, ComparesUnevenNumbersOfElements) {
  const Values a = eighths(5000, 41), b = eighths(5000, 37);
  check({.task = "level1/Comparison/Less",
         .entry = "less",
         .defines = "#define IN0_TYPE bfloat16_t\n#define IN0_SIZE 5000\n",
         .inputs = {tensor("x1", proto::BFLOAT16, a), tensor("x2", proto::BFLOAT16, b)},
         .expected = {{proto::INT8, sequence(5000, [&](std::size_t i) { return a[i] < b[i] ? 1.0 : 0.0; })}}});
}

TEST(NpuKernelBenchSample, WorksInPlaceThroughAQueueBoundAtBothEnds) {
  const Values x = eighths(20001, 101);
  for (const auto& [type, dtype] : {std::pair{"half", proto::FLOAT16}, std::pair{"bfloat16_t", proto::BFLOAT16}})
    check({.task = "level1/Math/AbsMath",
           .entry = "abs_math",
           .defines = std::string("#define IN0_TYPE ") + type + "\n#define IN0_SIZE 20001\n",
           .inputs = {tensor("x", dtype, x)},
           .expected = {{dtype, sequence(x.size(), [&](std::size_t i) { return std::abs(x[i]); })}}});
}

TEST(NpuKernelBenchSample, AddsPartialSumsAfterSyncAll) {
  const Values a = eighths(48 * 4096 + 16, 9), b = eighths(48 * 4096 + 16, 5);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  Sample sample{
      .task = "level2/Loss/MseLoss",
      .entry = "mse_loss",
      .defines = "#define IN0_TYPE half\n#define IN0_SIZE " + number(a.size()) + "\n#define ROW_REDUCTION \"mean\"\n",
      .inputs = {tensor("predict", proto::FLOAT16, a), tensor("label", proto::FLOAT16, b)},
      .expected = {{proto::FLOAT16, {sum / static_cast<double>(a.size())}}},
      .tolerance = 1e-3};
  check(sample);
}

TEST(NpuKernelBenchSample, NormalisesRowsOfAnOddWidth) {
  constexpr std::size_t rows = 50, width = 41;
  const Values x = eighths(rows * width, 53), gamma = eighths(width, 11);
  Values y(rows * width), rstd(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (std::size_t i = 0; i < width; ++i) squares += x[r * width + i] * x[r * width + i];
    rstd[r] = 1 / std::sqrt(squares / width + 1e-6);
    for (std::size_t i = 0; i < width; ++i) y[r * width + i] = x[r * width + i] * rstd[r] * gamma[i];
  }
  check({.task = "level2/Norm/RmsNorm",
         .entry = "rms_norm",
         .defines = "#define IN0_TYPE half\n#define IN0_SIZE " + number(rows * width) + "\n#define IN0_LAST " +
                    number(width) + "\n#define ROW_EPSILON 1e-6\n",
         .inputs = {tensor("x", proto::FLOAT16, x), tensor("gamma", proto::FLOAT16, gamma)},
         .expected = {{proto::FLOAT16, y}, {proto::FLOAT32, rstd}},
         .tolerance = 1e-3});
}

TEST(NpuKernelBenchSample, FindsThePlaceOfTheLargest) {
  Values x = eighths(777, 97);
  x[501] = -99;
  check({.task = "level1/Math/Isamax",
         .entry = "isamax",
         .defines = "#define ROW_N 777\n",
         .inputs = {tensor("x", proto::FLOAT32, x)},
         .expected = {{proto::INT32, {502}}}});
}

TEST(NpuKernelBenchSample, ReducesTheArgumentOfASine) {
  const Values x = sequence(9000, [](std::size_t i) { return (static_cast<double>(i) - 4500) / 64; });
  check({.task = "level1/Math/SinMath",
         .entry = "sin_math",
         .defines = "#define IN0_TYPE float\n#define IN0_SIZE 9000\n",
         .inputs = {tensor("x", proto::FLOAT32, x)},
         .expected = {{proto::FLOAT32, sequence(9000, [&](std::size_t i) { return std::sin(x[i]); })}},
         .tolerance = 1e-5});
}

TEST(NpuKernelBenchSample, LaysOnesBetweenVectorUnitAndCopyEngine) {
  check({.task = "level1/TensorCreation/Eye",
         .entry = "eye",
         .defines = "#define OUT0_TYPE int32_t\n#define OUT0_SIZE 73728\n#define ROW_NUM_ROWS 192\n"
                    "#define ROW_NUM_COLUMNS 128\n",
         .inputs = {tensor("y", proto::INT32, {0})},
         .expected = {{proto::INT32,
                       sequence(73728, [](std::size_t i) { return i % (192 * 128) / 128 == i % 128 ? 1.0 : 0.0; })}}});
}

TEST(NpuKernelBenchSample, TurnsSequencesRound) {
  constexpr std::size_t batches = 5, length = 9, inner = 24;
  const Values x = eighths(batches * length * inner, 1021), lengths = {9, 1, 4, 7, 2};
  const Values y = sequence(x.size(), [&](std::size_t i) {
    const std::size_t batch = i / (length * inner), position = i / inner % length;
    const auto valid = static_cast<std::size_t>(lengths[batch]);
    const std::size_t from = position < valid ? valid - 1 - position : position;
    return x[(batch * length + from) * inner + i % inner];
  });
  check({.task = "level2/TensorMove/ReverseSequence",
         .entry = "reverse_sequence",
         .defines = "#define IN0_TYPE float\n#define IN0_SIZE 1080\n#define IN0_RANK 3\n#define IN0_SHAPE {5, 9, 24}\n"
                    "#define ROW_SEQ_DIM 1\n#define ROW_BATCH_DIM 0\n",
         .inputs = {tensor("x", proto::FLOAT32, x), tensor("lengths", proto::INT64, lengths)},
         .expected = {{proto::FLOAT32, y}}});
}

}  // namespace
}  // namespace kg::npu::testing
