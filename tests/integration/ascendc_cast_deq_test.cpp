// CastDeq and its later name CastDequant, as page 0074 of the reference shows their results.

#include <gmock/gmock.h>

#include <algorithm>

#include "ascendc_value_kernel.h"

namespace kg::npu::testing {
namespace {

class CastDeqResults : public ::testing::TestWithParam<ValueKernel> {};
TEST_P(CastDeqResults, GivesTheNumbers) {
  expect_values(GetParam(), shuffled_values(89, 17), shuffled_values(151, 60));
}

// 512 results, 16 in one half of each block of 32; the other half keeps its zeros.
Values in_halves(bool upper, const std::function<double(std::size_t)>& result) {
  return map(1024, [=](std::size_t i) {
    const std::size_t lane = i % 32;
    return lane / 16 == (upper ? 1u : 0u) ? result(i / 32 * 16 + lane % 16) : 0.0;
  });
}
double saturated(double value, double low, double high) { return std::clamp(value, low, high); }

// Another scale, offset and sign for each lane of a block.
#define KG_LANES                                                                                           \
  "float scales[16]; int16_t offsets[16]; bool signs[16];\n"                                               \
  "for (int k = 0; k < 16; ++k) { scales[k] = 0.125f * k; offsets[k] = -3 * k; signs[k] = k % 2 == 0; }\n" \
  "VdeqInfo info(scales, offsets, signs); SetDeqScale(work.template ReinterpretCast<uint64_t>(), info);\n"

double by_lane(double x, std::size_t lane) {
  const auto k = static_cast<double>(lane);
  const double value = std::nearbyint(x * 0.125 * k) - 3 * k;
  return lane % 2 == 0 ? saturated(value, -128, 127) : saturated(value, 0, 255);
}
// The bits of a result of either sign, read as int8_t.
double as_signed(double value) { return value > 127 ? value - 256 : value; }

INSTANTIATE_TEST_SUITE_P(
    Pages, CastDeqResults,
    ::testing::Values(
        ValueKernel{"ResultsAreInTheUpperHalvesOfBlocksByDefault", "int16_t", "int8_t",
                    "SetDeqScale(0.5f, (int16_t)-20, true); CastDeq<int8_t, int16_t, false>(z, x, 512);",
                    [](const Values& x, const Values&) {
                      return in_halves(
                          true, [&](std::size_t i) { return saturated(std::nearbyint(x[i] * 0.5) - 20, -128, 127); });
                    }},
        ValueKernel{"ResultsAreInTheLowerHalvesWithoutHalfBlock", "int16_t", "uint8_t",
                    "SetDeqScale(0.5f, (int16_t)-20, false); CastDequant<uint8_t, int16_t, false, false>(z, x, 512);",
                    [](const Values& x, const Values&) {
                      return in_halves(
                          false, [&](std::size_t i) { return saturated(std::nearbyint(x[i] * 0.5) - 20, 0, 255); });
                    }},
        ValueKernel{"EachLaneOfABlockHasItsScaleOffsetAndSign", "int16_t", "int8_t",
                    KG_LANES "CastDeq<int8_t, int16_t>(z, x, 512);",
                    [](const Values& x, const Values&) {
                      return in_halves(true, [&](std::size_t i) { return as_signed(by_lane(x[i], i % 16)); });
                    }},
        ValueKernel{"AMaskAndStridesOfBlocksAndRepeats", "int16_t", "uint8_t",
                    "SetDeqScale(0.25f, (int16_t)0, false);\n"
                    "CastDequant<uint8_t, int16_t, true, false, true>(z, x, 100, 2, {1, 1, 8, 16});",
                    [](const Values& x, const Values&) {
                      return in_halves(true, [&](std::size_t i) {
                        const std::size_t repeat = i / 128, lane = i % 128;
                        return repeat >= 2 || lane >= 100
                                   ? 0.0
                                   : saturated(std::nearbyint(x[repeat * 256 + lane] * 0.25), 0, 255);
                      });
                    }},
        ValueKernel{"AMaskOfBits", "int16_t", "uint8_t",
                    "SetDeqScale(0.25f, (int16_t)0, false); uint64_t mask[2] = {0xF0F, 1};\n"
                    "CastDeq<uint8_t, int16_t, true, false, false>(z, x, mask, 2, {1, 1, 8, 8});",
                    [](const Values& x, const Values&) {
                      return in_halves(false, [&](std::size_t i) {
                        const std::size_t lane = i % 128;
                        const bool on = lane < 64 ? (0xF0F >> std::min<std::size_t>(lane, 31) & 1) != 0 : lane == 64;
                        return i < 256 && on ? saturated(std::nearbyint(x[i] * 0.25), 0, 255) : 0.0;
                      });
                    }},
        ValueKernel{
            "Int32ToHalfByTheScale", "int32_t", "half",
            "SetDeqScale((half)0.25f); CastDequant<half, int32_t>(z, x, 128);\n"
            "CastDeq<half, int32_t>(z[128], x[128], 64, 2, {1, 1, 4, 8});",
            [](const Values& x, const Values&) { return map(256, [&](std::size_t i) { return x[i] * 0.25; }); }}),
    [](const auto& info) { return info.param.name; });

std::string errors_after(const std::string& statements) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::INT16, Values(kValues));
  *run_case.add_inputs() = tensor("y", proto::INT16, Values(kValues));
  add_output(run_case, "z", proto::INT8, kValues);
  const auto result =
      run_kernel(vector_kernel("int16_t", "int8_t", kValues,
                               "Duplicate(z.ReinterpretCast<int16_t>(), (int16_t)0, n / 2);\n" + statements),
                 "k", run_case);
  return result.faults_size() == 0 ? "" : result.faults(0).message();
}

TEST(CastDeq, AScaleForAllAndOneForEachLaneAreNotMixed) {
  EXPECT_THAT(errors_after("SetDeqScale(0.5f, (int16_t)0, true); CastDeq<int8_t, int16_t>(z, x, 512);"),
              ::testing::HasSubstr("isVecDeq is true (the default), but SetDeqScale was not called with a tensor"));
  EXPECT_THAT(errors_after(KG_LANES "CastDeq<int8_t, int16_t, false>(z, x, 512);"),
              ::testing::HasSubstr("isVecDeq is false, but SetDeqScale was called with a tensor"));
}

}  // namespace
}  // namespace kg::npu::testing
