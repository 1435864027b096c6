// Kernels of cube and vector cores together: flags between cores, task types, SyncAll, deadlocks, the Matmul object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ascendc_cube_kernels.h"
#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

// Each group: the cube core writes its tile of A * B to the workspace, its two vector cores add 1 to half of it each.
// Line 1 is the first line after the declarations.
const std::string kEpilogueKernel = R"(#include "kernel_operator.h"
using namespace AscendC;
constexpr int m = 32, n = 32, k = 32;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg, GM_ADDR ws) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  TPipe pipe;
#line 1
  if ASCEND_IS_AIC {
    int group = GetBlockIdx();
    TQue<TPosition::A1, 1> qa1; TQue<TPosition::B1, 1> qb1; TQue<TPosition::A2, 1> qa2; TQue<TPosition::B2, 1> qb2; TQue<TPosition::CO1, 1> qc;
    pipe.InitBuffer(qa1, 1, m * k * 2); pipe.InitBuffer(qb1, 1, k * n * 2); pipe.InitBuffer(qa2, 1, m * k * 2); pipe.InitBuffer(qb2, 1, k * n * 2); pipe.InitBuffer(qc, 1, m * n * 4);
    GlobalTensor<half> a, b; a.SetGlobalBuffer((__gm__ half*)ag + group * m * k); b.SetGlobalBuffer((__gm__ half*)bg);
    GlobalTensor<float> w; w.SetGlobalBuffer((__gm__ float*)ws + group * m * n);
    LocalTensor<half> x = qa1.AllocTensor<half>(), y = qb1.AllocTensor<half>();
    DataCopy(x, a, Nd2NzParams(1, m, k, 0, k, m, 1, 0)); DataCopy(y, b, Nd2NzParams(1, k, n, 0, n, k, 1, 0));
    qa1.EnQue(x); qb1.EnQue(y); x = qa1.DeQue<half>(); y = qb1.DeQue<half>();
    LocalTensor<half> x0 = qa2.AllocTensor<half>(), y0 = qb2.AllocTensor<half>();
    for (int i = 0; i < m / 16; ++i) LoadData(x0[i * 16 * k], x[i * 256], LoadData2DParams(0, k / 16, m / 16, 0, 0, false, 0));
    for (int i = 0; i < k / 16; ++i) LoadData(y0[i * n * 16], y[i * 256], LoadData2DParams(0, n / 16, k / 16, 0, 0, true, 0));
    qa2.EnQue(x0); qb2.EnQue(y0); x0 = qa2.DeQue<half>(); y0 = qb2.DeQue<half>(); qa1.FreeTensor(x); qb1.FreeTensor(y);
    LocalTensor<float> z = qc.AllocTensor<float>();
    MmadParams p; p.m = m; p.n = n; p.k = k; Mmad(z, x0, y0, p);
    qc.EnQue(z); z = qc.DeQue<float>(); qa2.FreeTensor(x0); qb2.FreeTensor(y0);
    Fixpipe<float, float, CFG_ROW_MAJOR>(w, z, FixpipeParamsV220(n, m, m, n, false)); qc.FreeTensor(z);
    CrossCoreSetFlag<2, PIPE_FIX>(3);
  }
  if ASCEND_IS_AIV {
    int group = GetBlockIdx() / GetSubBlockNum(), part = GetSubBlockIdx();
    TQue<QuePosition::VECIN, 1> in; TQue<QuePosition::VECOUT, 1> out; pipe.InitBuffer(in, 1, m * n * 2); pipe.InitBuffer(out, 1, m * n * 2);
    GlobalTensor<float> w, c; w.SetGlobalBuffer((__gm__ float*)ws + group * m * n + part * m * n / 2); c.SetGlobalBuffer((__gm__ float*)cg + group * m * n + part * m * n / 2);
    CrossCoreWaitFlag(3);
    LocalTensor<float> x = in.AllocTensor<float>(); DataCopy(x, w, m * n / 2); in.EnQue(x); x = in.DeQue<float>();
    LocalTensor<float> y = out.AllocTensor<float>(); Adds(y, x, 1.0f, m * n / 2); out.EnQue(y); in.FreeTensor(x);
    y = out.DeQue<float>(); DataCopy(c, y, m * n / 2); out.FreeTensor(y);
  }
}
)";

