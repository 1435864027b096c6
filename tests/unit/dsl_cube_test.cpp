#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/interpreter.h"
#include "dsl/lower.h"
#include "dsl/parser.h"

// Products of matrices: what each pass leaves, word for word, and what it refuses; scratch tensors and barriers.
namespace kg::dsl {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Lowered forms(const std::string& source, std::map<std::string, std::int64_t> names, bool project = false) {
  LowerOptions options;
  options.bindings.names = std::move(names);
  options.bindings.cores = 8;
  options.want_forms = true;
  options.want_project = project;
  return lower(source, options);
}

constexpr const char* kGemm =
    "kernel k(a: half[M, K], b: half[N, K], g: float[N]) -> z: half[M, N]:\n"
    "  for m, n in cores(tiles(M, 64), tiles(N, 128)):\n"
    "    l0c c: float[m, n] = load g[n]\n"
    "    for k in tiles(K, 96):\n"
    "      l1 p = load a[m, k]\n"
    "      l1 q = load b[n, k]\n"
    "      c += gemm(p, transpose(q))\n"
    "    store z[m, n] = relu(c)\n";
const std::map<std::string, std::int64_t> kSizes = {{"M", 128}, {"N", 250}, {"K", 960}};

TEST(DslCube, TilingGivesThePiecesToTheCubeCores) {
  EXPECT_THAT(forms(kGemm, kSizes).tiling, Eq("cube cores 8\n"
                                              "pieceBegin = GetBlockIdx()\n"
                                              "pieceEnd = pieceBegin + 1 < 4 ? pieceBegin + 1 : 4\n"
                                              "for piece from pieceBegin to pieceEnd (1 turns)\n"
                                              "  n = (piece % 2) * 128\n"
                                              "  m = (piece / 2) * 64\n"
                                              "  nLen = N - n < 128 ? N - n : 128\n"
                                              "  cBias <- g[n, 1 x nLen]\n"
                                              "  c = cBias\n"
                                              "  for k from 0 to K by 96 (10 turns)\n"
                                              "    p <- a[m * K + k, 64 x 96]\n"
                                              "    q <- b[n * K + k, nLen x 96]\n"
                                              "    c += p x transpose q of 64 x nLen x 96\n"
                                              "  end\n"
                                              "  z[m * N + n, 64 x nLen] <- relu c\n"
                                              "end\n"));
}

TEST(DslCube, TilingChoosesTheSizesThatAreOpen) {
  const std::string open =
      "kernel k(a: half[M, K], b: half[K, N]) -> z: half[M, N]:\n  for m, n in cores(tiles(M), tiles(N)):\n    l0c c: "
      "float[m, n] = 0\n    for k in tiles(K):\n      l1 p = load a[m, k]\n      l1 q = load b[k, n]\n      c += "
      "gemm(p, q)\n    store z[m, n] = c\n";
  const std::string text = forms(open, {{"M", 1024}, {"N", 1024}, {"K", 4096}}).tiling;
  EXPECT_THAT(text, HasSubstr("cube cores 8\n"));
  EXPECT_THAT(text, Not(HasSubstr("mLen")));  // whole tiles
  EXPECT_THAT(forms(open, {{"M", 7}, {"N", 5}, {"K", 3}}).tiling, HasSubstr("c += p x q of 7 x 5 x 3"));
}

TEST(DslCube, ProductsThatABatchGivesToAllCoresAreNotCutForThem) {
  const std::string batch =
      "kernel k(a: half[B, M, K], b: half[B, K, N]) -> z: half[B, M, N]:\n  for i, m, n in cores(B, tiles(M), "
      "tiles(N)):\n    l0c c: float[m, n] = 0\n    for k in tiles(K):\n      l1 p = load a[i, m, k]\n      l1 q = load "
      "b[i, k, n]\n      c += gemm(p, q)\n    store z[i, m, n] = c\n";
  EXPECT_THAT(forms(batch, {{"B", 480}, {"M", 128}, {"N", 64}, {"K", 64}}).tiling, HasSubstr("x q of 128 x 64 x 32"));
  EXPECT_THAT(forms(batch, {{"B", 1}, {"M", 128}, {"N", 64}, {"K", 64}}).tiling, Not(HasSubstr("x q of 128 x 64")));
}

TEST(DslCube, InitialisationDoublesWhatFits) {
  const std::string text = forms(kGemm, kSizes).initialisation;
  EXPECT_THAT(text, HasSubstr("p: half[64, 96], L1, queue of 2 x 12288 bytes"));
  EXPECT_THAT(text, HasSubstr("q: half[128, 96], L1, queue of 2 x 24576 bytes"));
  EXPECT_THAT(text, HasSubstr("c: float[64, 128], L0C, queue of 2 x 32768 bytes"));
  EXPECT_THAT(text, HasSubstr("cBias: float[1, 128], L1 and the bias table, queue of 1 x 512 bytes"));
  EXPECT_THAT(text, HasSubstr("line 7: k in pieces of 96\nL0A 2 x 12288 bytes, L0B 2 x 24576\n"));
}

TEST(DslCube, InitialisationRefusesWhatTheMemoriesDoNotHold) {
  const auto with = [](const std::string& sizes, const std::string& depth, const std::string& begin) {
    return "kernel k(a: float[M, K], b: float[N, K], g: float[N]) -> z: float[M, N]:\n  for m, n in cores(" + sizes +
           "):\n    l0c c: float[m, n] = " + begin + "\n    for k in tiles(K, " + depth +
           "):\n      l1 p = load a[m, k]\n      l1 q = load b[n, k]\n      c += gemm(p, transpose(q))\n    store z[m, "
           "n] = c\n";
  };
  const std::map<std::string, std::int64_t> sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}};
  EXPECT_THAT(forms(with("tiles(M, 256), tiles(N, 256)", "32", "0"), sizes).refusal,
              Eq("line 3: buffers: the matrices take 262144 bytes of L0C, which has 131072; take smaller tiles"));
  EXPECT_THAT(forms(with("tiles(M, 128), tiles(N, 128)", "2048", "0"), sizes).refusal,
              StartsWith("line 5: buffers: the matrices take 2097152 bytes of L1, which has 524288"));
  EXPECT_THAT(forms(with("tiles(M, 1024), tiles(N, 16)", "16", "0"), sizes).refusal,
              StartsWith("line 5: buffers: the matrices take 131072 bytes of L0, which has 65536"));
  EXPECT_THAT(forms(with("tiles(M, 16), tiles(N, 512)", "16", "load g[n]"), sizes).refusal,
              Eq("line 3: buffers: the bias table holds 256 columns, these are 512"));
}

