// The Matmul object beyond one product: batches, partial sums, results in the workspace, scalar operands, triangles,
// tilings known to the compiler, and copies that are the kernel's own.

#include <gtest/gtest.h>

#include "ascendc_cube_kernels.h"
#include "ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

using Values = std::vector<double>;

// A kernel of one group: the types of A, B and C, statements that fill in the tiling `t` (M, N, K and the part of the
// core are m, n, k; base blocks of 16 x 32 x 32), declarations in front of the kernel, and what it does with `mm`.
struct Object {
  int m = 48, n = 80, k = 96;
  std::string a = "MatmulType<TPosition::GM, CubeFormat::ND, half>";
  std::string b = "MatmulType<TPosition::GM, CubeFormat::ND, half>";
  std::string c = "MatmulType<TPosition::GM, CubeFormat::ND, float>";
  std::string more = "";  // template arguments behind the bias
  std::string tiling = "";
  std::string before = "";
  std::string use = "";
  bool only_cube = false;
};

std::string kernel_of(const Object& x) {
  return std::string(x.only_cube ? "#define ASCENDC_CUBE_ONLY\n" : "") + R"(#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC; using namespace matmul;
constexpr int m = )" +
         std::to_string(x.m) + ", n = " + std::to_string(x.n) + ", k = " + std::to_string(x.k) + ";\n" + x.before +
         R"(
extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR dg, GM_ADDR cg, GM_ADDR ws) {
)" + (x.only_cube ? "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);\n" : "") +
         R"(  TPipe pipe; TCubeTiling t;
  t.usedCoreNum = 1; t.M = m; t.N = n; t.Ka = k; t.Kb = k; t.singleCoreM = m; t.singleCoreN = n; t.singleCoreK = k;
  t.baseM = 16; t.baseN = 32; t.baseK = 32; t.depthA1 = 2; t.depthB1 = 2; t.stepM = 1; t.stepN = 1; t.stepKa = 1; t.stepKb = 1;
  )" + x.tiling +
         "\n  Matmul<" + x.a + ", " + x.b + ", " + x.c + ", MatmulType<TPosition::GM, CubeFormat::ND, float>" + x.more +
         R"(> mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  if (GetBlockIdx() != 0) return;
  GlobalTensor<half> a, b; GlobalTensor<float> c, d, w;
  a.SetGlobalBuffer((__gm__ half*)ag); b.SetGlobalBuffer((__gm__ half*)bg); c.SetGlobalBuffer((__gm__ float*)cg); d.SetGlobalBuffer((__gm__ float*)dg);
  w.SetGlobalBuffer((__gm__ float*)ws);
#line 1
)" + x.use +
         "\n  mm.End();\n}\n";
}

constexpr std::size_t kMost = 16 * 1024;

proto::CaseResult run(const Object& x, std::size_t outputs) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, small_numbers(kMost, 1));
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, small_numbers(kMost, 2));
  *run_case.add_inputs() = tensor("d", proto::FLOAT32, small_numbers(1024, 3));
  add_output(run_case, "c", proto::FLOAT32, outputs);
  return run_kernel(kernel_of(x), "k_", run_case, {.block_dim = 1});
}

// Element (row, column) of an operand, from its numbers.
using Element = std::function<double(int, int)>;
double dot(const Element& a, const Element& b, int row, int column, int k) {
  double sum = 0;
  for (int x = 0; x < k; ++x) sum += a(row, x) * b(x, column);
  return sum;
}

struct Numbers {
  Values a = small_numbers(kMost, 1), b = small_numbers(kMost, 2), d = small_numbers(1024, 3);
  double A(int place) const { return a[static_cast<std::size_t>(place)]; }
  double B(int place) const { return b[static_cast<std::size_t>(place)]; }
};
const Numbers kNumbers;

void expect_values(const proto::CaseResult& result, const std::function<double(int)>& wanted) {
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(errors_of(result), "") << result.ShortDebugString().substr(0, 2000);
  const Values got = values_of(result.outputs(0));
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], wanted(static_cast<int>(i))) << i;
}

// The plain product of the kernel above.
double plain(int i, const Object& x) {
  return dot([&](int r, int c) { return kNumbers.A(r * x.k + c); },
             [&](int r, int c) { return kNumbers.B(r * x.n + c); }, i / x.n, i % x.n, x.k);
}
void expect_plain(Object x, const std::string& use) {
  x.use = use;
  expect_values(run(x, static_cast<std::size_t>(x.m * x.n)), [&](int i) { return plain(i, x); });
}

