// Calls that move, choose, sort and transpose elements, and the raw intrinsics: numbers against independent loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ascendc_value_kernel.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu::testing {
namespace {

constexpr int kN = 256;

struct Kernel {
  const char* name;
  const char* in;
  const char* out;
  const char* compute;
  std::function<Values(const Values& x, const Values& y)> expected;  // the first values of z
};

// Distinct numbers that every type holds exactly, in no order.
Values shuffled(int multiplier, int shift) {
  Values values(kN);
  for (int i = 0; i < kN; ++i) values[static_cast<std::size_t>(i)] = (i * multiplier + shift) % kN;
  return values;
}

class Data : public ::testing::TestWithParam<Kernel> {};

TEST_P(Data, GivesTheNumbersWithoutAnError) {
  const Kernel& kernel = GetParam();
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype_of(kernel.in), shuffled(89, 17));
  *run_case.add_inputs() = tensor("y", dtype_of(kernel.in), shuffled(151, 60));
  add_output(run_case, "z", dtype_of(kernel.out), kN);
  const std::string clear =
      std::string("Duplicate(z.template ReinterpretCast<int16_t>(), (int16_t)0, n * sizeof(O) / 2); ") + kernel.compute;
  const auto result = run_kernel(vector_kernel(kernel.in, kernel.out, kN, clear), "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  const auto x = values_of(run_case.inputs(0)), y = values_of(run_case.inputs(1)), z = values_of(result.outputs(0));
  const Values expected = kernel.expected(x, y);
  ASSERT_LE(expected.size(), z.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(z[i], expected[i]) << i;
}

Values keep(const Values& x, const std::function<bool(std::size_t)>& f) {
  Values values;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (f(i)) values.push_back(x[i]);
  return values;
}
double as_float(std::uint32_t bits) { return kgnpu::float_of_bits(bits); }
// Sorted records of float: value, index as bits.
Values records(Values x, std::size_t group) {
  Values result;
  for (std::size_t g = 0; g < x.size(); g += group) {
    std::vector<std::size_t> order(group);
    std::iota(order.begin(), order.end(), g);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] > x[b]; });
    for (const std::size_t i : order) {
      result.push_back(x[i]);
      result.push_back(as_float(static_cast<std::uint32_t>(i)));
    }
  }
  return result;
}

const char* const kOffsets =
    "LocalTensor<uint32_t> offset = work.ReinterpretCast<uint32_t>();\n"
    "for (int i = 0; i < n; ++i) offset.SetValue(i, ((i * 7 + 3) % n) * sizeof(I));\n";
const std::string kGatherCount = std::string(kOffsets) + "Gather(z, x, offset, 0u, (uint32_t)n);";
const std::string kGatherMaskForm = std::string(kOffsets) + "Gather(z, x, offset, 0u, (uint64_t)64, 4, 8);";
const std::string kGatherBits =
    std::string(kOffsets) +
    "uint64_t bits[2] = {0x5555555555555555ULL, 0x5555555555555555ULL}; Gather(z, x, offset, 0u, bits, 2, 8);";
const std::string kGatherBase = std::string(kOffsets) + "Gather(z, x, offset, 4 * sizeof(I), (uint32_t)16);";