proto::CaseResult run_epilogue(const std::string& source, std::uint32_t groups, std::uint64_t seed = 0) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, small_numbers(groups * 32 * 32, 1));
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, small_numbers(32 * 32, 2));
  add_output(run_case, "c", proto::FLOAT32, groups * 32 * 32);
  return run_kernel(source, "k_", run_case, {.block_dim = groups, .seed = seed});
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Mixed, CubeCoreHandsItsTileToItsTwoVectorCores) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto result = run_epilogue(kEpilogueKernel, 30, seed);  // more groups than the chip has
    ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
    EXPECT_EQ(errors_of(result), "");
    std::vector<double> expected = product(small_numbers(30 * 32 * 32, 1), small_numbers(32 * 32, 2), 30 * 32, 32, 32);
    for (double& value : expected) value += 1;
    EXPECT_EQ(values_of(result.outputs(0)), expected);
  }
}

// By way of the workspace and UB; the copy out of UB was blamed, and the count of a vector call.
TEST(Mixed, UninitialisedSumsAreToldWhereTheCubeCoreHandsThemOver) {
  const std::pair<const char*, const char*> wrong[] = {
      {"p.m = m;", "p.cmatrixInitVal = false; p.m = m;"},
      {"LoadData(y0[i * n * 16], y[i * 256]", "LoadData(y0[i * n * 8], y[i * 256]"}};
  for (const auto& [from, to] : wrong) {
    const auto result = run_epilogue(replaced(kEpilogueKernel, from, to), 2);
    ASSERT_EQ(result.faults_size(), 1) << result.ShortDebugString().substr(0, 2000);
    EXPECT_EQ(result.faults(0).line(), 17);  // Fixpipe
    EXPECT_THAT(
        result.faults(0).message(),
        ::testing::StartsWith("uninitialised L0C data reach the workspace, and from there output \"c\" at byte"));
  }
}

TEST(Mixed, TheSeedChangesNeitherCyclesNorFaults) {
  const auto first = run_epilogue(kEpilogueKernel, 8), second = run_epilogue(kEpilogueKernel, 8, 7);
  EXPECT_EQ(first.cycles(), second.cycles());
  EXPECT_GT(first.cycles(), 9250u);
}

TEST(Mixed, TheTaskTypeIsFoundOutWhenNothingIsDeclared) {
  const std::string source = replaced(kEpilogueKernel, "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);", "");
  const auto result = run_epilogue(source, 2);
  EXPECT_TRUE(result.ran());
  EXPECT_EQ(errors_of(result), "");
}

// In place of a declared task type: the kernel's own qualifier.
std::string qualified(const std::string& qualifier) {
  const std::string source = replaced(kEpilogueKernel, "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);", "");
  return replaced(source, "__global__ __aicore__", "__global__ " + qualifier);
}

TEST(Mixed, MixOfOneCubeAndOneVectorCoreStartsNoSecondVectorCore) {
  std::string source = qualified("__mix__(1, 1)");
  for (std::size_t at = source.find("m * n / 2"); at != std::string::npos; at = source.find("m * n / 2"))
    source.erase(at + 5, 4);
  source = replaced(source, "pipe.InitBuffer(in, 1, m * n * 2); pipe.InitBuffer(out, 1, m * n * 2);",
                    "pipe.InitBuffer(in, 1, m * n * 4); pipe.InitBuffer(out, 1, m * n * 4);");
  const auto result = run_epilogue(source, 2);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(errors_of(result), "");
}

TEST(Mixed, CubeKernelStartsNoVectorCores) {
  std::string source = replaced(qualified("__cube__"), "if ASCEND_IS_AIC {", "{");
  source = replaced(source, "if ASCEND_IS_AIV {", "if (GetBlockNum() == 99) {");
  source = replaced(source, "(__gm__ float*)ws + group * m * n);", "(__gm__ float*)cg + group * m * n);");
  source = replaced(source, "CrossCoreSetFlag<2, PIPE_FIX>(3);", "");
  const auto result = run_epilogue(source, 2);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(errors_of(result), "");
}

