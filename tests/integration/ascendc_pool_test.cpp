// TBufPool: stages of a kernel that use one stretch of UB in turn.

#include <gmock/gmock.h>

#include "ascendc_value_kernel.h"

namespace kg::npu::testing {
namespace {

// x + 1, then times 2, in two stages. Line 1 is the first line of `stages`.
proto::CaseResult run(const std::string& stages) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
__aicore__ inline void Stage(TQue<QuePosition::VECIN, 1>& in, TQue<QuePosition::VECOUT, 1>& out, GlobalTensor<float>& from, GlobalTensor<float>& to, float add, float times) {
  LocalTensor<float> a = in.AllocTensor<float>(); DataCopy(a, from, 4096); in.EnQue(a); a = in.DeQue<float>();
  LocalTensor<float> b = out.AllocTensor<float>(); Adds(b, a, add, 4096); Muls(b, b, times, 4096); out.EnQue(b); in.FreeTensor(a);
  b = out.DeQue<float>(); DataCopy(to, b, 4096); out.FreeTensor(b);
}
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; GlobalTensor<float> x, y, z; x.SetGlobalBuffer((__gm__ float*)xg); z.SetGlobalBuffer((__gm__ float*)zg); y.SetGlobalBuffer((__gm__ float*)zg + 4096);
  TQue<QuePosition::VECIN, 1> in1, in2; TQue<QuePosition::VECOUT, 1> out1, out2; TBuf<TPosition::VECCALC> buf;
  TBufPool<TPosition::VECCALC> first, second; TBufPool<TPosition::VECCALC, 16> inner;
#line 1
)" + stages + "\n}\n";
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, map(4096, [](std::size_t i) { return double(i % 97); }));
  add_output(run_case, "z", proto::FLOAT32, 8192);
  return run_kernel(source, "k", run_case);
}

void expect_both_stages(const proto::CaseResult& result) {
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 1000);
  const Values z = values_of(result.outputs(0));
  for (std::size_t i = 0; i < 4096; ++i) {
    ASSERT_EQ(z[4096 + i], double(i % 97) + 1) << i;
    ASSERT_EQ(z[i], (double(i % 97) + 1) * 2) << i;
  }
}

const std::string kFirst =
    "first.InitBuffer(in1, 2, 16384); first.InitBuffer(out1, 2, 16384); Stage(in1, out1, x, y, 1.0f, 1.0f);\n";
const std::string kWait = "PipeBarrier<PIPE_ALL>();\n";

TEST(BufPool, TwoPoolsShareOneStretch) {
  const std::string open = "pipe.InitBufPool(first, 150 * 1024); pipe.InitBufPool(second, 120 * 1024, first);\n";
  expect_both_stages(run(open + kFirst + kWait +
                         "first.Reset();\nsecond.InitBuffer(in2, 1, 16384); second.InitBuffer(out2, 1, 16384); "
                         "Stage(in2, out2, y, z, 0.0f, 2.0f); second.Reset();"));
  // Without sharing they would not fit.
  EXPECT_EQ(errors_of(run("pipe.InitBufPool(first, 150 * 1024);\npipe.InitBufPool(second, 120 * 1024);")), "ub:2");
}

TEST(BufPool, OnePoolServesTwoStagesAndHoldsAnother) {
  expect_both_stages(run("pipe.InitBufPool(first, 96 * 1024); pipe.InitBuffer(buf, 90 * 1024);\n" + kFirst + kWait +
                         "first.Reset(); first.InitBufPool(inner, 64 * 1024);\n"
                         "inner.InitBuffer(in2, 1, 16384); first.InitBuffer(out2, 1, 16384); Stage(in2, out2, y, z, "
                         "0.0f, 2.0f);"));
}

TEST(BufPool, WhatAPoolDoesNotHaveIsRefused) {
  const std::string open = "pipe.InitBufPool(first, 32 * 1024);\n";
  EXPECT_EQ(errors_of(run(open + "first.InitBuffer(in1, 3, 16384);")), "ub:2");
  EXPECT_EQ(errors_of(run(open + "first.InitBuffer(in1, 5, 32);")), "queue:2");
  EXPECT_EQ(errors_of(run(open + "pipe.InitBufPool(second, 64 * 1024, first);")), "ub:2");
  EXPECT_EQ(errors_of(run(open + "second.InitBuffer(in1, 1, 32);")), "queue:2");
  EXPECT_EQ(
      errors_of(run(open + "first.InitBuffer(in1, 1, 1024);\nfirst.Reset();\nauto a = in1.AllocTensor<float>();")),
      "queue:4");
}

}  // namespace
}  // namespace kg::npu::testing
