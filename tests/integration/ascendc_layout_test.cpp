// Calls that lay data out anew, and forms of calls that foreign kernels lean on: numbers worked out beside each kernel.

#include <gmock/gmock.h>

#include "ascendc_value_kernel.h"

namespace kg::npu::testing {
namespace {

class Layout : public ::testing::TestWithParam<ValueKernel> {};
TEST_P(Layout, GivesTheNumbers) { expect_values(GetParam(), shuffled_values(89, 17), shuffled_values(151, 60)); }

// Where a 32 x 32 matrix of 16 x 16 fractals has row r and column c.
std::size_t in_fractals(std::size_t r, std::size_t c) { return (c / 16 * 2 + r / 16) * 256 + r % 16 * 16 + c % 16; }

#define KG_TILING(B, N, S, H) \
  "ConfusionTransposeTiling t; t.param0 = " #B "; t.param1 = " #N "; t.param2 = " #S "; t.param3 = " #H ";\n"

INSTANTIATE_TEST_SUITE_P(
    Rows, Layout,
    ::testing::Values(
        ValueKernel{"RowsArePaddedToWholeUnits", "half", "half",
                    "PadParams p; p.leftPad = 1; p.rightPad = 2; p.padValue = -5; PadTiling t; t.srcHeight = 4; "
                    "t.srcWidth = 13; t.srcOriWidth = 13; Pad(z, x, p, scratch, t);",
                    [](const Values& x, const Values&) {
                      return map(64, [&](std::size_t i) {
                        const std::size_t c = i % 16;
                        return c == 0 || c >= 14 ? -5.0 : x[i / 16 * 13 + c - 1];
                      });
                    }},
        ValueKernel{"WhatIsRedundantInARowIsPaddedOver", "float", "float",
                    "PadParams p; p.rightPad = 2; p.padValue = 7; PadTiling t; t.srcHeight = 3; t.srcWidth = 8; "
                    "t.srcOriWidth = 6; Pad(z, x, p, t);",
                    [](const Values& x, const Values&) {
                      return map(24, [&](std::size_t i) { return i % 8 >= 6 ? 7.0 : x[i]; });
                    }},
        ValueKernel{"RowsComeOutWithoutTheirPadding", "float", "float",
                    "UnPadParams p; p.rightPad = 3; UnPadTiling t; t.srcHeight = 6; t.srcWidth = 16; UnPad(z, x, p, "
                    "scratch, t);",
                    [](const Values& x, const Values&) {
                      return map(78, [&](std::size_t i) { return x[i / 13 * 16 + i % 13]; });
                    }},
        ValueKernel{"RowsComeOutInPlace", "int32_t", "int32_t",
                    "UnPadParams p; p.leftPad = 1; p.rightPad = 1; UnPadTiling t; t.srcHeight = 4; t.srcWidth = 8; "
                    "UnPad(x, x, p, t); DataCopy(z, x, 24);",
                    [](const Values& x, const Values&) {
                      return map(24, [&](std::size_t i) { return x[i / 6 * 8 + i % 6 + 1]; });
                    }},
        ValueKernel{"SlicesOfRows", "float", "float",
                    "PipeBarrier<PIPE_ALL>();\n"
                    "SliceInfo from[2] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}}, to[2] = {{0, 47, 0, 3, 48}, {0, 1, 0, "
                    "1, 2}};\n"
                    "DataCopy(y, xGm, to, from, 2); PipeBarrier<PIPE_ALL>(); DataCopy(z, y, 96);",
                    [](const Values& x, const Values&) {
                      return map(
                          96, [&](std::size_t i) { return x[i / 48 * 2 * 87 + 16 + i % 48 + (i % 48 >= 24 ? 7 : 0)]; });
                    }}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Attention, Layout,
    ::testing::Values(
        ValueKernel{"AMatrixIsTransposed", "float", "float",
                    KG_TILING(1, 1, 16, 32) "ConfusionTranspose(z, x, TransposeType::TRANSPOSE_ND2ND_ONLY, t);",
                    [](const Values& x, const Values&) {
                      return map(512, [&](std::size_t i) { return x[i % 16 * 32 + i / 16]; });
                    }},
        ValueKernel{"FractalsBecomeRowsOfAllHeads", "half", "half",  // (B, N, S, H / N) = (1, 2, 16, 16)
                    KG_TILING(1, 2, 16, 16) "Transpose(z, x, scratch, TransposeType::TRANSPOSE_NZ2ND_0213, t);",
                    [](const Values& x, const Values&) {
                      return map(512, [&](std::size_t i) { return x[i / 16 % 2 * 256 + i / 32 * 16 + i % 16]; });
                    }},
        ValueKernel{"FractalsAreSplitIntoHeads", "half", "half",  // (1, 2, 32, 16) of a matrix of 32 x 32
                    KG_TILING(1, 2, 32, 16) "Transpose(z, x, TransposeType::TRANSPOSE_NZ2ND_012_WITH_N, t);",
                    [](const Values& x, const Values&) {
                      return map(1024,
                                 [&](std::size_t i) { return x[in_fractals(i / 16 % 32, i / 512 * 16 + i % 16)]; });
                    }},
        ValueKernel{"FractalsOfHeadsAreJoined", "half", "half",
                    KG_TILING(1, 2, 32, 16) "Transpose(z, x, TransposeType::TRANSPOSE_NZ2ND_012_WITHOUT_N, t);",
                    [](const Values& x, const Values&) {
                      return map(1024, [&](std::size_t i) { return x[in_fractals(i / 32, i % 32)]; });
                    }},
        ValueKernel{"JoinedFractalsLieAsTheyDid", "half", "half",
                    KG_TILING(1, 2, 16, 32) "Transpose(z, x, TransposeType::TRANSPOSE_NZ2NZ_012_WITHOUT_N, t);",
                    [](const Values& x, const Values&) { return x; }}),
    [](const auto& info) { return info.param.name; });

double bit(std::size_t i) { return i % 3 == 0 ? 1.0 : 0.0; }  // of the mask below

INSTANTIATE_TEST_SUITE_P(
    ByBits, Layout,
    ::testing::Values(
        ValueKernel{"ComparesTheElementsOfAMask", "float", "float",
                    "uint64_t bits[2] = {0xF0F0, 0}; LocalTensor<uint8_t> m = scratch; Duplicate(work, 0.0f, 64);\n"
                    "CompareScalar(m, x, 500.0f, CMPMODE::GT, bits, 1, {1, 1, 8, 8});\n"
                    "for (int i = 0; i < 16; ++i) z.SetValue(i, (m.GetValue(i / 8) >> i % 8 & 1) ? 1.0f : 0.0f);",
                    [](const Values& x, const Values&) {
                      return map(16, [&](std::size_t i) { return (0xF0F0 >> i & 1) != 0 && x[i] > 500 ? 1.0 : 0.0; });
                    }},
        ValueKernel{"TheOlderNameComparesByMaskToo", "float", "float",
                    "uint64_t bits[2] = {0xF0F0, 0}; LocalTensor<uint8_t> m = scratch; Duplicate(work, 0.0f, 64);\n"
                    "Compares(m, x, 500.0f, CMPMODE::GT, bits, 1, {1, 1, 8, 8});\n"
                    "for (int i = 0; i < 16; ++i) z.SetValue(i, (m.GetValue(i / 8) >> i % 8 & 1) ? 1.0f : 0.0f);\n"
                    "Compares(m, x, 500.0f, CMPMODE::GT, (uint64_t)16, 1, {1, 1, 8, 8});\n"
                    "for (int i = 0; i < 16; ++i) z.SetValue(16 + i, (m.GetValue(i / 8) >> i % 8 & 1) ? 1.0f : 0.0f);",
                    [](const Values& x, const Values&) {
                      return map(32, [&](std::size_t i) {
                        return (i >= 16 || (0xF0F0 >> i & 1) != 0) && x[i % 16] > 500 ? 1.0 : 0.0;
                      });
                    }},
        ValueKernel{
            "ComparesIntoIntegersOfTwoBytes", "float", "float",
            "LocalTensor<uint16_t> m = scratch.ReinterpretCast<uint16_t>(); Compare(m, x, y, CMPMODE::LT, 64);\n"
            "for (int i = 0; i < 64; ++i) z.SetValue(i, (m.GetValue(i / 16) >> i % 16 & 1) ? 1.0f : 0.0f);",
            [](const Values& x, const Values& y) {
              return map(64, [&](std::size_t i) { return x[i] < y[i] ? 1.0 : 0.0; });
            }},
        ValueKernel{
            "TilingStructuresHaveTheHostsNames", "int32_t", "int32_t",
            "AscendC::tiling::TCubeTiling t; AscendC::tiling::UnPadTiling u; z.SetValue(0, t.M + 3 + Align(5, 4) + "
            "(int32_t)u.srcWidth);",
            [](const Values&, const Values&) { return Values{11}; }},
        ValueKernel{"AtomicModeIsReadBack", "int32_t", "int32_t",
                    "uint16_t type = 9, op = 9; GetStoreAtomicConfig(type, op); z.SetValue(0, type * 10 + op);\n"
                    "SetStoreAtomicConfig<AtomicDtype::ATOMIC_BF16, AtomicOp::ATOMIC_SUM>();\n"
                    "GetStoreAtomicConfig(type, op); z.SetValue(1, type * 10 + op);\n"
                    "SetStoreAtomicConfig<AtomicDtype::ATOMIC_NONE, AtomicOp::ATOMIC_SUM>();\n"
                    "GetStoreAtomicConfig(type, op); z.SetValue(2, type * 10 + op);",
                    [](const Values&, const Values&) { return Values{0, 60, 0}; }},
        ValueKernel{"RawBrcbFillsBlocks", "uint32_t", "uint32_t", "vbrcb(z.GetPhyAddr(), x.GetPhyAddr(), 2, 16, 2);",
                    [](const Values& x, const Values&) {
                      return map(256, [&](std::size_t i) { return i / 8 % 2 == 0 ? x[i / 16] : 0.0; });
                    }},
        ValueKernel{"SelectsTheElementsOfAMask", "float", "float",
                    "uint64_t bits[2] = {0x9249249249249249, 0}; LocalTensor<uint8_t> m = scratch;\n"
                    "Compare(m, x, y, CMPMODE::LT, 64); Select(z, m, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, bits, 1, "
                    "{1, 1, 1, 8, 8, 8});",
                    [](const Values& x, const Values& y) {
                      return map(64, [&](std::size_t i) { return bit(i) != 0 ? std::min(x[i], y[i]) : 0.0; });
                    }}),
    [](const auto& info) { return info.param.name; });

// Two blocks of three elements.
#define KG_PADDED_COPY(arguments)                                                    \
  "PipeBarrier<PIPE_ALL>(); DataCopyPad(y, xGm, DataCopyExtParams(2, 12, 0, 0, 0), " \
  "DataCopyPadExtParams<float>" arguments "); PipeBarrier<PIPE_ALL>(); DataCopy(z, y, 16);"

INSTANTIATE_TEST_SUITE_P(
    PaddedCopies, Layout,
    ::testing::Values(ValueKernel{"WithoutPaddingTheFirstElementFillsTheUnitWhateverIsPadSays", "float", "float",
                                  KG_PADDED_COPY("(true, 0, 0, 9.0f)"),
                                  [](const Values& x, const Values&) {
                                    return map(16,
                                               [&](std::size_t i) { return x[i / 8 * 3 + (i % 8 < 3 ? i % 8 : 0)]; });
                                  }},
                      ValueKernel{"ThePaddingValueFillsTheUnit", "float", "float", KG_PADDED_COPY("(true, 1, 1, 9.0f)"),
                                  [](const Values& x, const Values&) {
                                    return map(16, [&](std::size_t i) {
                                      return i % 8 >= 1 && i % 8 < 4 ? x[i / 8 * 3 + i % 8 - 1] : 9.0;
                                    });
                                  }},
                      ValueKernel{"WithoutIsPadTheRegisterFillsTheUnit", "float", "float",
                                  "SetPadValue(7.0f);\n" KG_PADDED_COPY("(false, 0, 1, 9.0f)"),
                                  [](const Values& x, const Values&) {
                                    return map(16,
                                               [&](std::size_t i) { return i % 8 < 3 ? x[i / 8 * 3 + i % 8] : 7.0; });
                                  }}),
    [](const auto& info) { return info.param.name; });

TEST(Allocator, TensorsLieOneBehindTheOtherWithoutAPipe) {
  proto::RunCase run_case;
  *run_case.add_inputs() =
      tensor("x", dtype_of("float"), map(64, [](std::size_t i) { return static_cast<double>(i); }));
  add_output(run_case, "z", dtype_of("float"), 64);
  const auto result = run_kernel(R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z) {
  LocalMemAllocator<Hardware::UB> ub;
  LocalTensor<float> a = ub.Alloc<float, 60>(), b = ub.Alloc<TPosition::VECOUT, float>(64);
  GlobalTensor<float> in, out; in.SetGlobalBuffer((__gm__ float*)x); out.SetGlobalBuffer((__gm__ float*)z);
  DataCopy(b, in, 64); SetFlag<HardEvent::MTE2_V>(EVENT_ID0); WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Duplicate(a, 1.0f, 60); Adds(b, b, static_cast<float>(static_cast<int32_t>(ub.GetCurAddr())), 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0); WaitFlag<HardEvent::V_MTE3>(EVENT_ID0); DataCopy(out, b, 64);
}
)",
                                 "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
  EXPECT_EQ(values_of(result.outputs(0)), map(64, [](std::size_t i) { return static_cast<double>(i) + 512; }));
}

TEST(Pad, RowsThatAreNoWholeUnitsAreAnError) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype_of("half"), shuffled_values(89, 17));
  *run_case.add_inputs() = tensor("y", dtype_of("half"), shuffled_values(89, 17));
  add_output(run_case, "z", dtype_of("half"), kValues);
  const auto result = run_kernel(
      vector_kernel("half", "half", kValues,
                    "PadParams p; p.rightPad = 1; PadTiling t; t.srcHeight = 4; t.srcWidth = 13; t.srcOriWidth = 13; "
                    "Pad(z, x, p, t);"),
      "k", run_case);
  ASSERT_GT(result.faults_size(), 0) << result.ShortDebugString();
  EXPECT_THAT(result.faults(0).message(), ::testing::HasSubstr("leftPad and rightPad must fill it up to whole units"));
}

