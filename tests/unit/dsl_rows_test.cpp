#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dsl/cut_rows.h"
#include "dsl/interpreter.h"
#include "dsl/lower.h"
#include "dsl/parser.h"

// Rows that UB does not hold: what is computed tile by tile gives the numbers of the whole row. The interpreter runs
// both, so that the only difference is the cut.
namespace kg::dsl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Values some(std::size_t count, double low, double high) {
  Values made(count);
  std::uint64_t state = 7;
  for (double& value : made) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = static_cast<float>(low + (high - low) * static_cast<double>(state >> 40) / static_cast<double>(1 << 24));
  }
  return made;
}

constexpr std::int64_t kRowCount = 3, kColumns = 1000, kTile = 128;

struct Both {
  Values whole, cut;
};

Both both(const std::string& body,
          const std::string& head = "kernel k(x: float[R, C], y: float[C]) -> z: float[R, C]:\n", double low = -2,
          double high = 2) {
  Bindings bindings;
  bindings.names = {{"R", kRowCount}, {"C", kColumns}};
  bindings.cores = 2;
  const Checked checked = check(parse(head + body), bindings, {.tile = kTile});
  std::vector<Values> inputs;
  for (const Parameter& parameter : checked.program.parameters)
    if (parameter.is_input()) {
      std::int64_t elements = 1;
      for (const std::int64_t extent : parameter.shape) elements *= extent;
      inputs.push_back(some(static_cast<std::size_t>(elements), low, high));
    }
  const Program program = cut_rows(checked, kColumns);
  return {interpret(checked, inputs).at(0), interpret(check(program, bindings, {.tile = kTile}), inputs).at(0)};
}

void expect_same(const std::string& body,
                 const std::string& head = "kernel k(x: float[R, C], y: float[C]) -> z: float[R, C]:\n") {
  const Both found = both(body, head);
  ASSERT_EQ(found.whole.size(), found.cut.size());
  for (std::size_t i = 0; i < found.whole.size(); ++i)
    ASSERT_NEAR(found.cut[i], found.whole[i], 1e-5 + 2e-5 * std::abs(found.whole[i])) << body << "element " << i;
}

TEST(DslRows, NormsAndSoftmax) {
  const std::string row = "  for r in cores(R):\n    a = load x[r, :]\n";
  expect_same(row + "    e = exp(a - max(a))\n    store z[r, :] = e / sum(e)\n");
  expect_same(row + "    store z[r, :] = a - max(a) - log(sum(exp(a - max(a))))\n");
  expect_same(row + "    store z[r, :] = a / sum(abs(a))\n");
  expect_same(row + "    a = a - mean(a)\n    store z[r, :] = a * rsqrt(mean(a * a) + 1e-5)\n");
  expect_same(row + "    m = mean(a)\n    v = sum((a - m) ** 2) / C\n    store z[r, :] = (a - m) * rsqrt(v + 1e-5)\n");
  expect_same(row + "    m = mean(a)\n    v = mean(square(a - m))\n    store z[r, :] = v + m * a\n");
  expect_same(
      "  w = load y[:]\n  for r in cores(R):\n    a = load x[r, :]\n    store z[r, :] = a * rsqrt(mean(a * a)) * w\n");
  expect_same(row +
              "    b = load y[:]\n    m = max(a)\n    e = exp(a - m)\n    store z[r, :] = a * (sum(e * b) / sum(e))\n");
}

TEST(DslRows, ScansInBothDirections) {
  const std::string row = "  for r in cores(R):\n    a = load x[r, :]\n";
  expect_same(row + "    store z[r, :] = cumsum(a)\n");
  expect_same(row + "    store z[r, :] = cumsum(a) - a\n");
  expect_same(row + "    store z[r, :] = flip(cumsum(flip(a)))\n");
  expect_same(row + "    store z[r, :] = flip(cumsum(flip(a)) * 0.5) + load y[:]\n");
  expect_same(row + "    store z[r, :] = cumprod(1 + a * 0.001)\n");
  expect_same(row + "    store z[r, :] = flip(a)\n");
  expect_same(row + "    s = cumsum(a)\n    store z[r, :] = s / (s[C - 1] + 10)\n");
  expect_same(row + "    store z[r, :] = cumsum(a - mean(a))\n");
}

