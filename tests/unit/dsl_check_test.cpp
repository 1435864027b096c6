#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/lower.h"
#include "tests/joined.h"

namespace kg::dsl {
namespace {

using ::testing::Eq;
using ::testing::StartsWith;

Lowered lowered(const std::string& source) {
  LowerOptions options;
  options.bindings.names = {{"R", 20}, {"C", 1000}, {"N", 20000}};
  options.bindings.cores = 8;
  return lower(source, options);
}

std::string rows(const std::string& body, const std::string& parameters = "x: half[R, C]) -> z: half[R, C]") {
  return "kernel k(" + parameters + ":\n  for r in cores(R):\n    a = load x[r, :]\n" + body;
}

struct Wrong {
  std::string source, message;
};

const std::string kStore = "    store z[r, :] = a\n";

// What a program is made of, and what load names.
std::vector<Wrong> programs_and_loads() {
  return {
      {"", "line 0: end of the program: a program begins with: kernel NAME(inputs) -> outputs:"},
      {"kernel k(x: half[R]) -> z: half[R]:\n", "line 1: end of the program: a kernel has at least one statement"},
      {"kernel k(x: real[R]) -> z: half[R]:\n  store z[:] = load x[:]\n",
       "line 1: 'real': the type of a parameter is float"},
      {"kernel k(x: half[Q]) -> z: half[R]:\n  store z[:] = load x[:]\n",
       "line 1: x: half[Q]: the extent Q has no value"},
      {"kernel k(x: half[R], x: half[R]) -> z: half[R]:\n  store z[:] = load x[:]\n",
       "line 1: x: a parameter needs a name of its own"},
      {"kernel k(x: half[R]) -> x: float[R]:\n  store x[:] = load x[:]\n",
       "line 1: x: x is an input that is written in place; it keeps its type and extents"},
      {"kernel k(x: half[R]) -> x:\n  store x[:] = load x[:] * 2\n",
       "line 2: store x[:]: x is written in place: a loop over cores loads of it only what the same turn stores"},
      {"kernel k(x: half[R]) -> x:\n  for r in cores(tiles(R - 1, 8)):\n    store x[r] = load x[r + 1]\n",
       "line 3: store x[r]: x is written in place: a loop over cores loads of it only what the same turn stores"},
      {"kernel k(x: half[R]) -> x:\n  for r in cores(R):\n    store x[r] = 0\n    b = load x[r]\n",
       "line 4: load x[r]: x is written in place and stored before"},
      {"kernel k(x: half[R, C]) -> x:\n  a = load x[0, :]\n  for r in cores(R):\n    store x[r, :] = a\n",
       "line 4: store x[r, :]: x is written in place, and loaded since the last barrier; put 'barrier' between"},
      {rows("    b = given(x)\n" + kStore), "line 4: given(x): x is not an optional parameter; declare it with '?'"},
      {rows("    for i in tensors(x):\n      b = 1\n" + kStore),
       "line 4: for i in tensors(x): x is not a list of tensors; a list is a parameter such as x: half[..]*"},
      {"kernel k(x: half[R]) -> z: half[R]:\n  a = load x[:]\n", "line 1: z: this output is never stored to"},
      {rows("    b = c\n" + kStore), "line 4: c: this name has no value here"},
      {rows("    b = x[r, :]\n" + kStore),
       "line 4: x[r, :]: x is a tensor in global memory; read it with load x[r, :]"},
      {rows("    b = load z[r, :]\n" + kStore), "line 4: load z[r, :]: z is an output; load reads inputs"},
      {rows("    b = load y[r, :]\n" + kStore), "line 4: load y[r, :]: there is no input y"},
      {rows("    b = load x[r, :, 0]\n" + kStore), "line 4: load x[r, :, 0]: 3 indices are given, x has 2 dimensions"},
      {rows("    b = load x[r, 1:2000]\n" + kStore),
       "line 4: load x[r, 1:2000]: the index goes from 1 to 1999, the dimension from 0 to 999"},
      {rows("    b = load x[r + 1, :]\n" + kStore),
       "line 4: load x[r + 1, :]: the index goes from 1 to 20, the dimension from 0 to 19"},
      {rows("    b = load x[r, -9:100] pad 0\n" + kStore, "x: float[R, C]) -> z: float[R, C]"),
       "line 4: load x[r, -9:100]: a padded load reaches at most 32 bytes outside"},
      {rows("    b = load x[:, r]\n" + kStore), "line 4: load x[:, r]: every index after a range or slice must be ':'"},
      {rows("    b = load x[r, ::2]\n" + kStore), "line 4: load x[r, ::2]: a step is for tiles in UB"},
  };
}

// Types of expressions.
std::vector<Wrong> expressions() {
  return {
      {rows("    b = a + load x[r, 0:500]\n" + kStore),
       "line 4: a + load x[r, 0:500]: the tiles have 1000 and 500 elements; they must be equal"},
      {rows("    b = load x[r, :] as half\n    c = a + b\n" + kStore),
       "line 5: a + b: the tiles are float and half; convert one, as in float(...)"},
      {rows("    b = int32(a)\n    c = b / b\n" + kStore), "line 5: b / b: tiles of whole numbers cannot be divided"},
      {rows("    b = int32(a)\n    c = b > 1\n" + kStore), "line 5: b > 1: tiles of whole numbers cannot be compared"},
      {rows("    b = sum(int32(a))\n" + kStore), "line 4: sum(int32(a)): only tiles of float or half are reduced"},
      {rows("    b = a // 2\n" + kStore), "line 4: a // 2: // is for whole numbers"},
      {rows("    b = a ** 5\n" + kStore), "line 4: a ** 5: the exponent of ** is 2, 3, 4 or 0.5"},
      {rows("    b = expp(a)\n" + kStore), "line 4: expp(a): there is no function expp; did you mean exp?"},
      {rows("    b = exp(a, a)\n" + kStore), "line 4: exp(a, a): exp takes 1 arguments, not 2"},
      {rows("    b = where(a, a, 0)\n" + kStore),
       "line 4: where(a, a, 0): the first argument of where is a comparison"},
      {rows("    if a > 0:\n      b = 1\n" + kStore),
       "line 4: a > 0: if takes a comparison of numbers; where(mask, a, b) chooses between tiles"},
      {rows("    b = all_sum(sum(a))\n" + kStore), "line 4: all_sum(sum(a)): every core must reach all_sum once"},
      {rows("    a = sum(a) > 0\n" + kStore),
       "line 4: a = sum(a) > 0: a is float[1000] since line 3 and cannot become a condition"},
  };
}

// What is set, and what store writes.
std::vector<Wrong> names_and_stores() {
  return {
      {rows("    r = 3\n" + kStore), "line 4: r: r is an extent or a loop's variable and cannot be set"},
      {rows("    b += 1\n" + kStore), "line 4: b += ...: b is not set before"},
      {rows("    z[r, :] = a\n"), "line 4: '[': a tensor is written with: store z[...] = value"},
      {rows("    store x[r, :] = a\n"), "line 4: store x[r, :]: x is an input; store writes outputs"},
      {rows("    store z[r, 0:10] = a\n"),
       "line 4: store z[r, 0:10]: the place has half[10], the value is float[1000]"},
      {rows("    store z[r, 0] = a\n"), "line 4: store z[r, 0]: the place is one element and float[1000] is stored"},
      {rows("    store z[r, :] = a > 0\n"),
       "line 4: store z[r, :]: a tile or a number is stored, not a mask[1000]; make one with where(mask, 1.0, 0.0)"},
      {rows("    store z[r, :] = int32(a)\n"), "line 4: store z[r, :]: a tile of int32 cannot be stored to half"},
  };
}

// Loops, buffers, text, lengths.
std::vector<Wrong> loops_and_lengths() {
  return {
      {rows("    for q in cores(R):\n      b = 1\n" + kStore),
       "line 4: for q: cores(...) cuts the work of the whole kernel"},
      {rows("    for t in tiles(C, 0):\n      b = 1\n" + kStore),
       "line 4: for t: a tile has 1 to 65536 elements, not 0"},
      {rows("    for t in tiles(C, 100):\n      b = load x[r, t * 2]\n" + kStore),
       "line 5: t * 2: a tile range can be moved by a whole number"},
      {rows("    ub b: bool[C] = 0\n" + kStore), "line 4: ub b: the type of a buffer is float, half, int32 or int16"},
      {rows("   b = 1\n" + kStore),
       "line 4: indentation: a line must have the same indentation as the block it belongs to"},
      {rows("    b = (1 + 2\n" + kStore), "line 5: "},
      {rows("    b = 1 $ 2\n" + kStore), "line 4: '$': this character has no meaning in the language"},
      {rows("    b = gather(zeros(100000), int32(a))\n" + kStore),
       "line 4: gather(zeros(100000), int32(a)): the tile that gather takes its elements from must fit UB"},
      {rows("    b = zeros(100000)\n    c = flip(cumsum(flip(b))) + cumsum(b)\n    store z[r, 0] = sum(c)\n"),
       "line 6: c: its scans run along the row in both directions"},
      {rows("    b = a[1000]\n" + kStore),
       "line 4: a[1000]: the index goes from 1000 to 1000, the tile has 1000 elements"},
      {rows("    b = a[990:1010]\n" + kStore),
       "line 4: a[990:1010]: the slice goes from 990 to 1009, the tile has 1000 elements"},
      {"kernel k(x: float[R, N]) -> z: float[R, N]:\n  for r, t in cores(R, tiles(N, 40000)):\n    a = load x[r, t]\n  "
       " "
       " b = a * 2\n    c = a * b\n    store z[r, t] = a + b + c\n",
       "line 3: buffers: the tiles that live at the same time take"},
  };
}

// One sentence: line, construct, rule.
TEST(DslCheck, EveryBrokenRuleIsNamedWithItsLineAndConstruct) {
  for (const Wrong& each :
       kg::testing::joined({programs_and_loads(), expressions(), names_and_stores(), loops_and_lengths()})) {
    const Lowered result = lowered(each.source);
    EXPECT_FALSE(result.ok) << each.source;
    EXPECT_THAT(result.refusal, StartsWith(each.message)) << each.source;
    EXPECT_THAT(std::count(result.refusal.begin(), result.refusal.end(), '\n'), Eq(0));
  }
}

TEST(DslCheck, ProgramsThatLookOddAreRight) {
  for (const std::string source : {
           // no colons, comments, an expression over two lines
           "# a comment\nkernel k(x: half[R, C]) -> z: half[R, C]\nfor r in cores(R)  # rows\n  store z[r, :] = (load "
           "x[r, :] +\n      1)\n",
           // a whole number that becomes a number, elif, a number that fills a tile
           "kernel k(x: half[R, C]) -> z: half[R]:\n  for r in cores(R):\n    a = load x[r, :]\n    s = 0\n    s += "
           "max(a)\n    if r > 3 and s > 1:\n      s = 1\n    elif r == 2:\n      s = 2\n    else:\n      s = 3\n    "
           "store z[r] = s\n",
           "kernel k(x: float[N]) -> (z: float[N], y: int32[N]):\n  tile T\n  ub acc: float[T] = 0\n  for t in "
           "cores(tiles(N, 128)):\n    store z[t] = load x[t]\n    store y[t] = int32(load x[t])\n",
       }) {
    const Lowered result = lowered(source);
    EXPECT_TRUE(result.ok) << result.refusal << "\n" << source;
  }
}

TEST(DslCheck, ShapesComeFromTheTaskAndLeadingDimensionsFold) {
  LowerOptions options;
  options.bindings.tensors = {{proto::FLOAT16, {2, 3, 40}}, {proto::FLOAT16, {2, 3, 40}}};
  const std::string body = "  for r in cores(R):\n    store z[r, :] = load x[r, :]\n";
  EXPECT_TRUE(lower("kernel k(x: half[R, C]) -> z: half[R, C]:\n" + body, options).ok);
  EXPECT_THAT(lower("kernel k(x: float[R, C]) -> z: half[R, C]:\n" + body, options).refusal,
              Eq("line 1: x: float[R, C]: the task gives this parameter the type half"));
  EXPECT_THAT(lower("kernel k(x: half[5, C]) -> z: half[R, C]:\n" + body, options).refusal,
              Eq("line 1: x: half[5, C]: the task gives this parameter the shape [6, 40]"));
  EXPECT_THAT(lower("kernel k(x: half[R, C]) -> z: half[C, R]:\n" + body, options).refusal,
              Eq("line 1: z: half[C, R]: C is 40 elsewhere and 6 here; use another name"));
  EXPECT_THAT(lower("kernel k(x: half[R, C], y: half[R]) -> z: half[R, C]:\n" + body, options).refusal,
              Eq("line 1: kernel k: the task has 2 inputs and outputs, the kernel 3"));
}

TEST(DslCheck, GarbageIsRefusedNotCrashedOn) {
  const std::string good = rows("    store z[r, :] = exp(a - max(a)) * 2.5\n");
  for (std::size_t i = 0; i < good.size(); ++i) {
    lowered(good.substr(0, i));
    std::string changed = good;
    for (const char c : {'(', '[', ' ', '\n', ':', '*', '9', 'x', '\0', '\xff'}) {
      changed[i] = c;
      lowered(changed);
    }
  }
  EXPECT_FALSE(lowered(std::string(100000, '(')).ok);
  EXPECT_FALSE(lowered("kernel k(x: half[R]) -> z: half[R]:\n  a = " + std::string(5000, '(')).ok);
  EXPECT_FALSE(lowered("kernel k(x: half[R]) -> z: half[R]:\n  a = " + std::string(5000, '-') + "1\n").ok);
}

}  // namespace
}  // namespace kg::dsl