TEST(DslCube, ProcessingWritesStagesOfTheCubeCore) {
  const std::string text = forms(kGemm, kSizes).processing;
  EXPECT_THAT(text, HasSubstr("    LocalTensor<half> p = pQueue.AllocTensor<half>();\n"
                              "    DataCopy(p, aGm[m * K + k], Nd2NzParams(1, 64, 96, 0, K, 64, 1, 0));\n"
                              "    pQueue.EnQue(p);\n"));
  EXPECT_THAT(text, HasSubstr("Nd2NzParams(1, nLen, 96, 0, K, (nLen + 15) / 16 * 16, 1, 0)"));
  EXPECT_THAT(text,
              HasSubstr("    Multiply<false, true>(l0aQueue, l0bQueue, c, p, q, 64, nLen, 96, 96, cBegins, cTable);\n"
                        "    cBegins = false;\n    pQueue.FreeTensor(p);\n    qQueue.FreeTensor(q);\n"));
  EXPECT_THAT(text,
              HasSubstr("  Fixpipe<half, float, CFG_ROW_MAJOR>(zGm[m * N + n], c, FixpipeParamsV220(nLen, 64, 64, "
                        "N, true, QuantMode_t::F322F16, 0));\n  cQueue.FreeTensor(c);\n"
                        "  cTableQueue.FreeTensor(cTable);\n"));
}

TEST(DslCube, ElementsOfFourBytesThatAreTransposedLieInPanels) {
  const std::string source =
      "kernel k(a: float[M, K], b: float[K, N]) -> z: float[M, N]:\n  for m in cores(tiles(M, 16)):\n    l0c c: "
      "float[m, "
      "N] = 0\n    l1 p = load a[m, :]\n    l1 q = load b[:, :]\n    c += gemm(p, q)\n    store z[m, :] = c\n";
  const std::string text = forms(source, {{"M", 32}, {"N", 24}, {"K", 40}}).processing;
  EXPECT_THAT(text, HasSubstr("CopyPanels(q, bGm, 40, 24, N);"));
  EXPECT_THAT(text, HasSubstr("DataCopy(p, aGm[m * K], Nd2NzParams(1, 16, 40, 0, K, 16, 1, 0));"));
}