TEST(Mixed, VectorKernelWithUnusedCubeCodeStartsVectorCoresAlone) {
  std::string source = replaced(qualified("__vector__"), "CrossCoreWaitFlag(3);", "");
  source = replaced(source, "(__gm__ float*)ws + group * m * n + part * m * n / 2", "(__gm__ float*)ag");
  source = replaced(source, "(__gm__ float*)cg + group * m * n + part * m * n / 2",
                    "(__gm__ float*)cg + GetBlockIdx() * m * n / 2");
  const auto result = run_epilogue(source, 4);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(errors_of(result), "");
}

TEST(Mixed, AWaitThatNobodySetsIsADeadlockThatNamesTheWaiter) {
  const auto result = run_epilogue(replaced(kEpilogueKernel, "CrossCoreSetFlag<2, PIPE_FIX>(3);", ""), 2);
  EXPECT_FALSE(result.ran());
  EXPECT_EQ(errors_of(result), "synchronisation:24");
  EXPECT_NE(result.faults(0).message().find("CrossCoreWaitFlag(3)"), std::string::npos);
  EXPECT_NE(result.faults(0).message().find("vector core of group 0"), std::string::npos);
}

TEST(Mixed, TheCubeCoreWaitsForBothVectorCores) {
  const std::string both = "CrossCoreSetFlag<2, PIPE_FIX>(3); CrossCoreWaitFlag(4);";
  const std::string set = "y = out.DeQue<float>(); DataCopy(c, y, m * n / 2); out.FreeTensor(y);";
  const auto good = run_epilogue(replaced(replaced(kEpilogueKernel, "CrossCoreSetFlag<2, PIPE_FIX>(3);", both), set,
                                          set + " CrossCoreSetFlag<2, PIPE_MTE3>(4);"),
                                 2);
  EXPECT_TRUE(good.ran());
  EXPECT_EQ(errors_of(good), "");
  const auto bad = run_epilogue(replaced(replaced(kEpilogueKernel, "CrossCoreSetFlag<2, PIPE_FIX>(3);", both), set,
                                         set + " if (part == 0) CrossCoreSetFlag<2, PIPE_MTE3>(4);"),
                                2);
  EXPECT_FALSE(bad.ran());
  EXPECT_EQ(errors_of(bad), "synchronisation:18");
}

TEST(Mixed, SyncAllOfAllCores) {
  const std::string source =
      replaced(replaced(kEpilogueKernel, "CrossCoreSetFlag<2, PIPE_FIX>(3);", "SyncAll<false>();"),
               "CrossCoreWaitFlag(3);", "SyncAll<false>();");
  const auto result = run_epilogue(source, 24);
  EXPECT_TRUE(result.ran());
  EXPECT_EQ(errors_of(result), "");
  const auto waves = run_epilogue(source, 25);
  EXPECT_FALSE(waves.ran());
  EXPECT_EQ(errors_of(waves).substr(0, 16), "synchronisation:");
}

TEST(Mixed, SixteenSetsOverflowTheCounter) {
  const auto result = run_epilogue(replaced(kEpilogueKernel, "CrossCoreSetFlag<2, PIPE_FIX>(3);",
                                            "for (int i = 0; i < 16; ++i) CrossCoreSetFlag<2, PIPE_FIX>(5);"),
                                   1);
  EXPECT_FALSE(result.ran());
  EXPECT_EQ(errors_of(result), "synchronisation:18");
}

