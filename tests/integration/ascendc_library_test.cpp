// The high-level library: numbers against independent loops in double, in both ways to give temporary space.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ascendc_value_kernel.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu::testing {
namespace {

constexpr std::size_t kN = 256;

struct Kernel {
  const char* name;
  const char* in;
  const char* out;
  const char* compute;
  std::function<Values(const Values& x, const Values& y)> expected;  // NaN: not looked at
  double tolerance = 1e-6;
};

Values inputs(double shift, bool integer) {
  Values values(kN);
  for (std::size_t i = 0; i < kN; ++i) {
    const double x = std::fmod(static_cast<double>(i) * 37.0 + shift, 101.0) - 50;
    values[i] = integer ? std::trunc(x) : x / 16;
  }
  return values;
}

class Library : public ::testing::TestWithParam<Kernel> {};

TEST_P(Library, GivesTheNumbersWithoutAnError) {
  const Kernel& kernel = GetParam();
  const bool integer = std::string(kernel.in).find("int") != std::string::npos;
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype_of(kernel.in), inputs(3, integer));
  *run_case.add_inputs() = tensor("y", dtype_of(kernel.in), inputs(58.5, integer));
  add_output(run_case, "z", dtype_of(kernel.out), kN);
  const std::string clear =
      std::string("Duplicate(z.template ReinterpretCast<int16_t>(), (int16_t)0, n * sizeof(O) / 2);\n") +
      "LocalTensor<uint8_t> scratch = work.template ReinterpretCast<uint8_t>();\n" + kernel.compute;
  const auto result = run_kernel(vector_kernel(kernel.in, kernel.out, kN, clear), "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  const auto x = values_of(run_case.inputs(0)), y = values_of(run_case.inputs(1)), z = values_of(result.outputs(0));
  const Values expected = kernel.expected(x, y);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i] == expected[i]) {
      ASSERT_NEAR(z[i], expected[i], kernel.tolerance * std::max(1.0, std::fabs(expected[i]))) << i;
    }
}

