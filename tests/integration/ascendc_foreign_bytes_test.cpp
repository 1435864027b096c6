// Calls that touch bytes of another buffer: an error where that matters, a warning where it does not.

#include <gtest/gtest.h>

#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

struct Touch {
  const char* name;
  std::string body;  // its line 3 touches them
  proto::FaultSeverity severity;
};

// Buffers lie one behind the other: `in` at 0, `out` at 1,024, `rest` at 2,048.
proto::CaseResult run_touch(const std::string& body) {
  const std::string source = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TBuf<> in, out, rest; GlobalTensor<float> x, z;
  x.SetGlobalBuffer((__gm__ float*)xg, 512); z.SetGlobalBuffer((__gm__ float*)zg, 256);
  pipe.InitBuffer(in, 1024); pipe.InitBuffer(out, 1024); pipe.InitBuffer(rest, 2048);
  auto a = in.Get<float>(); auto o = out.Get<float>(); auto r = rest.Get<float>();
#line 1
)" + body + "\nPipeBarrier<PIPE_ALL>();\nDataCopy(z, o, 256);\n}\n";
  proto::RunCase run_case;
  std::vector<double> values(512);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + 0.5;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, values);
  add_output(run_case, "z", proto::FLOAT32, 256);
  return run_kernel(source, "k", run_case);
}

const std::string kLoad = "DataCopy(a, x, 256);\nPipeBarrier<PIPE_ALL>();";

class ForeignBytes : public ::testing::TestWithParam<Touch> {};

TEST_P(ForeignBytes, AreAnErrorIfTheyMatter) {
  const auto result = run_touch(GetParam().body);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  bool found = false;
  for (const proto::Fault& fault : result.faults()) {
    if (fault.fault_class() != "ub") continue;
    found = true;
    EXPECT_EQ(fault.line(), 3) << fault.message();
    EXPECT_EQ(fault.severity(), GetParam().severity) << fault.message();
  }
  EXPECT_TRUE(found) << result.ShortDebugString();
  if (GetParam().severity == proto::WARNING) {
    EXPECT_EQ(errors_of(result), "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Calls, ForeignBytes,
    ::testing::Values(
        // What it writes spoils the output.
        Touch{"Written", "Duplicate(o, 1.0f, 256);\n\nDuplicate(a, 2.0f, 300);", proto::ERROR},
        Touch{"Copied", "Duplicate(o, 1.0f, 256);\nPipeBarrier<PIPE_ALL>();\nDataCopy(a, x, 264);", proto::ERROR},
        // What it reads gets into the output.
        Touch{"Read", kLoad + "\nDuplicate(o, 7.0f, 256); Adds(r, a, 1.0f, 264); Adds(o, r[8], 0.0f, 256);",
              proto::ERROR},
        Touch{"Reduced", kLoad + " Duplicate(o, 7.0f, 256);\nReduceMax(r, a, r[64], 264); Adds(o, r, 0.0f, 1);",
              proto::WARNING},
        Touch{"ReducedToANumber",
              kLoad + " Duplicate(o, 700.0f, 256);\nReduceMax(r, a, r[64], 264); Adds(o, r, 0.0f, 1);", proto::ERROR},
        // It reads and writes them, and no output depends on it.
        Touch{"ReadForNothing", kLoad + "\nDuplicate(o, 7.0f, 256); Adds(r, a, 1.0f, 264); Adds(o, r, 0.0f, 256);",
              proto::WARNING},
        Touch{"WrittenForNothing", kLoad + " Duplicate(o, 3.0f, 256);\nAdds(o, o, 1.0f, 264);", proto::WARNING},
        Touch{"WrittenOverLater", "\n\nDuplicate(a, 2.0f, 300);\nDuplicate(o, 1.0f, 256);", proto::WARNING},
        // Its own operands lie side by side.
        Touch{"OfItsOwnOperand", kLoad + "\nAdd(r, a, o, 264); Duplicate(o, 3.0f, 256);", proto::WARNING}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kg::npu::testing