// C (m, n) = A * B + bias over all vector cores; each takes rows of C.
std::string matmul_object(const std::string& use, const std::string& c_position = "GM") {
  return R"(#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC; using namespace matmul;
constexpr int m = 64, n = 80, k = 96, rows = 16;
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR cg, GM_ADDR ws) {
  TPipe pipe; TCubeTiling t;
  t.usedCoreNum = 4; t.M = m; t.N = n; t.Ka = k; t.Kb = k; t.singleCoreM = rows; t.singleCoreN = n; t.singleCoreK = k;
  t.baseM = 16; t.baseN = 32; t.baseK = 32; t.depthA1 = 1; t.depthB1 = 1; t.stepM = 1; t.stepN = 1; t.stepKa = 1; t.stepKb = 1;
  Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::)" +
         c_position + R"(, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  GlobalTensor<half> a, b; GlobalTensor<float> c; int core = GetBlockIdx();
  a.SetGlobalBuffer((__gm__ half*)ag + core * rows * k); b.SetGlobalBuffer((__gm__ half*)bg); c.SetGlobalBuffer((__gm__ float*)cg + core * rows * n);
  mm.SetTensorA(a); mm.SetTensorB(b);
#line 1
)" + use +
         "\n  mm.End();\n}\n";
}

proto::CaseResult run_matmul(const std::string& source, std::uint64_t cycle_limit = 0) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, small_numbers(64 * 96, 1));
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, small_numbers(96 * 80, 2));
  add_output(run_case, "c", proto::FLOAT32, 64 * 80);
  return run_kernel(source, "k_", run_case, {.block_dim = 2, .cycle_limit = cycle_limit});
}

void expect_product(const proto::CaseResult& result, double added = 0) {
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
  std::vector<double> expected = product(small_numbers(64 * 96, 1), small_numbers(96 * 80, 2), 64, 80, 96);
  for (double& value : expected) value += added;
  EXPECT_EQ(values_of(result.outputs(0)), expected);
}

TEST(MatmulObject, IterateAllToGlobalMemory) { expect_product(run_matmul(matmul_object("  mm.IterateAll(c);"))); }

TEST(MatmulObject, AsynchronousIterateAll) {
  expect_product(run_matmul(matmul_object("  mm.IterateAll<false>(c, 0, false, true); mm.WaitIterateAll();")));
}

TEST(MatmulObject, StopsAtTheCycleLimitThoughNobodyWaitsForIt) {
  const std::string source = matmul_object("  mm.IterateAll<false>(c, 0, false, true);");
  EXPECT_TRUE(run_matmul(source, 100'000).ran());
  const auto result = run_matmul(source, 1000);
  EXPECT_FALSE(result.ran());
  EXPECT_EQ(errors_of(result), "limit:1");
}

TEST(MatmulObject, BlockByBlock) {
  expect_product(run_matmul(matmul_object("  while (mm.Iterate()) mm.GetTensorC(c);")));
}

TEST(MatmulObject, BlockByBlockThroughUb) {
  expect_product(
      run_matmul(matmul_object(
          R"(  TQue<QuePosition::VECIN, 1> q; TQue<QuePosition::VECOUT, 1> o; pipe.InitBuffer(q, 1, 16 * 32 * 4); pipe.InitBuffer(o, 1, 16 * 32 * 4);
  for (int i = 0; mm.Iterate(); ++i) {
    int width = i < 2 ? 32 : 16;
    auto x = q.AllocTensor<float>(); mm.GetTensorC(x, 0, true); q.EnQue(x); x = q.DeQue<float>();
    auto y = o.AllocTensor<float>(); Adds(y, x, 2.0f, 16 * width); o.EnQue(y); q.FreeTensor(x); y = o.DeQue<float>();
    DataCopyPad(c[i * 32], y, DataCopyExtParams{16, static_cast<uint32_t>(width * 4), 0, static_cast<uint32_t>((n - width) * 4), 0}); o.FreeTensor(y);
  })",
          "VECIN")),
      2);
}

// The part of C that a run computed; what lies outside it is whatever the output held before.
void expect_part(const proto::CaseResult& result, int part_m, int part_n, int part_k) {
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
  const auto a = small_numbers(64 * 96, 1), b = small_numbers(96 * 80, 2), c = values_of(result.outputs(0));
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < part_n; ++j) {
      if (i % 16 >= part_m) continue;
      double sum = 0;
      for (int x = 0; x < part_k; ++x)
        sum += a[static_cast<std::size_t>(i * 96 + x)] * b[static_cast<std::size_t>(x * 80 + j)];
      ASSERT_EQ(c[static_cast<std::size_t>(i * 80 + j)], sum) << i << ", " << j;
    }
}

