// GroupBarrier, on pages 0301 to 0306 of the reference: two vector cores put numbers into the workspace, two others
// wait for both.

#include <gmock/gmock.h>

#include "ascendc_value_kernel.h"

namespace kg::npu::testing {
namespace {

using ::testing::HasSubstr;

struct Written {
  const char* arrive = "barrier.Arrive(id);";
  const char* wait = "barrier.Wait(id - 2);";
  double message = 0;  // what the workspace of the barrier holds
  const char* buffer = "1024";
};

proto::CaseResult run(const Written& written, std::uint64_t seed = 0) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("flags", proto::INT32, Values(256, written.message));
  add_output(run_case, "w", proto::FLOAT32, 512);
  add_output(run_case, "z", proto::FLOAT32, 512);
  return run_kernel(std::string(R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR flags, GM_ADDR wg, GM_ADDR zg) {
  TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, )") +
                        written.buffer + R"();
  GlobalTensor<float> w, z; w.SetGlobalBuffer((__gm__ float*)wg); z.SetGlobalBuffer((__gm__ float*)zg);
  auto a = buf.Get<float>();
  GroupBarrier<PipeMode::MTE3_MODE> barrier(flags, 2, 2);
  if (barrier.GetWorkspaceLen() != 1024) return;
  int id = GetBlockIdx();
  for (int round = 0; round < 2; ++round) {
    if (id < 2) {
      Duplicate(a, 10.0f * round + id + 1.0f, 128);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0); WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(w[round * 256 + id * 128], a, 128);
#line 1
)" + written.arrive + R"(
    } else {
#line 11
)" + written.wait + R"(
      DataCopy(a, w[round * 256 + (3 - id) * 128], 128);
      SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0); WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
      DataCopy(z[round * 256 + (id - 2) * 128], a, 128);
    }
    PipeBarrier<PIPE_ALL>();
  }
})",
                    "k", run_case, {.block_dim = 4, .seed = seed});
}

TEST(GroupBarrier, WaitingCoresSeeWhatAllArrivedOnesWrote) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto result = run({}, seed);
    ASSERT_TRUE(result.ran()) << result.ShortDebugString();
    EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
    EXPECT_EQ(values_of(result.outputs(1)), map(512, [](std::size_t i) { return i / 256 * 10.0 + 2 - i / 128 % 2; }));
  }
}

TEST(GroupBarrier, WithoutTheWaitTheCoresRace) { EXPECT_THAT(errors_of(run({.wait = ";"})), HasSubstr("gm:")); }

TEST(GroupBarrier, AWaitThatNobodyEndsNamesWhatIsMissing) {
  const auto result = run({.arrive = "if (id == 0) barrier.Arrive(id);"});
  EXPECT_EQ(errors_of(result), "synchronisation:11");
  EXPECT_THAT(result.faults(0).message(), HasSubstr("GroupBarrier::Wait(0) for Arrive(1)"));
  EXPECT_THAT(result.faults(0).message(), HasSubstr("every core of the arriving group must call Arrive"));
}

TEST(GroupBarrier, AWorkspaceThatIsNotZero) {
  const auto result = run({.message = 1});
  EXPECT_THAT(errors_of(result), HasSubstr("memory:"));
  EXPECT_THAT(result.faults(0).message(),
              HasSubstr("of the workspace of a GroupBarrier is not zero; clear its 1024 bytes"));
}

TEST(GroupBarrier, AnIndexBeyondTheGroup) {
  const auto result = run({.arrive = "barrier.Arrive(id + 2);"});
  EXPECT_EQ(errors_of(result), "argument:1");
  EXPECT_THAT(result.faults(0).message(), HasSubstr("GroupBarrier::Arrive(2): its group has 2 cores, 0 to 1"));
}

TEST(GroupBarrier, TheEndOfUbIsItsOwn) {
  EXPECT_EQ(errors_of(run({.buffer = "195008"})), "");  // 192 KiB less 1600 bytes
  EXPECT_EQ(errors_of(run({.buffer = "195040"})), "ub:1 ub:11");
}

TEST(GroupBarrier, OfScalarModeDoesNotExist) {
  const auto compiled = compile_kernel(
      vector_kernel("float", "float", 256, "GroupBarrier<PipeMode::SCALAR_MODE> barrier(zg, 1, 1);"), "k");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr("GroupBarrier takes PipeMode::MTE3_MODE only"));
}

}  // namespace
}  // namespace kg::npu::testing