TEST(MatmulBatch, NormalMatricesLieOneBehindTheOther) {
  for (const bool only_cube : {false, true}) {
    Object x{.m = 16, .n = 48, .k = 32, .only_cube = only_cube};
    for (std::string* type : {&x.a, &x.b, &x.c}) type->insert(type->size() - 1, ", false, LayoutMode::NORMAL");
    x.use = only_cube
                ? "  mm.SetTensorA(a); mm.SetTensorB(b); mm.SetBatchNum(3, 3); mm.IterateBatch(c, false, 0, false);"
                : "  mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateBatch(c, 3, 3, false);";
    expect_values(run(x, 3 * 16 * 48), [&](int i) {
      const int batch = i / (16 * 48), part = i % (16 * 48);
      return dot([&](int r, int c) { return kNumbers.A(batch * 16 * 32 + r * 32 + c); },
                 [&](int r, int c) { return kNumbers.B(batch * 32 * 48 + r * 48 + c); }, part / 48, part % 48, 32);
    });
  }
}

// Q (B, S1, N, G, D) times K (B, S2, N, 1, D), transposed, as attention has them: C (B, N, G, S1, S2).
TEST(MatmulBatch, HeadsOfBsngdShareTheKeysOfTheirGroup) {
  constexpr int kB = 2, kN = 2, kG = 3, kS1 = 16, kS2 = 32, kD = 16;
  const auto at_q = [](const std::string& mode, int b, int s, int n, int g, int d) {
    return mode == "BSNGD" ? (((b * kS1 + s) * kN + n) * kG + g) * kD + d : (((s * kB + b) * kN + n) * kG + g) * kD + d;
  };
  const auto at_k = [](const std::string& mode, int b, int s, int n, int d) {
    return mode == "BSNGD" ? ((b * kS2 + s) * kN + n) * kD + d : ((s * kB + b) * kN + n) * kD + d;
  };
  for (const std::string mode : {"BSNGD", "SBNGD"}) {
    Object x{.m = kS1, .n = kS2, .k = kD};
    x.a = "MatmulType<TPosition::GM, CubeFormat::ND, half, false, LayoutMode::" + mode + ">";
    x.b = "MatmulType<TPosition::GM, CubeFormat::ND, half, true, LayoutMode::" + mode + ">";
    x.c = "MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::BNGS1S2>";
    x.tiling =
        "t.ALayoutInfoB = 2; t.ALayoutInfoS = 16; t.ALayoutInfoN = 2; t.ALayoutInfoG = 3; t.ALayoutInfoD = 16;"
        "t.BLayoutInfoB = 2; t.BLayoutInfoS = 32; t.BLayoutInfoN = 2; t.BLayoutInfoG = 1; t.BLayoutInfoD = 16;"
        "t.CLayoutInfoB = 2; t.CLayoutInfoS1 = 16; t.CLayoutInfoN = 2; t.CLayoutInfoG = 3; t.CLayoutInfoS2 = 32; "
        "t.BatchNum = 3;";
    // All heads of both sequences at once, and group by group from an offset of its own.
    const std::string one_by_one =
        mode == "BSNGD" ? "  for (int b_ = 0; b_ < 2; ++b_) for (int h = 0; h < 2; ++h) { "
                          "mm.SetTensorA(a[b_ * 16 * 96 + h * 48]); mm.SetTensorB(b[b_ * 32 * 32 + h * 16], true); "
                          "mm.IterateBatch(c[(b_ * 2 + h) * 3 * 512], 3, 1, false); }"
                        : "  for (int h = 0; h < 4; ++h) { mm.SetTensorA(a[h * 48]); mm.SetTensorB(b[h * 16], true); "
                          "mm.IterateBatch<false, true>(c[h * 3 * 512], 3, 1, false); mm.WaitIterateBatch(); }";
    for (const std::string& use :
         {std::string("  mm.SetTensorA(a); mm.SetTensorB(b, true); mm.IterateBatch(c, 12, 4, false);"), one_by_one}) {
      x.use = use;
      expect_values(run(x, kB * kN * kG * kS1 * kS2), [&](int i) {
        const int s2 = i % kS2, s1 = i / kS2 % kS1, g = i / (kS2 * kS1) % kG, n = i / (kS2 * kS1 * kG) % kN,
                  b = i / (kS2 * kS1 * kG * kN);
        return dot([&](int s, int d) { return kNumbers.A(at_q(mode, b, s, n, g, d)); },
                   [&](int d, int s) { return kNumbers.B(at_k(mode, b, s, n, d)); }, s1, s2, kD);
      });
    }
  }
}

