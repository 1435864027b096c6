// Correct kernels: right numbers and no error, each through the real compiler.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ascendc_kernel.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu::testing {
namespace {

constexpr int kN = 256;

struct Kernel {
  const char* name;
  const char* in;
  const char* out;
  const char* compute;
  std::function<double(double x, double y)> expected;  // of one element
  double tolerance = 0;
};

std::vector<double> inputs(bool integer, double shift) {
  std::vector<double> values(kN);
  for (int i = 0; i < kN; ++i) {
    const double x = std::fmod(i * 37.0 + shift, 101.0) - 50;
    values[static_cast<std::size_t>(i)] = integer ? x : x / 16;
  }
  return values;
}

class Elementwise : public ::testing::TestWithParam<Kernel> {};

TEST_P(Elementwise, GivesTheNumbersWithoutAnError) {
  const Kernel& kernel = GetParam();
  const std::string in = kernel.in;
  const bool integer = in.find("int") != std::string::npos;
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype_of(in), inputs(integer, 3));
  *run_case.add_inputs() = tensor("y", dtype_of(in), inputs(integer, 58.5));
  add_output(run_case, "z", dtype_of(kernel.out), kN);
  const auto result = run_kernel(vector_kernel(in, kernel.out, kN, kernel.compute), "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  const auto x = values_of(run_case.inputs(0)), y = values_of(run_case.inputs(1)), z = values_of(result.outputs(0));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = kernel.expected(x[i], y[i]);
    if (expected != expected)
      EXPECT_NE(z[i], z[i]) << i;
    else
      EXPECT_NEAR(z[i], expected, kernel.tolerance * std::max(1.0, std::fabs(expected)))
          << "x " << x[i] << " y " << y[i];
  }
}

double half(double v) { return kgnpu::half_value(kgnpu::half_bits(static_cast<float>(v))); }
double single(double v) { return static_cast<float>(v); }