TEST(DslRows, NumbersOfRowsAndPlacesInThem) {
  const std::string row = "  for r in cores(R):\n    a = load x[r, :]\n";
  expect_same(row + "    store z[r, :] = a + float(arange(C)) * 0.25\n");
  expect_same(row + "    store z[r, :] = a * a[17] + (a * a)[C - 3]\n");
  expect_same(row + "    store z[r, :] = where(a > mean(a), a, min(a)) + len(a)\n");
  expect_same(
      "  s = 0\n  for r in cores(R):\n    a = load x[r, :]\n    s += sum(a * a) - a[3]\n  store z[0] = all_sum(s)\n",
      "kernel k(x: float[R, C]) -> z: float[1]:\n");
  expect_same("  for r in cores(R):\n    store z[r] = max(load x[r, :]) - sum(load y[:])\n",
              "kernel k(x: float[R, C], y: float[C]) -> z: float[R]:\n");
}

TEST(DslRows, NumbersThatChangeBetweenPasses) {
  expect_same(
      "  for r in cores(R):\n    a = load x[r, :]\n    m = max(a)\n    a = a - m\n    m = sum(a)\n    b = a / m\n    m "
      "= 3.0\n"
      "    if r > 0:\n      m = m * 2\n    store z[r, :] = b * m + sum(b)\n");
  expect_same(
      "  for r in cores(R):\n    a = load x[r, :]\n    if r % 2 == 0:\n      a = a * 2\n    for k in range(3):\n      "
      "a = a + load "
      "x[k, :] * k\n    store z[r, :] = a - mean(a)\n");
  expect_same(
      "  for r in cores(R):\n    s = 0.0\n    for k in range(R):\n      b = load x[k, :]\n      s += sum(b * load x[r, "
      ":]) - max(b)\n"
      "    store z[r, :] = load x[r, :] * s\n");
}

// Squares of numbers far from zero: their sum minus the square of the mean would have no digit left.
TEST(DslRows, AVarianceKeepsItsDigitsFarFromZero) {
  const Both found =
      both("  for r in cores(R):\n    a = load x[r, :]\n    d = a - mean(a)\n    store z[r, :] = mean(d * d)\n",
           "kernel k(x: float[R, C]) -> z: float[R, C]:\n", 10000, 10001);
  for (std::size_t i = 0; i < found.whole.size(); ++i) ASSERT_NEAR(found.cut[i], found.whole[i], 1e-4 * found.whole[i]);
}

// The first tiles of a masked row may hold nothing but -inf.
TEST(DslRows, ARowThatBeginsWithInfinitiesHasItsSoftmax) {
  const Both found = both(
      "  for r in cores(R):\n    i = float(arange(C))\n    a = where(i < 500, -inf, load x[r, :])\n    e = exp(a - "
      "max(a))\n"
      "    store z[r, :] = e / sum(e)\n",
      "kernel k(x: float[R, C]) -> z: float[R, C]:\n");
  for (std::size_t i = 0; i < found.whole.size(); ++i) ASSERT_NEAR(found.cut[i], found.whole[i], 1e-6) << i;
}

TEST(DslRows, OnlyWhatDoesNotFitIsCut) {
  const std::string program =
      "kernel k(x: float[R, C]) -> z: float[R, C]:\n  for r in cores(R):\n    a = load x[r, :]\n    store z[r, :] = a "
      "/ "
      "sum(a)\n";
  const auto tiling = [&](std::int64_t columns) {
    LowerOptions options;
    options.bindings.names = {{"R", 8}, {"C", columns}};
    options.want_forms = true;
    const Lowered lowered = lower(program, options);
    EXPECT_TRUE(lowered.ok) << lowered.refusal;
    return lowered.tiling;
  };
  EXPECT_THAT(tiling(8000), Not(HasSubstr("for t from")));
  EXPECT_THAT(tiling(4000000), HasSubstr("for t2 from 0 to 4000000"));
}

}  // namespace
}  // namespace kg::dsl