TEST(MatmulBatch, EachProductHasItsBiasOrAllShareOne) {
  for (const bool each : {true, false}) {
    Object x{.m = 16, .n = 32, .k = 32};
    for (std::string* type : {&x.a, &x.b, &x.c}) type->insert(type->size() - 1, ", false, LayoutMode::NORMAL");
    if (!each) {
      x.before =
          "constexpr MatmulBatchParams kBatch{false, BatchMode::BATCH_LESS_THAN_L1, false};\n"
          "constexpr MatmulConfig kConfig = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(kBatch);";
      x.more = ", kConfig";
    }
    x.use = "  mm.SetTensorA(a); mm.SetTensorB(b); mm.SetBias(d); mm.IterateBatch(c, 2, 2, false);";
    expect_values(run(x, 2 * 16 * 32), [&](int i) {
      const int batch = i / 512, part = i % 512;
      return dot([&](int r, int c) { return kNumbers.A(batch * 512 + r * 32 + c); },
                 [&](int r, int c) { return kNumbers.B(batch * 1024 + r * 32 + c); }, part / 32, part % 32, 32) +
             kNumbers.d[static_cast<std::size_t>((each ? batch * 32 : 0) + part % 32)];
    });
  }
}

TEST(MatmulBatch, ManyBatchesComeOutOfTheWorkspace) {
  Object x{.m = 16, .n = 32, .k = 16};
  for (std::string* type : {&x.a, &x.b, &x.c}) type->insert(type->size() - 1, ", false, LayoutMode::NORMAL");
  const auto wanted = [](int i) {
    const int batch = i / 512, part = i % 512;
    return dot([&](int r, int c) { return kNumbers.A(batch * 256 + r * 16 + c); },
               [&](int r, int c) { return kNumbers.B(batch * 512 + r * 32 + c); }, part / 32, part % 32, 16);
  };
  const std::string before = R"(  mm.SetTensorA(a); mm.SetTensorB(b); mm.SetWorkspace(w);
  TQue<QuePosition::VECIN, 1> q; pipe.InitBuffer(q, 1, 2 * 16 * 32 * 4);
  TQue<QuePosition::VECOUT, 1> o; pipe.InitBuffer(o, 1, 2 * 16 * 32 * 4);
  mm.IterateNBatch<false>(3, 2, 2, false);
  for (int i = 0; i < 3; ++i) {
    auto x = q.AllocTensor<float>(); )";
  const std::string after = R"( q.EnQue(x); x = q.DeQue<float>();
    auto y = o.AllocTensor<float>(); Adds(y, x, 0.0f, 1024); o.EnQue(y); q.FreeTensor(x); y = o.DeQue<float>();
    DataCopy(c[i * 1024], y, 1024); o.FreeTensor(y);
  })";
  x.use = before + "mm.GetBatchTensorC<false>(x, 2, 2); mm.WaitGetTensorC();" + after;
  expect_values(run(x, 6 * 512), wanted);
  x.use = before + "DataCopy(x, mm.GetBatchC<false>(2, 2), 1024);" + after;
  expect_values(run(x, 6 * 512), wanted);
}

