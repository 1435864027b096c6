// Kernels of cube cores that consist of raw intrinsics on pointers: numbers against the plain product, and faults. They
// have no TPipe and no tensors; addresses and flags are theirs.

#include <gtest/gtest.h>

#include "ascendc_cube_kernels.h"
#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

// Where a kernel of C (m, n) = A (m, k) * B (k, n) differs from the plainest one. `transposed_b`: B comes as (n, k).
struct RawMatmul {
  std::string in = "half", out = "float", acc = "float";
  int m = 21, n = 35, k = 50;
  bool transposed_b = false;
  std::string mad = "mad(c0, a0, b0, m, k, n, 0, false, false, true);";
  std::string leave = "set_nd_para(1); copy_matrix_cc_to_gm(c, c0, 0, n, m, n, m16, 0, NoQuant, 0, false, true);";
  std::string without = "";  // a statement that is left out
};

// Line 1 is the first copy. L1 holds A at 0 and B at 256 KiB.
std::string kernel_of(const RawMatmul& p) {
  std::string source = "#include \"kernel_operator.h\"\nusing In = " + p.in + "; using Out = " + p.out +
                       "; using Acc = " + p.acc + ";\nconstexpr int m = " + std::to_string(p.m) +
                       ", n = " + std::to_string(p.n) + ", k = " + std::to_string(p.k) +
                       ";\nconstexpr bool transposed = " + (p.transposed_b ? "true" : "false") + R"(;
constexpr int side = 32 / sizeof(In), m16 = (m + 15) / 16 * 16, n16 = (n + 15) / 16 * 16, ks = (k + side - 1) / side * side;
constexpr int k16 = (k + 15) / 16 * 16, kb = ks > k16 ? ks : k16, squares = (n + 31) / 32;
template <typename T> __aicore__ inline void copy_fractals(__cbuf__ T* l1, __gm__ T* gm, int rows, int columns, int high) {
  if constexpr (sizeof(T) == 1) copy_gm_to_cbuf_multi_nd2nz_b8(l1, gm, 0, 1, rows, columns, 0, columns, high, 1, 0);
  else if constexpr (sizeof(T) == 2) copy_gm_to_cbuf_multi_nd2nz_b16(l1, gm, 0, 1, rows, columns, 0, columns, high, 1, 0);
  else copy_gm_to_cbuf_multi_nd2nz_b32s(l1, gm, 0, 1, rows, columns, 0, columns, high, 1, 0);
}
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg) {
  __gm__ In* a = (__gm__ In*)ag; __gm__ In* b = (__gm__ In*)bg; __gm__ Out* c = (__gm__ Out*)cg;
  __cbuf__ In* a1 = (__cbuf__ In*)get_imm(0); __cbuf__ In* b1 = (__cbuf__ In*)get_imm(256 * 1024);
  __ca__ In* a0 = (__ca__ In*)get_imm(0); __cb__ In* b0 = (__cb__ In*)get_imm(0); __cc__ Acc* c0 = (__cc__ Acc*)get_imm(0);
#line 1
  copy_fractals(a1, a, m, k, m16);
  if (transposed) copy_fractals(b1, b, n, k, n16);
  else copy_fractals(b1, b, k, n, kb);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  for (int i = 0; i < m16 / 16; ++i) load_cbuf_to_ca(a0 + i * 16 * ks, a1, i, ks / side, m16 / 16, 0, 0, false, inc);
  if constexpr (transposed) { for (int i = 0; i < ks / side; ++i) load_cbuf_to_cb(b0 + i * n16 * side, b1 + i * n16 * side, 0, n16 / 16, 1, 0, 0, false, inc); }
  else if constexpr (sizeof(In) == 2) { for (int i = 0; i < ks / 16; ++i) load_cbuf_to_cb(b0 + i * n16 * 16, b1, i, n16 / 16, kb / 16, 0, 0, true, inc); }
  else if constexpr (sizeof(In) == 1) { for (int i = 0; i < ks / 32; ++i) load_cbuf_to_cb_transpose(b0 + i * n16 * 32, b1, i, squares, kb / 32, 1, false, 0); }
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  )" + p.mad + R"(
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  )" + p.leave + "\n}\n";
  if (const auto at = source.find(p.without); !p.without.empty() && at != std::string::npos)
    source.erase(at, p.without.size());
  return source;
}