INSTANTIATE_TEST_SUITE_P(
    Choosing, Data,
    ::testing::Values(
        Kernel{
            "GatherCount", "half", "half", kGatherCount.c_str(),
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return x[(i * 7 + 3) % kN]; }); }},
        Kernel{
            "GatherMask64", "float", "float", kGatherMaskForm.c_str(),
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return x[(i * 7 + 3) % kN]; }); }},
        Kernel{"GatherBits", "int16_t", "int16_t", kGatherBits.c_str(),
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return i % 2 ? 0 : x[(i * 7 + 3) % kN]; });
               }},
        Kernel{"GatherBaseAddress", "int32_t", "int32_t", kGatherBase.c_str(),
               [](const Values& x, const Values&) { return map(16, [&](std::size_t i) { return x[i * 7 + 3 + 4]; }); }},
        Kernel{"GatherbBlocks", "float", "float",
               "LocalTensor<uint32_t> offset = work.ReinterpretCast<uint32_t>();\n"
               "for (int i = 0; i < 16; ++i) offset.SetValue(i, (15 - i) * 32);\n"
               "Gatherb(z, x, offset, 2, {1, 8});",
               [](const Values& x, const Values&) {
                 return map(128, [&](std::size_t i) { return x[(15 - i / 8) * 8 + i % 8]; });
               }},
        Kernel{"GatherMaskEven", "half", "half",
               "uint64_t kept = 0; GatherMask(z, x, (uint8_t)1, false, 0, {1, 2, 8, 0}, kept); z.SetValue(255, "
               "(half)(int64_t)kept);",
               [](const Values& x, const Values&) {
                 Values kept = keep(x, [](std::size_t i) { return i % 2 == 0; });
                 kept.resize(kN);
                 kept[255] = 128;
                 return kept;
               }},
        Kernel{"GatherMaskThirdOfFour", "float", "float",
               "uint64_t kept; GatherMask(z, x, 5, false, 0, {1, 4, 8, 0}, kept);",
               [](const Values& x, const Values&) { return keep(x, [](std::size_t i) { return i % 4 == 2; }); }},
        Kernel{"GatherMaskAllWithStride", "int32_t", "int32_t",
               "uint64_t kept; GatherMask(z, x, 7, false, 0, {1, 2, 16, 0}, kept);",
               [](const Values& x, const Values&) { return keep(x, [](std::size_t i) { return i % 128 < 64; }); }},
        Kernel{
            "GatherMaskCounted", "half", "half",
            "uint64_t kept; GatherMask(z, x, 2, true, 100, {1, 2, 8, 0}, kept); z.SetValue(200, (half)(int64_t)kept);",
            [](const Values& x, const Values&) {
              Values kept = keep(x, [](std::size_t i) { return i % 128 < 100 && i % 2 == 1; });
              kept.resize(201);
              kept[200] = 100;
              return kept;
            }},
        Kernel{"GatherMaskTensor", "float", "float",
               "LocalTensor<uint32_t> bits = work.ReinterpretCast<uint32_t>(); Duplicate(bits, 0x0000FF00u, 32);\n"
               "uint64_t kept; GatherMask(z, x, bits, false, 0, {1, 4, 8, 1}, kept);\n"
               "if (kept != GetGatherMaskRemainCount()) z.SetValue(0, -1.0f);",
               [](const Values& x, const Values&) {
                 return keep(x, [](std::size_t i) { return i % 32 >= 8 && i % 32 < 16; });
               }},
        Kernel{"BrcbHalf", "half", "half", "Brcb(z, x, 2, {1, 8});",
               [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return x[i / 16]; }); }},
        Kernel{"BrcbFloatStride", "float", "float", "Brcb(z, x, 1, {2, 8});",
               [](const Values& x, const Values&) {
                 return map(128, [&](std::size_t i) { return i / 8 % 2 ? 0 : x[i / 16]; });
               }},
        Kernel{"CopyMask", "half", "half", "Copy(z, x, (uint64_t)100, 2, {1, 1, 8, 8});",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return i % 128 < 100 ? x[i] : 0; });
               }},
        Kernel{"CopyRepeatsOneRow", "float", "float", "Copy(z, x, (uint64_t)64, 4, {1, 1, 8, 0});",
               [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return x[i % 64]; }); }},
        Kernel{"CopyBits", "int32_t", "int32_t",
               "uint64_t bits[2] = {0xF0F0F0F0F0F0F0F0ULL, 0}; Copy(z, x, bits, 4, {1, 1, 8, 8});",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return i % 8 >= 4 ? x[i] : 0; });
               }},
        Kernel{"IndexCount", "int32_t", "int32_t", "CreateVecIndex(z, (int32_t)-5, (uint32_t)n);",
               [](const Values&, const Values&) { return map(kN, [](std::size_t i) { return -5.0 + double(i); }); }},
        Kernel{"IndexMask", "half", "half", "CreateVecIndex(z, (half)3, (uint64_t)128, 2, 1, 8);",
               [](const Values&, const Values&) { return map(kN, [](std::size_t i) { return 3.0 + double(i); }); }},
        Kernel{
            "Progression", "float", "float", "ArithProgression(z, 1.0f, 0.5f, n);",
            [](const Values&, const Values&) { return map(kN, [](std::size_t i) { return 1.0 + 0.5 * double(i); }); }},
        Kernel{"CompareMaskRegister", "float", "float",
               "Compare(x, y, CMPMODE::LT, (uint64_t)64, {1, 1, 1, 8, 8, 8});\n"
               "LocalTensor<uint32_t> m = work.ReinterpretCast<uint32_t>(); GetCmpMask(m); SetCmpMask(m);\n"
               "SetVectorMask<float>(64);\n"
               "Select<float, SELMODE::VSEL_CMPMASK_SPR>(z, x, y, 4, {1, 1, 1, 8, 8, 8}); ResetMask();",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) { return x[i % 64] < y[i % 64] ? x[i] : y[i]; });
               }}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Sorting, Data,
    ::testing::Values(
        Kernel{"Sort32Float", "float", "float",
               "LocalTensor<uint32_t> index = y.ReinterpretCast<uint32_t>(); "
               "CreateVecIndex(index.ReinterpretCast<int32_t>(), "
               "0, (uint32_t)n);\nSort32(z, x, index, 4);",
               [](const Values& x, const Values&) { return records(Values(x.begin(), x.begin() + 128), 32); }},
        Kernel{"FullSortAndExtract", "float", "float",
               "LocalTensor<uint32_t> index = y.ReinterpretCast<uint32_t>(); "
               "CreateVecIndex(index.ReinterpretCast<int32_t>(), "
               "0, (uint32_t)n);\n"
               "LocalTensor<float> joined; Concat(joined, x, work, 2); Sort<float, true>(z, joined, index, work, 4);\n"
               "Extract(x, index, z, 4); DataCopy(z, x, 128); DataCopy(z[128], index.ReinterpretCast<float>(), 128);",
               [](const Values& x, const Values&) {
                 const Values sorted = records(Values(x.begin(), x.begin() + 128), 128);
                 return map(kN, [&](std::size_t i) { return i < 128 ? sorted[2 * i] : sorted[2 * (i - 128) + 1]; });
               }},
        Kernel{"MergeFourLists", "float", "float",
               "LocalTensor<uint32_t> index = y.ReinterpretCast<uint32_t>(); "
               "CreateVecIndex(index.ReinterpretCast<int32_t>(), "
               "0, (uint32_t)n);\nSort32(work, x, index, 4);\n"
               "MrgSort4Info info; for (int k = 0; k < 4; ++k) info.elementLengths[k] = 32; info.validBit = 15;\n"
               "MrgSort(z, MrgSortSrcList<float>(work, work[GetSortLen<float>(32)], work[GetSortOffset<float>(64)], "
               "work[192]), info);",
               [](const Values& x, const Values&) { return records(Values(x.begin(), x.begin() + 128), 128); }},
        Kernel{
            "RegionProposals", "half", "half",
            "for (int f = 0; f < 6; ++f) ProposalConcat(work, f == 4 ? x : y, 1, f);\n"
            "for (int i = 0; i < 16; ++i) { work.SetValue(i * 8 + 6, (half)0); work.SetValue(i * 8 + 7, (half)0); }\n"
            "RpSort16(z, work, 1); ProposalExtract(x, z, 1, 4); ProposalExtract(y, z, 1, 0);\n"
            "DataCopy(z, x, 16); DataCopy(z[16], y, 16);",
            [](const Values& x, const Values& y) {
              const Values sorted = records(Values(x.begin(), x.begin() + 16), 16);
              return map(32, [&](std::size_t i) {
                if (i < 16) return sorted[2 * i];
                return y[kgnpu::bits_of_float(static_cast<float>(sorted[2 * (i - 16) + 1]))];
              });
            }},
        Kernel{
            "TopKRows", "float", "float",
            "LocalTensor<int32_t> index = y.ReinterpretCast<int32_t>(); LocalTensor<int32_t> none; LocalTensor<bool> "
            "unfinished;\nint tiling = 0; TopK<float>(z, index, x, none, unfinished, 5, tiling, TopKInfo{4, 64, 60});\n"
            "Cast(z[128], index, RoundMode::CAST_RINT, 32);",
            [](const Values& x, const Values&) {
              Values result(160);
              for (std::size_t row = 0; row < 4; ++row) {
                std::vector<std::size_t> order(60);
                std::iota(order.begin(), order.end(), 0);
                std::sort(order.begin(), order.end(),
                          [&](std::size_t a, std::size_t b) { return x[row * 64 + a] > x[row * 64 + b]; });
                for (std::size_t i = 0; i < 5; ++i) {
                  result[row * 8 + i] = x[row * 64 + order[i]];
                  result[128 + row * 8 + i] = double(order[i]);
                }
              }
              result.resize(133);  // what pads a row of indices is y's old content
              return result;
            }},
        Kernel{"TopKWithoutIndices", "float", "float",
               "LocalTensor<int32_t> none; LocalTensor<bool> unfinished;\n"
               "int tiling = 0; TopK<float>(z, none, x, none, unfinished, 3, tiling, TopKInfo{2, 32, 32});",
               [](const Values& x, const Values&) {
                 Values result(16);
                 for (std::size_t row = 0; row < 2; ++row) {
                   Values sorted(x.begin() + row * 32, x.begin() + (row + 1) * 32);
                   std::sort(sorted.rbegin(), sorted.rend());
                   std::copy(sorted.begin(), sorted.begin() + 3, result.begin() + row * 8);
                 }
                 result.resize(11);
                 return result;
               }}),
    [](const auto& info) { return info.param.name; });