constexpr const char* kPhases =
    "kernel k(a: half[M, K], b: half[K, N]) -> z: float[M, N]:\n"
    "  scratch s: float[M, N]\n"
    "  for m in cores(tiles(M, 16)):\n"
    "    l0c c: float[m, N] = 0\n"
    "    l1 p = load a[m, :]\n"
    "    l1 q = load b[:, :]\n"
    "    c += gemm(p, q)\n"
    "    store s[m, :] = c\n"
    "  barrier\n"
    "  for r in cores(M):\n"
    "    store z[r, :] = exp(load s[r, :])\n";

TEST(DslCube, KernelsOfBothKindsOfCoreMeetAtTheBarrier) {
  const Lowered result = forms(kPhases, {{"M", 64}, {"N", 32}, {"K", 48}}, /*project=*/true);
  ASSERT_TRUE(result.ok) << result.refusal;
  EXPECT_THAT(result.source, HasSubstr("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);"));
  std::size_t meetings = 0;
  for (std::size_t at = result.source.find("SyncAll<false>();"); at != std::string::npos;
       at = result.source.find("SyncAll<false>();", at + 1))
    ++meetings;
  EXPECT_EQ(meetings, 2u) << result.source;
  EXPECT_THAT(result.tiling, HasSubstr("cores 16\n"));  // two vector cores for each of 8 cube cores
  EXPECT_EQ(result.workspace_bytes, 64u * 32 * 4);
  EXPECT_EQ(result.blocks, 8u);
  EXPECT_THAT(result.source, HasSubstr("// Launched in 8 blocks of a cube core and its two vector cores.\n"));
  EXPECT_THAT(result.project.at(1).text, HasSubstr("context->SetBlockDim(8);"));
  EXPECT_THAT(result.project.at(1).text, HasSubstr("platform.GetLibApiWorkSpaceSize() + 8192;"));
}

TEST(DslCube, ProgramsWithoutVectorWorkRunOnCubeCoresAlone) {
  EXPECT_THAT(forms(kGemm, kSizes).source, HasSubstr("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);"));
  EXPECT_THAT(forms(kGemm, kSizes).source, Not(HasSubstr("ASCEND_IS_AIC")));
}

TEST(DslCube, TheInterpreterAddsProductsUp) {
  Bindings bindings;
  bindings.names = {{"M", 2}, {"N", 2}, {"K", 3}};
  const std::string source =
      "kernel k(a: float[M, K], b: float[K, N], g: float[N]) -> z: float[M, N]:\n  for m, n in cores(tiles(M, 1), "
      "tiles(N, 2)):\n    l0c c: float[m, n] = load g[n]\n    for k in tiles(K, 2):\n      l1 p = load a[m, k]\n      "
      "l1 q = "
      "load b[k, n]\n      c += gemm(p, q)\n    store z[m, n] = relu(c)\n";
  EXPECT_THAT(
      interpret(check(parse(source), bindings, {}), {{1, 2, 3, -1, -2, -3}, {1, 2, 3, 4, 5, 6}, {10, 20}}).at(0),
      ElementsAre(32, 48, 0, 0));
}

struct WrongProduct {
  std::string from, to, message;  // what is changed in kPhases
};