TEST(MatmulResults, ABlockGoesToGlobalMemoryAndUbOrToTheWorkspace) {
  Object x{.m = 16, .n = 96, .k = 32};
  const std::string queues =
      "  mm.SetTensorA(a); mm.SetTensorB(b); mm.SetWorkspace(w);\n"
      "  TQue<QuePosition::VECIN, 1> q; pipe.InitBuffer(q, 1, 2048); TQue<QuePosition::VECOUT, 1> o; "
      "pipe.InitBuffer(o, 1, 2048);\n";
  const std::string through =
      " q.EnQue(x); x = q.DeQue<float>(); auto y = o.AllocTensor<float>(); Adds(y, x, 0.0f, 512); "
      "o.EnQue(y); q.FreeTensor(x); y = o.DeQue<float>(); DataCopy(c[i * 32], y, DataCopyParams(16, 4, 0, 8)); "
      "o.FreeTensor(y); }";
  // What UB holds is written over what GM holds: both are the product.
  expect_plain(x, queues +
                      "  for (int i = 0; mm.Iterate(); ++i) { auto x = q.AllocTensor<float>(); mm.GetTensorC(c, x);" +
                      through);
  expect_plain(x, queues +
                      "  for (int i = 0; mm.Iterate<false>(); ++i) { auto x = q.AllocTensor<float>(); DataCopy(x, "
                      "mm.GetTensorC(), 512);" +
                      through);
  expect_plain(x, queues +
                      "  for (int i = 0; mm.Iterate(); ++i) { MatrixOffset at = mm.GetOffsetC(); if (at.col == 32 * i "
                      "&& at.offset == 32 * i && at.height == 16 && at.width == 32) mm.GetTensorC(c); }");
}

TEST(MatmulResults, PartialSumsAddUpAlongK) {
  Object x{.m = 16, .n = 32, .k = 96};
  x.tiling = "t.singleCoreK = 32;";
  expect_plain(x,
               "  for (int i = 0; i < 3; ++i) { mm.SetTensorA(a[32 * i]); mm.SetTensorB(b[32 * i * n]); mm.Iterate(i > "
               "0); } mm.GetTensorC(c);");
  x.n = 64;  // two base blocks
  x.use =
      "  for (int i = 0; i < 3; ++i) { mm.SetTensorA(a[32 * i]); mm.SetTensorB(b[32 * i * n]); while (mm.Iterate(i > "
      "0)) mm.GetTensorC(c); }";
  x.tiling += " t.baseN = 48;";
  EXPECT_EQ(errors_of(run(x, 16 * 64)), "argument:1");
}

TEST(MatmulResults, OneAsynchronousIterateServesAllBlocks) {
  const Object x{.m = 48, .n = 80, .k = 64};
  expect_plain(x,
               "  mm.SetTensorA(a); mm.SetTensorB(b); mm.Iterate<false>();\n"
               "  for (int i = 0; i < 9; ++i) mm.GetTensorC<false>(c); mm.WaitGetTensorC();");
  expect_plain(x, "  mm.SetTensorA(a); mm.SetTensorB(b); while (mm.Iterate<false>()) mm.GetTensorC<false>(c);");
  expect_plain(x, "  mm.SetTensorA(a); mm.SetTensorB(b); while (mm.Iterate()) { mm.GetTensorC(c); mm.GetTensorC(c); }");
}

TEST(MatmulResults, ABlockStaysInCo1ForTheKernelsOwnFixpipe) {
  Object x{.m = 24, .n = 48, .k = 64, .only_cube = true};
  expect_plain(x, R"(  mm.SetTensorA(a); mm.SetTensorB(b);
  TQue<TPosition::CO1, 1> q; pipe.InitBuffer(q, 1, 16 * 32 * 4);
  for (int i = 0;; ++i) {
    auto x = q.AllocTensor<float>();
    if (!mm.Iterate(false, x)) { q.FreeTensor(x); break; }
    q.EnQue(x); x = q.DeQue<float>();
    MatrixOffset at = mm.GetOffsetC();
    FixpipeParamsV220 fix; fix.nSize = at.width; fix.mSize = at.height; fix.srcStride = (at.height + 15) / 16 * 16; fix.dstStride = n;
    Fixpipe<float, float, CFG_ROW_MAJOR>(c[at.offset], x, fix); q.FreeTensor(x);
  })");
}

TEST(MatmulResults, AResultThatNothingComputedIsRefused) {
  Object x;
  x.use = "  mm.SetTensorA(a); mm.SetTensorB(b); mm.GetTensorC(c);";
  const auto result = run(x, 48 * 80);
  EXPECT_FALSE(result.ran());
  EXPECT_EQ(errors_of(result), "argument:1");
  EXPECT_NE(result.faults(0).message().find("call Iterate first"), std::string::npos);
}

TEST(MatmulResults, SequentialBlocksLieOneBehindTheOther) {
  Object x{.m = 32, .n = 64, .k = 32};
  x.use = "  mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c, 0, true);";
  expect_values(run(x, 32 * 64), [&](int i) {
    const int block = i / 512, row = block % 2 * 16 + i % 512 / 32, column = block / 2 * 32 + i % 32;
    return plain(row * 64 + column, x);
  });
}

