// Kernels of cube cores: numbers, and each class of hazard.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ascendc_cube_kernels.h"
#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

struct Numbers {
  const char* name;
  PlainMatmul matmul;
  double scale = 1;
};
class Matmul : public ::testing::TestWithParam<Numbers> {};

TEST_P(Matmul, HasTheProductAndNoFault) {
  const PlainMatmul& p = GetParam().matmul;
  const auto result = run_product(p, plain_matmul(p));
  ASSERT_TRUE(result.ran()) << result.ShortDebugString();
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
  const Operands x = operands_of(p);
  const std::vector<double> expected = product(x.a, x.b, p.m, p.n, p.k), got = values_of(result.outputs(0));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double want = expected[i] * GetParam().scale;
    if (p.out == "int8_t") want = std::clamp(std::nearbyint(want), -128.0, 127.0);
    ASSERT_EQ(got[i], want) << "element " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Matmul,
    ::testing::Values(
        Numbers{"Half", {}}, Numbers{"HalfWithTails", {.m = 21, .n = 35, .k = 50}},
        Numbers{"TransposedB", {.m = 33, .n = 20, .k = 48, .transposed_b = true}},
        Numbers{"Bfloat16", {.in = "bfloat16_t", .m = 20, .n = 32, .k = 40}},
        Numbers{"Float", {.in = "float", .m = 20, .n = 24, .k = 36, .transposed_b = true}},
        Numbers{"Int8", {.in = "int8_t", .out = "int32_t", .acc = "int32_t", .m = 20, .n = 64, .k = 64}},
        Numbers{"Int8TransposedB",
                {.in = "int8_t", .out = "int32_t", .acc = "int32_t", .m = 17, .n = 30, .k = 70, .transposed_b = true}},
        Numbers{"Int8ToHalf",
                {.in = "int8_t",
                 .out = "half",
                 .acc = "int32_t",
                 .m = 16,
                 .n = 32,
                 .k = 32,
                 .fixpipe = "fix.quantPre = DEQF16; fix.deqScalar = 0x3D800000;"},
                1.0 / 16},
        Numbers{"Int8ToInt8",
                {.in = "int8_t",
                 .out = "int8_t",
                 .acc = "int32_t",
                 .m = 16,
                 .n = 32,
                 .k = 32,
                 .fixpipe = "fix.quantPre = REQ8; fix.deqScalar = 0x3E800000;"},
                0.25},
        Numbers{"ToHalf", {.out = "half", .m = 16, .n = 16, .k = 32, .fixpipe = "fix.quantPre = F322F16;"}}),
    [](const auto& info) { return info.param.name; });

struct Hazard {
  const char* name;
  const char* without;
  const char* error;
};
class MissingFlag : public ::testing::TestWithParam<Hazard> {};

TEST_P(MissingFlag, IsARaceAtTheLaterAccess) {
  PlainMatmul p;
  p.without = GetParam().without;
  EXPECT_EQ(errors_of(run_product(p, plain_matmul(p))), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, MissingFlag,
    ::testing::Values(
        Hazard{"Mte2ToMte1", "SetFlag<HardEvent::MTE2_MTE1>(0); WaitFlag<HardEvent::MTE2_MTE1>(0);",
               "synchronisation:5 synchronisation:7"},
        Hazard{"Mte1ToM", "SetFlag<HardEvent::MTE1_M>(0); WaitFlag<HardEvent::MTE1_M>(0);", "synchronisation:11"},
        Hazard{"MToFix", "SetFlag<HardEvent::M_FIX>(0); WaitFlag<HardEvent::M_FIX>(0);", "synchronisation:14"}),
    [](const auto& info) { return info.param.name; });

std::string one_line(const std::string& body) {
  return R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg) {
  TPipe pipe; TBuf<TPosition::A1> a1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; TBuf<TPosition::CO1> c1;
  GlobalTensor<half> a; a.SetGlobalBuffer((__gm__ half*)ag); GlobalTensor<float> c; c.SetGlobalBuffer((__gm__ float*)cg);
#line 1
)" + body +
         "\n  if (false) Mmad(c1.Get<float>(), a2.Get<half>(), b2.Get<half>(), MmadParams());\n}\n";
}

