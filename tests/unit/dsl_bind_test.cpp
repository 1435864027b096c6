#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "dsl/bind.h"
#include "dsl/lower.h"
#include "dsl/match_tensors.h"
#include "dsl/parser.h"

// Which of a task's tensors a program's parameters stand for.
namespace kg::dsl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TensorShape in(const std::string& name, bool absent = false, bool optional = false) {
  return {.dtype = proto::FLOAT32, .shape = {64}, .name = name, .absent = absent, .optional = optional};
}
TensorShape out(const std::string& name) {
  return {.dtype = proto::FLOAT32, .shape = {64}, .name = name, .output = true};
}

Program program(const std::string& inputs, const std::string& outputs = "z: float[N]") {
  return parse("kernel k(" + inputs + ") -> " + outputs +
               ":\n  for t in cores(tiles(N)):\n    store z[t] = load a[t]\n");
}

TEST(DslBind, ByNameWhereAllNamesAreTheTasks) {
  const std::vector<TensorShape> tensors = {in("a"), in("b"), out("y")};
  EXPECT_THAT(match_tensors(program("b: float[N], a: float[N]"), tensors), ElementsAre(1, 0, 2));
  EXPECT_THAT(match_tensors(program("a: float[N]"), tensors), ElementsAre(0, 2)) << "a program need not read all";
}

TEST(DslBind, InOrderElsewhere) {
  const std::vector<TensorShape> tensors = {in("x"), in("bias", /*absent=*/true), in("scale"), out("y")};
  EXPECT_THAT(match_tensors(program("a: float[N], b: float[N]"), tensors), ElementsAre(0, 2, 3));
  EXPECT_THAT(match_tensors(program("a: float[N], n: float[N], b: float[N]"), tensors), ElementsAre(0, 1, 2, 3));
  EXPECT_THROW(match_tensors(program("a: float[N]"), tensors), std::exception);
  const std::vector<TensorShape> module = {in("x"), in("weight", false, /*optional=*/true), out("y")};
  EXPECT_THAT(match_tensors(program("a: float[N]"), module), ElementsAre(0, 2));
  EXPECT_THAT(match_tensors(program("a: float[N], g: float[N]"), module), ElementsAre(0, 1, 2));
}

TEST(DslBind, OutputsAreNeverTakenForInputs) {
  const std::vector<TensorShape> tensors = {in("x"), out("a")};
  EXPECT_THAT(match_tensors(program("a: float[N]"), tensors), ElementsAre(0, 1));
}

TEST(DslBind, TheLaunchedFunctionHasAParameterForEachTensor) {
  LowerOptions options;
  options.bindings.tensors = {in("x"), in("unread"), in("a"), out("y")};
  options.entry_point = "entry";
  Lowered lowered = lower(
      "kernel k(a: float[N]) -> z: float[N]:\n  for t in cores(tiles(N)):\n    store z[t] = load a[t]\n", options);
  ASSERT_TRUE(lowered.ok) << lowered.refusal;
  EXPECT_THAT(lowered.source, HasSubstr("void entry(GM_ADDR unused0, GM_ADDR unused1, GM_ADDR a, GM_ADDR z) {"));
  EXPECT_THAT(lowered.tensors, ElementsAre(2, 3));
  options.compact = true;
  lowered = lower("kernel k(a: float[N]) -> z: float[N]:\n  for t in cores(tiles(N)):\n    store z[t] = load a[t]\n",
                  options);
  EXPECT_THAT(lowered.source, HasSubstr("void entry(GM_ADDR punused0, GM_ADDR punused1, GM_ADDR pa, GM_ADDR pz) {"));
}

Lowered lowered_for(const std::string& text, std::vector<TensorShape> tensors) {
  LowerOptions options;
  options.bindings.tensors = in_pairs(std::move(tensors));
  return lower(text, options);
}

TEST(DslBind, NamesOfOtherParametersDecideHowDimensionsAreFolded) {
  const std::string text =
      "kernel k(x: float[R, C], g: float[C]) -> z: float[R, C]:\n  w = load g[:]\n  for r in cores(R):\n"
      "    store z[r, :] = load x[r, :] * w\n";
  const Lowered lowered = lowered_for(text, {{.shape = {10, 5, 20}}, {.shape = {5, 20}}, {.shape = {10, 5, 20}}});
  ASSERT_TRUE(lowered.ok) << lowered.refusal;
  EXPECT_THAT(lowered.source, HasSubstr("C = 100;"));
  EXPECT_THAT(lowered_for(text, {{.shape = {10, 5, 20}}, {.shape = {20}}, {.shape = {10, 5, 20}}}).source,
              HasSubstr("R = 50;"));
  EXPECT_FALSE(lowered_for(text, {{.shape = {10, 5, 20}}, {.shape = {30}}, {.shape = {10, 5, 20}}}).ok);
}

