// The forms with mask, repeat and strides: lanes outside the mask and blocks between strides keep what they held.

#include "ascendc_value_kernel.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu::testing {
namespace {

class Forms : public ::testing::TestWithParam<ValueKernel> {};
TEST_P(Forms, WriteTheirLanesOnly) {
  ValueKernel kernel = GetParam();
  const Values x = map(kValues, [](std::size_t i) { return static_cast<double>(i * 37 % 101) - 50; });
  const Values y = map(kValues, [](std::size_t i) { return static_cast<double>((i * 53 + 7) % 89) - 44 + 0.5; });
  expect_values(kernel, x, y);
}

using Two = double (*)(double a, double b);

// The first `lanes` of each of `repeats` repeats of 64 floats.
auto counted(std::size_t lanes, std::size_t repeats, Two f) {
  return [=](const Values& x, const Values& y) {
    return map(kValues, [&](std::size_t i) { return i % 64 < lanes && i / 64 < repeats ? f(x[i], y[i]) : 0.0; });
  };
}
// Lanes whose bit is set in 0xAAAA...: the odd ones.
auto odd_lanes(Two f) {
  return [=](const Values& x, const Values& y) {
    return map(kValues, [&](std::size_t i) { return i % 2 == 1 ? f(x[i], y[i]) : 0.0; });
  };
}

#define KG_ODD "uint64_t odd[2] = {0xAAAAAAAAAAAAAAAAULL, 0}; "

INSTANTIATE_TEST_SUITE_P(
    Binary, Forms,
    ::testing::Values(
        ValueKernel{"AddCounted", "float", "float", "Add(z, x, y, (uint64_t)40, 3, {1, 1, 1, 8, 8, 8});",
                    counted(40, 3, [](double a, double b) { return a + b; })},
        ValueKernel{"SubBits", "float", "float", KG_ODD "Sub(z, x, y, odd, 16, {1, 1, 1, 8, 8, 8});",
                    odd_lanes([](double a, double b) { return a - b; })},
        ValueKernel{"MulCounted", "float", "float", "Mul(z, x, y, (uint64_t)64, 16, {1, 1, 1, 8, 8, 8});",
                    counted(64, 16, [](double a, double b) { return a * b; })},
        ValueKernel{"MulOfOneRowByAll", "float", "float", "Mul(z, x, y, (uint64_t)64, 16, {1, 1, 1, 8, 8, 0});",
                    [](const Values& x, const Values& y) {
                      return map(kValues, [&](std::size_t i) { return x[i] * y[i % 64]; });
                    }},
        ValueKernel{"DivBits", "float", "float", KG_ODD "Div(z, x, y, odd, 16, {1, 1, 1, 8, 8, 8});",
                    odd_lanes([](double a, double b) { return static_cast<double>(static_cast<float>(a / b)); })},
        ValueKernel{"MaxCounted", "float", "float", "Max(z, x, y, (uint64_t)17, 16, {1, 1, 1, 8, 8, 8});",
                    counted(17, 16, [](double a, double b) { return a > b ? a : b; })},
        ValueKernel{"MinOfEveryOtherBlock", "float", "float", "Min(z, x, y, (uint64_t)64, 4, {2, 2, 2, 16, 16, 16});",
                    [](const Values& x, const Values& y) {
                      return map(512, [&](std::size_t i) { return i / 8 % 2 == 0 ? std::min(x[i], y[i]) : 0.0; });
                    }},
        ValueKernel{"CompareRepeats", "float", "uint8_t",
                    "Compare(z, x, y, CMPMODE::LT, (uint64_t)64, 16, {1, 1, 1, 8, 8, 8});",
                    [](const Values& x, const Values& y) {
                      return map(128, [&](std::size_t i) {
                        double bits = 0;
                        for (std::size_t k = 0; k < 8; ++k) bits += x[i * 8 + k] < y[i * 8 + k] ? 1 << k : 0;
                        return bits;
                      });
                    }},
        ValueKernel{"ParametersByName", "float", "float",
                    "BinaryRepeatParams both; both.dstRepStride = 16; Add(z, x, y, (uint64_t)64, 4, both);\n"
                    "UnaryRepeatParams one; one.srcRepStride = 0; Abs(z[64], x, (uint64_t)64, 1, one);\n"
                    "CopyRepeatParams rows; rows.srcRepeatSize = 0; Copy(z[512], x, (uint64_t)64, 2, rows);\n"
                    "BrcbRepeatParams blocks; Brcb(z[768], x, 1, blocks);",
                    [](const Values& x, const Values& y) {
                      return map(832, [&](std::size_t i) {
                        if (i >= 768) return x[(i - 768) / 8];
                        if (i >= 512) return i < 640 ? x[i % 64] : 0.0;
                        if (i >= 64 && i < 128) return std::fabs(x[i - 64]);
                        return i % 128 < 64 && i < 448 ? x[i / 128 * 64 + i % 64] + y[i / 128 * 64 + i % 64] : 0.0;
                      });
                    }}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Unary, Forms,
    ::testing::Values(
        ValueKernel{"AddsCounted", "float", "float", "Adds(z, x, 2.5f, (uint64_t)40, 3, {1, 1, 8, 8});",
                    counted(40, 3, [](double a, double) { return a + 2.5; })},
        ValueKernel{"MulsBits", "float", "float", KG_ODD "Muls(z, x, 3.0f, odd, 16, {1, 1, 8, 8});",
                    odd_lanes([](double a, double) { return a * 3; })},
        ValueKernel{"AbsCounted", "float", "float", "Abs(z, x, (uint64_t)33, 16, {1, 1, 8, 8});",
                    counted(33, 16, [](double a, double) { return std::fabs(a); })},
        ValueKernel{"SqrtBits", "float", "float", KG_ODD "Abs(x, x, n); Sqrt(z, x, odd, 16, {1, 1, 8, 8});",
                    odd_lanes([](double a, double) {
                      return static_cast<double>(std::sqrt(static_cast<float>(std::fabs(a))));
                    })},
        ValueKernel{"DuplicateCounted", "float", "float", "Duplicate(z, 7.0f, (uint64_t)40, 3, 1, 8);",
                    counted(40, 3, [](double, double) { return 7.0; })},
        ValueKernel{"DuplicateBits", "float", "float", KG_ODD "Duplicate(z, 7.0f, odd, 16, 1, 8);",
                    odd_lanes([](double, double) { return 7.0; })},
        ValueKernel{"NamedMask", "float", "float",
                    "SetVectorMask<float, MaskMode::NORMAL>(0, 0xAAAAAAAAAAAAAAAAULL); Adds<float, false>(z, x, 1.0f, "
                    "MASK_PLACEHOLDER, 16, {1, 1, 8, 8}); ResetMask();",
                    odd_lanes([](double a, double) { return a + 1; })},
        ValueKernel{
            "SetMaskByLength", "float", "float",
            "AscendCUtils::SetMask<float>(40); Adds<float, false>(z, x, 1.0f, MASK_PLACEHOLDER, 3, {1, 1, 8, 8}); "
            "AscendCUtils::ResetMask();",
            counted(40, 3, [](double a, double) { return a + 1; })},
        ValueKernel{"SetMaskByBits", "float", "float",
                    "AscendCUtils::SetMask<float>(0, 0xAAAAAAAAAAAAAAAAULL); Adds<float, false>(z, x, 1.0f, "
                    "MASK_PLACEHOLDER, 16, {1, 1, 8, 8}); ResetMask();",
                    odd_lanes([](double a, double) { return a + 1; })}),
    [](const auto& info) { return info.param.name; });

double bits_as_float(std::size_t bits) { return kgnpu::float_of_bits(static_cast<std::uint32_t>(bits)); }
std::size_t place_of(const Values& x, std::size_t from, std::size_t to, bool largest) {
  std::size_t best = from;
  for (std::size_t i = from; i < to; ++i)
    if (largest ? x[i] > x[best] : x[i] < x[best]) best = i;
  return best;
}

INSTANTIATE_TEST_SUITE_P(
    Reductions, Forms,
    ::testing::Values(ValueKernel{"MaxOfRepeats", "float", "float", "ReduceMax(z, x, work, 64, 3, 8, true);",
                                  [](const Values& x, const Values&) {
                                    const std::size_t at = place_of(x, 0, 192, true);
                                    return Values{x[at], bits_as_float(at)};
                                  }},
                      ValueKernel{"MinOfRepeats", "float", "float", "ReduceMin(z, x, work, 64, 3, 8, true);",
                                  [](const Values& x, const Values&) {
                                    const std::size_t at = place_of(x, 0, 192, false);
                                    return Values{x[at], bits_as_float(at)};
                                  }},
                      ValueKernel{"MaxOfNoIndex", "float", "float",
                                  "ReduceMax(z, x, work, n); ReduceMin(z[8], x, work, n, false);",
                                  [](const Values& x, const Values&) {
                                    return Values{x[place_of(x, 0, kValues, true)],  0, 0, 0, 0, 0, 0, 0,
                                                  x[place_of(x, 0, kValues, false)], 0};
                                  }},
                      ValueKernel{"WholeMaxOfMask", "float", "float",
                                  "WholeReduceMax(z, x, 40, 3, 1, 1, 8); WholeReduceMin(z[8], x, 40, "
                                  "3, 1, 1, 8);",
                                  [](const Values& x, const Values&) {
                                    Values z(14);
                                    for (std::size_t r = 0; r < 3; ++r) {
                                      const std::size_t most = place_of(x, r * 64, r * 64 + 40, true),
                                                        least = place_of(x, r * 64, r * 64 + 40, false);
                                      z[2 * r] = x[most], z[2 * r + 1] = bits_as_float(most - r * 64);
                                      z[8 + 2 * r] = x[least], z[9 + 2 * r] = bits_as_float(least - r * 64);
                                    }
                                    return z;
                                  }},
                      ValueKernel{"WholeSumOfBits", "float", "float", KG_ODD "WholeReduceSum(z, x, odd, 16, 1, 1, 8);",
                                  [](const Values& x, const Values&) {
                                    return map(16, [&](std::size_t r) {
                                      double sum = 0;
                                      for (std::size_t i = 1; i < 64; i += 2) sum += x[r * 64 + i];
                                      return sum;
                                    });
                                  }}),
    [](const auto& info) { return info.param.name; });

// --- events: each orders the pipes that it names, and without it the access is a race where the compiler adds no flag

struct Event {
  const char* name;
  const char* before;
  const char* after;
  bool needed = true;
};
class Events : public ::testing::TestWithParam<Event> {};

proto::CaseResult run_event(const Event& event, bool with_flag) {
  const std::string flag = std::string("HardEvent::") + event.name;
  const std::string source =
      R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe; TBuf<> one, two; pipe.InitBuffer(one, 1024); pipe.InitBuffer(two, 1024);
  GlobalTensor<float> x, z; x.SetGlobalBuffer((__gm__ float*)xg); z.SetGlobalBuffer((__gm__ float*)zg);
  LocalTensor<float> a = one.Get<float>(), b = two.Get<float>();
  Duplicate(a, 5.0f, 256); Duplicate(b, 6.0f, 256); PipeBarrier<PIPE_ALL>();
  )" + std::string(event.before) +
      (with_flag ? " SetFlag<" + flag + ">(EVENT_ID0); WaitFlag<" + flag + ">(EVENT_ID0);" : "") + "\n  " +
      event.after + R"(
  PipeBarrier<PIPE_ALL>(); DataCopy(z[256], a, 256); DataCopy(z[512], b, 256);
})";
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, map(256, [](std::size_t i) { return double(i); }));
  add_output(run_case, "z", proto::FLOAT32, 768);
  return run_kernel(source, "k", run_case);
}

