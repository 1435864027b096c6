// Numbers that do not fit a call's parameter, which gets their low bits; copies that leave out the end of a count.

#include <gmock/gmock.h>

#include "ascendc_value_kernel.h"
#include "sandbox/compiler/diagnostics.h"

namespace kg::npu::testing {
namespace {

using ::testing::HasSubstr;

proto::CaseResult run(const std::string& statements, double first) {
  proto::RunCase run_case;
  Values x(kValues, 1);
  x[0] = first;
  *run_case.add_inputs() = tensor("x", proto::INT32, x);
  *run_case.add_inputs() = tensor("y", proto::INT32, x);
  add_output(run_case, "z", proto::INT32, kValues);
  return run_kernel(vector_kernel("int32_t", "int32_t", kValues, "Duplicate(z, 7, n);\n" + statements), "k", run_case);
}

constexpr const char* kRepeats = "int repeats = x.GetValue(0);\nAdds(z, y, 1, 64, repeats, {1, 1, 8, 8});";

TEST(Narrowed, ARepeatTimeOf256BecomesNoneAndIsTold) {
  const auto result = run(kRepeats, 256);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "");
  EXPECT_EQ(warnings_of(result), "argument:22");
  EXPECT_THAT(
      result.faults(0).message(),
      HasSubstr("Adds: 256 is given for a parameter of type uint8_t, which holds 0 to 255, so the call gets 0"));
  EXPECT_EQ(values_of(result.outputs(0))[1], 7);
}

TEST(Narrowed, ARepeatTimeOf257BecomesOne) {
  const auto result = run(kRepeats, 257);
  EXPECT_EQ(warnings_of(result), "argument:22");
  EXPECT_EQ(values_of(result.outputs(0))[63], 2);
  EXPECT_EQ(values_of(result.outputs(0))[64], 7);
}

TEST(Narrowed, WhatFitsIsNotTold) {
  const auto result = run(kRepeats, 16);
  EXPECT_EQ(warnings_of(result), "");
  EXPECT_EQ(values_of(result.outputs(0))[1023], 2);
}

// A number is checked where it is cut to the parameter, not where the kernel itself cuts it.
TEST(Narrowed, WhatTheKernelCutsItselfIsNotTold) {
  EXPECT_EQ(warnings_of(run(
                "uint8_t repeats = (uint8_t)(x.GetValue(0) & 15);\nAdds(z, y, 1, 64, repeats, {1, 1, 8, 8});", 256)),
            "");
}

// clang tells of constants; what it says is put into the device's words.
std::string told_of(const std::string& statements) {
  return sandbox::readable_diagnostics(check_kernel(vector_kernel("float", "float", kValues, statements)),
                                       check_folder(), "headers");
}

TEST(Narrowed, AConstantRepeatTimeIsAWarningOfTheCompiler) {
  EXPECT_THAT(
      told_of("constexpr int repeats = 256; Adds(z, x, 1.0f, 64, repeats, {1, 1, 8, 8});"),
      HasSubstr("kernel.cpp:20:51: warning: 256 does not fit uint8_t, which holds 0 to 255, so it becomes 0, as "
                "on the chip; a repeatTime is at most 255: make several calls"));
  EXPECT_EQ(told_of("Adds(z, x, 1.0f, 64, 16, {1, 1, 8, 8});"), "");
  EXPECT_EQ(told_of("uint16_t all = -1; int8_t low = 300; (void)all; (void)low;"), "");
}

TEST(Copies, ACountOfNoWholeBlocksSaysWhatTheChipCopies) {
  const auto result = run("PipeBarrier<PIPE_ALL>(); DataCopy(z, xGm, 20); PipeBarrier<PIPE_ALL>();", 1);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "");
  EXPECT_EQ(warnings_of(result), "argument:21");
  EXPECT_THAT(result.faults(0).message(),
              HasSubstr("DataCopy of 80 bytes, no multiple of 32: the chip copies 64 and leaves out the last 16"));
  EXPECT_EQ(values_of(result.outputs(0))[15], 1);
  EXPECT_EQ(values_of(result.outputs(0))[16], 7);
}

}  // namespace
}  // namespace kg::npu::testing
