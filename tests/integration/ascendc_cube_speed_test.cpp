// Time on the device and on the host of cube work, double buffering by hand, bias through BT.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "ascendc_cube_kernels.h"
#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

// C = A * B over all cube cores, tiles of 128 x 256, K in steps of 64, L1 and L0 doubled, ordered by hand.
std::string tiled_matmul(int size, bool with_last_wait = true) {
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\nconstexpr int S = " + std::to_string(size) + R"(;
constexpr int TM = 128, TN = 256, TK = 64;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg) {
  TPipe pipe; TBuf<TPosition::A1> a1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; TBuf<TPosition::CO1> c1;
  pipe.Destroy();
  GetTPipePtr()->InitBuffer(a1, 512 * 1024); GetTPipePtr()->InitBuffer(a2, 64 * 1024); GetTPipePtr()->InitBuffer(b2, 64 * 1024); GetTPipePtr()->InitBuffer(c1, 128 * 1024);
  LocalTensor<uint8_t> l1 = a1.Get<uint8_t>(), l0a = a2.Get<uint8_t>(), l0b = b2.Get<uint8_t>();
  LocalTensor<float> z = c1.Get<float>();
  GlobalTensor<half> a, b; GlobalTensor<float> c;
  a.SetGlobalBuffer((__gm__ half*)ag); b.SetGlobalBuffer((__gm__ half*)bg); c.SetGlobalBuffer((__gm__ float*)cg);
  for (int i = 0; i < 2; ++i) { SetFlag<HardEvent::MTE1_MTE2>(i); SetFlag<HardEvent::M_MTE1>(i); }
  SetFlag<HardEvent::FIX_M>(0);
  for (int tile = GetBlockIdx(); tile < (S / TM) * (S / TN); tile += GetBlockNum()) {
    int m0 = tile / (S / TN) * TM, n0 = tile % (S / TN) * TN;
    WaitFlag<HardEvent::FIX_M>(0);
    for (int step = 0; step < S / TK; ++step) {
      int p = step % 2;
      LocalTensor<half> x1 = l1[p * 65536].ReinterpretCast<half>(), y1 = l1[p * 65536 + 16384].ReinterpretCast<half>();
      LocalTensor<half> x0 = l0a[p * 32768].ReinterpretCast<half>(), y0 = l0b[p * 32768].ReinterpretCast<half>();
      WaitFlag<HardEvent::MTE1_MTE2>(p);
      DataCopy(x1, a[m0 * S + step * TK], Nd2NzParams(1, TM, TK, 0, S, TM, 1, 0));
      DataCopy(y1, b[step * TK * S + n0], Nd2NzParams(1, TK, TN, 0, S, TK, 1, 0));
      SetFlag<HardEvent::MTE2_MTE1>(p); WaitFlag<HardEvent::MTE2_MTE1>(p);
      WaitFlag<HardEvent::M_MTE1>(p);
      for (int i = 0; i < TM / 16; ++i) LoadData(x0[i * 16 * TK], x1[i * 256], LoadData2DParams(0, TK / 16, TM / 16, 0, 0, false, 0));
      for (int i = 0; i < TK / 16; ++i) LoadData(y0[i * TN * 16], y1[i * 256], LoadData2DParams(0, TN / 16, TK / 16, 0, 0, true, 0));
      SetFlag<HardEvent::MTE1_MTE2>(p); SetFlag<HardEvent::MTE1_M>(p); WaitFlag<HardEvent::MTE1_M>(p);
      MmadParams mm; mm.m = TM; mm.n = TN; mm.k = TK; mm.cmatrixInitVal = step == 0;
      Mmad(z, x0, y0, mm);
      SetFlag<HardEvent::M_MTE1>(p);
    }
    SetFlag<HardEvent::M_FIX>(0); WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe<float, float, CFG_ROW_MAJOR>(c[m0 * S + n0], z, FixpipeParamsV220(TN, TM, TM, S, false));
    SetFlag<HardEvent::FIX_M>(0);
  }
  for (int i = 0; i < 2; ++i) { WaitFlag<HardEvent::MTE1_MTE2>(i); WaitFlag<HardEvent::M_MTE1>(i); }
)" + (with_last_wait ? "  WaitFlag<HardEvent::FIX_M>(0);\n" : "") +
         "}\n";
}

proto::CaseResult run_tiled(int size, const std::vector<double>& a, const std::vector<double>& b) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, a);
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, b);
  add_output(run_case, "c", proto::FLOAT32, size * size);
  return run_kernel(tiled_matmul(size), "k_", run_case, {.block_dim = 24});
}