void expect_output(const proto::CaseResult& result, const std::vector<double>& expected) {
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(values_of(result.outputs(0)), expected);
}

struct Numbers {
  const char* name;
  RawMatmul matmul;
  double scale = 1;
};
class RawMatmuls : public ::testing::TestWithParam<Numbers> {};

TEST_P(RawMatmuls, HaveTheProductAndNoFault) {
  const RawMatmul& p = GetParam().matmul;
  std::vector<double> expected = product_of(p);
  for (double& value : expected) value *= GetParam().scale;
  expect_output(run_product(p, kernel_of(p)), expected);
}

constexpr const char* kTwice =
    "mad(c0, a0, b0, m, k, n, 0, false, false, true); mad(c0, a0, b0, m, k, n, 0, false, false, false);";
constexpr const char* kTwiceShort = "mad(c0, a0, b0, m, k, n, true); mad(c0, a0, b0, m, k, n, false);";
constexpr const char* kMToFix = "set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);";
constexpr const char* kLong = "mad(c0, a0, b0, m, k, n, 0, 0, 0, false, false, false, true);";
// Two matrices side by side, in L0C 4 fractals apart and in GM 32 elements.
constexpr const char* kTwoMatrices =
    "set_nd_para(2 | 4ULL << 16 | 32ULL << 32); copy_matrix_cc_to_gm(c, c0, 0, 32, m, n, m16, 0, NoQuant, 0, false, "
    "true);";
constexpr const char* kToHalf =
    "set_nd_para(1); copy_matrix_cc_to_gm(c, c0, 0, n, m, n, m16, 0, QuantMode_t::F322F16, 0, false, true);";

// The same through DataCopy, which takes its scales and the places of its matrices from registers.
constexpr const char* kByDataCopy = R"(
  AscendC::GlobalTensor<Out> to; to.SetGlobalBuffer(c);
  AscendC::LocalTensor<Acc> from(AscendC::TPosition::CO1, 0, m16 * n16);
  AscendC::SetFixpipeNz2ndFlag(1, 1, 1);
  AscendC::DataCopy(to, from, AscendC::DataCopyCO12DstParams(n, m, n, m16, NoQuant, 0, false, true));)";
constexpr const char* kTwoByDataCopy = R"(
  AscendC::GlobalTensor<Out> to; to.SetGlobalBuffer(c);
  AscendC::LocalTensor<Acc> from(AscendC::TPosition::CO1, 0, m16 * n16);
  AscendC::SetFixpipeNz2ndFlag(2, 4, 32);
  AscendC::DataCopyCO12DstParams params; params.nSize = 32; params.mSize = m; params.dstStride = n; params.srcStride = m16; params.nz2ndEn = true;
  AscendC::DataCopy(to, from, params);)";
constexpr const char* kByDataCopyScaled = R"(
  AscendC::GlobalTensor<half> to; to.SetGlobalBuffer(c);
  AscendC::SetFixpipeNz2ndFlag(1, 1, 1);
  AscendC::SetFixpipePreQuantFlag(0x3F000000);
  AscendC::DataCopy(to, AscendC::LocalTensor<int32_t>(AscendC::TPosition::CO1, 0, m16 * n16), AscendC::DataCopyCO12DstParams(n, m, n, m16, QuantMode_t::DEQF16, 0, false, true));)";
constexpr const char* kByDataCopyScaledByColumns = R"(
  AscendC::InitConstValue(AscendC::LocalTensor<uint32_t>(AscendC::TPosition::A1, 400 * 1024, 2 * n), AscendC::InitConstValueParams<uint32_t>(1, n / 4, 0, 0x3F000000));
  set_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0);
  copy_cbuf_to_fbuf((__fbuf__ void*)get_imm(0), (__cbuf__ void*)get_imm(400 * 1024), 1, n / 16, 0, 0);
  AscendC::GlobalTensor<half> to; to.SetGlobalBuffer(c);
  AscendC::SetFixpipeNz2ndFlag(1, 1, 1);
  AscendC::SetFixPipeConfig(AscendC::LocalTensor<uint64_t>(AscendC::TPosition::C2PIPE2GM, 0, n));
  AscendC::DataCopy(to, AscendC::LocalTensor<int32_t>(AscendC::TPosition::CO1, 0, m16 * n16), AscendC::DataCopyCO12DstParams(n, m, n, m16, QuantMode_t::VDEQF16, 0, false, true));)";