TEST(MatmulOperands, AScalarIsARowOfEqualNumbers) {
  Object x{.m = 1, .n = 80, .k = 96};
  x.a = "MatmulType<TPosition::GM, CubeFormat::SCALAR, half>";
  x.use = "  mm.SetTensorA(half(2.5f)); mm.SetTensorB(b); mm.IterateAll(c);";
  expect_values(run(x, 80), [&](int i) {
    return dot([](int, int) { return 2.5; }, [&](int r, int c) { return kNumbers.B(r * 80 + c); }, 0, i, 96);
  });
}

TEST(MatmulPolicies, TrianglesLeaveOutTheBlocksOfTheOtherSide) {
  for (const bool upper : {true, false}) {
    Object x{.m = 64, .n = 64, .k = 32};
    x.tiling = "t.baseM = 16; t.baseN = 16;";
    x.more = std::string(", CFG_NORM, MatmulCallBackFunc<nullptr, nullptr, nullptr>, AscendC::Impl::Detail::Trian") +
             (upper ? "Upper" : "Lower") + "MatmulPolicy";
    x.use = "  mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c, 1);";  // adds to what is there: zeros of ours
    for (const char* use : {"  InitOutput<float>(c, 64 * 64, 0.0f); PipeBarrier<PIPE_ALL>(); mm.SetTensorA(a); "
                            "mm.SetTensorB(b); mm.IterateAll(c);",
                            "  InitOutput<float>(c, 64 * 64, 0.0f); PipeBarrier<PIPE_ALL>(); mm.SetTensorA(a); "
                            "mm.SetTensorB(b); while (mm.Iterate()) mm.GetTensorC(c);"}) {
      x.use = use;
      expect_values(run(x, 64 * 64), [&](int i) {
        const int row = i / 64 / 16, column = i % 64 / 16;
        return (upper ? row > column : column > row) ? 0 : plain(i, x);
      });
    }
  }
}

TEST(MatmulTiling, CanBeKnownToTheCompiler) {
  Object x{.m = 32, .n = 64, .k = 64};
  x.before =
      R"(using A_ = MatmulType<TPosition::GM, CubeFormat::ND, half>; using B_ = A_; using C_ = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr MatmulShapeParams kShape{32, 64, 64, 16, 32, 32};
constexpr static auto kStatic = GetMatmulApiTiling<A_, B_, C_, C_>(GetMMConfig<MatmulConfigMode::CONFIG_MDL>(kShape));)";
  x.more = ", kStatic";
  expect_plain(x, "  mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c);");
  std::string source = kernel_of(x);
  const std::string with = "mm, &t);", without = "mm, nullptr);";
  x.use = "  mm.SetTensorA(a); mm.SetTensorB(b); while (mm.Iterate()) mm.GetTensorC(c);";
  x.tiling = "mm_tiling_is_not_read: t = TCubeTiling();";
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, small_numbers(kMost, 1));
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, small_numbers(kMost, 2));
  *run_case.add_inputs() = tensor("d", proto::FLOAT32, small_numbers(1024, 3));
  add_output(run_case, "c", proto::FLOAT32, 32 * 64);
  x.tiling = "t = TCubeTiling();";
  source = kernel_of(x);
  source.replace(source.find(with), with.size(), without);
  expect_values(run_kernel(source, "k_", run_case, {.block_dim = 1}), [&](int i) { return plain(i, x); });
}