INSTANTIATE_TEST_SUITE_P(
    Calls, Elementwise,
    ::testing::Values(
        Kernel{"AddHalf", "half", "half", "Add(z, x, y, n);", [](double x, double y) { return half(x + y); }},
        Kernel{"MulFloat", "float", "float", "Mul(z, x, y, n);", [](double x, double y) { return single(x * y); }},
        Kernel{"SubMaskCount", "float", "float", "Sub(z, x, y, 64, 4, {1, 1, 1, 8, 8, 8});",
               [](double x, double y) { return single(x - y); }},
        Kernel{"DivMaskBits", "half", "half",
               "uint64_t mask[2] = {~0ULL, ~0ULL}; Div(z, x, y, mask, 2, {1, 1, 1, 8, 8, 8});",
               [](double x, double y) { return half(x / y); }},
        Kernel{"MaskCountIsClipped", "float", "float", "Max(z, x, y, 128, 4, {1, 1, 1, 8, 8, 8});",
               [](double x, double y) { return std::max(x, y); }},
        Kernel{"HalfMasksMakeAWhole", "float", "float",
               "uint64_t low[2] = {0x00000000FFFFFFFFULL, 0}, high[2] = {0xFFFFFFFF00000000ULL, 0};\n"
               "Adds(z, x, 1.0f, low, 4, {1, 1, 8, 8}); Adds(z, x, 1.0f, high, 4, {1, 1, 8, 8});",
               [](double x, double) { return single(x + 1); }},
        Kernel{"CounterMode", "half", "half",
               "SetMaskCount(); SetVectorMask<half, MaskMode::COUNTER>(n); Adds<half, false>(z, x, half(2), "
               "MASK_PLACEHOLDER, 1, {1, 1, 8, 8});\n"
               "SetMaskNorm(); ResetMask();",
               [](double x, double) { return half(x + 2); }},
        Kernel{"ReluLeaky", "half", "half", "LeakyRelu(z, x, half(0.125), n);",
               [](double x, double) { return half(x >= 0 ? x : x * 0.125); }},
        Kernel{"AxpyInPlace", "float", "float", "Muls(z, y, 1.0f, n); Axpy(z, x, 3.0f, n);",
               [](double x, double y) { return std::fmaf(3.0f, static_cast<float>(x), static_cast<float>(y)); }},
        Kernel{"MulAddDst", "half", "half", "Duplicate(z, half(1), n); MulAddDst(z, x, y, n);",
               [](double x, double y) { return half(x * y + 1); }},
        Kernel{"MulAddDstOfHalfIntoFloat", "half", "float",
               "Duplicate(z, 1.0f, n); MulAddDst(z, x, y, 64, 4, {1, 1, 1, 8, 4, 4});",
               [](double x, double y) { return single(x * y + 1); }},
        Kernel{"MinsMaxs", "half", "half", "Mins(z, x, half(1.5), n); Maxs(z, z, half(-1), n);",
               [](double x, double) { return std::max(std::min(x, 1.5), -1.0); }},
        Kernel{"ExpLn", "float", "float", "Abs(z, x, n); Adds(z, z, 1.0f, n); Ln(z, z, n); Exp(z, z, n);",
               [](double x, double) { return 1 + std::fabs(x); }, 1e-6},
        Kernel{"SqrtNegativeIsNaN", "float", "float", "Sqrt(z, x, n);",
               [](double x, double) { return single(std::sqrt(x)); }},
        Kernel{"RsqrtReciprocal", "float", "float",
               "Abs(z, x, n); Adds(z, z, 0.5f, n); Rsqrt(z, z, n); Reciprocal(z, z, n); Mul(z, z, z, n);",
               [](double x, double) { return std::fabs(x) + 0.5; }, 1e-5},
        Kernel{"SigmoidTanhLibrary", "half", "half", "Sigmoid(z, x, n); Tanh(z, z, n);",
               [](double x, double) { return half(std::tanh(half(1 / (1 + std::exp(-x))))); }, 1e-3},
        Kernel{"CastThroughFloat", "half", "half",
               "LocalTensor<float> f = work.ReinterpretCast<float>(); Cast(f, x, RoundMode::CAST_NONE, n);\n"
               "Mul(f, f, f, n); Cast(z, f, RoundMode::CAST_RINT, n);",
               [](double x, double) { return half(x * x); }},
        Kernel{"BfloatThroughFloat", "bfloat16_t", "float", "Cast(z, x, RoundMode::CAST_NONE, n); Adds(z, z, 1.0f, n);",
               [](double x, double) { return single(x + 1); }},
        Kernel{"CastMaskForm", "half", "float", "Cast(z, x, RoundMode::CAST_NONE, 64, 4, {1, 1, 8, 4});",
               [](double x, double) { return x; }},
        Kernel{"FloatToIntCeil", "float", "int32_t", "Cast(z, x, RoundMode::CAST_CEIL, n);",
               [](double x, double) { return std::ceil(x); }},
        Kernel{"IntegerAddShift", "int32_t", "int32_t", "Add(z, x, y, n); ShiftLeft(z, z, (int32_t)2, n);",
               [](double x, double y) { return 4 * (std::trunc(x) + std::trunc(y)); }},
        Kernel{"LogicNotAndOr", "int16_t", "int16_t", "Not(z, x, n); And(z, z, y, n); Or(z, z, x, n);",
               [](double x, double y) {
                 const int a = static_cast<int>(x), b = static_cast<int>(y);
                 return (~a & b) | a;
               }},
        Kernel{"CompareSelectTensors", "float", "float",
               "LocalTensor<uint8_t> m = work.ReinterpretCast<uint8_t>(); Compare(m, x, y, CMPMODE::GT, n);\n"
               "Select(z, m, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);",
               [](double x, double y) { return std::max(x, y); }},
        Kernel{
            "CompareScalarSelectScalar", "half", "half",
            "LocalTensor<uint8_t> m = work.ReinterpretCast<uint8_t>(); CompareScalar(m, x, half(0), CMPMODE::LE, n);\n"
            "Select(z, m, y, half(7), SELMODE::VSEL_TENSOR_SCALAR_MODE, n);",
            [](double x, double y) { return x <= 0 ? y : 7; }},
        Kernel{"SelectReusesSprBits", "float", "float",
               "LocalTensor<uint32_t> m = work.ReinterpretCast<uint32_t>(); Duplicate(m, (uint32_t)0xFFFFFFFF, 8);\n"
               "Select(z, m, x, y, SELMODE::VSEL_CMPMASK_SPR, n);",
               [](double x, double) { return x; }},
        Kernel{"ScalarLoop", "float", "float",
               "for (int i = 0; i < n; ++i) z.SetValue(i, x.GetValue(i) * 2.0f + (float)y.GetValue(i));",
               [](double x, double y) { return single(x * 2 + y); }},
        Kernel{"SubTensors", "half", "half", "Add(z[128], x[128], y[128], 128); Add(z, x, y, 128);",
               [](double x, double y) { return half(x + y); }},
        Kernel{"LocalCopy", "float", "float",
               "DataCopy(work, x, n); PipeBarrier<PIPE_V>(); DataCopy(z, work, DataCopyParams{2, 16, 0, 0});",
               [](double x, double) { return x; }},
        Kernel{"PowerScalar", "float", "float", "Power(z, x, 2.0f, (uint32_t)n);",
               [](double x, double) { return single(x * x); }}),
    [](const auto& info) { return info.param.name; });