// One scale for each column, from L1 through the fixpipe's parameters.
constexpr const char* kScaled = R"(
  AscendC::InitConstValue(AscendC::LocalTensor<uint32_t>(AscendC::TPosition::A1, 400 * 1024, 2 * n), AscendC::InitConstValueParams<uint32_t>(1, n / 4, 0, 0x3F000000));
  set_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0);
  copy_cbuf_to_fbuf((__fbuf__ void*)get_imm(0), (__cbuf__ void*)get_imm(400 * 1024), 1, n / 16, 0, 0);
  AscendC::GlobalTensor<half> to; to.SetGlobalBuffer(c);
  AscendC::Fixpipe<half, int32_t>(to, AscendC::LocalTensor<int32_t>(AscendC::TPosition::CO1, 0, m16 * n16), AscendC::LocalTensor<uint64_t>(AscendC::TPosition::C2PIPE2GM, 0, n), AscendC::FixpipeParamsV220(n, m, m16, n, false, VDEQF16, 0));)";

INSTANTIATE_TEST_SUITE_P(
    Kernels, RawMatmuls,
    ::testing::Values(
        Numbers{"HalfWithTails", {}}, Numbers{"Half", {.m = 32, .n = 48, .k = 64}},
        Numbers{"TransposedB", {.m = 33, .n = 20, .k = 48, .transposed_b = true}},
        Numbers{"Bfloat16", {.in = "bfloat16_t", .m = 20, .n = 32, .k = 40}},
        Numbers{"FloatWithTails", {.in = "float", .m = 20, .n = 27, .k = 36, .transposed_b = true}},
        Numbers{"Int8WithTails", {.in = "int8_t", .out = "int32_t", .acc = "int32_t", .m = 17, .n = 30, .k = 70}},
        Numbers{"Int8TransposedB",
                {.in = "int8_t", .out = "int32_t", .acc = "int32_t", .m = 17, .n = 30, .k = 70, .transposed_b = true}},
        Numbers{"ToHalf", {.out = "half", .leave = kToHalf}},
        Numbers{"TwoMatricesOut", {.n = 64, .leave = kTwoMatrices}}, Numbers{"AccumulatedInL0c", {.mad = kTwice}, 2},
        Numbers{"AccumulatedByTheShortForm", {.mad = kTwiceShort}, 2}, Numbers{"LongFormOfMad", {.mad = kLong}},
        Numbers{"ScaledByColumns",
                {.in = "int8_t", .out = "half", .acc = "int32_t", .m = 17, .n = 32, .k = 70, .leave = kScaled},
                0.5},
        Numbers{"ByDataCopy", {.leave = kByDataCopy}},
        Numbers{"TwoMatricesByDataCopy", {.n = 64, .leave = kTwoByDataCopy}},
        Numbers{
            "ScaledByDataCopy",
            {.in = "int8_t", .out = "half", .acc = "int32_t", .m = 17, .n = 30, .k = 70, .leave = kByDataCopyScaled},
            0.5},
        Numbers{"ScaledByColumnsByDataCopy",
                {.in = "int8_t",
                 .out = "half",
                 .acc = "int32_t",
                 .m = 17,
                 .n = 32,
                 .k = 70,
                 .leave = kByDataCopyScaledByColumns},
                0.5},
        Numbers{"UnitFlagInPlaceOfAFlag",
                {.mad = "mad(c0, a0, b0, m, k, n, 3, false, false, true);",
                 .leave = "set_nd_para(1); copy_matrix_cc_to_gm(c, c0, 0, n, m, n, m16, 3, NoQuant, 0, false, true);",
                 .without = kMToFix}}),
    [](const auto& info) { return info.param.name; });