// Copies of the kernel's own, for any combination: A and B through Nd2Nz from wherever the callback finds them, C by
// Fixpipe.
const std::string kCopies = R"(
struct Info { int32_t lda, ldb, ldc, at; };
__aicore__ inline void CopyA(const LocalTensor<int8_t>& to, const __gm__ void* gm, int row, int col, int useM, int useK, const uint64_t tilingPtr, const uint64_t dataPtr) {
  const __gm__ Info* info = (const __gm__ Info*)dataPtr;
  GlobalTensor<half> from; from.SetGlobalBuffer((__gm__ half*)gm);
  DataCopy(to.template ReinterpretCast<half>(), from[row * 16 * info->lda + col * 32], Nd2NzParams(1, useM, useK, 0, info->lda, (useM + 15) / 16 * 16, 1, 0));
}
// Rows of K of B in reverse order: the block `row` from the end.
__aicore__ inline void CopyB(const LocalTensor<int8_t>& to, const __gm__ void* gm, int row, int col, int useK, int useN, const uint64_t tilingPtr, const uint64_t dataPtr) {
  const __gm__ Info* info = (const __gm__ Info*)dataPtr;
  GlobalTensor<half> from; from.SetGlobalBuffer((__gm__ half*)gm);
  const int block = (int)tilingPtr - 1 - row;
  DataCopy(to.template ReinterpretCast<half>(), from[block * 32 * info->ldb + col * 32], Nd2NzParams(1, useK, useN, 0, info->ldb, (useK + 15) / 16 * 16, 1, 0));
}
__aicore__ inline void CopyOut(const __gm__ void* gm, const LocalTensor<int8_t>& co1, const void* params, const uint64_t tilingPtr, const uint64_t dataPtr) {
  const DataCopyOutParams* p = reinterpret_cast<const DataCopyOutParams*>(params);
  GlobalTensor<float> to; to.SetGlobalBuffer((__gm__ float*)gm);
  const int rows = p->burstLen / 2;
  FixpipeParamsV220 fix; fix.nSize = p->oriNSize; fix.mSize = rows; fix.srcStride = (rows + 15) / 16 * 16; fix.dstStride = p->dstStride;
  fix.reluEn = true;
  Fixpipe<float, float, CFG_ROW_MAJOR>(to, co1.template ReinterpretCast<float>(), fix);
}
)";

TEST(MatmulCallbacks, ReplaceEachCopyAlone) {
  for (const int which : {1, 2, 4, 7}) {
    const bool out = which & 4, a = which & 1, b = which & 2;
    for (const bool only_cube : {false, true}) {
      Object x{.m = 40, .n = 80, .k = 96, .only_cube = only_cube};
      x.before = kCopies;
      x.more = std::string(", CFG_NORM, MatmulCallBackFunc<") + (out ? "CopyOut" : "nullptr") + ", " +
               (a ? "CopyA" : "nullptr") + ", " + (b ? "CopyB" : "nullptr") + ">";
      const std::string set =
          only_cube ? ""
                    : "  TBuf<> i_; pipe.InitBuffer(i_, 32); auto info = i_.Get<int32_t>(); info.SetValue(0, k); "
                      "info.SetValue(1, n); info.SetValue(2, n);\n"
                      "  GlobalTensor<int32_t> g_; g_.SetGlobalBuffer((__gm__ int32_t*)ws); "
                      "SetFlag<HardEvent::S_MTE3>(0); WaitFlag<HardEvent::S_MTE3>(0); DataCopy(g_, info, 8);\n";
      // A cube core has no UB: it writes GM itself.
      const std::string by_hand =
          "  ((__gm__ int32_t*)ws)[0] = k; ((__gm__ int32_t*)ws)[1] = n; ((__gm__ int32_t*)ws)[2] = n;\n";
      for (const std::string use : {"mm.IterateAll(c);", "while (mm.Iterate()) mm.GetTensorC(c);"}) {
        if (only_cube && use[3] != 'I') continue;
        x.use = (only_cube ? by_hand : set) +
                "  mm.SetUserDefInfo(3); mm.SetSelfDefineData((uint64_t)ws); mm.SetTensorA(a); mm.SetTensorB(b); " +
                use;
        expect_values(run(x, 40 * 80), [&](int i) {
          const double value =
              dot([&](int r, int c) { return kNumbers.A(r * 96 + c); },
                  [&](int r, int c) { return kNumbers.B((b ? (2 - r / 32) * 32 + r % 32 : r) * 80 + c); }, i / 80,
                  i % 80, 96);
          return out ? std::max(value, 0.0) : value;
        });
        if (HasFatalFailure()) FAIL() << which << " " << only_cube << " " << use;
      }
    }
  }
}

