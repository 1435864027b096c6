// What a prompt's operators say without a model.
#include <gmock/gmock.h>

#include "dataset/cot/modules/translation.h"
#include "dsl/check.h"
#include "dsl/parser.h"

namespace kg::dataset::cot::modules {
namespace {

using ::testing::HasSubstr;

std::string program_of(const std::string& tensors, const std::string& lines) {
  return translation("Write the kernel custom_op in the DSL for 48 cores.\n" + tensors +
                     "\nPyTorch's operators, one by one:\n```\n" + lines + "\n```")
      .value_or("none");
}

TEST(Translation, OfElementsIsOneLoopOverAll) {
  EXPECT_EQ(
      program_of("Inputs x: float[8,512]; k: float[1]\nOutput out: float[8,512]", "t1 = tanh(x)\nout = mul(t1, k)"),
      "kernel custom_op(x: float[N], k: float[1]) -> out: float[N]:\n"
      "  k_ = load k[0]\n"
      "  for t in cores(tiles(N)):\n"
      "    x_ = load x[t]\n"
      "    t1 = tanh(x_)\n"
      "    store out[t] = t1 * k_\n");
}

TEST(Translation, OfConditionsStoresThemAsNumbers) {
  EXPECT_EQ(program_of("Inputs x: float[8,512]; y: float[8,512]\nOutputs out0: float[8,512]; out1: bool[8,512]",
                       "t1 = isinf(x)\nt2 = gt(x, y)\nout0 = where(t1, y, x)\nout1 = logical_xor(t1, t2)"),
            "kernel custom_op(x: float[N], y: float[N]) -> (out0: float[N], out1: bool[N]):\n"
            "  for t in cores(tiles(N)):\n"
            "    x_ = load x[t]\n"
            "    y_ = load y[t]\n"
            "    t1 = abs(x_) == inf\n"
            "    t2 = x_ > y_\n"
            "    store out0[t] = where(t1, y_, x_)\n"
            "    store out1[t] = where((t1 & not t2) | (t2 & not t1), 1, 0)\n");
}

TEST(Translation, OfConditionsTakesNumbersForTrueWhereTheyAreNotZero) {
  EXPECT_EQ(
      program_of(
          "Inputs x: float[512]; y: float[512]\nOutputs out0: bool[512]; out1: bool[512]",
          "t1 = lt(x, 1)\nt2 = gt(y, 1)\nt3 = bitwise_xor(t1, t2)\nout0 = logical_and(t3, y)\nout1 = logical_not(x)"),
      "kernel custom_op(x: float[N], y: float[N]) -> (out0: bool[N], out1: bool[N]):\n"
      "  for t in cores(tiles(N)):\n"
      "    x_ = load x[t]\n"
      "    y_ = load y[t]\n"
      "    t1 = x_ < 1\n"
      "    t2 = y_ > 1\n"
      "    t3 = (t1 & not t2) | (t2 & not t1)\n"
      "    store out0[t] = where(t3 & (y_ != 0), 1, 0)\n"
      "    store out1[t] = where(not (x_ != 0), 1, 0)\n");
}

TEST(Translation, OfRowsTakesTheLastAxes) {
  EXPECT_EQ(program_of("Inputs x: half[4,8,500]; w: half[500]\nOutput out: half[4,8,500]",
                       "t1 [4,8,1] = amax(x, 2, keepdim)\nt2 = sub(x, t1)\nout = mul(t2, w)"),
            "kernel custom_op(x: half[A, B, C], w: half[C]) -> out: half[A, B, C]:\n"
            "  w_ = load w[:]\n"
            "  for i0, i1 in cores(A, B):\n"
            "    x_ = load x[i0, i1, :]\n"
            "    t1 = max(x_)\n"
            "    t2 = x_ - t1\n"
            "    store out[i0, i1, :] = t2 * w_\n");
}

TEST(Translation, OfAllElementsGoesOverThemOnceForEachThatWaits) {
  EXPECT_EQ(program_of("Input x: float[8,512]\nOutput out: float[8,512]",
                       "t1 [] = mean(x)\nt2 = sub(x, t1)\nt3 = pow(t2, 2)\nt4 [] = sum(t3)\nout = div(t2, t4)"),
            "kernel custom_op(x: float[A, B]) -> out: float[A, B]:\n"
            "  s1 = 0\n"
            "  for t in cores(tiles(A * B)):\n"
            "    x_ = load x[t]\n"
            "    s1 += sum(x_)\n"
            "  t1 = all_sum(s1) / (A * B)\n"
            "  s2 = 0\n"
            "  for t in cores(tiles(A * B)):\n"
            "    x_ = load x[t]\n"
            "    t2 = x_ - t1\n"
            "    t3 = t2 * t2\n"
            "    s2 += sum(t3)\n"
            "  t4 = all_sum(s2)\n"
            "  for t in cores(tiles(A * B)):\n"
            "    x_ = load x[t]\n"
            "    t2 = x_ - t1\n"
            "    store out[t] = t2 / t4\n");
}

TEST(Translation, OfAMiddleAxisGathersTiles) {
  EXPECT_EQ(program_of("Input x: float[4,30,64]\nOutput out: float[4,64]", "t1 [4,64] = sum(x, 1)\nout = sqrt(t1)"),
            "kernel custom_op(x: float[A, B, C]) -> out: float[A, C]:\n"
            "  for i0, t in cores(A, tiles(C)):\n"
            "    s1 = zeros(len(t))\n"
            "    for i1 in range(B):\n"
            "      x_ = load x[i0, i1, t]\n"
            "      s1 += x_\n"
            "    t1 = s1\n"
            "    store out[i0, t] = sqrt(t1)\n");
}

TEST(Translation, OfABatchGathersTheNumbersOfAChannel) {
  EXPECT_EQ(program_of("Inputs x: float[4,3,8,10]; w: float[3]\nOutput out: float[4,3,8,10]",
                       "t1 [1,3,1,1] = mean(x, [0, 2, 3], keepdim)\nt2 [3,1,1] = view(w)\nt3 [1,3,1,1] = mul(t1, t2)\n"
                       "out = sub(x, t3)"),
            "kernel custom_op(x: float[A, B, C, D], w: float[B]) -> out: float[A, B, C, D]:\n"
            "  for i1 in cores(B):\n"
            "    w_ = load w[i1]\n"
            "    t2 = w_\n"
            "    s1 = 0\n"
            "    for i0 in range(A):\n"
            "      for t in tiles(C * D):\n"
            "        x_ = load x[i0, i1, t]\n"
            "        s1 += sum(x_)\n"
            "    t1 = s1 / (A * C * D)\n"
            "    t3 = t1 * t2\n"
            "    for i0 in range(A):\n"
            "      for t in tiles(C * D):\n"
            "        x_ = load x[i0, i1, t]\n"
            "        store out[i0, i1, t] = x_ - t3\n");
}

TEST(Translation, OfAllElementsWithANumberForEachRowWalksRows) {
  EXPECT_EQ(program_of("Inputs x: float[64,100]; w: float[64]\nOutput out: float[]",
                       "t1 [64,1] = unsqueeze(w, 1)\nt2 = mul(x, t1)\nout [] = sum(t2)"),
            "kernel custom_op(x: float[A, B], w: float[A]) -> out: float[1]:\n"
            "  s1 = 0\n"
            "  for i0, t in cores(A, tiles(B)):\n"
            "    x_ = load x[i0, t]\n"
            "    w_ = load w[i0]\n"
            "    t1 = w_\n"
            "    t2 = x_ * t1\n"
            "    s1 += sum(t2)\n"
            "  store out[0] = all_sum(s1)\n");
}

TEST(Translation, OfHalvesLoadsEach) {
  EXPECT_EQ(program_of("Input x: float[64,1024]\nOutput out: float[64,512]",
                       "t1 [64,512] = slice(x, 1, 0, 512)\nt2 [64,512] = slice(x, 1, 512, 1024)\nt3 = sigmoid(t2)\n"
                       "out = mul(t1, t3)"),
            "kernel custom_op(x: float[A, S0]) -> out: float[A, B]:\n"
            "  for i0 in cores(A):\n"
            "    t1 = load x[i0, 0:B]\n"
            "    t2 = load x[i0, S0 - B:S0 - B + B]\n"
            "    t3 = sigmoid(t2)\n"
            "    store out[i0, :] = t1 * t3\n");
}

// A table of positions has fewer axes than what it is added to.
TEST(Translation, APartOfASmallerInputKeepsItsShape) {
  const std::string program =
      program_of("Inputs x: float[4,4,4,512]; table: float[1,200,512]\nOutput out: float[4,4,4,512]",
                 "t1 [1,4,512] = slice(table, 1, 0, 4)\nout = add(x, t1)");
  EXPECT_THAT(program, HasSubstr("table: float[1, E, D]"));
}

TEST(Translation, OfRowsWhoseNumbersAreJoinedSumsThemUp) {
  EXPECT_EQ(program_of("Inputs x: float[64,1000]; y: int64[64]\nOutput out: float[]",
                       "t1 = log_softmax(x, 1)\nout [] = nll_loss(t1, y, None, mean, -100)"),
            "kernel custom_op(x: float[A, B], y: int64[A]) -> out: float[1]:\n"
            "  s1 = 0\n"
            "  for i0 in cores(A):\n"
            "    x_ = load x[i0, :]\n"
            "    y_ = load y[i0]\n"
            "    a = x_ - max(x_)\n"
            "    t1 = a - log(sum(exp(a)))\n"
            "    s1 += -t1[y_]\n"
            "  store out[0] = all_sum(s1) / A\n");
}

TEST(Translation, OfALossIsMadeOfItsOperators) {
  const std::string program =
      program_of("Inputs a: float[64,100]; b: float[64,100]\nOutput out: float[]", "out [] = mse_loss(a, b)");
  EXPECT_THAT(program, HasSubstr("    outa = a_ - b_\n    outb = outa * outa\n    s1 += sum(outb)\n"));
  EXPECT_THAT(program, HasSubstr("  store out[0] = all_sum(s1) / (A * B)\n"));
}

TEST(Translation, OfWindowsGoesOverThemAndThenAlongTheRow) {
  EXPECT_EQ(program_of("Input x: float[2,3,20,30]\nOutput out: float[2,3,10,15]",
                       "t1 [2,3,10,15] = max_pool2d(x, [3, 3], [2, 2], [1, 1])\nout = mul(t1, 2)"),
            "kernel custom_op(x: float[P, H, W]) -> out: float[P, I, J]:\n"
            "  for p, i in cores(P, I):\n"
            "    s = full(W + 2, -inf)\n"
            "    for h in range(max(2 * i - 1, 0), min(2 * i + 2, H)):\n"
            "      s = max(s, load x[p, h, -1:W + 1] pad -inf)\n"
            "    t1 = s[0:2 * J - 1:2]\n"
            "    for k in range(1, 3):\n"
            "      t1 = max(t1, s[k:k + 2 * J - 1:2])\n"
            "    store out[p, i, :] = t1 * 2\n");
}

TEST(Translation, IsNoneForWhatItDoesNotKnow) {
  EXPECT_EQ(program_of("Input x: float[8,512]\nOutput out: float[8,512]", "out = argsort(x, 1)"), "none");
  EXPECT_FALSE(translation("Write the kernel custom_op in the DSL for 48 cores."));
}

}  // namespace
}  // namespace kg::dataset::cot::modules