Values each(const Values& x, const Values& y, const std::function<double(double, double)>& f) {
  return map(kN, [&](std::size_t i) { return f(x[i], y[i]); });
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Rows of 64, of which `valid` count.
struct Row {
  double max = -HUGE_VAL, sum = 0, mean = 0, variance = 0, squares = 0, product = 0;
};
Row row(const Values& x, const Values& y, std::size_t r, std::size_t valid = 64) {
  Row result;
  const auto n = static_cast<double>(valid);
  for (std::size_t i = 0; i < valid; ++i) {
    const double v = x[r * 64 + i];
    result.max = std::max(result.max, v);
    result.mean += v / n;
    result.squares += v * v / n;
    result.product += v * y[r * 64 + i];
  }
  for (std::size_t i = 0; i < valid; ++i) {
    result.sum += std::exp(x[r * 64 + i] - result.max);
    result.variance += (x[r * 64 + i] - result.mean) * (x[r * 64 + i] - result.mean) / n;
  }
  return result;
}
Values softmax(const Values& x, std::size_t valid = 64) {
  return map(kN, [&](std::size_t i) {
    const Row of = row(x, x, i / 64, valid);
    return i % 64 < valid ? std::exp(x[i] - of.max) / of.sum : NAN;
  });
}

const char* const kShape = "SoftMaxTiling t = SoftMaxTilingFunc(4, 64, sizeof(I), 8192);\n";
const std::string kSoftmax = std::string(kShape) + "SoftMax<I>(z, x, t);";
const std::string kSoftmaxShaped = "SoftMaxTiling t; SoftMax<I>(z, x, scratch, t, SoftMaxShapeInfo{4, 64, 4, 64});";
const std::string kSoftmaxSums = std::string(kShape) +
                                 "LocalTensor<float> sum = work[0], max = work[32];\n"
                                 "SoftMax<float>(x, sum, max, x, t); DataCopy(z, sum, 32); DataCopy(z[32], max, 32); "
                                 "DataCopy(z[64], x, 64);";
const std::string kSoftmaxHalfSums =
    std::string(kShape) +
    "LocalTensor<float> sum = work[0].template ReinterpretCast<float>(), max = "
    "sum[32];\nSoftMax<half>(x, sum, max, x, t); Cast(z, max, RoundMode::CAST_RINT, 32);";
const std::string kFlash =
    std::string(kShape) +
    "LocalTensor<float> s = work[0], m = work[32], f = work[64], s2 = work[96], m2 = work[128];\n"
    "SoftmaxFlashV2<float, false>(x, s, m, x, f, s, m, t);\n"
    "SoftmaxFlashV2<float, true>(y, s2, m2, y, f, s, m, t);\n"
    "DataCopy(z, s2, 32); DataCopy(z[32], m2, 32); DataCopy(z[64], f, 32); DataCopy(z[128], y, 64);";
const std::string kSimple =
    std::string(kShape) +
    "LocalTensor<float> s = work[0], m = work[32]; Duplicate(s, 2.0f, 32); Duplicate(m, 1.0f, 32);\n"
    "SimpleSoftMax<float>(z, s, m, x, t);";
const std::string kGrad =  // a tiling for what `scratch` has room for
    "SoftMaxTiling t = SoftMaxTilingFunc(4, 64, sizeof(I), 1024);\n"
    "SoftmaxGrad<float, false>(z, x, y, scratch, t, false);";
const std::string kGradFront = std::string(kShape) + "SoftmaxGradFront<float>(z, x, y, t);";
const std::string kLogSoftmax =
    "LogSoftMaxTiling t; LocalTensor<float> s = work[0], m = work[32];\n"
    "LogSoftMax<float>(z, s, m, x, t, SoftMaxShapeInfo{4, 64, 4, 64});";
const std::string kAdjust =
    std::string(kShape) +
    "LocalTensor<float> s = work[0], m = work[32]; SoftMax<float>(z, s, m, x, t); m.SetValue(8, -7.0f);\n"
    "AdjustSoftMaxRes<float, float>(z, m, 0xC0E00000u, 0.25f, SoftMaxShapeInfo{4, 64, 4, 64});";

INSTANTIATE_TEST_SUITE_P(
    Softmax, Library,
    ::testing::Values(Kernel{"SoftMax", "float", "float", kSoftmax.c_str(),
                             [](const Values& x, const Values&) { return softmax(x); }},
                      Kernel{"SoftMaxHalfShaped", "half", "half", kSoftmaxShaped.c_str(),
                             [](const Values& x, const Values&) { return softmax(x); }, 1e-4},
                      Kernel{"SoftMaxOfAShape", "float", "float",
                             "SoftMaxTiling t; SoftMax<float>(z, x, t, SoftMaxShapeInfo{4, 64, 4, 64});",
                             [](const Values& x, const Values&) { return softmax(x); }},
                      Kernel{"SoftMaxSumsInPlace", "float", "float", kSoftmaxSums.c_str(),
                             [](const Values& x, const Values&) {
                               const Values s = softmax(x);
                               return map(128, [&](std::size_t i) {
                                 const Row of = row(x, x, i % 32 / 8);
                                 return i < 32 ? of.sum : i < 64 ? of.max : s[i - 64];
                               });
                             }},
                      Kernel{"SoftMaxHalfWithFloatMax", "half", "half", kSoftmaxHalfSums.c_str(),
                             [](const Values& x, const Values&) {
                               return map(32, [&](std::size_t i) { return row(x, x, i / 8).max; });
                             }},
                      Kernel{"FlashV2Update", "float", "float", kFlash.c_str(),
                             [](const Values& x, const Values& y) {
                               return map(192, [&](std::size_t i) {
                                 const std::size_t r = i < 128 ? i % 32 / 8 : (i - 128) / 64;
                                 const Row a = row(x, x, r), b = row(y, y, r);
                                 const double max = std::max(a.max, b.max), factor = std::exp(a.max - max);
                                 if (i < 32) return factor * a.sum + b.sum * std::exp(b.max - max);
                                 if (i < 64) return max;
                                 if (i < 96) return factor;
                                 return i < 128 ? 0.0 : std::exp(y[i - 128] - max);
                               });
                             }},
                      Kernel{"SimpleSoftMax", "float", "float", kSimple.c_str(),
                             [](const Values& x, const Values& y) {
                               return each(x, y, [](double a, double) { return std::exp(a - 1) / 2; });
                             }},
                      Kernel{"SoftmaxGrad", "float", "float", kGrad.c_str(),
                             [](const Values& x, const Values& y) {
                               return map(kN, [&](std::size_t i) { return (x[i] - row(x, y, i / 64).product) * y[i]; });
                             },
                             1e-5},
                      Kernel{"SoftmaxGradFront", "float", "float", kGradFront.c_str(),
                             [](const Values& x, const Values& y) {
                               return map(32, [&](std::size_t i) { return row(x, y, i / 8).product; });
                             },
                             1e-5},
                      Kernel{"LogSoftMaxBaseTen", "float", "float", kLogSoftmax.c_str(),
                             [](const Values& x, const Values&) {
                               const Values s = softmax(x);
                               return map(kN, [&](std::size_t i) { return std::log10(s[i]); });
                             }},
                      Kernel{"AdjustSoftMaxRes", "float", "float", kAdjust.c_str(),
                             [](const Values& x, const Values&) {
                               const Values s = softmax(x);
                               return map(kN, [&](std::size_t i) { return i / 64 == 1 ? 0.25 : s[i]; });
                             }}),
    [](const auto& info) { return info.param.name; });

double normal(const Values& x, std::size_t i, double epsilon) {
  const Row of = row(x, x, i / 64);
  return (x[i] - of.mean) / std::sqrt(of.variance + epsilon);
}

INSTANTIATE_TEST_SUITE_P(
    Norm, Library,
    ::testing::Values(
        Kernel{"RmsNorm", "float", "float",
               "RmsNormTiling t; t.bLength = 2; t.sLength = 2; t.hLength = 64;\n"
               "RmsNorm<float>(z, x, y, scratch, 0.5f, t);",
               [](const Values& x, const Values& y) {
                 return map(
                     kN, [&](std::size_t i) { return x[i] / std::sqrt(row(x, x, i / 64).squares + 0.5) * y[i % 64]; });
               }},
        Kernel{
            "LayerNormMeanVariance", "half", "half",
            "LayerNormTiling t; t.bLength = 1; t.sLength = 4; t.hLength = 64; LocalTensor<half> mean = work[0], var = "
            "work[16];\nLayerNorm<half>(z, mean, var, x, y, y[64], (half)0.5f, t);\n"
            "for (int i = 0; i < 4; ++i) z.SetValue(i, var.GetValue(i));",
            [](const Values& x, const Values& y) {
              return map(kN, [&](std::size_t i) {
                if (i < 4) return row(x, x, i).variance;
                return normal(x, i, 0.5) * y[i % 64] + y[64 + i % 64];
              });
            },
            2e-3},
        Kernel{"LayerNormReciprocal", "float", "float",
               "LayerNormSeparateTiling t; LocalTensor<float> mean = work[0], rstd = work[8];\n"
               "LayerNorm<float, float>(z, mean, rstd, x, y, y[64], 0.5f, LayerNormPara{4, 64, 64}, t);\n"
               "for (int i = 0; i < 4; ++i) z.SetValue(i, rstd.GetValue(i));",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) {
                   if (i < 4) return 1 / std::sqrt(row(x, x, i).variance + 0.5);
                   return normal(x, i, 0.5) * y[i % 64] + y[64 + i % 64];
                 });
               }},
        Kernel{"DeepNorm", "float", "float",
               "DeepNormTiling t; t.bLength = 1; t.sLength = 4; t.hLength = 64; LocalTensor<float> mean = work[0], var "
               "= work[8];\n"
               "DeepNorm<float>(z, mean, var, x, y, y[64], y[128], 2.0f, 0.5f, t);",
               [](const Values& x, const Values& y) {
                 const Values v = map(kN, [&](std::size_t i) { return 2 * x[i] + y[i]; });
                 return map(kN, [&](std::size_t i) { return normal(v, i, 0.5) * y[128 + i % 64] + y[64 + i % 64]; });
               }},
        Kernel{"BatchNorm", "float", "float",
               "BatchNormTiling t; t.originalBLength = 8; t.meanVarSize = 32; LocalTensor<float> mean = work[0], var = "
               "work[32];\nBatchNorm<float>(z, mean, var, x, y, y[8], 0.5f, t);",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) {
                   double mean = 0, variance = 0;
                   for (std::size_t b = 0; b < 8; ++b) mean += x[b * 32 + i % 32] / 8;
                   for (std::size_t b = 0; b < 8; ++b) variance += std::pow(x[b * 32 + i % 32] - mean, 2) / 8;
                   return (x[i] - mean) / std::sqrt(variance + 0.5) * y[i / 32] + y[8 + i / 32];
                 });
               }},
        Kernel{"GroupNorm", "float", "float",
               "GroupNormTiling t; t.n = 1; t.c = 8; t.hw = 32; t.g = 4; t.hwAlignSize = 32; LocalTensor<float> mean = "
               "work[0], var = work[8];\nGroupNorm<float>(z, mean, var, x, y, y[8], 0.5f, t);",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) { return normal(x, i, 0.5) * y[i / 32] + y[8 + i / 32]; });
               }},
        Kernel{"NormalizeGiven", "float", "float",
               "LocalTensor<float> mean = work[0], var = work[8], rstd = work[16]; Duplicate(mean, 0.25f, 8); "
               "Duplicate(var, "
               "3.5f, 8);\nNormalize<float, float>(z, rstd, mean, var, x, y, y[64], 0.5f, NormalizePara{4, 64, 64});",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) { return (x[i] - 0.25) / 2 * y[i % 64] + y[64 + i % 64]; });
               }}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Axes, Library,
    ::testing::Values(
        Kernel{"BroadCastColumn", "float", "float",
               "const uint32_t to[] = {16, 16}, from[] = {16, 1}; BroadCast<float, 2, 1>(z, x, to, from);",
               [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return x[i / 16]; }); }, 0},
        Kernel{"BroadCastRow", "half", "half",
               "uint32_t to[2] = {4, 64}, from[2] = {1, 64}; BroadCast<half, 2, 0>(z, x, to, from, scratch);",
               [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return x[i % 64]; }); }, 0},
        Kernel{"BroadcastScalar", "float", "float",
               "uint32_t to[] = {256}, from[] = {1}; Broadcast<float, 1, 0>(z, x, to, from);",
               [](const Values& x, const Values&) { return Values(kN, x[0]); }, 0},
        Kernel{"Mean", "float", "float", "Mean<float>(z, x, scratch, MeanParams{4, 64, 60});",
               [](const Values& x, const Values&) {
                 return map(4, [&](std::size_t r) { return row(x, x, r, 60).mean; });
               }},
        Kernel{"ReducePatterns", "float", "float",
               "uint32_t shape[] = {4, 60}; ReduceMax<float, Pattern::Reduce::AR>(z, x, scratch, shape, true);\n"
               "ReduceSum<float, Pattern::Reduce::RA>(z[8], x, shape, true);",
               [](const Values& x, const Values&) {
                 return map(68, [&](std::size_t i) {
                   if (i < 4) return row(x, x, i, 60).max;
                   return i < 8 ? 0.0 : x[i - 8] + x[64 + i - 8] + x[128 + i - 8] + x[192 + i - 8];
                 });
               }},
        Kernel{"SelectWithBytesMask", "half", "half",
               "LocalTensor<int16_t> b = y.ReinterpretCast<int16_t>(); Duplicate(b, (int16_t)0x0100, 128);\n"
               "SelectWithBytesMask<half, bool>(z, x, (half)7, y.ReinterpretCast<bool>(), scratch, {4, 48, 64});",
               [](const Values& x, const Values&) {
                 return map(192, [&](std::size_t i) { return i % 48 % 2 == 1 ? 7.0 : x[i]; });
               },
               0},
        Kernel{
            "SelectByBytesOfAShape", "float", "float",
            "Duplicate(y.ReinterpretCast<int16_t>(), (int16_t)0x0100, 128); SelectWithBytesMaskShapeInfo shape{4, 64, "
            "64};\n"
            "SelectWithBytesMask<float, uint8_t>(z, 7.0f, x, y.ReinterpretCast<uint8_t>(), scratch, shape);",
            [](const Values& x, const Values&) {
              return map(kN, [&](std::size_t i) { return i % 2 == 1 ? x[i] : 7.0; });
            },
            0},
        Kernel{"CumSumRows", "float", "float", "CumSum<float>(z, work, x, CumSumInfo{4, 64});",
               [](const Values& x, const Values&) {
                 Values z = x;
                 for (std::size_t i = 0; i < kN; ++i)
                   if (i % 64 != 0) z[i] += z[i - 1];
                 return z;
               },
               1e-5},
        Kernel{"DropOutBytes", "float", "float",
               "Duplicate(y.ReinterpretCast<int16_t>(), (int16_t)0x0001, 128);\n"
               "DropOut(z, x, y.ReinterpretCast<uint8_t>(), 0.5f, DropOutShapeInfo{4, 64, 64});",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return i % 2 == 0 ? x[i] * 2 : 0.0; });
               }},
        Kernel{"QuantScalar", "float", "int8_t", "AscendQuant<float>(z, x, scratch, 10.0f, 3.0f, (uint32_t)n);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double) { return std::nearbyint(a * 10 + 3); });
               },
               0},
        Kernel{"DequantByColumn", "int32_t", "float",
               "LocalTensor<float> s = y.ReinterpretCast<float>(); ArithProgression(s, 0.5f, 0.25f, 64);\n"
               "AscendDequant(z, x, s, DequantParams{4, 64, 64});",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return x[i] * (0.5 + 0.25 * double(i % 64)); });
               }},
        Kernel{
            "AntiQuantScalar", "int8_t", "half",
            "AscendAntiQuant<int8_t, half, false>(z, x, (half)2, (half)0.5f, scratch, 4);",
            [](const Values& x, const Values& y) { return each(x, y, [](double a, double) { return (a + 2) / 2; }); },
            0},
        Kernel{
            "AntiQuantScalarWithItsOwnScratch", "int8_t", "half",
            "AscendAntiQuant<int8_t, half, false>(z, x, (half)2, (half)0.5f, 4);",
            [](const Values& x, const Values& y) { return each(x, y, [](double a, double) { return (a + 2) / 2; }); },
            0},
        Kernel{"AntiQuantByColumnWithoutOffsets", "int8_t", "half",
               "LocalTensor<half> s = y.ReinterpretCast<half>(); ArithProgression(s, (half)0.5f, (half)0.25f, 64);\n"
               "AscendAntiQuant<int8_t, half, false>(z, x, s, scratch, 4);",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return x[i] * (0.5 + 0.25 * double(i % 64)); });
               },
               1e-3},
        Kernel{"AntiQuantByColumn", "int8_t", "half",
               "LocalTensor<half> s = work.ReinterpretCast<half>(), o = s[64]; ArithProgression(s, (half)0.5f, "
               "(half)0.25f, 64); Duplicate(o, (half)3, 64);\n"
               "AscendAntiQuant<int8_t, half, false>(z, x, o, s, 4);",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return (x[i] + 3) * (0.5 + 0.25 * double(i % 64)); });
               },
               1e-3}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Math, Library,
    ::testing::Values(
        Kernel{"Gelu", "float", "float", "Gelu<float, false, false>(z, x, scratch, (uint32_t)n);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double) {
                   return 0.5 * a * (1 + std::tanh(std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a)));
                 });
               }},
        Kernel{"FasterGelu", "float", "float", "FasterGelu<float>(z, x, (uint32_t)n);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double) {
                   return a / (1 + std::exp(-1.702 * std::fabs(a))) * std::exp(0.851 * (a - std::fabs(a)));
                 });
               }},
        Kernel{"SwiGLU", "half", "half", "SwiGLU<half>(z, x, y, 1.0f, (uint32_t)n);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double b) { return a * b * sigmoid(b); });
               },
               1e-3},
        Kernel{"GeGLUReGlu", "float", "float",
               "GeGLU<float>(z, x, y, (uint32_t)n); ReGlu<float>(z, z, y, scratch, (uint32_t)n);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double b) {
                   const double g = 0.5 * b * (1 + std::tanh(std::sqrt(2 / M_PI) * (b + 0.044715 * b * b * b)));
                   return b > 0 ? a * g * b : 0.0;
                 });
               }},
        Kernel{"HyperbolicInverses", "float", "float",
               "Asinh(z, x, (uint32_t)n); Acosh(z, z, scratch); Muls(z, z, 0.0f, 0);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double) {
                   const double s = std::asinh(a);
                   return s >= 1.0001 ? std::acosh(s) : NAN;
                 });
               },
               1e-4},
        Kernel{"FracFmodHypot", "float", "float",
               "Fmod(y, x, y, (uint32_t)n); Frac(x, x); Hypot<float>(z, x, y, scratch);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double b) { return std::hypot(a - std::trunc(a), std::fmod(a, b)); });
               }},
        Kernel{"GammaFunctions", "float", "float",
               "Lgamma(z, x, (uint32_t)n); Digamma(y, x, (uint32_t)n); Mul(z, z, y, n);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double) {
                   if (a < 0.5) return static_cast<double>(NAN);
                   const double h = 1e-5;
                   return std::lgamma(a) * (std::lgamma(a + h) - std::lgamma(a - h)) / (2 * h);
                 });
               },
               1e-4},
        Kernel{"ClampPowerExp", "float", "float",
               "ClampMax<float>(z, x, 1.5f, (uint32_t)n); ClampMin<float>(z, z, scratch, -1.0f, (uint32_t)n);\n"
               "Exp<float, 15, false>(z, z, (uint32_t)n); Power<float, false>(z, z, 2.0f, scratch, (uint32_t)n); "
               "Power<float, "
               "false>(z, 2.0f, z, (uint32_t)n);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double) {
                   return std::exp2(std::pow(std::exp(std::min(std::max(a, -1.0), 1.5)), 2));
                 });
               },
               1e-5},
        Kernel{"XorIntegers", "int16_t", "int16_t", "Xor(z, x, y, (uint32_t)n);",
               [](const Values& x, const Values& y) {
                 return each(x, y, [](double a, double b) { return int16_t(int16_t(a) ^ int16_t(b)); });
               },
               0},
        Kernel{
            "LibraryAxpy", "half", "float",
            "Duplicate(z, 1.0f, n); Axpy<float, half>(z, x, (half)2, scratch, (uint32_t)n);",
            [](const Values& x, const Values& y) { return each(x, y, [](double a, double) { return 2 * a + 1; }); }}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Selections, Library,
    ::testing::Values(
        Kernel{"ReduceMaxIntoASecondPair", "float", "float",
               "ReduceMax(work[10], x, work[128], n, true); Duplicate(z, work.GetValue(10), n);",
               [](const Values& x, const Values&) { return Values(kN, *std::ranges::max_element(x)); }},
        Kernel{"ReduceSumIntoAnyElement", "float", "float",
               "ReduceSum(work[9], x, work[128], n); Duplicate(z, work.GetValue(9), n);",
               [](const Values& x, const Values&) { return Values(kN, std::accumulate(x.begin(), x.end(), 0.0)); },
               1e-4},
        Kernel{"BlockReduceMaxBesideUnsetBlocks", "float", "float",
               "Duplicate(work, 2.5f, 8); BlockReduceMax(work[64], work, 1, 64, 1, 1, 8);\n"
               "Duplicate(z, work.GetValue(64), n);",
               [](const Values&, const Values&) { return Values(kN, 2.5); }},
        Kernel{"GatherMaskWithItsDefaultStrides", "float", "float",
               "GatherMaskParams params; params.repeatTimes = 4; uint64_t kept = 0;\n"
               "Duplicate(z, 0.0f, n); GatherMask(z, x, 1, false, 0, params, kept);",
               [](const Values& x, const Values&) { return map(128, [&](std::size_t i) { return x[2 * i]; }); }}),
    [](const auto& info) { return info.param.name; });