double transposed16(const Values& x, std::size_t i) { return x[i % 16 * 16 + i / 16]; }

INSTANTIATE_TEST_SUITE_P(
    Transposing, Data,
    ::testing::Values(
        Kernel{
            "Transpose16", "half", "half", "Transpose(z, x);",
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return transposed16(x, i); }); }},
        Kernel{
            "TransposeInPlaceExtended", "int16_t", "int16_t",
            "TransposeParamsExt p; Transpose(x, x, work.ReinterpretCast<uint8_t>(), p); DataCopy(z, x, n);",
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return transposed16(x, i); }); }},
        Kernel{"NchwToNhwc", "float", "float",
               "TransposeParamsExt p{1, 4, 8, 8, TransposeType::TRANSPOSE_NCHW2NHWC};\n"
               "Transpose(z, x, work.ReinterpretCast<uint8_t>(), p);",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return x[i % 4 * 64 + i / 4]; });
               }},
        Kernel{
            "To5HdAddresses", "half", "half",
            "uint64_t d[16], s[16]; for (int i = 0; i < 16; ++i) { d[i] = (uint64_t)z[i * 16].GetPhyAddr(); s[i] = "
            "(uint64_t)x[i * 16].GetPhyAddr(); }\nTransDataTo5HD<half>(d, s, {false, false, 1, 0, 0});",
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return transposed16(x, i); }); }},
        Kernel{
            "To5HdTensorsOfAddresses", "half", "half",
            "LocalTensor<uint64_t> d = work.ReinterpretCast<uint64_t>(), s = d[16];\n"
            "for (int i = 0; i < 16; ++i) { d.SetValue(i, (uint64_t)z[i * 16].GetPhyAddr()); s.SetValue(i, "
            "(uint64_t)x[i * 16].GetPhyAddr()); }\nTransDataTo5HD<half>(d, s, {false, false, 1, 0, 0});",
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return transposed16(x, i); }); }},
        Kernel{"To5HdTensorsFloat", "float", "float",
               "LocalTensor<float> d[16], s[16];\n"
               "for (int i = 0; i < 16; ++i) { d[i] = z[i * 8]; s[i] = x[i * 16]; }\n"
               "TransDataTo5HDParams p; p.repeatTimes = 2; p.dstRepStride = 16; p.srcRepStride = 1; TransDataTo5HD(d, "
               "s, p);",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return x[i % 16 * 16 + i / 16]; });
               }},
        Kernel{
            "To5HdImplPointers", "int16_t", "int16_t",
            "__ubuf__ int16_t* d[16]; __ubuf__ int16_t* s[16];\n"
            "for (int i = 0; i < 16; ++i) { d[i] = z[i * 16].GetPhyAddr(); s[i] = x[i * 16].GetPhyAddr(); }\n"
            "TransDataTo5HDImpl(d, s, TransDataTo5HDParams{});",
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return transposed16(x, i); }); }},
        Kernel{
            "ScatterVnchwconv", "half", "half",
            "uint64_t d[16], s[16]; for (int i = 0; i < 16; ++i) { d[i] = (uint64_t)z[i * 16].GetPhyAddr(); s[i] = "
            "(uint64_t)x[i * 16].GetPhyAddr(); }\n"
            "set_va_reg_sb(VA0, d); set_va_reg_sb(VA1, d + 8); set_va_reg_sb(VA2, s); set_va_reg_sb(VA3, s + 8);\n"
            "scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);",
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return transposed16(x, i); }); }},
        Kernel{
            "Vtranspose", "int16_t", "int16_t",
            "vtranspose((__ubuf__ uint16_t*)z.GetPhyAddr(), (__ubuf__ uint16_t*)x.GetPhyAddr());",
            [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return transposed16(x, i); }); }}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Raw, Data,
    ::testing::Values(
        Kernel{"RawArithmetic", "float", "float",
               "__ubuf__ float* a = x.GetPhyAddr(); __ubuf__ float* b = y.GetPhyAddr(); __ubuf__ float* c = "
               "z.GetPhyAddr();\n"
               "set_mask_norm(); set_vector_mask(0, ~0ULL);\n"
               "vadd(c, a, b, 4, 1, 1, 1, 8, 8, 8); vmul(c, c, a, 4, 1, 1, 1, 8, 8, 8); vadds(c, c, 2.0f, 4, 1, 1, 8, "
               "8);\n"
               "vmuls(c, c, 0.5f, 4, 1, 1, 8, 8); vabs(c, c, 4, 1, 1, 8, 8); ResetMask();",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) { return ((x[i] + y[i]) * x[i] + 2) * 0.5; });
               }},
        Kernel{"RawCounterMode", "half", "half",
               "set_mask_count(); set_vector_mask(0, 200);\n"
               "vadds((__ubuf__ half*)z.GetPhyAddr(), (__ubuf__ half*)x.GetPhyAddr(), (half)1, 0, 1, 1, 8, 8);\n"
               "set_mask_norm(); set_vector_mask(~0ULL, ~0ULL);",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return i < 200 ? x[i] + 1 : 0; });
               }},
        Kernel{
            "AccumulatorOfVcadd", "float", "float",
            "AscendCUtils::SetMask<float>(64); vcadd(nullptr, (__ubuf__ float*)x.GetPhyAddr(), 4, 1, 1, 8, true);\n"
            "event_t e = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S)); set_flag(PIPE_V, PIPE_S, "
            "e); "
            "wait_flag(PIPE_V, PIPE_S, e);\n"
            "uint64_t bits = GetAccVal(); float v = *reinterpret_cast<float*>(&bits); z.SetValue(0, v); ResetMask();",
            [](const Values& x, const Values&) { return Values{std::accumulate(x.begin(), x.end(), 0.0)}; }},
        Kernel{
            "RawReductions", "float", "float",
            "set_vector_mask(0, ~0ULL); __ubuf__ float* a = x.GetPhyAddr(); __ubuf__ float* c = z.GetPhyAddr();\n"
            "vcadd(c, a, 4, 1, 1, 8, false); vcgmax(c + 8, a, 4, 1, 1, 8); vcmin(c + 64, a, 4, 1, 1, 8, ONLY_VALUE); "
            "set_vector_mask(~0ULL, ~0ULL);",
            [](const Values& x, const Values&) {
              Values z(68);
              for (std::size_t i = 0; i < kN; ++i) {
                z[i / 64] += x[i];
                z[8 + i / 8] = std::max(z[8 + i / 8], x[i]);
                z[64 + i / 64] = i % 64 == 0 ? x[i] : std::min(z[64 + i / 64], x[i]);
              }
              return z;
            }},
        Kernel{"RawDupCopySelect", "half", "half",
               "set_vector_mask(~0ULL, ~0ULL); __ubuf__ half* w = (__ubuf__ half*)work.GetPhyAddr();\n"
               "vector_dup(w, (half)100, 2, 1, 1, 8, 0); __ubuf__ half* a = x.GetPhyAddr();\n"
               "vcmp_lt(a, w, 1, 1, 1, 1, 8, 8, 8); vsel((__ubuf__ half*)z.GetPhyAddr(), a, w, 2, 1, 1, 1, 8, 8, 8);\n"
               "copy_ubuf_to_ubuf(z[128].GetPhyAddr(), x.GetPhyAddr(), 0, 2, 2, 2, 0);",
               [](const Values& x, const Values&) {
                 return map(192, [&](std::size_t i) {
                   if (i < 128) return x[i] < 100 ? x[i] : 100;
                   return x[(i - 128) / 32 * 64 + (i - 128) % 32];
                 });
               }},
        Kernel{"RawConversions", "float", "int32_t",
               "set_vector_mask(0, ~0ULL); __ubuf__ float* w = (__ubuf__ float*)work.GetPhyAddr(); vmuls(w, "
               "x.GetPhyAddr(), "
               "0.25f, 4, 1, 1, 8, 8);\n"
               "vconv_f322s32f((__ubuf__ int32_t*)z.GetPhyAddr(), w, 4, 1, 1, 8, 8); set_vector_mask(~0ULL, ~0ULL);",
               [](const Values& x, const Values&) {
                 return map(kN, [&](std::size_t i) { return std::floor(x[i] / 4); });
               }},
        Kernel{"RawAndOr", "int16_t", "int16_t",
               "__ubuf__ int16_t* c = z.GetPhyAddr(); vand(c, x.GetPhyAddr(), y.GetPhyAddr(), 2, 1, 1, 1, 8, 8, 8);\n"
               "vor(c, c, x.GetPhyAddr(), 1, 1, 1, 1, 8, 8, 8);",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) {
                   const int a = static_cast<int>(x[i]), b = static_cast<int>(y[i]);
                   return i < 128 ? (a & b) | a : a & b;
                 });
               }}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Fused, Data,
    ::testing::Values(
        Kernel{"SetDeqScaleCast", "int32_t", "half", "SetDeqScale((half)0.5f); Cast(z, x, RoundMode::CAST_NONE, n);",
               [](const Values& x, const Values&) { return map(kN, [&](std::size_t i) { return x[i] * 0.5; }); }},
        Kernel{"AddReluCastHalf", "float", "half", "Muls(y, y, -1.0f, n); AddReluCast(z, x, y, n);",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) { return std::max(x[i] - y[i], 0.0); });
               }},
        Kernel{"SubReluCastSaturates", "half", "int8_t", "SubReluCast(z, x, y, n);",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) { return std::min(std::max(x[i] - y[i], 0.0), 127.0); });
               }},
        Kernel{"MulCastSaturates", "half", "uint8_t", "MulCast(z, x, y, n);",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) { return std::min(x[i] * y[i], 255.0); });
               }},
        Kernel{"AddDeqReluScales", "int32_t", "half", "SetDeqScale((half)0.25f); AddDeqRelu(z, x, y, (uint32_t)n);",
               [](const Values& x, const Values& y) {
                 return map(kN, [&](std::size_t i) { return (x[i] + y[i]) * 0.25; });
               }},
        Kernel{"ImplCallsOnPointers", "int16_t", "int16_t",
               "LocalTensor<int16_t> stack; PopStackBuffer<int16_t, TPosition::LCM>(stack);\n"
               "DuplicateImpl<int16_t>((__ubuf__ int16_t*)stack.GetPhyAddr(), (int16_t)7, (int32_t)n); DataCopy(z, "
               "stack, n);",
               [](const Values&, const Values&) { return Values(kN, 7); }},
        Kernel{
            "ScalarBitCounts", "int32_t", "int32_t",
            "z.SetValue(0, ScalarGetCountOfValue<1>(0xF0F0)); z.SetValue(1, ScalarCountLeadingZero(1)); z.SetValue(2, "
            "ScalarGetSFFValue<0>(7)); z.SetValue(3, ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(2.25f)); "
            "z.SetValue(4, "
            "AscendCUtils::GetC0Count(2)); z.SetValue(5, block_idx + get_block_num());",
            [](const Values&, const Values&) { return Values{8, 63, 3, 3, 16, 1}; }}),
    [](const auto& info) { return info.param.name; });