struct Fault {
  const char* name;
  RawMatmul matmul;
  const char* errors;
};
class RawMatmulFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(RawMatmulFaults, AreReportedAtTheirLine) {
  EXPECT_EQ(errors_of(run_product(GetParam().matmul, kernel_of(GetParam().matmul))), GetParam().errors);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, RawMatmulFaults,
    ::testing::Values(
        Fault{"NoFlagFromMte2ToMte1",
              {.without = "set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);"},
              "synchronisation:5 synchronisation:7"},
        Fault{"NoFlagFromMte1ToM",
              {.without = "set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);"},
              "synchronisation:10"},
        Fault{"NoFlagFromMToFix", {.without = kMToFix}, "synchronisation:12"},
        Fault{"NoSetNdPara", {.without = "set_nd_para(1);"}, "argument:12"},
        Fault{"NoNz2ndFlagBeforeDataCopy",
              {.leave = kByDataCopy, .without = "AscendC::SetFixpipeNz2ndFlag(1, 1, 1);"},
              "argument:16"},
        Fault{"NoScaleBeforeDataCopy",
              {.in = "int8_t",
               .out = "half",
               .acc = "int32_t",
               .leave = kByDataCopyScaled,
               .without = "AscendC::SetFixpipePreQuantFlag(0x3F000000);"},
              "argument:16"},
        Fault{"NoScalesBeforeDataCopy",
              {.in = "int8_t",
               .out = "half",
               .acc = "int32_t",
               .n = 32,
               .leave = kByDataCopyScaledByColumns,
               .without =
                   "AscendC::SetFixPipeConfig(AscendC::LocalTensor<uint64_t>(AscendC::TPosition::C2PIPE2GM, 0, n));"},
              "argument:19"},
        Fault{"NoBiasAddress", {.mad = "mad(c0, a0, b0, m, k, n, 0, false, true, false);"}, "argument:10"},
        Fault{"WeightOffset", {.mad = "mad(c0, a0, b0, m, k, n, 0, 0, 0, false, true, false, true);"}, "assert:10"},
        Fault{"ScaleInARegister",
              {.out = "half", .leave = "copy_matrix_cc_to_gm(c, c0, 0, n, m, n, m16, 0, DEQF16, 0, false, true);"},
              "assert:12"},
        Fault{"PointerBehindL0c", {.mad = "c0 += 32 * 1024; mad(c0, a0, b0, m, k, n, true);"}, "memory:10"},
        Fault{"MatrixPassesTheEndOfL0c", {.mad = "c0 += 32 * 1024 - 256; mad(c0, a0, b0, m, k, n, true);"}, "ub:10"},
        Fault{"PlaceInsideAFractal", {.mad = "a0 += 16; mad(c0, a0, b0, m, k, n, true);"}, "ub:10"}),
    [](const auto& info) { return info.param.name; });

// A kernel of three pointers, without the product above.
std::string kernel_with(const std::string& body) {
  return R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg) {
  __gm__ half* a = (__gm__ half*)ag; __gm__ half* b = (__gm__ half*)bg; __gm__ float* c = (__gm__ float*)cg;
  __cbuf__ half* a1 = (__cbuf__ half*)get_imm(0); __cbuf__ half* b1 = (__cbuf__ half*)get_imm(8192);
  __ca__ half* a0 = (__ca__ half*)get_imm(0); __cb__ half* b0 = (__cb__ half*)get_imm(0); __cc__ float* c0 = (__cc__ float*)get_imm(0);
#line 1
)" + body +
         "\n}\n";
}
constexpr const char* kMadAndOut = R"(
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  mad(c0, a0, b0, 16, 32, 16, true);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  set_nd_para(1); copy_matrix_cc_to_gm(c, c0, 0, 16, 16, 16, 16, 0, NoQuant, 0, false, true);)";

TEST(RawCube, FractalsAreReadBackwards) {
  // The halves of K change places in both factors.
  const RawMatmul p{.m = 16, .n = 16, .k = 32, .transposed_b = true};
  expect_output(run_product(p, kernel_with(R"(
  copy_gm_to_cbuf_multi_nd2nz_b16(a1, a, 0, 1, 16, 32, 0, 32, 16, 1, 0);
  copy_gm_to_cbuf_multi_nd2nz_b16(b1, b, 0, 1, 16, 32, 0, 32, 16, 1, 0);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  load_cbuf_to_ca(a0, a1, 1, 2, 1, 0, 0, false, dec);
  load_cbuf_to_cb(b0, b1, 1, 2, 1, 0, 0, false, __cce_scalar::dec);)" +
                                           std::string(kMadAndOut))),
                product_of(p));
}