TEST(Library, ReduceMaxNeedsAPlaceForAPair) {
  proto::RunCase run_case;
  for (const char* name : {"x", "y"}) *run_case.add_inputs() = tensor(name, proto::FLOAT32, inputs(3, false));
  add_output(run_case, "z", proto::FLOAT32, kN);
  const auto result =
      run_kernel(vector_kernel("float", "float", kN, "ReduceMax(work[9], x, work[128], n, true);"), "k", run_case);
  EXPECT_EQ(errors_of(result), "ub:20");
  EXPECT_THAT(result.faults(0).message(),
              ::testing::HasSubstr("not a multiple of 8; make the offset a multiple of 8 bytes"));
}

// Mean and variance of all numbers, whichever way they were cut: what Welford's method is for.
TEST(Library, WelfordFindsMeanAndVarianceOfARowInParts) {
  const Values x = inputs(3, false), y = inputs(58.5, false);
  const auto expect = [](const Values& z, const Values& all) {
    double mean = 0, variance = 0;
    for (const double value : all) mean += value / static_cast<double>(all.size());
    for (const double value : all) variance += (value - mean) * (value - mean) / static_cast<double>(all.size());
    EXPECT_NEAR(z[0], mean, 1e-5);
    EXPECT_NEAR(z[8], variance, 1e-4);
  };
  const std::string begin =
      "LocalTensor<float> m = work[0], v = work[64];\nDuplicate(work, 0.0f, 128); Duplicate(z, 0.0f, n);\n";
  const auto run = [&](const std::string& compute) {
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("x", proto::FLOAT32, x);
    *run_case.add_inputs() = tensor("y", proto::FLOAT32, y);
    add_output(run_case, "z", proto::FLOAT32, kN);
    const auto result = run_kernel(vector_kernel("float", "float", kN, begin + compute), "k", run_case);
    EXPECT_TRUE(result.ran());
    EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
    return values_of(result.outputs(0));
  };
  // Four parts of 64.
  const std::string update =
      "for (int i = 0; i < 4; ++i) { WelfordUpdateParam p{1, 64, 64, 1.0f / (i + 1)}; "
      "WelfordUpdate<float, float>(m, v, m, v, x[64 * i], p); }\n";
  expect(run(update +
             "WelfordFinalizePara f{4, 64, 0, 0, 0, 0, 1.0f / 64, 1.0f / 256}; WelfordFinalize(z[0], z[8], m, v, f);"),
         x);
  // Four parts and 40 elements of a fifth: by counts, and by the numbers of the head and of the tail.
  Values some = x;
  some.insert(some.end(), y.begin(), y.begin() + 40);
  const std::string tail =
      "static constexpr WelfordUpdateConfig kInPlace{true}; WelfordUpdateParam q{1, 64, 40, 1.0f / 5}; "
      "WelfordUpdate<float, float, false, kInPlace>(m, v, m, v, y, q);\n";
  expect(run(update + tail +
             "LocalTensor<int32_t> c = work[128].template ReinterpretCast<int32_t>(); Duplicate(c, (int32_t)4, 64); "
             "Duplicate(c, (int32_t)5, 40); WelfordFinalizePara f{4, 64, 0, 0, 0, 0, 1.0f / 64, 1.0f / 296}; "
             "WelfordFinalize(z[0], z[8], m, v, c, f);"),
         some);
  expect(
      run(update + tail +
          "WelfordFinalizePara f{5, 64, 5, 40, 4, 24, 1.0f / 64, 1.0f / 296}; WelfordFinalize(z[0], z[8], m, v, f);"),
      some);
  // Without the tail's own configuration the rest is copied from the input.
  const Values copied =
      run("WelfordUpdateParam p{1, 64, 8, 1.0f}; Duplicate(m, 3.0f, 64); WelfordUpdate<float, float>(z[0], z[64], m, "
          "v, x, p);");
  EXPECT_EQ(copied[0], x[0]);
  EXPECT_EQ(copied[8], 3);
  EXPECT_EQ(copied[63], 3);
}