TEST(MatmulCallbacks, BothVectorCoresOfEachGroupAreServed) {
  // Each of four vector cores has rows of its own.
  Object x{.m = 64, .n = 80, .k = 96};
  x.before = kCopies;
  x.tiling = "t.singleCoreM = 16;";
  x.more = ", CFG_NORM, MatmulCallBackFunc<CopyOut, CopyA, CopyB>";
  x.use =
      "  const int core = GetBlockIdx(); GM_ADDR mine = ws + core * 64;\n"
      "  TBuf<> i_; pipe.InitBuffer(i_, 32); auto info = i_.Get<int32_t>(); info.SetValue(0, k); info.SetValue(1, n); "
      "info.SetValue(2, n);\n"
      "  GlobalTensor<int32_t> g_; g_.SetGlobalBuffer((__gm__ int32_t*)mine); SetFlag<HardEvent::S_MTE3>(0); "
      "WaitFlag<HardEvent::S_MTE3>(0); DataCopy(g_, info, 8);\n"
      "  mm.SetUserDefInfo(3); mm.SetSelfDefineData((uint64_t)mine); mm.SetTensorA(a[core * 16 * k]); "
      "mm.SetTensorB(b); mm.IterateAll<false>(c[core * 16 * n]); mm.WaitIterateAll();";
  std::string source = kernel_of(x);
  const std::string only_one = "if (GetBlockIdx() != 0) return;";
  source.erase(source.find(only_one), only_one.size());
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, small_numbers(kMost, 1));
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, small_numbers(kMost, 2));
  *run_case.add_inputs() = tensor("d", proto::FLOAT32, small_numbers(1024, 3));
  add_output(run_case, "c", proto::FLOAT32, 64 * 80);
  std::uint64_t cycles = 0;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto result = run_kernel(source, "k_", run_case, {.block_dim = 2, .seed = seed});
    expect_values(result, [&](int i) {
      return std::max(0.0, dot([&](int r, int c) { return kNumbers.A(r * 96 + c); },
                               [&](int r, int c) { return kNumbers.B(((2 - r / 32) * 32 + r % 32) * 80 + c); }, i / 80,
                               i % 80, 96));
    });
    if (seed == 0) cycles = result.cycles();
    EXPECT_NEAR(static_cast<double>(result.cycles()), static_cast<double>(cycles), 0.05 * static_cast<double>(cycles));
  }
}

TEST(MatmulCallbacks, CopiesLikeTheDefaultTakeTheirTime) {
  Object x{.m = 128, .n = 128, .k = 128};
  const std::string set =
      "  ((__gm__ int32_t*)ws)[0] = k; ((__gm__ int32_t*)ws)[1] = n; mm.SetUserDefInfo(4); "
      "mm.SetSelfDefineData((uint64_t)ws); "
      "mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c);";
  x.use = set;
  x.only_cube = true;
  x.before = kCopies;
  const auto plain = run(x, 128 * 128);
  x.more = ", CFG_NORM, MatmulCallBackFunc<nullptr, CopyA, CopyB>";
  const auto own = run(x, 128 * 128);
  ASSERT_TRUE(plain.ran() && own.ran());
  const double ratio = static_cast<double>(own.cycles()) / static_cast<double>(plain.cycles());
  std::cout << "128^3 in base blocks of 16 x 32 x 32: " << plain.cycles() << " cycles, with copies of its own "
            << own.cycles() << "\n";
  EXPECT_GT(ratio, 0.7);
  EXPECT_LT(ratio, 3);  // each block is copied by an instruction, where the default copies panels
}

std::string without_registration(std::string source, const std::string& instead) {
  const std::string registered = "REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);";
  return source.replace(source.rfind(registered), registered.size(), instead);
}
proto::CaseResult run_source(const std::string& source, std::size_t outputs) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("a", proto::FLOAT16, small_numbers(kMost, 1));
  *run_case.add_inputs() = tensor("b", proto::FLOAT16, small_numbers(kMost, 2));
  *run_case.add_inputs() = tensor("d", proto::FLOAT32, small_numbers(1024, 3));
  add_output(run_case, "c", proto::FLOAT32, outputs);
  return run_kernel(source, "k_", run_case, {.block_dim = 1});
}

TEST(MatmulRegistration, AVectorCoresObjectNeedsIt) {
  for (const char* callbacks : {"", ", CFG_NORM, MatmulCallBackFunc<nullptr, CopyA>"}) {
    Object x;
    x.before = kCopies;
    x.more = callbacks;
    x.use = "  if ASCEND_IS_AIV { mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c); }";
    const auto result = run_source(without_registration(kernel_of(x), "mm.Init(&t);"), 48 * 80);
    EXPECT_EQ(errors_of(result), "argument:1");
    EXPECT_NE(result.faults(0).message().find("REGIST_MATMUL_OBJ"), std::string::npos);
  }
}