TEST(MatmulObject, ShapesOfTheWholeComeFromSetOrgShape) {
  const std::string wrong =
      replaced(matmul_object("  mm.SetOrgShape(m, n, k, k, n); mm.IterateAll(c);"),
               "t.M = m; t.N = n; t.Ka = k; t.Kb = k;", "t.M = 16; t.N = 16; t.Ka = 16; t.Kb = 16;");
  expect_product(run_matmul(wrong));
  expect_product(run_matmul(replaced(wrong, "SetOrgShape(m, n, k, k, n)", "SetOrgShape(m, n, k)")));
}

TEST(MatmulObject, OneCoresPartComesFromSetSingleShapeAndSetTail) {
  expect_part(run_matmul(matmul_object("  mm.SetSingleShape(rows, 48, 64); mm.IterateAll(c);")), 16, 48, 64);
  expect_part(run_matmul(matmul_object("  mm.SetTail(8, 48); mm.IterateAll(c);")), 8, 48, 96);
  expect_part(run_matmul(matmul_object("  mm.SetTail(-1, 48, 32); mm.IterateAll(c);")), 16, 48, 32);
}

TEST(MatmulObject, TransposedBAndAConfiguration) {
  for (const std::string config : {"GetNormalConfig(true)", "CFG_NORM"}) {
    const std::string source =
        replaced(replaced(replaced(matmul_object("  mm.SetTensorB(b, true); mm.IterateAll(c);"),
                                   "half>, MatmulType<TPosition::GM, "
                                   "CubeFormat::ND, float>, ",
                                   "half, true>, MatmulType<TPosition::GM, CubeFormat::ND, float>, "),
                          "CubeFormat::ND, float>> mm;", "CubeFormat::ND, float>, kConfig> mm;"),
                 "constexpr int m = 64", "constexpr MatmulConfig kConfig = " + config + ";\nconstexpr int m = 64");
    const auto b = small_numbers(96 * 80, 2);
    std::vector<double> turned(b.size());
    for (std::size_t i = 0; i < 96; ++i)
      for (std::size_t j = 0; j < 80; ++j) turned[j * 96 + i] = b[i * 80 + j];
    proto::RunCase run_case;
    *run_case.add_inputs() = tensor("a", proto::FLOAT16, small_numbers(64 * 96, 1));
    *run_case.add_inputs() = tensor("b", proto::FLOAT16, turned);
    add_output(run_case, "c", proto::FLOAT32, 64 * 80);
    expect_product(run_kernel(source, "k_", run_case, {.block_dim = 2}));
  }
}

TEST(MatmulObject, BiasInGlobalMemoryAndWithoutItAgain) {
  // The bias is row 0 of what serves as the workspace of the other kernels here.
  const std::string source = replaced(
      matmul_object(
          "  GlobalTensor<float> bias; bias.SetGlobalBuffer((__gm__ float*)dg); mm.SetBias(bias); mm.IterateAll(c);"),
      "GM_ADDR bg, GM_ADDR cg", "GM_ADDR bg, GM_ADDR dg, GM_ADDR cg");
  const auto bias = small_numbers(80, 3);
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, small_numbers(64 * 96, 1));
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, small_numbers(96 * 80, 2));
  *run_case.add_inputs() = tensor("bias", proto::FLOAT32, bias);
  add_output(run_case, "c", proto::FLOAT32, 64 * 80);
  const auto result = run_kernel(source, "k_", run_case, {.block_dim = 2});
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
  std::vector<double> expected = product(small_numbers(64 * 96, 1), small_numbers(96 * 80, 2), 64, 80, 96);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += bias[i % 80];
  EXPECT_EQ(values_of(result.outputs(0)), expected);
  for (const char* without : {"mm.SetBias(bias); mm.ClearBias();", "mm.SetBias(bias); mm.DisableBias();"})
    expect_product(run_kernel(replaced(source, "mm.SetBias(bias);", without), "k_", run_case, {.block_dim = 2}));
}

}  // namespace
}  // namespace kg::npu::testing