TEST(CubeSpeed, DoubleBufferedMatmulOf1024IsRightAndQuick) {
  constexpr int kSize = 1024;
  const auto a = small_numbers(kSize * kSize, 1), b = small_numbers(kSize * kSize, 2);
  const auto start = std::chrono::steady_clock::now();
  const auto result = run_tiled(kSize, a, b);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(result.ran());
  EXPECT_EQ(errors_of(result), "");
  const auto got = values_of(result.outputs(0));
  for (int row = 0; row < kSize; row += 37)
    for (int column = 0; column < kSize; column += 41) {
      double sum = 0;
      for (int k = 0; k < kSize; ++k)
        sum += a[static_cast<std::size_t>(row * kSize + k)] * b[static_cast<std::size_t>(k * kSize + column)];
      ASSERT_EQ(got[static_cast<std::size_t>(row * kSize + column)], sum) << row << ", " << column;
    }
  // Never faster than the cube: 1024^3 / (4096 * 24 cores) cycles, here over 2 waves of 32 tiles on 24 cores.
  EXPECT_GT(static_cast<double>(result.cycles()) - 9250, 2 * 64.0 * 1024 / 16 * 2);
  std::printf("1024^3 fp16 matmul in %.2f s, compilation and process included; %llu cycles\n", seconds.count(),
              static_cast<unsigned long long>(result.cycles()));
  EXPECT_LT(seconds.count(), 20);  // generous: the machine is shared
}

// The published point: 128 x 256 x 512 in 4,209 cycles; the difference of two kernels, one with the Mmad twice.
TEST(CubeSpeed, MmadTakesThePublishedCycles) {
  const auto cycles = [](int times) {
    const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg) {
  TPipe pipe; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; TBuf<TPosition::CO1> c1;
  pipe.InitBuffer(a2, 65536); pipe.InitBuffer(b2, 65536); pipe.InitBuffer(c1, 131072);
  auto x = a2.Get<half>(), y = b2.Get<half>(); auto z = c1.Get<float>();
  InitConstValue(x, InitConstValueParams<half>(1, 128, 0, (half)1)); InitConstValue(y, InitConstValueParams<half>(1, 128, 0, (half)1));
  PipeBarrier<PIPE_ALL>();
  MmadParams mm; mm.m = 128; mm.n = 256; mm.k = 128;
  for (int i = 0; i < )" + std::to_string(times) +
                               R"(; ++i) { mm.cmatrixInitVal = i == 0; Mmad(z, x, y, mm); }
  PipeBarrier<PIPE_ALL>();
  GlobalTensor<float> c; c.SetGlobalBuffer((__gm__ float*)cg); Fixpipe<float, float, CFG_ROW_MAJOR>(c, z, FixpipeParamsV220(256, 128, 128, 256, false));
}
)";
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("a", proto::FLOAT16, std::vector<double>(16, 1));
    *run_case.add_inputs() = tensor("b", proto::FLOAT16, std::vector<double>(16, 1));
    add_output(run_case, "c", proto::FLOAT32, 128 * 256);
    const auto result = run_kernel(source, "k_", run_case);
    EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 1000);
    return static_cast<double>(result.cycles());
  };
  // Four steps of k = 128 are the product of k = 512.
  EXPECT_NEAR(cycles(4) - cycles(1), 4209.0 * 3 / 4, 421);
}

TEST(CubeNumbers, BiasThroughTheTableIsAddedToEveryRow) {
  PlainMatmul p{.m = 20, .n = 32, .k = 32};
  std::string source = plain_matmul(p);
  const auto put = [&](const std::string& at, const std::string& text) {
    const auto i = source.find(at);
    ASSERT_NE(i, std::string::npos);
    source.insert(i, text);
  };
  put("#line 1",
      "TBuf<TPosition::C1> bb; TBuf<TPosition::C2> bt; pipe.InitBuffer(bb, n * 4); pipe.InitBuffer(bt, n * 4);\n"
      "GlobalTensor<float> biasGm; biasGm.SetGlobalBuffer((__gm__ float*)dg); LocalTensor<float> b1l = "
      "bb.Get<float>(), b2l = bt.Get<float>();\n"
      "DataCopy(b1l, biasGm, n);\n");
  put("  for (int i = 0; i < m16 / 16; ++i) LoadData", "  DataCopy(b2l, b1l, DataCopyParams{1, n * 4 / 64, 0, 0});\n");
  source.replace(source.find("Mmad(cl0, al0, bl0, mm)"), 23, "Mmad(cl0, al0, bl0, b2l, mm)");
  source.replace(source.find("GM_ADDR cg)"), 11, "GM_ADDR dg, GM_ADDR cg)");
  const auto a = small_numbers(20 * 32, 1), b = small_numbers(32 * 32, 2), bias = small_numbers(32, 3);
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, a);
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, b);
  *run_case.add_inputs() = tensor("bias", proto::FLOAT32, bias);
  add_output(run_case, "c", proto::FLOAT32, 20 * 32);
  const auto result = run_kernel(source, "k_", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 1000);
  auto expected = product(a, b, 20, 32, 32);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += bias[i % 32];
  EXPECT_EQ(values_of(result.outputs(0)), expected);
}

}  // namespace
}  // namespace kg::npu::testing
