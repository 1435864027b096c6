// What the device compiler refuses is refused here, and the message names the call.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "ascendc_kernel.h"
#include "base/file.h"

namespace kg::npu::testing {
namespace {

using ::testing::HasSubstr;

struct Refused {
  const char* name;
  const char* type;
  const char* compute;
  const char* message;  // found in the compiler's output
};
class Strict : public ::testing::TestWithParam<Refused> {};

TEST_P(Strict, IsRefused) {
  const auto compiled = compile_kernel(vector_kernel(GetParam().type, GetParam().type, 256, GetParam().compute), "k");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr(GetParam().message));
  EXPECT_THAT(compiled.messages, HasSubstr(".cpp:20:"));  // the user's line
}

INSTANTIATE_TEST_SUITE_P(
    Calls, Strict,
    ::testing::Values(
        Refused{"AddBfloat", "bfloat16_t", "Add(z, x, y, n);",
                "Add does not take this data type on this device; it takes: half, float, int16_t, int32_t"},
        Refused{"ExpInteger", "int32_t", "Exp(z, x, n);", "Exp does not take this data type"},
        Refused{"DivInteger", "int32_t", "Div(z, x, y, n);", "Div does not take this data type"},
        Refused{"ReluUnsigned", "uint16_t", "Relu(z, x, n);", "Relu does not take this data type"},
        Refused{"AndFloat", "float", "And(z, x, y, n);", "And does not take this data type"},
        Refused{"ReduceSumInteger", "int32_t", "ReduceSum(z, x, work, n);", "ReduceSum does not take this data type"},
        Refused{"SelectInteger", "int32_t", "Select(z, work, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);",
                "Select does not take this data type"},
        Refused{"ScalarOfAnotherType", "half", "Adds(z, x, 1.0f, n);", "no matching function for call to 'Adds'"},
        Refused{"ScalarInteger", "float", "Muls(z, x, 2, n);", "no matching function for call to 'Muls'"},
        Refused{"MissingCount", "float", "Add(z, x, y);", "no matching function for call to 'Add'"},
        Refused{"SurplusArgument", "float", "Add(z, x, y, n, 1);", "no matching function for call to 'Add'"},
        Refused{"MixedTypes", "float", "Add(z, x, work.ReinterpretCast<half>(), n);",
                "no matching function for call to 'Add'"},
        Refused{"UnknownCall", "float", "Softplus(z, x, n);", "use of undeclared identifier 'Softplus'"},
        Refused{"CastHalfToBfloat", "half",
                "LocalTensor<bfloat16_t> b = work.ReinterpretCast<bfloat16_t>(); Cast(b, x, RoundMode::CAST_RINT, n);",
                "Cast has no such pair of types"},
        Refused{"CastWithoutMode", "float", "Cast(z, x, n);", "no matching function for call to 'Cast'"},
        Refused{"ImplicitAddressSpace", "float", "float* p = xGm.GetPhyAddr(0);",
                "with an rvalue of type '__gm__ float *'"},
        Refused{"UbToGm", "float", "__gm__ float* p = x.GetPhyAddr();", "with an rvalue of type '__ubuf__ float *'"},
        Refused{"BfloatArithmetic", "bfloat16_t", "bfloat16_t a = x.GetValue(0); bfloat16_t b = a + a;",
                "invalid operands to binary expression"},
        Refused{"BfloatFromLiteral", "bfloat16_t", "bfloat16_t b = 1.0f; Duplicate(z, b, n);", "no viable conversion"},
        Refused{"StandardVector", "float", "std::vector<float> v;", "no member named 'vector' in namespace 'std'"},
        Refused{"TensorOfDouble", "float", "LocalTensor<double> d;", "this element type does not exist on the device"},
        Refused{"DataCopyOfMixedTypes", "float", "GlobalTensor<half> h; DataCopy(x, h, n);",
                "no matching function for call to 'DataCopy'"},
        Refused{"CompareIntoFloat", "float", "Compare(z, x, y, CMPMODE::LT, n);",
                "Compare writes bits into a tensor of uint8_t or int8_t"},
        Refused{"WrongEnum", "float", "Compare(work.ReinterpretCast<uint8_t>(), x, y, RoundMode::CAST_RINT, n);",
                "no matching function for call to 'Compare'"}),
    [](const auto& info) { return info.param.name; });

TEST(Compile, AnUnknownEntryPointIsNamed) {
  const auto compiled = compile_kernel("#include \"kernel_operator.h\"\n", "softmax_custom");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr("softmax_custom"));
  EXPECT_THAT(compiled.messages, HasSubstr("entry point:1"));
}

TEST(Compile, ScalarHalfBehavesAsANumber) {
  const auto compiled = compile_kernel(
      vector_kernel("half", "half", 256,
                    "half a = 0.5; half b = static_cast<half>(2), c = (half)1.5f; constexpr half kOne = 1;\n"
                    "float f = (float)a * 2.0f + b; a = (float)a * b + c; a = float(a) + half(1); int i = (int)a; if "
                    "(a < b && c > "
                    "0.0f) a = -a;\n"
                    "Adds(z, x, (half)(f * b), n); Adds(z, x, kOne, n); Muls<half>(z, x, 0.5f, n); Duplicate<half>(z, "
                    "0, n); (void)f; "
                    "(void)i;\n"
                    "__gm__ half* p = (__gm__ half*)xg; half loaded = p[3]; __ubuf__ half* q = x.GetPhyAddr(); loaded "
                    "= (float)loaded + q[1]; "
                    "Adds(z, x, loaded, n);"),
      "k");
  EXPECT_TRUE(compiled.ok) << compiled.messages;
}

// A whole network's parameters.
TEST(Compile, AKernelMayHaveSeveralHundredParameters) {
  constexpr int kInputs = 600;
  proto::RunCase run_case;
  std::string parameters;
  for (int i = 0; i < kInputs; ++i) {
    parameters += "GM_ADDR p" + std::to_string(i) + ", ";
    *run_case.add_inputs() = tensor("p" + std::to_string(i), proto::FLOAT32, std::vector<double>(8, i));
  }
  add_output(run_case, "z", proto::FLOAT32, 8);
  const std::string source =
      "#include \"kernel_operator.h\"\nusing namespace AscendC;\n"
      "extern \"C\" __global__ __aicore__ void k(" +
      parameters +
      "GM_ADDR z) {\n"
      "  TPipe pipe;\n  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;\n  pipe.InitBuffer(queue, 1, 32);\n"
      "  GlobalTensor<float> from, to;\n  from.SetGlobalBuffer((__gm__ float*)p598, 8);\n"
      "  to.SetGlobalBuffer((__gm__ float*)z, 8);\n  LocalTensor<float> x = queue.AllocTensor<float>();\n"
      "  DataCopy(x, from, 8);\n  queue.EnQue(x);\n  x = queue.DeQue<float>();\n  DataCopy(to, x, 8);\n"
      "  queue.FreeTensor(x);\n}\n";
  const proto::CaseResult result = run_kernel(source, "k", run_case);
  ASSERT_EQ(result.outputs_size(), 1) << result.DebugString();
  EXPECT_THAT(values_of(result.outputs(0)), ::testing::Each(598));
}

}  // namespace
}  // namespace kg::npu::testing