TEST(RawCube, FractalsComeStraightFromGm) {
  const RawMatmul p{.m = 16, .n = 16, .k = 16, .transposed_b = true};
  expect_output(run_product(p, kernel_with(R"(
  load_gm_to_ca(a0, a, 0, 1, 1, 0, 0, inc);
  load_gm_to_cb(b0, b, 0, 1, 1, 0, 0, inc);
  set_flag(PIPE_MTE2, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_M, EVENT_ID0);
  mad(c0, a0, b0, 16, 16, 16, true);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  set_nd_para(1); copy_matrix_cc_to_gm(c, c0, 0, 16, 16, 16, 16, 0, NoQuant, 0, false, true);)")),
                product_of(p));
}

// B is stored in strips of 16 rows, so that two fractals side by side are one behind the other.
TEST(RawCube, SquaresOfFloatsAreTransposed) {
  const RawMatmul p{.in = "float", .m = 16, .n = 32, .k = 48};
  expect_output(run_product(p, kernel_with(R"(
  __cbuf__ float* fa1 = (__cbuf__ float*)a1; __cbuf__ float* fb1 = (__cbuf__ float*)b1;
  __ca__ float* fa0 = (__ca__ float*)a0; __cb__ float* fb0 = (__cb__ float*)b0;
  copy_gm_to_cbuf_multi_nd2nz_b32s(fa1, (__gm__ float*)ag, 0, 1, 16, 48, 0, 48, 16, 1, 0);
  copy_gm_to_cbuf_multi_nd2nz_b32s(fb1, (__gm__ float*)bg, 0, 3, 16, 32, 16 * 32, 32, 16, 1, 16 * 32);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  load_cbuf_to_ca(fa0, fa1, 0, 6, 1, 0, 0, false, inc);
  for (int i = 0; i < 3; ++i) load_cbuf_to_cb_transpose(fb0 + i * 512, fb1, i * 2, 2, 1, 0, false, 1);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  mad(c0, fa0, fb0, 16, 48, 32, true);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  set_nd_para(1); copy_matrix_cc_to_gm(c, c0, 0, 32, 16, 32, 16, 0, NoQuant, 0, false, true);)")),
                product_of(p));
}

// The bias is the first row of A.
TEST(RawCube, BiasThroughTheTableIsAddedToEveryRow) {
  const RawMatmul p{.m = 16, .n = 16, .k = 32, .transposed_b = true};
  const Operands x = operands_of(p);
  std::vector<double> expected = product(x.a, x.b, p.m, p.n, p.k);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += x.a[i % 16];
  expect_output(run_product(p, kernel_with(R"(
  __cbuf__ half* bias = (__cbuf__ half*)get_imm(16384);
  copy_gm_to_cbuf(bias, a, 0, 1, 1, 0, 0, PAD_NONE);
  copy_gm_to_cbuf_multi_nd2nz_b16(a1, a, 0, 1, 16, 32, 0, 32, 16, 1, 0);
  copy_gm_to_cbuf_multi_nd2nz_b16(b1, b, 0, 1, 16, 32, 0, 32, 16, 1, 0);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  copy_cbuf_to_bt(64, bias, 1, 1, 1, 0, 0);
  load_cbuf_to_ca(a0, a1, 0, 2, 1, 0, 0, false, inc);
  load_cbuf_to_cb(b0, b1, 0, 2, 1, 0, 0, false, inc);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  mad(c0, a0, b0, 64, 16, 32, 16, 0, 0, 0, false, false, true, false);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  set_nd_para(1); copy_matrix_cc_to_gm(c, c0, 0, 16, 16, 16, 16, 0, NoQuant, 0, false, true);)")),
                expected);
}

// A transposed, times B; through L1 as fractals of half, negative numbers as 0.
TEST(RawCube, ResultGoesBackToL1AndFromThereToGm) {
  const RawMatmul p{.out = "half", .m = 16, .n = 32, .k = 16};
  std::vector<double> expected(16 * 32);
  const Operands x = operands_of(p);
  const std::vector<double> whole = product(transposed(x.a, 16, 16), x.b, p.m, p.n, p.k);
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 32; ++j) expected[j / 16 * 256 + i * 16 + j % 16] = std::max(0.0, whole[i * 32 + j]);
  expect_output(run_product(p, kernel_with(R"(
  copy_gm_to_cbuf_multi_nd2nz_b16(a1, a, 0, 1, 16, 16, 0, 16, 16, 1, 0);
  copy_gm_to_cbuf_multi_nd2nz_b16(b1, b, 0, 1, 16, 32, 0, 32, 16, 1, 0);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  load_cbuf_to_ca_transpose(a0, a1, 0, 1, 1, 0, false, 0);
  load_cbuf_to_cb(b0, b1, 0, 2, 1, 0, 0, true, inc);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  mad(c0, a0, b0, 16, 16, 32, true);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  __cbuf__ half* c1 = (__cbuf__ half*)get_imm(32768);
  copy_matrix_cc_to_cbuf(c1, c0, 0, 32, 16, 16, 16, 0, F322F16, 1, false, false);
  set_flag(PIPE_FIX, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_FIX, PIPE_MTE3, EVENT_ID0);
  copy_cbuf_to_gm(cg, c1, 0, 1, 32, 0, 0);)")),
                expected);
}

// Neither a product nor a tensor: a cube core has L1.
TEST(RawCube, CopiesThroughL1RunOnACubeCore) {
  const RawMatmul p{.out = "half", .m = 16, .n = 16, .k = 16};
  expect_output(run_product(p, kernel_with(R"(
  copy_gm_to_cbuf(a1, ag, 0, 2, 8, 0, 8, pad_t::PAD_NONE);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  copy_cbuf_to_gm(cg, a1, 0, 2, 8, 8, 0);)")),
                operands_of(p).a);
}

TEST(RawCube, BlockIndexIsThatOfBothKindsOfCores) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::INT32, {0});
  add_output(run_case, "c", proto::INT32, 96);
  const auto result = run_kernel(R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR cg) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC return;
  TPipe pipe; TBuf<TPosition::VECCALC> buffer; pipe.InitBuffer(buffer, 96);
  LocalTensor<int32_t> said = buffer.Get<int32_t>();
  GlobalTensor<int32_t> c; c.SetGlobalBuffer((__gm__ int32_t*)cg + GetBlockIdx() * 24);
  Duplicate(said, (int32_t)get_block_idx(), 8); Duplicate(said[8], (int32_t)block_idx, 8); Duplicate(said[16], (int32_t)get_subblockid(), 8);
  SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(c, said, 24);
}
)",
                                 "k_", run_case, {.block_dim = 2});
  std::vector<double> expected;
  for (int core = 0; core < 4; ++core)
    for (const int value : {core / 2, core / 2, core % 2}) expected.insert(expected.end(), 8, value);
  expect_output(result, expected);
}