// Four cores, each of which waits for the one before it through a workspace.
constexpr const char* kChain = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR z) {
  TPipe pipe; TBuf<> buffer, words; pipe.InitBuffer(buffer, 32); pipe.InitBuffer(words, 32);
  GlobalTensor<int32_t> out, shared; out.SetGlobalBuffer((__gm__ int32_t*)z); shared.SetGlobalBuffer((__gm__ int32_t*)x);
  LocalTensor<int32_t> a = buffer.Get<int32_t>(), w = words.Get<int32_t>(); Duplicate(w, 0, 8);
  const int32_t me = GetBlockIdx();
)";
constexpr const char* kAddOne =
    "  DataCopy(a, out, 8); PipeBarrier<PIPE_ALL>(); Adds(a, a, 1 + me, 8); PipeBarrier<PIPE_ALL>();\n"
    "  DataCopy(out, a, 8); DataCopy(out[8 + me * 8], a, 8); PipeBarrier<PIPE_ALL>();\n";

proto::CaseResult run_chain(const std::string& body, std::uint64_t seed) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype_of("int32_t"), Values(256, 0.0));
  add_output(run_case, "z", dtype_of("int32_t"), 40);
  RunOptions options;
  options.block_dim = 4;
  options.seed = seed;
  return run_kernel(kChain + body + "}\n", "k", run_case, options);
}

