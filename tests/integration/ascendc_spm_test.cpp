// The SPM buffer of TPipe, on pages 0166 to 0168 of the reference: UB is kept in the workspace and brought back.

#include <gmock/gmock.h>

#include "ascendc_value_kernel.h"

namespace kg::npu::testing {
namespace {

using ::testing::HasSubstr;

// z = what `statements` leave in `a`, which is x before; w takes the SPM buffer.
proto::CaseResult run(const std::string& statements) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, shuffled_values(89, 17));
  add_output(run_case, "w", proto::FLOAT32, kValues);
  add_output(run_case, "z", proto::FLOAT32, 256);
  return run_kernel(R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR wg, GM_ADDR zg) {
  TPipe pipe; TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out;
  GlobalTensor<float> x, w, z;
  x.SetGlobalBuffer((__gm__ float*)xg); w.SetGlobalBuffer((__gm__ float*)wg); z.SetGlobalBuffer((__gm__ float*)zg);
  pipe.InitBuffer(in, 1, 1024); pipe.InitBuffer(out, 1, 1024);
  auto a = in.AllocTensor<float>(); DataCopy(a, x, 256); in.EnQue(a); a = in.DeQue<float>();
#line 1
)" + statements + R"(
  auto o = out.AllocTensor<float>(); Adds(o, a, 0.0f, 256);
  out.EnQue(o); o = out.DeQue<float>(); DataCopy(z, o, 256); out.FreeTensor(o); in.FreeTensor(a);
})",
                    "k", run_case);
}

// As the pages' example has it: no flag is between writing and reading back.
TEST(SpmBuffer, WhatWasWrittenIsReadBack) {
  const auto result =
      run("pipe.InitSpmBuffer(w, 4096); pipe.WriteSpmBuffer(a, 256, 64); Duplicate(a, -1.0f, 256);\n"
          "pipe.ReadSpmBuffer(a, 256, 64);");
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "");
  const Values x = shuffled_values(89, 17);
  EXPECT_EQ(values_of(result.outputs(1)), Values(x.begin(), x.begin() + 256));
  EXPECT_EQ(values_of(result.outputs(0))[16 + 3], x[3]);  // 64 bytes from the start
}

TEST(SpmBuffer, CountsOfNoWholeBlocksAreCopiedWhole) {
  const auto result =
      run("pipe.InitSpmBuffer(w, 4096); Duplicate(a, 5.0f, 256); pipe.WriteSpmBuffer(a, 13);\n"
          "Duplicate(a, -1.0f, 256); pipe.ReadSpmBuffer(a, 13);");
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "");
  const Values z = values_of(result.outputs(1));
  EXPECT_EQ(z[12], 5);
  EXPECT_EQ(z[16], -1);
}

TEST(SpmBuffer, BlocksWithGaps) {
  const auto result =
      run("pipe.InitSpmBuffer(w, 4096); Duplicate(a, 3.0f, 256);\n"
          "pipe.WriteSpmBuffer(a, DataCopyParams{4, 1, 1, 0}); Duplicate(a, -1.0f, 256);\n"
          "pipe.ReadSpmBuffer(a, DataCopyParams{2, 1, 0, 2}, 64);");
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "");
  const Values z = values_of(result.outputs(1)), w = values_of(result.outputs(0));
  EXPECT_EQ(w[31], 3);
  EXPECT_EQ(z[7], 3);
  EXPECT_EQ(z[8], -1);
  EXPECT_EQ(z[24], 3);
}

TEST(SpmBuffer, TooSmallOrMissing) {
  const auto beyond = run("pipe.InitSpmBuffer(w, 512); pipe.WriteSpmBuffer(a, 128, 32);");
  ASSERT_GE(beyond.faults_size(), 1);
  EXPECT_EQ(errors_of(beyond), "gm:1");
  EXPECT_THAT(beyond.faults(0).message(), HasSubstr("bytes 32 to 544 of an SPM buffer that has 512"));
  const auto missing = run("pipe.ReadSpmBuffer(a, 128);");
  ASSERT_GE(missing.faults_size(), 1);
  EXPECT_THAT(missing.faults(0).message(), HasSubstr("call InitSpmBuffer first"));
}

TEST(SpmBuffer, InL1DoesNotExistOnThisDevice) {
  const auto compiled = compile_kernel(vector_kernel("float", "float", 256, "pipe.InitSpmBuffer(4096);"), "k");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr("an SPM buffer in L1, does not exist on this device"));
}

}  // namespace
}  // namespace kg::npu::testing
