// What the clock of the device must say of whole kernels.

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "ascendc_kernel.h"
#include "base/file.h"
#include "npu/chip.h"

namespace kg::npu::testing {
namespace {

constexpr double kLaunchCycles = 9250;

proto::CaseResult stream_add(std::int64_t elements, std::uint32_t cores, std::uint64_t seed = 0) {
  const std::string source =
      "#define TOTAL " + std::to_string(elements) + "\n" +
      read_file(std::string(KG_SOURCE_DIR) + "/tests/integration/ascendc_kernels/stream_add.cpp");
  proto::RunCase run_case;
  for (const char* name : {"x", "y"}) {
    proto::Tensor& input = *run_case.add_inputs();
    input.set_name(name);
    input.set_dtype(proto::FLOAT32);
    input.add_shape(elements);
    input.set_data(std::string(static_cast<std::size_t>(elements) * 4, '\0'));
  }
  add_output(run_case, "z", proto::FLOAT32, elements);
  return run_kernel(source, "stream_add", run_case, {.block_dim = cores, .seed = seed});
}

double kernel_cycles(const proto::CaseResult& result) { return static_cast<double>(result.cycles()) - kLaunchCycles; }

TEST(Time, NoKernelBeatsTheRoofline) {
  const auto result = stream_add(4 << 20, 48);
  ASSERT_TRUE(result.ran());
  EXPECT_GE(kernel_cycles(result), 3.0 * 4 * (4 << 20) / 1.46e12 * 1.85e9);
  EXPECT_EQ(errors_of(result), "");
}

TEST(Time, MoreCoresGainButLessThanTheirNumberOnMemoryBoundWork) {
  const double one = kernel_cycles(stream_add(4 << 20, 1)), all = kernel_cycles(stream_add(4 << 20, 48));
  EXPECT_GT(one / all, 8);
  EXPECT_LT(one / all, 48);
}

TEST(Time, TheOrderOfCoresChangesNeitherNumbersNorCycles) {
  const auto first = stream_add(1 << 20, 48), second = stream_add(1 << 20, 48, /*seed=*/5);
  EXPECT_EQ(first.cycles(), second.cycles());
  EXPECT_EQ(first.outputs(0).data(), second.outputs(0).data());
}

TEST(Time, DoubleBufferingGains) {
  // Balanced work: what is loaded takes as long to compute.
  const auto kernel = [](int buffers) {
    return std::string(R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg) {
  TPipe pipe; TQue<QuePosition::VECIN, 2> in; TQue<QuePosition::VECOUT, 2> out; GlobalTensor<float> x, z;
  x.SetGlobalBuffer((__gm__ float*)xg); z.SetGlobalBuffer((__gm__ float*)zg);
  pipe.InitBuffer(in, )") +
           std::to_string(buffers) + ", 8192); pipe.InitBuffer(out, " + std::to_string(buffers) + R"(, 8192);
  for (int i = 0; i < 32; ++i) {
    auto a = in.AllocTensor<float>(); DataCopy(a, x[i * 2048], 2048); in.EnQue(a);
    a = in.DeQue<float>(); auto c = out.AllocTensor<float>(); Adds(c, a, 1.0f, 2048);
    for (int r = 0; r < 5; ++r) Adds(c, c, 1.0f, 2048);
    out.EnQue(c); in.FreeTensor(a);
    c = out.DeQue<float>(); DataCopy(z[i * 2048], c, 2048); out.FreeTensor(c);
  }
}
)";
  };
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, std::vector<double>(65536, 1));
  *run_case.add_inputs() = tensor("y", proto::FLOAT32, std::vector<double>(8, 1));
  add_output(run_case, "z", proto::FLOAT32, 65536);
  const auto one = run_kernel(kernel(1), "k", run_case), two = run_kernel(kernel(2), "k", run_case);
  EXPECT_EQ(errors_of(one) + errors_of(two), "");
  const double gain = kernel_cycles(one) / kernel_cycles(two);
  EXPECT_GT(gain, 1.5);
  EXPECT_LT(gain, 1.9);
}

TEST(Time, LargeCopiesBeatSmallOnes) {
  const auto kernel = [](int bytes) {
    return vector_kernel("float", "float", 4096,
                         "for (int i = 0; i < n * 4; i += " + std::to_string(bytes) +
                             ") DataCopy(work[i / 4], yGm[i / 4], " + std::to_string(bytes / 4) +
                             ");\nAdds(z, x, 1.0f, n);");
  };
  proto::RunCase run_case;
  for (const char* name : {"x", "y"})
    *run_case.add_inputs() = tensor(name, proto::FLOAT32, std::vector<double>(4096, 1));
  add_output(run_case, "z", proto::FLOAT32, 4096);
  const auto large = run_kernel(kernel(16384), "k", run_case), small = run_kernel(kernel(128), "k", run_case);
  EXPECT_GT(kernel_cycles(small), kernel_cycles(large) + 1500);  // 128 copies of 20.6 cycles against one of 585
}

