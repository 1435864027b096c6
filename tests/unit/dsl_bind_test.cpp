#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kg::dsl