TEST(CubeFaults, BuffersBeyondTheirMemory) {
  PlainMatmul p;
  EXPECT_EQ(errors_of(run_product(p, one_line("pipe.InitBuffer(a1, 512 * 1024 + 32);"))), "ub:1");
  EXPECT_EQ(errors_of(run_product(p, one_line("pipe.InitBuffer(a2, 65536);\npipe.InitBuffer(b2, 65536 + 512);"))),
            "ub:2");
  EXPECT_EQ(errors_of(run_product(p, one_line("pipe.InitBuffer(c1, 128 * 1024 + 64);"))), "ub:1");
}

TEST(CubeFaults, AddressesAndPositions) {
  PlainMatmul p;
  const std::string init = "pipe.InitBuffer(a1, 4096); pipe.InitBuffer(a2, 4096); pipe.InitBuffer(c1, 4096);\n";
  EXPECT_EQ(errors_of(run_product(
                p, one_line(init + "LoadData(a2.Get<half>()[16], a1.Get<half>(), LoadData2DParams(0, 1, 1, 0, 0, "
                                   "false, 0));"))),
            "ub:2");
  EXPECT_EQ(errors_of(run_product(
                p, one_line(init + "LoadData(a1.Get<half>(), a1.Get<half>(), LoadData2DParams(0, 1, 1, 0, 0, "
                                   "false, 0));"))),
            "ub:2");
  EXPECT_EQ(errors_of(run_product(
                p, one_line(init + "DataCopy(a1.Get<half>(), a, Nd2NzParams(1, 200, 64, 0, 64, 208, 1, 0));"))),
            "gm:2");
}

TEST(CubeFaults, AnAccumulatorThatNothingInitialisesIsNamed) {
  PlainMatmul p;
  std::string source = plain_matmul(p);
  const std::string sizes = "mm.k = k;";
  const std::size_t at = source.find(sizes);
  ASSERT_NE(at, std::string::npos) << source;
  source.insert(at + sizes.size(), " mm.cmatrixInitVal = false;");
  const auto result = run_product(p, source);
  ASSERT_EQ(result.faults_size(), 1) << result.ShortDebugString();
  EXPECT_THAT(result.faults(0).message(), ::testing::StartsWith("uninitialised L0C data reach output"));
}

TEST(CubeNumbers, FixpipeToNzWritesColumnBlocksOfSixteen) {
  PlainMatmul p{.fixpipe = "fix.dstStride = m16 * 16 * sizeof(Out) / 32;"};
  std::string source = plain_matmul(p);
  const auto at = source.find("CFG_ROW_MAJOR>(c");
  ASSERT_NE(at, std::string::npos);
  source.replace(at, 13, "CFG_NZ");
  const auto result = run_product(p, source);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
  const Operands x = operands_of(p);
  const std::vector<double> expected = product(x.a, x.b, p.m, p.n, p.k), got = values_of(result.outputs(0));
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j)
      ASSERT_EQ(got[static_cast<std::size_t>((j / 16 * p.m + i) * 16 + j % 16)],
                expected[static_cast<std::size_t>(i * p.n + j)])
          << i << ", " << j;
}

// The parameters before FixpipeParamsV220: rows of the output, and columns of fractals.
TEST(Fixpipe, TakesTheParametersOfEarlierPagesToo) {
  const PlainMatmul shape{.m = 32, .n = 48, .k = 64};
  const auto a = small_numbers(32 * 64, 1), b = small_numbers(64 * 48, 2), wanted = product(a, b, 32, 48, 64);
  for (const bool rows : {true, false}) {
    std::string source = plain_matmul(shape);
    const auto at = source.find("FixpipeParamsV220 fix;");
    source =
        source.substr(0, at) + "FixpipeParams<float> fix(n / 16, m * 2, 0, 0);\n" +
        (rows ? "  Nz2NdParams nd; nd.nz2ndEn = true; nd.originalNSize = n; fix.nz2ndParams = nd; fix.dstStride = n;\n"
              : "") +
        "  Fixpipe(c, cl0, fix);\n}\n";
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("a", proto::FLOAT16, a);
    *run_case.add_inputs() = tensor("b", proto::FLOAT16, b);
    add_output(run_case, "c", proto::FLOAT32, 32 * 48);
    const auto result = run_kernel(source, "k_", run_case);
    EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 1000);
    const auto c = values_of(result.outputs(0));
    for (std::size_t i = 0; i < 32; ++i)
      for (std::size_t j = 0; j < 48; ++j)
        ASSERT_EQ(c[rows ? i * 48 + j : j / 16 * 512 + i * 16 + j % 16], wanted[i * 48 + j]) << rows << i << j;
  }
}

