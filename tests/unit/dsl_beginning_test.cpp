#include <gtest/gtest.h>

#include <random>

#include "dsl/beginning.h"
#include "dsl/functions.h"
#include "dsl/lower.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"
#include "tests/support/dsl_programs.h"

namespace kg::dsl {
namespace {

TEST(DslBeginning, EveryBeginningOfAProgramIsRight) {
  const std::vector<std::string> all = testing::dsl_programs();
  ASSERT_GT(all.size(), 40u);
  for (const std::string& program : all) {
    for (std::size_t size = program.size() % 7; size <= program.size(); size += 7)
      ASSERT_TRUE(read_beginning(program.substr(0, size)).right) << program.substr(0, size) << "|";
    EXPECT_TRUE(read_beginning(program).whole) << program;
  }
}

TEST(DslBeginning, AShortEndMakesAProgramOfEveryBeginning) {
  for (const std::string& program : testing::dsl_programs())
    for (std::size_t size = program.size() % 41; size <= program.size(); size += 41) {
      const std::string begin = program.substr(0, size);
      const auto end = short_end(begin);
      ASSERT_TRUE(end.has_value()) << begin << "|";
      EXPECT_NO_THROW(parse(begin + *end)) << begin << "|" << *end;
    }
}

// Beginnings made of the language's words at random: wherever one stops, an end is found that makes a program of it.
TEST(DslBeginning, NoRandomBeginningIsADeadEnd) {
  const std::vector<std::string> pieces = {"kernel",  " ",          "(",
                                           ")",       "->",         ":",
                                           ",",       "[",          "]",
                                           "..",      "*",          "?",
                                           "=",       "+",          "-",
                                           "/",       "\n",         "\n  ",
                                           "\n    ",  "\n      ",   "  ",
                                           "for ",    "in ",        "cores(",
                                           "tiles(",  "range(",     "tensors(",
                                           "if ",     "elif ",      "else",
                                           "store ",  "load ",      "ub ",
                                           "l1 ",     "l0c ",       "scratch ",
                                           "barrier", "tile ",      "launch ",
                                           "float",   "half",       "double",
                                           "int32",   "gemm(",      "transpose(",
                                           "exp",     "where",      "size",
                                           "len",     "max",        "given",
                                           "not ",    "x",          "y",
                                           "z",       "a",          "t",
                                           "N",       "1",          "1e-5",
                                           ".5",      "0",          "inf",
                                           "<",       "and ",       "pad ",
                                           "as ",     "program_id", "num_programs",
                                           "**",      "//",         "!=",
                                           "_",       "e",          "."};
  std::mt19937 random(20261125);
  const auto any = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
  const std::vector<std::string> heads = {
      "", "kernel k(x: float[N]) -> z: float[N]:\n",
      "kernel k(x: half[..]*, y: float[M, N]?) -> z: half[..]*:\n  for i in tensors(x):\n"};
  for (int walk = 0; walk < 40; ++walk) {
    std::string text = heads[any(heads.size())];
    for (int step = 0; step < 60; ++step) {
      std::string longer;
      for (int tries = 0; tries < 400 && longer.empty(); ++tries)
        if (const std::string tried = text + pieces[any(pieces.size())]; read_beginning(tried).right) longer = tried;
      if (longer.empty()) break;
      text = longer;
      if (any(4) != 0) continue;
      const auto end = short_end(text);
      ASSERT_TRUE(end.has_value()) << text << "|";
      ASSERT_NO_THROW(parse(text + *end)) << text << "|" << *end;
    }
  }
}

struct Case {
  const char* text;
  bool right;
};

// A number has 40 characters at most, a whole one 15 digits: what begins one leaves room for its end.
TEST(DslBeginning, EveryNumberThatBeginsCanEnd) {
  const std::string head = "kernel k(x: float[9]) -> z: float[9]:\n  a = (";
  for (std::size_t size = 1; size <= 44; ++size)
    for (const char* last : {"", ".", "e", "E-", ".e+", "e1"}) {
      const std::string text = head + std::string(size, '7') + last;
      if (!read_beginning(text).right) continue;
      const auto end = short_end(text);
      ASSERT_TRUE(end.has_value()) << text;
      EXPECT_NO_THROW(parse(text + *end)) << text << *end;
    }
  EXPECT_TRUE(read_beginning(head + std::string(39, '7')).right);
  EXPECT_FALSE(read_beginning(head + std::string(40, '7')).right);
  EXPECT_FALSE(read_beginning(head + std::string(38, '7') + "e-").right);
}

// Depth and number of operations are limited: what cannot be followed any more must not come either.
TEST(DslBeginning, AnExpressionAtItsLimitsCanEnd) {
  for (const std::string opening :
       {"+", "-", "not ", "(", "[", "-(", "exp(", "max(1,", "2**", "1+", "1*", "1 or ", "x*"}) {
    std::string text = "kernel k(a: float[C]) -> z: float[C]:\n  x = load a[:]\n  y = ";
    int times = 0;
    for (; times < 200 && read_beginning(text + opening).right; ++times) text += opening;
    EXPECT_LT(times, 200) << opening;
    if (opening != "[") {
      EXPECT_GT(times, 25) << opening;
    }
    const auto end = short_end(text);
    ASSERT_TRUE(end) << text;
    EXPECT_NO_THROW(parse(text + *end)) << text << *end;
  }
}

TEST(DslBeginning, WhatNoProgramBeginsWithIsWrong) {
  const std::string head = "kernel k(x: float[N], y: half[N]) -> z: float[N]:\n  for t in cores(tiles(N)):\n";
  for (const Case& one : {Case{"    a = load x", true},
                          Case{"    a = load q", false},
                          Case{"    a = load z[", false},
                          Case{"    a = exp(", true},
                          Case{"    a = exq(", false},
                          Case{"    a = exp(load x[t], ", false},
                          Case{"    a = clamp(1, 2)", false},
                          Case{"    a = clamp(1, 2, ", true},
                          Case{"    a = b", true},
                          Case{"    a = b ", false},
                          Case{"    a += 1", false},
                          Case{"    a = t", true},
                          Case{"    a = t +", false},
                          Case{"    store z[t", true},
                          Case{"    store x[", false},
                          Case{"    barrier\n", false},
                          Case{"  a = 1\n", false},
                          Case{"    t = 1", false},
                          Case{"    x = 1", false},
                          Case{"    a = 1\n      b", false},
                          Case{"    a = 1e-", true},
                          Case{"    a = 1e-5\n", true},
                          Case{"    a = 1 !", true},
                          Case{"    a = 1 != 2\n", true},
                          Case{"    a = (1\n", true},
                          Case{"    a = 1)\n", false},
                          Case{"    for i in range(3", true},
                          Case{"    for i in cores(3", false},
                          Case{"    for i, ", false},
                          Case{"    a = all_sum(1", false}})
    EXPECT_EQ(read_beginning(head + one.text).right, one.right) << one.text;
}

// Work is cut outside of loops; those over lists, and conditions on what is given, are written out.
TEST(DslBeginning, CoresAreGivenWorkOutsideOfLoops) {
  const std::string head = "kernel k(x: float[..]*, y: half[N]?) -> z: float[..]*:\n";
  for (const Case& one :
       {Case{"  for i, j in cores(3)", false}, Case{"  for i, j in cores(3, ", true},
        Case{"  for i in tensors(x):\n    for t in cores(", true}, Case{"  if given(y):\n    for t in cores(", true},
        Case{"  if not given(y):\n    a = all_sum(", true}, Case{"  if 1 > 2:\n    for t in cores(", false},
        Case{"  for i in tensors(x):\n    for j in range(2):\n      for t in cores(", false}})
    EXPECT_EQ(read_beginning(head + one.text).right, one.right) << one.text;
}

TEST(DslBeginning, ATensorHasAsManyIndicesAsDimensions) {
  const std::string head = "kernel k(l: float[..]*, x: float[R, C], y: half[N]) -> (z: float[..]*, m: float[R, C]):\n";
  for (const Case& one : {Case{"  a = load y[1", true},
                          Case{"  a = load y[1, ", false},
                          Case{"  a = load x[1, :]", true},
                          Case{"  a = load x[:, ", true},
                          Case{"  a = load x[1, 2, ", false},
                          Case{"  a = load l[0]", false},
                          Case{"  a = load l[0, 1]", true},
                          Case{"  a = load l[0, 1, ", false},
                          Case{"  a = load l[R", false},
                          Case{"  a = load l[0 + ", false},
                          Case{"  a = size(l[0])", true},
                          Case{"  a = size(l[0, ", false},
                          Case{"  a = size(x[", false},
                          Case{"  a = size(x)", true},
                          Case{"  a = len(l)", true},
                          Case{"  a = len(x", false},
                          Case{"  for i in tensors(l):\n    store z[i, ", true},
                          Case{"  for i in tensors(l):\n    store z[i]", false},
                          Case{"  for i in tensors(x", false},
                          Case{"  for i in range(2):\n    store z[i", false},
                          Case{"  store m[0, 1, ", false},
                          Case{"  a = 2[", false},
                          Case{"  a = R[", false}})
    EXPECT_EQ(read_beginning(head + one.text).right, one.right) << one.text;
}

// "store out[trunc(s)": a model that wants the name t, which is not visible there, must not be led into a function that
// begins so and gives no whole number.
TEST(DslBeginning, WhatIsNoWholeNumberIsNoIndex) {
  const std::string head =
      "kernel k(x: float[N], i: int32[N]) -> out: float[N]:\n  s = 0\n  n = 1\n  for t in cores(tiles(N)):\n"
      "    a = load x[t]\n    j = load i[0]\n    s += sum(a)\n";
  for (const Case& one : {Case{"  store out[tr", false},
                          Case{"  store out[t", false},
                          Case{"  store out[s", true},  // of size
                          Case{"  store out[s]", false},
                          Case{"  store out[sqr", false},
                          Case{"  store out[n", true},
                          Case{"  store out[n // 2]", true},
                          Case{"  store out[n / ", false},
                          Case{"  store out[1.", false},
                          Case{"  store out[1e", false},
                          Case{"  store out[n < ", false},
                          Case{"  store out[int(s / 1.5)] = s", true},
                          Case{"  store out[where(s < 1.5, n, 2)]", true},
                          Case{"  store out[where(s < 1.5, 1.", false},
                          Case{"  store out[max(n, 1)]", true},
                          Case{"  store out[max(n)]", false},
                          Case{"    store out[j", true},
                          Case{"    store out[a", true},  // of abs
                          Case{"    store out[a]", false},
                          Case{"    store out[load i", true},
                          Case{"    store out[load x", false},
                          Case{"    b = a[s", true},
                          Case{"    b = a[1.", false},
                          Case{"    b = zeros(1.", false},
                          Case{"    b = full(8, 1.", true},
                          Case{"    for q in range(ex", false},
                          Case{"    for q in range(n, N", true}})
    EXPECT_EQ(read_beginning(head + one.text).right, one.right) << one.text;
}

TEST(DslBeginning, CallsThatTheCheckerTakesAsIndicesAreNotHeldBack) {
  const std::string head = "kernel k(x: float[8]) -> z: float[8]:\n  for r in cores(8):\n    store z[";
  int whole = 0;
  for (const Function& function : functions()) {
    std::string call = function.name + "(";
    for (int i = 0; i < function.arguments; ++i) call += i == 0 ? "r" : ", r";
    const Lowered lowered = lower(head + call + ")] = 1\n", {});
    const bool right = read_beginning(head + call + ")").right;
    const bool no_index = lowered.refusal.find("an index is a whole number") != std::string::npos;
    EXPECT_TRUE(right || !lowered.ok) << call;
    EXPECT_FALSE(right && no_index) << call;
    whole += lowered.ok ? 1 : 0;
  }
  EXPECT_GE(whole, 5);
}

// What BeginningReader remembers of the lines before changes nothing.
TEST(DslBeginning, AReaderThatRemembersSaysTheSame) {
  std::size_t n = 0;
  for (const std::string& program : testing::dsl_programs()) {
    BeginningReader reader;
    for (std::size_t size = 0; size <= program.size(); size += 5 + n++ % 17)
      for (const char* more : {"", " ", "(", "\n"}) {
        const std::string text = program.substr(0, size) + more;
        const Beginning found = reader.read(text), wanted = read_beginning(text);
        ASSERT_EQ(found.right, wanted.right) << text << "|";
        if (!found.right) continue;
        ASSERT_EQ(found.next.state(), wanted.next.state()) << text << "|";
        ASSERT_EQ(found.next.known_names(), wanted.next.known_names()) << text << "|";
        ASSERT_EQ(found.text.open, wanted.text.open) << text << "|";
        ASSERT_EQ(found.text.indents, wanted.text.indents) << text << "|";
        ASSERT_EQ(found.whole, wanted.whole) << text << "|";
      }
  }
}

TEST(DslBeginning, AProgramIsWholeWhenEveryOutputIsStored) {
  const std::string head = "kernel k(x: float[N]) -> y: float[N], z: float[N]:\n  for t in cores(tiles(N)):\n";
  EXPECT_FALSE(read_beginning(head).whole);
  EXPECT_FALSE(read_beginning(head + "    store z[t] = load x[t]\n").whole);
  EXPECT_TRUE(read_beginning(head + "    store z[t] = load x[t]\n    store y[t] = 1\n").whole);
}

}  // namespace
}  // namespace kg::dsl