TEST(CoreSignals, CoresThatWaitForEachOtherSeeWhatTheyWrote) {
  const std::string first =
      "  if (me == 0) { Duplicate(a, 0, 8); PipeBarrier<PIPE_ALL>(); DataCopy(out, a, 8); "
      "PipeBarrier<PIPE_ALL>(); }\n";
  const std::string flags =
      first + "  if (me > 0) IBWait(shared, w, me - 1, 0);\n" + kAddOne + "  if (me < 3) IBSet(shared, w, me, 0);\n";
  const std::string turns = "  InitDetermineComputeWorkspace(shared, w);\n" + first + "  WaitPreBlock(shared, w);\n" +
                            kAddOne + "  NotifyNextBlock(shared, w);\n";
  for (const std::string& body : {flags, turns})
    for (const std::uint64_t seed : {0, 7}) {
      const auto result = run_chain(body, seed);
      EXPECT_EQ(errors_of(result), "") << result.ShortDebugString();
      const Values z = values_of(result.outputs(0));
      for (std::size_t core = 0; core < 4; ++core)
        EXPECT_EQ(z[8 + core * 8], static_cast<double>((core + 1) * (core + 2) / 2)) << body;
    }
}

TEST(CoreSignals, AWaitThatNobodyEndsIsADeadlockThatNamesIt) {
  const auto result = run_chain("  if (me == 2) IBWait(shared, w, 1, 3);\n", 0);
  ASSERT_GT(result.faults_size(), 0) << result.ShortDebugString();
  EXPECT_THAT(result.faults(0).message(), ::testing::HasSubstr("waits in IBWait of block 1, event 3"));
}

}  // namespace
}  // namespace kg::npu::testing