// `body` on each of `cores` cores, over this many elements of x and of z.
double on_cores(std::uint32_t cores, const std::string& body, std::int64_t elements = 4 << 20, L2Before l2 = {},
                std::int64_t outputs = 1 << 20) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TQue<QuePosition::VECIN, 2> queue; GlobalTensor<float> x, z;
  x.SetGlobalBuffer((__gm__ float*)xg); z.SetGlobalBuffer((__gm__ float*)zg); pipe.InitBuffer(queue, 2, 32768);
  const int core = GetBlockIdx();
)" + body + "\n}\n";
  proto::RunCase run_case;
  proto::Tensor& input = *run_case.add_inputs();
  input.set_name("x");
  input.set_dtype(proto::FLOAT32);
  input.add_shape(elements);
  input.set_data(std::string(static_cast<std::size_t>(elements) * 4, '\0'));
  add_output(run_case, "z", proto::FLOAT32, outputs);
  const auto result = run_kernel(source, "k", run_case, {.block_dim = cores, .l2 = l2});
  EXPECT_EQ(errors_of(result), "");
  return kernel_cycles(result);
}

std::string reading(const std::string& first_element, const std::string& times) {
  return "for (int i = 0; i < " + times + "; ++i) { auto a = queue.AllocTensor<float>(); DataCopy(a, x[" +
         first_element + "], 8192); queue.EnQue(a); a = queue.DeQue<float>(); queue.FreeTensor(a); }";
}

TEST(Time, WhatL2HoldsIsReadFasterButNotAtOnce) {
  const double once = on_cores(32, reading("(core * 16 + i) * 8192", "16"));
  const double twice = on_cores(32, reading("(core * 16 + i % 16) * 8192", "32"));
  EXPECT_GT(twice, once * 1.1);
  EXPECT_LT(twice, once * 1.95);
  EXPECT_GE(twice - once, 16.0 * 1024 * 1024 / 5.2e12 * 1.85e9);
}

// 240 MiB, more than L2 holds: what is read again at once is there, what is read again after all the rest is not.
TEST(Time, L2KeepsWhatWasUsedLast) {
  constexpr std::int64_t kElements = std::int64_t{48} * 160 * 8192;
  const double again = on_cores(48, reading("(core * 160 + i / 2) * 8192", "320"), kElements);
  const double later = on_cores(48, reading("(core * 160 + i % 160) * 8192", "320"), kElements);
  EXPECT_GT(later, again * 1.3);
  EXPECT_GE(later, 2 * 240.0 * 1024 * 1024 / 1.8e12 * 1.85e9);
}

// However often the rest is read in between.
TEST(Time, L2KeepsAllThatFits) {
  constexpr std::int64_t kElements = std::int64_t{48} * 80 * 8192;  // 120 MiB
  const double twice = on_cores(48, reading("(core * 80 + i % 80) * 8192", "160"), kElements);
  const double often = on_cores(48, reading("(core * 80 + i % 80) * 8192", "480"), kElements);
  const double one_pass = (often - twice) / 4;  // from L2
  EXPECT_LT(one_pass, 120.0 * 1024 * 1024 / 1.8e12 * 1.85e9 * 0.9);
}

// A launch that is repeated finds its tensors in L2, if they fit; data of others that has to leave L2 costs as much
// time as what comes.
TEST(Time, WhatL2HoldsBeforeALaunchCounts) {
  const auto reads = [](std::int64_t tiles, L2Before l2) {
    const std::string text = std::to_string(tiles);
    return on_cores(48, reading("(core * " + text + " + i) * 8192", text), 48 * tiles * 8192, l2);
  };
  constexpr double kPass = 120.0 * 1024 * 1024 / chip::kGmBytesPerCycle;  // 80 tiles a core, from HBM
  const double empty = reads(80, {}), dirty = reads(80, {.dirty_bytes = 192 << 20});
  EXPECT_GE(empty, kPass);
  EXPECT_LT(reads(80, {.tensors = true}), 0.75 * empty);
  EXPECT_NEAR(dirty - empty, kPass, 0.05 * kPass);
  EXPECT_NEAR(reads(80, {.dirty_bytes = 12 << 20}) - empty, kPass / 10, 0.02 * kPass);
  EXPECT_EQ(reads(160, {.tensors = true}), reads(160, {}));  // 240 MiB do not fit
}