// Reductions of the whole of x.
struct Reduction {
  const char* name;
  const char* type;
  const char* compute;
  std::vector<double> expected;  // the first values of z
};
class Reduce : public ::testing::TestWithParam<Reduction> {};

TEST_P(Reduce, GivesTheNumbersWithoutAnError) {
  const Reduction& kernel = GetParam();
  std::vector<double> x(kN);
  for (int i = 0; i < kN; ++i) x[static_cast<std::size_t>(i)] = i == 77 ? 99 : i == 130 ? -99 : i % 8 - 4;
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype_of(kernel.type), x);
  *run_case.add_inputs() = tensor("y", dtype_of(kernel.type), x);
  add_output(run_case, "z", dtype_of(kernel.type), kN);
  const std::string clear = std::string("Duplicate(z, (O)0, n); ") + kernel.compute;
  const auto result = run_kernel(vector_kernel(kernel.type, kernel.type, kN, clear), "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  const auto z = values_of(result.outputs(0));
  for (std::size_t i = 0; i < kernel.expected.size(); ++i) EXPECT_EQ(z[i], kernel.expected[i]) << i;
}

double bits_as_half(int bits) { return kgnpu::half_value(static_cast<std::uint16_t>(bits)); }
double bits_as_float(std::uint32_t bits) { return kgnpu::float_of_bits(bits); }

INSTANTIATE_TEST_SUITE_P(
    Calls, Reduce,
    ::testing::Values(
        // 32 times -4 + ... + 3 = -128; element 77 is 99 for 1, element 130 is -99 for -2.
        Reduction{"SumFirstN", "float", "ReduceSum(z, x, work, n);", {-128 + 98 - 97}},
        Reduction{"SumHalfMask", "half", "ReduceSum(z, x, work, 128, 2, 8);", {-128 + 98 - 97}},
        Reduction{"MaxWithIndex", "float", "ReduceMax(z, x, work, n, true);", {99, bits_as_float(77)}},
        Reduction{"MinWithIndexHalf", "half", "ReduceMin(z, x, work, n, true);", {-99, bits_as_half(130)}},
        Reduction{"MaxValueOnly", "half", "ReduceMax(z, x, work, n);", {99, 0}},
        Reduction{"WholeSum", "float", "WholeReduceSum(z, x, 64, 4, 1, 1, 8);", {-32, -32 + 98, -32 - 97, -32}},
        Reduction{"WholeMaxPairs",
                  "float",
                  "WholeReduceMax(z, x, 64, 4, 1, 1, 8);",
                  {3, bits_as_float(7), 99, bits_as_float(13), 3, bits_as_float(7)}},
        Reduction{"WholeMinValues",
                  "half",
                  "WholeReduceMin(z, x, 128, 2, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);",
                  {-4, -99}},
        Reduction{"BlockSum",
                  "float",
                  "BlockReduceSum(z, x, 4, 64, 1, 1, 8);",
                  {-4, -4, -4, -4, -4, -4, -4, -4, -4, -4 + 98}},
        Reduction{"BlockMaxHalf", "half", "BlockReduceMax(z, x, 2, 128, 1, 1, 8);", {3, 3, 3, 3, 99, 3}},
        Reduction{"PairSum", "half", "PairReduceSum(z, x, 2, 128, 1, 1, 8);", {-7, -3, 1, 5, -7}},
        Reduction{"RowSums", "float", "Sum(z, x, SumParams{4, 64, 60});", {-32 - 6, -32 + 98 - 6, -32 - 97 - 6}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kg::npu::testing