TEST_P(Events, OrderTheTwoPipes) {
  const auto with = run_event(GetParam(), true);
  EXPECT_TRUE(with.ran());
  EXPECT_EQ(errors_of(with), "") << with.ShortDebugString().substr(0, 1000);
  const auto without = run_event(GetParam(), false);
  EXPECT_EQ(errors_of(without), GetParam().needed ? "synchronisation:9" : "");
  if (!GetParam().needed) {
    EXPECT_EQ(with.outputs(0).data(), without.outputs(0).data());
  }
}
INSTANTIATE_TEST_SUITE_P(
    OfVectorCores, Events,
    ::testing::Values(Event{"MTE2_V", "DataCopy(a, x, 256);", "Adds(b, a, 1.0f, 256);"},
                      Event{"V_MTE3", "Adds(a, a, 1.0f, 256);", "DataCopy(z, a, 256);"},
                      Event{"MTE2_MTE3", "DataCopy(a, x, 256);", "DataCopy(z, a, 256);"},
                      Event{"MTE3_MTE2", "DataCopy(z, a, 256);", "DataCopy(a, x, 256);"},
                      Event{"MTE3_V", "DataCopy(z, a, 256);", "Adds(a, b, 1.0f, 256);"},
                      Event{"V_MTE2", "Adds(b, a, 1.0f, 256);", "DataCopy(a, x, 256);"},
                      Event{"S_V", "a.SetValue(0, 9.0f);", "Adds(b, a, 1.0f, 256);", false},
                      Event{"V_S", "Adds(a, a, 1.0f, 256);", "b.SetValue(0, a.GetValue(3));", false},
                      Event{"MTE2_S", "DataCopy(a, x, 256);", "b.SetValue(0, a.GetValue(3));", false},
                      Event{"S_MTE2", "b.SetValue(0, a.GetValue(3));", "DataCopy(a, x, 256);", false},
                      Event{"S_MTE3", "a.SetValue(0, 9.0f);", "DataCopy(z, a, 256);", false},
                      Event{"MTE3_S", "DataCopy(z, a, 256);", "a.SetValue(0, 9.0f);", false}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kg::npu::testing