// Found by hand: the product came out right, with the tiling that was left on the stack.
TEST(MatmulRegistration, ACubeCoresObjectWithoutATilingIsRefused) {
  Object x;
  x.only_cube = true;
  x.use =
      "  mm.SetTensorA(a); mm.SetTensorB(b); mm.SetOrgShape(m, n, k); mm.SetSingleShape(m, n, k); mm.IterateAll(c);";
  expect_values(run_source(without_registration(kernel_of(x), "mm.Init(&t, &pipe);"), 48 * 80),
                [&](int i) { return plain(i, x); });
  const auto result = run_source(without_registration(kernel_of(x), ""), 48 * 80);
  EXPECT_EQ(errors_of(result), "argument:1");
  EXPECT_NE(result.faults(0).message().find("has no tiling"), std::string::npos) << result.faults(0).message();
}

// Found by hand: nothing ran, and all that was said was that the output was never written.
TEST(MatmulRegistration, ACubeCoreThatHasNoVectorCoresToServeIsTold) {
  Object x;
  x.only_cube = true;
  x.use = "  mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c);";
  std::string source = kernel_of(x);
  const std::string macro = "#define ASCENDC_CUBE_ONLY";
  source.erase(source.find(macro), macro.size());
  const auto result = run_source(source, 48 * 80);
  EXPECT_EQ(errors_of(result).substr(0, 9), "argument:") << result.ShortDebugString().substr(0, 2000);
  EXPECT_NE(result.faults(0).message().find("#define ASCENDC_CUBE_ONLY"), std::string::npos);
}

// As kernels do that split the work between their halves themselves.
TEST(MatmulRegistration, ACubeCoreOfAMixedKernelHasObjectsOfItsOwn) {
  Object x;
  x.use =
      "  if ASCEND_IS_AIC { mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c); CrossCoreSetFlag<2, PIPE_FIX>(3); }\n"
      "  if ASCEND_IS_AIV { CrossCoreWaitFlag(3); }";
  std::string source = without_registration(
      kernel_of(x), "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); mm.SetSubBlockIdx(0); mm.Init(&t, &pipe);");
  const std::string one = "if (GetBlockIdx() != 0) return;", end = "mm.End();";
  source.erase(source.find(one), one.size());
  source.erase(source.find(end), end.size());
  source.replace(source.find("  Matmul<"), 9, "  MatmulImpl<");
  expect_values(run_source(source, 48 * 80), [&](int i) { return plain(i, x); });
}

// A cube core comes back from the function that registers the objects, and meets their products there.
TEST(MatmulRegistration, TheCubeCoreTakesNoPartInItsVectorCoresProducts) {
  Object x;
  x.before = R"(struct Op {
  TPipe pipe; TCubeTiling t;
  Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
  __aicore__ inline void Init(const TCubeTiling& from) { t = from; REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t); }
  __aicore__ inline void Process(const GlobalTensor<half>& a, const GlobalTensor<half>& b, const GlobalTensor<float>& c) {
    if (GetBlockIdx() != 0) return;
    mm.SetTensorA(a); mm.SetTensorB(b); mm.IterateAll(c, 1);
  }
};
)";
  x.use =
      "  Op op; op.Init(t);\n"
      "  if (GetSubBlockIdx() == 0) { if ASCEND_IS_AIV { if (GetBlockIdx() == 0) InitOutput<float>(c, 48 * 80, 0.0f); "
      "PipeBarrier<PIPE_ALL>(); } }\n"
      "  op.Process(a, b, c);";
  std::string source = without_registration(kernel_of(x), "");
  const std::string pipe = "TPipe pipe; TCubeTiling t;\n  t.usedCoreNum", end = "mm.End();",
                    one = "if (GetBlockIdx() != 0) return;\n  GlobalTensor";
  source.replace(source.find(pipe), pipe.size(), "TCubeTiling t;\n  t.usedCoreNum");
  source.replace(source.find(one), one.size(), "GlobalTensor");
  source.erase(source.find(end), end.size());
  expect_values(run_source(source, 48 * 80), [&](int i) { return plain(i, x); });
}

}  // namespace
}  // namespace kg::npu::testing