// Two pieces of eight rows of 1024, the second one in place; `of`: what the calls are given for srcK and splitMeanCnt.
std::string flash_v3_kernel(const std::string& of) {
  return R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR sg, GM_ADDR fg) {
  GlobalTensor<half> x, y, z, f; GlobalTensor<float> s;
  x.SetGlobalBuffer((__gm__ half*)xg); y.SetGlobalBuffer((__gm__ half*)yg); z.SetGlobalBuffer((__gm__ half*)zg);
  f.SetGlobalBuffer((__gm__ half*)fg); s.SetGlobalBuffer((__gm__ float*)sg);
  TPipe pipe; TBuf<TPosition::VECCALC> pieces, kept, shared, factors;
  pipe.InitBuffer(pieces, 32768); pipe.InitBuffer(kept, 1536); pipe.InitBuffer(factors, 512); pipe.InitBuffer(shared, 65536);
  auto a = pieces.Get<half>(), b = a[8192], g = factors.Get<half>(); auto m = kept.Get<float>(), n = m[192];
  DataCopy(a, x, 8192); DataCopy(b, y, 8192); SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);
  SoftMaxTiling t; SoftMaxParams first = {8, )" +
         of + R"(, 0.9375f}, second = first; first.loopCnt = 1;
#line 1
  SoftmaxFlashV3<half, float>(a, m, m[64], m[128], a, g, m, m[64], m[128], shared.Get<uint8_t>(), t, first);
  Adds(n, m, 0.0f, 192); Duplicate(g, half(0), 256);
  SoftmaxFlashV3<half, float, true>(b, n, n[64], n[128], b, g[128], n, n[64], n[128], t, second);
  SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(z, a, 16384); DataCopy(s, m, 384); DataCopy(f, g, 256);
}
)";
}
// Row, mean, sum, maximum and factor, and the largest, the 40th and the 200th element: ascendc_flash_v3_reference.py.
struct FlashRow {
  std::size_t row;
  double mean, sum, max, factor;
  struct {
    std::size_t at;
    double value;
  } elements[3];
};
TEST(Library, FlashV3GoesOnFromTheMeanSumAndMaximum) {
  constexpr FlashRow kRows[2][2] = {
      {{0, 0.00750732422, 119.60629, 3.51043701, 0, {{665, 1}, {733, 0.569782825}, {572, 0.209406788}}},
       {5, 0.000244140625, 140.084862, 3.30444336, 0, {{67, 1}, {413, 0.667771925}, {20, 0.252839596}}}},
      {{0, 0.00103759766, 167.376887, 3.92974854, 0.724505718, {{528, 1}, {90, 0.446355024}, {420, 0.120193499}}},
       {5, 0.00109863281, 164.588152, 3.89953613, 0.544487575, {{160, 1}, {285, 0.427164567}, {914, 0.142733312}}}}};
  const auto piece = [](std::size_t multiplier, std::size_t shift) {
    return map(8192, [=](std::size_t i) {
      return (static_cast<double>((i * multiplier + i / 128 * 7 + shift) % 101) - 50) / 16;
    });
  };
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT16, piece(37, 3));
  *run_case.add_inputs() = tensor("y", proto::FLOAT16, piece(29, 11));
  add_output(run_case, "z", proto::FLOAT16, 16384);
  add_output(run_case, "s", proto::FLOAT32, 384);
  add_output(run_case, "f", proto::FLOAT16, 256);
  const auto result = run_kernel(flash_v3_kernel("1024, 8, 1024, 2, 8"), "k", run_case);
  ASSERT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
  const Values z = values_of(result.outputs(0)), s = values_of(result.outputs(1)), f = values_of(result.outputs(2));
  for (std::size_t k = 0; k < 2; ++k)
    for (const FlashRow& row : kRows[k]) {
      for (std::size_t i = row.row * 8; i < row.row * 8 + 8; ++i) {
        EXPECT_NEAR(s[k * 192 + i], row.mean, 1e-6);
        EXPECT_NEAR(s[k * 192 + 64 + i], row.sum, 1e-4);
        EXPECT_NEAR(s[k * 192 + 128 + i], row.max, 1e-6);
      }
      for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(f[k * 128 + row.row * 16 + i], row.factor, 5e-4);
      for (const auto& [at, value] : row.elements) EXPECT_NEAR(z[k * 8192 + row.row * 1024 + at], value, 5e-4) << at;
    }
  for (const char* of : {"448, 8, 448, 2, 8", "1024, 8, 1024, 0, 8", "1024, 8, 1024, 2, 4"})
    EXPECT_THAT(errors_of(run_kernel(flash_v3_kernel(of), "k", run_case)), ::testing::HasSubstr("argument:3")) << of;
}