TEST(Data, InitOutputFillsGlobalMemory) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, {1});
  add_output(run_case, "z", proto::FLOAT32, 5000);
  const auto result = run_kernel(R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z) {
  TPipe pipe; GlobalTensor<float> out; out.SetGlobalBuffer((__gm__ float*)z, 5000);
  InitOutput<float>(out, 5000, 2.5f);
})",
                                 "k", run_case);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  EXPECT_EQ(values_of(result.outputs(0)), Values(5000, 2.5));
}

TEST(Data, InitOutputBeyondTheOutputIsFoundAtItsLine) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, {1});
  add_output(run_case, "z", proto::FLOAT32, 64);
  const auto result = run_kernel(R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z) {
  TPipe pipe; GlobalTensor<float> out; out.SetGlobalBuffer((__gm__ float*)z, 64);
  InitOutput(out, 5000, 2.5f);
})",
                                 "k", run_case);
  EXPECT_EQ(errors_of(result), "gm:5");
}

// Cycles of one more call, from kernels that make it 10 and 110 times.
double cycles_of(const std::string& prepare, const std::string& call) {
  double cycles[2];
  for (int k = 0; k < 2; ++k) {
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("x", proto::FLOAT32, shuffled(89, 17));
    *run_case.add_inputs() = tensor("y", proto::FLOAT32, shuffled(151, 60));
    add_output(run_case, "z", proto::FLOAT32, kN);
    const std::string body =
        "Duplicate(z, 0.0f, n); " + prepare + "\nfor (int i = 0; i < " + (k ? "110" : "10") + "; ++i) { " + call + " }";
    const auto result = run_kernel(vector_kernel("float", "float", kN, body), "k", run_case);
    EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
    cycles[k] = static_cast<double>(result.cycles());
  }
  return (cycles[1] - cycles[0]) / 100;
}