// An image of 2 x 4 x 8 pixels of 16 channels, loaded as a matrix of 32 pixels by 32 channels and multiplied by one.
// `at`: byte of L1 where it starts.
std::string image_kernel(int at, const std::string& settings) {
  const int first = std::min(2048, 4096 - at);
  return R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  TPipe pipe; TBuf<TPosition::A1> a1; TBuf<TPosition::B1> b1; TBuf<TPosition::A2> a2; TBuf<TPosition::B2> b2; TBuf<TPosition::CO1> c1;
  pipe.InitBuffer(a1, 8192); pipe.InitBuffer(b1, 2048); pipe.InitBuffer(a2, 2048); pipe.InitBuffer(b2, 2048); pipe.InitBuffer(c1, 4096);
  GlobalTensor<half> a, b; GlobalTensor<float> c;
  a.SetGlobalBuffer((__gm__ half*)ag); b.SetGlobalBuffer((__gm__ half*)bg); c.SetGlobalBuffer((__gm__ float*)cg);
  LocalTensor<half> al1 = a1.Get<half>(), bl1 = b1.Get<half>(), al0 = a2.Get<half>(), bl0 = b2.Get<half>();
  LocalTensor<float> cl0 = c1.Get<float>();
  constexpr int at = )" +
         std::to_string(at / 2) + ", first = " + std::to_string(first / 2) + R"(;
#line 1
  DataCopy(al1[at], a, first);
  if (first < 1024) DataCopy(al1, a[first], 1024 - first);
  DataCopy(bl1, b, Nd2NzParams(1, 32, 32, 0, 32, 32, 1, 0));
  SetFlag<HardEvent::MTE2_MTE1>(0); WaitFlag<HardEvent::MTE2_MTE1>(0);
  )" + settings +
         R"(
  LoadData3DParamsV2<half> p; p.l1H = 4; p.l1W = 8; p.channelSize = 32; p.kExtension = 32; p.mExtension = 32;
  p.strideW = p.strideH = p.filterW = p.filterH = p.dilationFilterW = p.dilationFilterH = 1;
  LoadData(al0, al1[at], p);
  for (int i = 0; i < 2; ++i) LoadData(bl0[i * 512], bl1[i * 256], LoadData2DParams(0, 2, 2, 0, 0, true, 0));
  SetFlag<HardEvent::MTE1_M>(0); WaitFlag<HardEvent::MTE1_M>(0);
  MmadParams mm; mm.m = 32; mm.n = 32; mm.k = 32; Mmad(cl0, al0, bl0, mm);
  SetFlag<HardEvent::M_FIX>(0); WaitFlag<HardEvent::M_FIX>(0);
  Fixpipe<float, float, CFG_ROW_MAJOR>(c, cl0, FixpipeParamsV220(32, 32, 32, 32, false));
}
)";
}

TEST(LoadImage, GoesOnAtTheBeginningBehindTheBoundary) {
  std::vector<double> one(32 * 32), pixels = small_numbers(1024, 7), expected(1024);
  for (std::size_t i = 0; i < 32; ++i) one[i * 33] = 1;
  for (std::size_t pixel = 0; pixel < 32; ++pixel)
    for (std::size_t channel = 0; channel < 32; ++channel)
      expected[pixel * 32 + channel] = pixels[channel / 16 * 512 + pixel * 16 + channel % 16];
  const auto run = [&](int at, const std::string& settings) {
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("a", proto::FLOAT16, pixels);
    *run_case.add_inputs() = tensor("b", proto::FLOAT16, one);
    add_output(run_case, "c", proto::FLOAT32, 1024);
    return run_kernel(image_kernel(at, settings), "k_", run_case);
  };
  for (const auto& [at, settings] : {std::pair{1024, ""},
                                     {1024, "SetLoadDataBoundary(0); SetLoadDataRepeat({0, 1, 0});"},
                                     {3072, "SetLoadDataBoundary(4096);"},
                                     {3584, "SetLoadDataBoundary(4096);"}}) {
    const auto result = run(at, settings);
    EXPECT_EQ(errors_of(result), "") << at << result.ShortDebugString().substr(0, 1000);
    EXPECT_EQ(values_of(result.outputs(0)), expected) << at;
  }
  EXPECT_EQ(errors_of(run(3072, "SetLoadDataBoundary(2048);")), "argument:8");
  EXPECT_EQ(errors_of(run(1024, "SetLoadDataBoundary(512);")), "argument:5");
  EXPECT_EQ(errors_of(run(1024, "SetLoadDataRepeat({1, 2, 0});")), "argument:5");
}

}  // namespace
}  // namespace kg::npu::testing
