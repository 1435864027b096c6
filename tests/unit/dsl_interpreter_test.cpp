#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dsl/functions.h"
#include "dsl/interpreter.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"
#include "operators/operators.h"

namespace kg::dsl {
namespace {

using ::testing::ElementsAre;

Values run(const std::string& source, const std::vector<Values>& inputs, std::map<std::string, std::int64_t> names,
           int cores = 2) {
  Bindings bindings;
  bindings.names = std::move(names);
  bindings.cores = cores;
  return interpret(check(parse(source), bindings, {.tile = 128}), inputs).at(0);
}

TEST(DslInterpreter, RowsAreCutOverCoresAndReduced) {
  EXPECT_THAT(run("kernel k(x: float[R, C]) -> z: float[R]:\n  for r in cores(R):\n    a = load x[r, :]\n    store "
                  "z[r] = sum(a * a) - max(a)\n",
                  {{1, 2, 3, 4, 5, 6}}, {{"R", 3}, {"C", 2}}),
              ElementsAre(3, 21, 55));
}

TEST(DslInterpreter, EveryOperationRoundsToItsType) {
  // 2049 and 1 + 2^-11 are no halves: the tie goes to even.
  EXPECT_THAT(
      run("kernel k(x: half[2]) -> z: float[2]:\n  a = load x[:] as half\n  store z[:] = a + 1\n", {{2048, 2050}}, {}),
      ElementsAre(2048, 2052));
  EXPECT_THAT(run("kernel k(x: half[2]) -> z: float[2]:\n  store z[:] = load x[:] + 1\n", {{2048, 2050}}, {}),
              ElementsAre(2049, 2051));
  EXPECT_THAT(run("kernel k(x: float[1]) -> z: bfloat16[1]:\n  store z[:] = load x[:]\n", {{1.00390625}}, {}),
              ElementsAre(1));
}

TEST(DslInterpreter, PaddedLoadsSlicesScansAndGather) {
  EXPECT_THAT(run("kernel k(x: float[4]) -> z: float[6]:\n  store z[:] = load x[-1:5] pad 9\n", {{1, 2, 3, 4}}, {}),
              ElementsAre(9, 1, 2, 3, 4, 9));
  EXPECT_THAT(run("kernel k(x: float[6]) -> z: float[3]:\n  a = load x[:]\n  store z[:] = a[1:6:2]\n",
                  {{0, 1, 2, 3, 4, 5}}, {}),
              ElementsAre(1, 3, 5));
  EXPECT_THAT(
      run("kernel k(x: float[4]) -> z: float[4]:\n  store z[:] = flip(cumsum(load x[:]))\n", {{1, 2, 3, 4}}, {}),
      ElementsAre(10, 6, 3, 1));
  EXPECT_THAT(run("kernel k(x: float[4]) -> z: float[4]:\n  store z[:] = cumprod(load x[:])\n", {{1, 2, 3, 4}}, {}),
              ElementsAre(1, 2, 6, 24));
  EXPECT_THAT(run("kernel k(x: float[4], i: int32[3]) -> z: float[3]:\n  store z[:] = gather(load x[:], load i[:])\n",
                  {{5, 6, 7, 8}, {3, 0, 3}}, {}),
              ElementsAre(8, 5, 8));
}

TEST(DslInterpreter, NumbersOfAllCoresMeet) {
  EXPECT_THAT(run("kernel k(x: float[N]) -> z: float[1]:\n  s = 0\n  for t in cores(tiles(N, 2)):\n    s += sum(load "
                  "x[t])\n  store z[0] = all_sum(s) / N\n",
                  {{1, 2, 3, 4, 10}}, {{"N", 5}}, 3),
              ElementsAre(4));
}

TEST(DslInterpreter, ConditionsMasksAndWholeNumbers) {
  EXPECT_THAT(run("kernel k(x: float[4]) -> z: float[4]:\n  a = load x[:]\n  m = a > 1 & not (a >= 3)\n  store z[:] = "
                  "where(m, a * 10, -1)\n",
                  {{1, 2, 3, 4}}, {}),
              ElementsAre(-1, 20, -1, -1));
  EXPECT_THAT(run("kernel k(x: int32[3]) -> z: int32[3]:\n  store z[:] = load x[:] * 3 - 1\n", {{1, 2, -3}}, {}),
              ElementsAre(2, 5, -10));
}

// A function that others make up has its value too. The argument is no name, so that it must be computed once.
TEST(DslInterpreter, EveryElementwiseFunctionHasTheValueOfItsOperator) {
  const Values x = {0.25, 0.5, 0.75, 1.5, 3};
  for (const Function& function : functions()) {
    if (function.kind != Function::Kind::kElementwise || function.op == nullptr) continue;
    std::string constants;
    std::vector<double> attributes;
    for (int i = 1; i < function.arguments; ++i) {
      attributes.push_back(0.5 * i);
      constants += ", " + std::to_string(attributes.back());
    }
    for (const double sign : {1.0, -1.0}) {
      Values inputs = x;
      for (double& each : inputs) each *= sign;
      const operators::Values wanted = function.op->evaluate(
          {Eigen::Map<const operators::Values>(inputs.data(), 1, static_cast<Eigen::Index>(inputs.size()))},
          attributes);
      const Values found = run("kernel k(x: float[5]) -> z: float[5]:\n  store z[:] = " + function.name +
                                   "(load x[:] + 0.0" + constants + ")\n",
                               {inputs}, {});
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const double value = wanted(0, static_cast<Eigen::Index>(i));
        if (std::isnan(value)) continue;
        EXPECT_NEAR(found[i], value, 1e-6 * (1 + std::abs(value))) << function.name << " of " << inputs[i];
      }
    }
  }
}

TEST(DslInterpreter, AccessOutsideOfATensorIsRefused) {
  EXPECT_THROW(run("kernel k(x: float[8]) -> z: float[8]:\n  for k in range(8):\n    i = load x[k]\n    j = int32(i)\n "
                   "   store z[j] = 1\n",
                   {{0, 1, 2, 3, 4, 5, 6, 99}}, {}),
               Refusal);
}

}  // namespace
}  // namespace kg::dsl