// Pointers of tensors end where their buffers do.
TEST(RawCube, PointersOfTensorsKeepTheirBuffers) {
  const RawMatmul p{.m = 16, .n = 16, .k = 32, .transposed_b = true};
  const auto with = [&](int bytes) {
    return run_product(
        p, kernel_with("TPipe pipe; TBuf<TPosition::A1> ab, bb; pipe.InitBuffer(ab, " + std::to_string(bytes) +
                       R"(); pipe.InitBuffer(bb, 1024);
  a1 = (__cbuf__ half*)ab.Get<half>().GetPhyAddr(); b1 = (__cbuf__ half*)bb.Get<half>().GetPhyAddr();
  copy_gm_to_cbuf_multi_nd2nz_b16(a1, a, 0, 1, 16, 32, 0, 32, 16, 1, 0);
  copy_gm_to_cbuf_multi_nd2nz_b16(b1, b, 0, 1, 16, 32, 0, 32, 16, 1, 0);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  load_cbuf_to_ca(a0, a1, 0, 2, 1, 0, 0, false, inc);
  load_cbuf_to_cb(b0, b1, 0, 2, 1, 0, 0, false, inc);)" +
                       kMadAndOut));
  };
  expect_output(with(1024), product_of(p));
  EXPECT_EQ(errors_of(with(992)).substr(0, 4), "ub:3");
}

}  // namespace
}  // namespace kg::npu::testing
