// Every published figure of the chip's time against what the emulated NPU says of a kernel that measures it.

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "ascendc_kernel.h"
#include "npu/machine/bank_conflicts.h"

namespace kg::npu::testing {
namespace {

// A kernel over a UB that it lays out itself: `body` runs `times` times.
std::string kernel(const std::string& before, const std::string& body, int times) {
  return R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TBuf<> buffer; GlobalTensor<float> x, z;
  x.SetGlobalBuffer((__gm__ float*)xg); z.SetGlobalBuffer((__gm__ float*)zg);
  pipe.InitBuffer(buffer, 192 * 1024 - 256);
  LocalTensor<float> ub = buffer.Get<float>();
)" + before +
         "\n  for (int i = 0; i < " + std::to_string(times) + "; ++i) {\n" + body + "\n  }\n}\n";
}

double cycles_of(const std::string& source, std::uint32_t cores, std::int64_t input_elements) {
  proto::RunCase run_case;
  proto::Tensor& input = *run_case.add_inputs();
  input.set_name("x");
  input.set_dtype(proto::FLOAT32);
  input.add_shape(input_elements);
  input.set_data(std::string(static_cast<std::size_t>(input_elements) * 4, '\0'));
  add_output(run_case, "z", proto::FLOAT32, 65536);
  const proto::CaseResult result = run_kernel(source, "k", run_case, {.block_dim = cores});
  EXPECT_TRUE(result.ran());
  EXPECT_EQ(errors_of(result), "");
  return static_cast<double>(result.cycles());
}

// Cycles of one pass of `body`: launch and what stands before it cancel out.
double once(const std::string& before, const std::string& body, int few = 4, int many = 20) {
  return (cycles_of(kernel(before, body, many), 1, 65536) - cycles_of(kernel(before, body, few), 1, 65536)) /
         (many - few);
}

// An Add of `repeats` repeats; addresses in bytes.
double add(int repeats, int second, int destination) {
  const auto at = [](int bytes) { return "ub[" + std::to_string(bytes / 4) + "]"; };
  return once("",
              "Add(" + at(destination) + ", " + at(0) + ", " + at(second) + ", " + std::to_string(repeats * 64) + ");");
}

double cast_rate(const char* to, const char* from, const char* mode) {
  const std::string before = std::string("  auto to = buffer.Get<") + to + ">(); auto from = buffer.Get<" + from +
                             ">()[" + std::to_string(128 * 1024 + 256) + " / sizeof(" + from + ")];";
  const double long_one = once(before, std::string("Cast(to, from, RoundMode::") + mode + ", 8192);");
  const double short_one = once(before, std::string("Cast(to, from, RoundMode::") + mode + ", 4096);");
  return 4096 / (long_one - short_one);
}

double vector_rate(const char* type, const std::string& call) {
  const std::string before = std::string("  auto a = buffer.Get<") + type + ">(); auto b = buffer.Get<" + type +
                             ">()[" + std::to_string(64 * 1024 + 256) + " / sizeof(" + type +
                             ")]; auto c = buffer.Get<" + type + ">()[" + std::to_string(128 * 1024) + " / sizeof(" +
                             type + ")];";
  const auto with = [&](const char* count) {
    std::string text = call;
    text.replace(text.find('#'), 1, count);
    return once(before, text);
  };
  return 4096 / (with("8192") - with("4096"));
}

// Bytes a second of 48 cores that read pieces of `kilobytes`, two buffers each.
double read_bandwidth(int kilobytes, int few, int many) {
  const auto source = [&](int pieces) {
    const std::string elements = std::to_string(kilobytes * 256);
    return std::string(R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TQue<QuePosition::VECIN, 2> queue; GlobalTensor<float> x;
  x.SetGlobalBuffer((__gm__ float*)xg + GetBlockIdx() * )") +
           std::to_string(many) + " * " + elements + "); pipe.InitBuffer(queue, 2, " + elements +
           " * 4);\n  for (int i = 0; i < " + std::to_string(pieces) +
           "; ++i) {\n    auto a = queue.AllocTensor<float>(); DataCopy(a, x[i * " + elements + "], " + elements +
           "); queue.EnQue(a);\n    a = queue.DeQue<float>(); queue.FreeTensor(a);\n  }\n}\n";
  };
  const std::int64_t elements = 48LL * many * kilobytes * 256;
  const double cycles = cycles_of(source(many), 48, elements) - cycles_of(source(few), 48, elements);
  return 48.0 * (many - few) * kilobytes * 1024 / (cycles / 1.85e9);
}

double load_of_16_kilobytes(int offset) {
  return once("", "DataCopy(ub[0], x[" + std::to_string(offset / 4) + "], 4096); PipeBarrier<PIPE_ALL>();");
}

struct Point {
  const char* what;
  double published;
  double ours;
};

TEST(PublishedTime, EveryPointWithinTenPercent) {
  double worst_alignment = 1;
  const double aligned = load_of_16_kilobytes(0);
  for (int offset = 32; offset < 512; offset += 96)
    worst_alignment = std::min(worst_alignment, aligned / load_of_16_kilobytes(offset));
  const std::vector<Point> points = {
      {"Add, 64 repeats, cycles", 88, add(64, 0x10100, 0x20000)},
      {"Add, 64 repeats, 2-way read conflict, cycles", 154, add(64, 0x10000, 0x20000)},
      {"Add, 32 repeats, 2-way read conflict, cycles", 86, add(32, 0x10000, 0x20000)},
      {"Add, 128 repeats, 2-way read conflict, cycles", 278, add(128, 0x10000, 0x20000)},
      {"load of 8 KB by one core, cycles", 350, once("", "DataCopy(ub[0], x[0], 2048); PipeBarrier<PIPE_ALL>();")},
      {"store of 8 KB by one core, cycles", 295,
       once("Duplicate(ub, 1.0f, 2048); PipeBarrier<PIPE_ALL>();",
            "DataCopy(z[0], ub[0], 2048); PipeBarrier<PIPE_ALL>();")},
      {"stream of 128 B DataCopyPad, cycles each", 20.6,
       once("",
            "DataCopyPad(ub[i * 32], x[i * 32], DataCopyExtParams{1, 128, 0, 0, 0}, "
            "DataCopyPadExtParams<float>{false, 0, 0, 0});",
            16, 144)},
      {"48 cores reading pieces of 8 KB, TB/s", 1.25, read_bandwidth(8, 16, 64) / 1e12},
      {"48 cores reading pieces of 32 KB, TB/s", 1.46, read_bandwidth(32, 4, 16) / 1e12},
      {"worst bandwidth of an unaligned load, of the aligned one", 0.70, worst_alignment},
      {"scalar load-load-add-store, cycles an element", 34,
       once("Duplicate(ub, 1.0f, 4096);", "ub.SetValue(2048 + i, ub.GetValue(i) + ub.GetValue(1024 + i));", 128, 640)},
      {"Add of half, elements a cycle", 128, vector_rate("half", "Add(c, a, b, #);")},
      {"Add of float, elements a cycle", 64, vector_rate("float", "Add(c, a, b, #);")},
      {"Rsqrt of float, elements a cycle", 64, vector_rate("float", "Rsqrt(c, b, #);")},
      {"Exp of half, elements a cycle", 32, vector_rate("half", "Exp(c, b, #);")},
      {"Exp of float, elements a cycle", 32, vector_rate("float", "Exp(c, b, #);")},
      {"Div of float, elements a cycle", 32, vector_rate("float", "Div(c, a, b, #);")},
      {"MulAddDst of half, elements a cycle", 64, vector_rate("half", "MulAddDst(c, a, b, #);")},
      {"MulAddDst of float, elements a cycle", 32, vector_rate("float", "MulAddDst(c, a, b, #);")},
      {"WholeReduceSum of half, elements a cycle", 128.0 / 7,
       vector_rate("half", "WholeReduceSum(c, b, 128, # / 128, 1, 1, 8);")},
      {"WholeReduceSum of float, elements a cycle", 64.0 / 7,
       vector_rate("float", "WholeReduceSum(c, b, 64, # / 64, 1, 1, 8);")},
      {"BlockReduceSum of half, elements a cycle", 128.0 / 7,
       vector_rate("half", "BlockReduceSum(c, b, # / 128, 128, 1, 1, 8);")},
      {"BlockReduceSum of float, elements a cycle", 64,
       vector_rate("float", "BlockReduceSum(c, b, # / 64, 64, 1, 1, 8);")},
      {"Cast int16_t to half, elements a cycle", 128, cast_rate("half", "int16_t", "CAST_NONE")},
      {"Cast half to float, elements a cycle", 64, cast_rate("float", "half", "CAST_NONE")},
      {"Cast float to half, elements a cycle", 64, cast_rate("half", "float", "CAST_RINT")},
      {"Cast float to int64_t, elements a cycle", 32, cast_rate("int64_t", "float", "CAST_RINT")},
  };
  std::printf("%-58s %10s %10s %7s\n", "", "published", "ours", "ratio");
  for (const Point& point : points) {
    const double ratio = point.ours / point.published;
    std::printf("%-58s %10.4g %10.4g %7.3f\n", point.what, point.published, point.ours, ratio);
    EXPECT_GE(ratio, 0.9) << point.what;
    EXPECT_LE(ratio, 1.1) << point.what;
  }
}

TEST(PublishedTime, TheDocumentedExamplesOfBankConflicts) {
  const auto pair = [](std::int64_t first, bool first_writes, std::int64_t second, bool second_writes) {
    return repeat_cycles({{first, 1, 1, first_writes}, {second, 1, 1, second_writes}});
  };
  EXPECT_EQ(pair(0x10020, false, 0x10000, true), 1);   // read and write: bank 17 and bank 16
  EXPECT_EQ(pair(0x10020, false, 0x10E20, true), 2);   // both bank 17
  EXPECT_EQ(pair(0x10020, false, 0x20020, true), 1);   // one group, but a port for each
  EXPECT_EQ(pair(0x10020, false, 0x20020, false), 2);  // two reads of one group
  EXPECT_EQ(pair(0x10020, false, 0x10000, false), 1);
  EXPECT_EQ(repeat_cycles({{0x1FE00, 8, 16, true}}), 8);
  EXPECT_EQ(repeat_cycles({{0x1FE00, 8, 8, true}}), 4);
  EXPECT_EQ(repeat_cycles({{0x1FE00, 8, 16, false}}), 8);
  EXPECT_EQ(repeat_cycles({{0, 8, 1, false}, {0x10100, 8, 1, false}, {0x20000, 8, 1, true}}), 1);
}

TEST(PublishedTime, EightBlocksOfOneBankGroupTakeEightCyclesARepeat) {
  // The two write examples of the documentation: a block stride of 16 meets one group, of 8 two of them.
  const auto strided = [&](int stride) {
    const std::string parameters = "UnaryRepeatParams{" + std::to_string(stride) + ", 1, 8, 8}";
    return once("", "uint64_t mask = 64; Adds(ub[0x1fe00 / 4], ub[64], 1.0f, mask, 32, " + parameters + ");");
  };
  EXPECT_NEAR(strided(16), 24 + 32 * 8, 2);
  EXPECT_NEAR(strided(8), 24 + 32 * 4, 2);
}

}  // namespace
}  // namespace kg::npu::testing