// 30 MiB stay in a clean L2. In an empty one, whose lines others may want, they are written back.
TEST(Time, WhatIsWrittenToACleanL2StaysThere) {
  const auto writes = [](L2Before l2) {
    return on_cores(
        48,
        "auto a = queue.AllocTensor<float>(); Duplicate(a, 1.0f, 8192); PipeBarrier<PIPE_ALL>(); for (int i "
        "= 0; i < 20; ++i) DataCopy(z[(core * 20 + i) * 8192], a, 8192); queue.FreeTensor(a);",
        1, l2, 48 * 20 * 8192);
  };
  constexpr double kBytes = 48.0 * 20 * 32768;
  EXPECT_GE(writes({}), kBytes / chip::kGmBytesPerCycle);
  EXPECT_LT(writes({.clean = true}), 0.75 * kBytes / chip::kGmBytesPerCycle);
  EXPECT_GE(writes({.clean = true}), 20 * 32768 / chip::kMoveBytesPerCycle);
}

// Cube cores that copy 32 KB at a time from L2, in rows of `columns` elements of half.
double copies_to_l1(std::uint32_t cores, int columns) {
  const int rows = 16384 / columns;
  return on_cores(cores,
                  "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); TBuf<TPosition::A1> l1; pipe.InitBuffer(l1, "
                  "32768); GlobalTensor<half> h; h.SetGlobalBuffer((__gm__ half*)xg + core * 256 * 2048); "
                  "for (int i = 0; i < 128; ++i) { const int tile = i * " +
                      std::to_string(columns) + "; DataCopy(l1.Get<half>(), h[tile / 2048 * " + std::to_string(rows) +
                      " % 256 * 2048 + tile % 2048], Nd2NzParams(1, " + std::to_string(rows) + ", " +
                      std::to_string(columns) + ", 0, 2048, " + std::to_string(rows) +
                      ", 1, 0)); PipeBarrier<PIPE_MTE2>(); }",
                  24 * 256 * 1024);
}

TEST(Time, ALineOfL2IsBusyWithAPartAsLongAsWithTheWhole) {
  EXPECT_GT(copies_to_l1(24, 64), 2 * copies_to_l1(24, 256));
  EXPECT_NEAR(copies_to_l1(1, 64), copies_to_l1(1, 256), 0.02 * copies_to_l1(1, 256));
}

// 128 x k x 30720 by the Matmul objects of 24 cube cores, in base blocks of 128 x 64 x 256.
double products(const std::string& config, int steps, int blocks_in_l1, int k) {
  const std::string depth = std::to_string(k);
  const std::string source = R"(#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC; using namespace matmul;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  using In = MatmulType<TPosition::GM, CubeFormat::ND, half>; using Out = MatmulType<TPosition::GM, CubeFormat::ND, float>;
  TPipe pipe; TCubeTiling t;
  t.usedCoreNum = 24; t.M = 128; t.N = 24 * 1280; t.Ka = t.Kb = )" +
                             depth + R"(; t.singleCoreM = 128; t.singleCoreN = 1280; t.singleCoreK = )" + depth + R"(;
  t.baseM = 128; t.baseN = 256; t.baseK = 64; t.stepM = t.stepN = 1; t.stepKa = t.stepKb = )" +
                             std::to_string(steps) + "; t.depthA1 = t.depthB1 = " + std::to_string(blocks_in_l1) + R"(;
  Matmul<In, In, Out, Out, )" +
                             config + R"(> mm; REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  GlobalTensor<half> a, b; GlobalTensor<float> c;
  a.SetGlobalBuffer((__gm__ half*)xg); b.SetGlobalBuffer((__gm__ half*)yg); c.SetGlobalBuffer((__gm__ float*)zg);
  const int column = GetBlockIdx() * 1280;
  mm.SetTensorA(a); mm.SetTensorB(b[column]); mm.IterateAll(c[column]); mm.End();
}
)";
  proto::RunCase run_case;
  for (const std::int64_t elements : {std::int64_t{128} * k, std::int64_t{24} * 1280 * k})
    *run_case.add_inputs() =
        tensor("x" + std::to_string(elements), proto::FLOAT16, std::vector<double>(static_cast<std::size_t>(elements)));
  add_output(run_case, "z", proto::FLOAT32, 128 * 24 * 1280);
  const auto result = run_kernel(source, "k", run_case, {.block_dim = 24, .l2 = {.tensors = true}});
  EXPECT_EQ(errors_of(result), "");
  return kernel_cycles(result);
}