// Folding the leading dimensions of x would make B 6, which y has no dimension for.
TEST(DslBind, AFoldingThatLeavesAnotherTensorNoneGivesWay) {
  const std::string text =
      "kernel k(x: float[A, B], y: float[B, C]) -> z: float[A, B]:\n  for r in cores(A):\n"
      "    store z[r, :] = load x[r, :]\n";
  const Lowered lowered = lowered_for(text, {{.shape = {4, 5, 6}}, {.shape = {30, 2, 2}}, {.shape = {4, 5, 6}}});
  ASSERT_TRUE(lowered.ok) << lowered.refusal;
  EXPECT_THAT(lowered.source, HasSubstr("B = 30;"));
  const Lowered none = lowered_for(text, {{.shape = {4, 5, 6}}, {.shape = {7, 2, 2}}, {.shape = {4, 5, 6}}});
  EXPECT_THAT(none.refusal, HasSubstr("B is"));
  // B may be 20 or 60: of two that fit all tensors, that which folds the leading dimensions of the first.
  const Lowered two = lowered_for(text, {{.shape = {2, 3, 4, 5}}, {.shape = {20, 3, 2}}, {.shape = {2, 3, 4, 5}}});
  ASSERT_TRUE(two.ok) << two.refusal;
  EXPECT_THAT(two.source, HasSubstr("B = 20;"));
}

TEST(DslBind, ExtentsThatAreNumbersCutTheElementsInAnotherWay) {
  const std::string text =
      "kernel k(x: float[8, 2, 4]) -> z: float[8, 4]:\n  for r in cores(8):\n    store z[r, :] = load x[r, 1, :]\n";
  EXPECT_TRUE(lowered_for(text, {{.shape = {8, 8}}, {.shape = {32}}}).ok);
  EXPECT_FALSE(lowered_for(text, {{.shape = {8, 9}}, {.shape = {32}}}).ok);
}

TEST(DslBind, AnotherNumberInFrontCutsTheElementsInAnotherWay) {
  const std::string groups =
      "kernel k(w: float[4, E // 4, 5], g: float[E]) -> z: float[E, 5]:\n  for r, q in cores(4, E // 4):\n"
      "    store z[r * (E // 4) + q, :] = load w[r, q, :]\n";
  EXPECT_TRUE(lowered_for(groups, {{.shape = {16, 1, 5, 1}}, {.shape = {16}}, {.shape = {16, 5}}}).ok);
  EXPECT_FALSE(lowered_for(groups, {{.shape = {16, 1, 6, 1}}, {.shape = {16}}, {.shape = {16, 5}}}).ok);

  const std::string text =
      "kernel k(x: float[1, C, 9 * D], g: float[C], h: float[D]) -> z: float[C, D]:\n  for r in cores(C):\n"
      "    store z[r, :] = load x[0, r, 0:D]\n";
  const Lowered lowered = lowered_for(text, {{.shape = {4, 3, 9}}, {.shape = {4}}, {.shape = {3}}, {.shape = {4, 3}}});
  ASSERT_TRUE(lowered.ok) << lowered.refusal;
  EXPECT_THAT(lowered.source, HasSubstr("C = 4;"));
  EXPECT_FALSE(lowered_for(text, {{.shape = {4, 3, 8}}, {.shape = {4}}, {.shape = {3}}, {.shape = {4, 3}}}).ok);
}

TEST(DslBind, ComplexNumbersArePairsOfFloat) {
  const std::string text =
      "kernel k(x: float[N, 2]) -> z: float[N, 2]:\n  for t in cores(tiles(N)):\n    store z[t, :] = load x[t, :]\n";
  const Lowered lowered =
      lowered_for(text, {{.dtype = proto::COMPLEX64, .shape = {6}}, {.dtype = proto::COMPLEX64, .shape = {6}}});
  ASSERT_TRUE(lowered.ok) << lowered.refusal;
  EXPECT_THAT(lowered.source, HasSubstr("N = 6;"));
}

TEST(DslBind, OfDoubleOnlyNumbersAreLoaded) {
  const std::vector<TensorShape> tensors = {{.shape = {64}}, {.dtype = proto::FLOAT64, .shape = {4}}, {.shape = {64}}};
  const std::string head = "kernel k(x: float[N], s: double[K]) -> z: float[N]:\n";
  const Lowered number =
      lowered_for(head + "  f = load s[2]\n  for t in cores(tiles(N)):\n    store z[t] = load x[t] * f\n", tensors);
  ASSERT_TRUE(number.ok) << number.refusal;
  EXPECT_THAT(number.source, HasSubstr("FloatOfDouble(sGm.GetValue(2))"));
  EXPECT_THAT(lowered_for(head + "  f = load s[:]\n  store z[0] = sum(load x[:])\n", tensors).refusal,
              HasSubstr("one at a time"));
}

TEST(DslBind, NumbersFillOutputsOfEveryType) {
  for (const auto& [dtype, name] : {std::pair{proto::INT64, "int64"},
                                    {proto::INT8, "int8"},
                                    {proto::UINT8, "uint8"},
                                    {proto::BOOL, "bool"},
                                    {proto::BFLOAT16, "bfloat16"}}) {
    const Lowered lowered = lowered_for("kernel k(x: int32[1]) -> z: " + std::string(name) +
                                            "[N]:\n  v = load x[0]\n  for t in cores(tiles(N)):\n    store z[t] = v\n",
                                        {{.dtype = proto::INT32, .shape = {1}}, {.dtype = dtype, .shape = {1000}}});
    EXPECT_TRUE(lowered.ok) << name << ": " << lowered.refusal;
  }
}

}  // namespace
}  // namespace kg::dsl