// The sheet: an instruction starts in 22 to 26 cycles; then these elements a cycle.
TEST(Data, RatesAreThePublishedOnes) {
  const std::string offsets =
      "LocalTensor<uint32_t> o = work.ReinterpretCast<uint32_t>(); CreateVecIndex(o.ReinterpretCast<int32_t>(), 0, n); "
      "ShiftLeft(o, o, 2u, n);";
  EXPECT_NEAR(cycles_of(offsets, "Gather(z, x, o, 0u, 250u);"), 24 + 250 / 5.0, 2.5);
  EXPECT_NEAR(cycles_of("uint64_t c;", "GatherMask(z, x, 1, false, 0, {1, 4, 8, 0}, c);"), 24 + 256 / 32.0, 2.5);
  EXPECT_NEAR(cycles_of(offsets, "Sort32(z, x, o, 4);"), 24 + 128 / 2.0, 2.5);
}

// What the calls check.
struct Faulty {
  const char* name;
  const char* compute;
  const char* faults;  // "~class:line": a warning
};
class DataFault : public ::testing::TestWithParam<Faulty> {};
TEST_P(DataFault, IsFoundAtItsLine) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT32, shuffled(89, 17));
  *run_case.add_inputs() = tensor("y", proto::FLOAT32, shuffled(151, 60));
  add_output(run_case, "z", proto::FLOAT32, kN);
  const auto result = run_kernel(
      vector_kernel("float", "float", kN, std::string("Duplicate(z, 0.0f, n);\n") + GetParam().compute), "k", run_case);
  const std::string wanted = GetParam().faults;
  const bool is_warning = wanted[0] == '~';
  EXPECT_EQ(errors_of(result), is_warning ? "" : wanted) << result.ShortDebugString();
  if (is_warning) {
    EXPECT_EQ(warnings_of(result), wanted.substr(1)) << result.ShortDebugString();
  }
}
INSTANTIATE_TEST_SUITE_P(
    Calls, DataFault,
    ::testing::Values(
        Faulty{"GatherOutsideTheSource", "Gather(z, x, y.ReinterpretCast<uint32_t>(), 4096u, (uint32_t)8);", "ub:21"},
        Faulty{"GatherIndicesInsteadOfBytes",
               "CreateVecIndex(y.ReinterpretCast<int32_t>(), (int32_t)0, (uint32_t)8); Gather(z, x, "
               "y.ReinterpretCast<uint32_t>(), 0u, (uint32_t)8);",
               "ub:21"},
        Faulty{"GatherMaskUnknownPattern", "uint64_t c; GatherMask(z, x, 9, false, 0, {1, 1, 8, 0}, c);",
               "argument:21"},
        // No output depends on the bytes of another buffer that these touch.
        Faulty{"BrcbBeyondTheDestination", "Brcb(z, x, 6, {1, 8});", "~ub:21"},
        Faulty{"RawPointerBeyondItsBuffer", "vadds(z.GetPhyAddr(), x.GetPhyAddr(), 1.0f, 5, 1, 1, 8, 8);", "~ub:21"},
        Faulty{"SortBeyondTheDestination", "Sort32(z, x, y.ReinterpretCast<uint32_t>(), 8);", "~ub:21"},
        Faulty{"MisalignedBrcb", "Brcb(z[1], x, 1, {1, 8});", "ub:21"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kg::npu::testing