TEST(DslCube, EveryBrokenRuleIsNamedWithItsLineAndConstruct) {
  const std::vector<WrongProduct> wrong = {
      {"gemm(p, q)", "gemm(p)", "line 7: c += gemm(p): gemm takes two matrices"},
      {"gemm(p, q)", "gemm(q, p)",
       "line 7: c += gemm(q, p): [48, 32] times [16, 48] does not give [16, 32]; the first has the rows"},
      {"gemm(p, q)", "gemm(p, c)", "line 7: c: gemm takes matrices in L1, not float[16, 32] in L0C; load it with l1"},
      {"gemm(p, q)", "gemm(p, load b[:, :])", "line 7: load b[:, :]: gemm takes matrices in L1"},
      {"c += gemm(p, q)", "d += gemm(p, q)", "line 7: d += gemm(p, q): gemm is added to sums in L0C"},
      {"c += gemm(p, q)", "c = gemm(p, q)", "line 7: gemm(p, q): products are added to sums in L0C"},
      {"    c += gemm(p, q)\n", "", "line 7: store s[m, :]: c has no gemm before this store"},
      {"store s[m, :] = c", "store s[m, :] = exp(c)",
       "line 8: store s[m, :]: the cube cores store sums, or relu of sums"},
      {"store s[m, :] = c", "store s[m, 0:16] = c",
       "line 8: store s[m, 0:16]: the place is [16, 16], the value [16, 32]"},
      {"l1 p = load a[m, :]", "l1 p = load a[m, 0]",
       "line 5: load a[m, 0]: the last two indices of a matrix are tile ranges or slices"},
      {"l1 p = load a[m, :]", "l1 p = load a[m, :] pad 0", "line 5: l1 p: a matrix is loaded from GM unchanged"},
      {"l1 p = load a[m, :]", "l1 p = load x[m, :]", "line 5: load x[m, :]: there is no input x"},
      {"l1 p = load a[m, :]", "p = load a[m, :]", "line 5: p: a loop with gemm runs on the cube cores, which know l1"},
      {"l0c c: float[m, N] = 0", "l0c c: half[m, N] = 0", "line 4: l0c c: the cube cores sum in float"},
      {"l0c c: float[m, N] = 0", "l0c c: float[m] = 0", "line 4: l0c c: a matrix has rows and columns"},
      {"l0c c: float[m, N] = 0", "l0c c: float[m, N] = 1", "line 4: 1: sums begin with 0, or with a row of float"},
      {"in cores(tiles(M, 16))", "in tiles(M, 16)",
       "line 4: c: l1, l0c and gemm belong in a loop over cores(...) at the top of the kernel"},
      {"  barrier\n", "", "line 10: load s[r, :]: s is stored since the last barrier; put 'barrier' between"},
      {"    store s[m, :] = c\n", "    store z[m, :] = c\n", "line 11: load s[r, :]: nothing was stored to s before"},
      {"scratch s: float[M, N]", "scratch s: float[M, 0]",
       "line 2: scratch s: an extent is at least 1 and a scratch tensor at most 2^32 elements"},
      {"scratch s: float[M, N]", "scratch a: float[M, N]", "line 2: a: a is a tensor in global memory"},
      {"  scratch s: float[M, N]\n", "  scratch s: float[M, N]\n  u = 3\n  if u > 2:\n    scratch t: float[M]\n",
       "line 5: scratch t: a scratch tensor is declared outside of loops and conditions"},
      {"a: half[M, K], b: half[K, N]", "a: half[M, K], b: bfloat16[K, N]",
       "line 7: c += gemm(p, q): the matrices are half and bfloat16; the cube takes one type"},
      {"a: half[M, K], b: half[K, N]", "a: int8[M, K], b: int8[K, N]",
       "line 5: load a[m, :]: the cube cores multiply half, bfloat16 and float here, not int8"},
      {"    c += gemm(p, q)\n", "    for i in range(0):\n      c += gemm(p, q)\n",
       "line 7: 0: a loop of the cube cores has constant ends and at least one turn"},
      {"  for m in", "  u = 16\n  for i in range(2):\n    u += 16\n  for m in", ""},
      {"store s[m, :] = c", "store s[m, :] = c\n    c += gemm(p, q)",
       "line 9: c += gemm(p, q): c was stored already; its last gemm must come before its first store"},
  };
  for (const WrongProduct& each : wrong) {
    std::string source = kPhases;
    const std::size_t at = source.find(each.from);
    ASSERT_NE(at, std::string::npos) << each.from;
    source.replace(at, each.from.size(), each.to);
    const Lowered result = forms(source, {{"M", 64}, {"N", 32}, {"K", 48}});
    if (each.message.empty()) {
      EXPECT_TRUE(result.ok) << result.refusal;
      continue;
    }
    EXPECT_FALSE(result.ok) << source;
    EXPECT_THAT(result.refusal, StartsWith(each.message)) << source;
  }
}

TEST(DslCube, NamesOfTheVectorCoresAreNotSeenByTheCubeCores) {
  std::string source = kPhases;
  source.replace(source.find("  for m in"), 0, "  u = 0\n");
  source.replace(source.find("l1 p = load a[m, :]"), 19, "l1 p = load a[m, u:u + 48]");
  EXPECT_THAT(forms(source, {{"M", 64}, {"N", 32}, {"K", 48}}).refusal,
              StartsWith("line 6: u: this name belongs to the vector cores"));
}

TEST(DslCube, GarbageIsRefusedNotCrashedOn) {
  const std::string good = kPhases;
  for (std::size_t i = 0; i < good.size(); ++i) {
    forms(good.substr(0, i), {{"M", 64}, {"N", 32}, {"K", 48}});
    std::string changed = good;
    for (const char c : {'(', '[', ' ', '\n', ':', '9', 'x', '\0'}) {
      changed[i] = c;
      forms(changed, {{"M", 64}, {"N", 32}, {"K", 48}});
    }
  }
}

}  // namespace
}  // namespace kg::dsl