TEST(Library, UnsupportedCallsSaySo) {
  for (const char* name : {"Scatter", "TransData", "ReduceXorSum", "VectorPadding"}) {
    const auto compiled = compile_kernel(vector_kernel("float", "float", 256, std::string(name) + "(z, x, y);"), "k");
    EXPECT_FALSE(compiled.ok) << name;
    EXPECT_THAT(compiled.messages, ::testing::HasSubstr(name));
    EXPECT_THAT(compiled.messages, ::testing::AnyOf(::testing::HasSubstr("not yet supported by the emulated device"),
                                                    ::testing::HasSubstr("does not exist on this device")));
  }
}

// Pages 00090 and 00091: they exist on later chips only.
TEST(Library, AccessesThatPassTheDataCacheBySayThatThisDeviceLacksThem) {
  for (const char* call : {"int v = ReadGmByPassDCache((__gm__ int*)xg); (void)v;",
                           "int v = 1; WriteGmByPassDCache((__gm__ int*)zg, v);"}) {
    const auto compiled = compile_kernel(vector_kernel("float", "float", 256, call), "k");
    EXPECT_FALSE(compiled.ok);
    EXPECT_THAT(compiled.messages, ::testing::HasSubstr("does not exist on this device (Atlas A2), whose scalar unit"));
    EXPECT_THAT(compiled.messages, ::testing::HasSubstr("DataCacheCleanAndInvalid"));
  }
}

}  // namespace
}  // namespace kg::npu::testing