TEST(Time, TheMatmulObjectCopiesABaseBlockAtATimeOrSeveral) {
  EXPECT_GT(products("CFG_NORM", 4, 8, 1024), 1.2 * products("CFG_MDL", 4, 8, 1024));
}

TEST(Time, APanelThatL1KeepsIsCopiedOnce) {
  EXPECT_LT(products("CFG_NORM", 1, 2, 128), 0.95 * products("CFG_NORM", 1, 1, 128));
}

TEST(Time, CoresThatUseTheSameLineStandInTurn) {
  const auto writing = [](const std::string& element) {
    return "auto a = queue.AllocTensor<float>(); Duplicate(a, 1.0f, 8192); PipeBarrier<PIPE_ALL>(); for (int i = 0; i "
           "< 64; ++i) { DataCopy(z[" +
           element + "], a, 128); PipeBarrier<PIPE_MTE3>(); } queue.FreeTensor(a);";
  };
  const double apart = on_cores(48, writing("(core * 64 + i) * 128")), same = on_cores(48, writing("0"));
  EXPECT_GT(same, apart * 2);
  EXPECT_GE(same, 48 * 64 * 18.0);
}

TEST(Time, AnUnalignedStartCosts) {
  EXPECT_GT(on_cores(1, reading("i * 8192 + 40", "16")), 1.2 * on_cores(1, reading("i * 8192", "16")));
}

TEST(Time, TheTimelineSaysWhatEachPipeDidAndWhenItWaited) {
  const std::string source = "#define TOTAL 1048576\n" + read_file(std::string(KG_SOURCE_DIR) +
                                                                   "/tests/integration/ascendc_kernels/stream_add.cpp");
  proto::RunCase run_case;
  for (const char* name : {"x", "y"})
    *run_case.add_inputs() = tensor(name, proto::FLOAT32, std::vector<double>(1 << 20, 1));
  add_output(run_case, "z", proto::FLOAT32, 1 << 20);
  const auto result = run_kernel(source, "stream_add", run_case, {.block_dim = 8, .want_timeline = true});
  const auto trace = nlohmann::json::parse(result.timeline_json());
  double moved = 0, added = 0, last = 0;
  int waits = 0, arrows = 0;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "f") ++arrows;
    if (event.at("ph") != "X") continue;
    EXPECT_GE(event.at("dur").get<double>(), 0);
    last = std::max(last, event.at("ts").get<double>() + event.at("dur").get<double>());
    if (event.at("cat") == "wait") {
      ++waits;
    } else {
      EXPECT_GT(event.at("args").at("line").get<int>(), 10);
      if (event.at("name") == "DataCopy") moved += event.at("args").at("bytes").get<double>();
      if (event.at("name") == "Add") added += event.at("args").at("elements").get<double>();
    }
  }
  EXPECT_EQ(moved, 3.0 * 4 * (1 << 20));
  EXPECT_EQ(added, 1 << 20);
  EXPECT_GT(waits, 100);
  EXPECT_GT(arrows, 100);
  EXPECT_NEAR(last, kernel_cycles(result) / 1850, 0.2);  // microseconds
  EXPECT_FALSE(trace.at("otherData").contains("cut"));
}

TEST(Time, ALongTimelineIsCutAndSaysSo) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024); auto t = b.Get<float>();
  for (int i = 0; i < 60000; ++i) t.SetValue(i % 256, 1.0f);
}
)";
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, {1});
  add_output(run_case, "z", proto::FLOAT32, 8);
  const auto trace = nlohmann::json::parse(run_kernel(source, "k", run_case, {.want_timeline = true}).timeline_json());
  EXPECT_LT(trace.at("traceEvents").size(), 50000u);
  EXPECT_EQ(trace.at("otherData").at("cut"), "the first 48000 of 60000 events are shown, 48000 of a core at most");
}

TEST(Time, AMemoryBoundKernelOver64MegabytesIsQuick) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = stream_add(64 / 3 * (1 << 20) / 4, 48);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(result.ran());
  EXPECT_LT(seconds.count(), 10);  // generous: the machine is shared; see RecordProperty for the number
  RecordProperty("seconds", std::to_string(seconds.count()));
  std::printf("64 MB in %.2f s, compilation and process included\n", seconds.count());
}

}  // namespace
}  // namespace kg::npu::testing
