#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "dsl/beginning.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"

namespace kg::dsl {
namespace {

// Programs that are in use, without their comments.
std::vector<std::string> programs() {
  std::vector<std::string> all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(KG_SOURCE_DIR "/tests/integration/dsl_programs")) {
    if (entry.path().extension() != ".dsl") continue;
    std::ifstream file(entry.path());
    std::string text;
    for (std::string line; std::getline(file, line);) {
      line = line.substr(0, line.find('#'));
      while (!line.empty() && line.back() == ' ') line.pop_back();
      if (!line.empty()) text += line + "\n";
    }
    all.push_back(text);
  }
  return all;
}

TEST(DslBeginning, EveryBeginningOfAProgramIsRight) {
  const std::vector<std::string> all = programs();
  ASSERT_GT(all.size(), 40u);
  for (const std::string& program : all) {
    for (std::size_t size = program.size() % 7; size <= program.size(); size += 7)
      ASSERT_TRUE(read_beginning(program.substr(0, size)).right) << program.substr(0, size) << "|";
    EXPECT_TRUE(read_beginning(program).whole) << program;
  }
}

TEST(DslBeginning, AShortEndMakesAProgramOfEveryBeginning) {
  for (const std::string& program : programs())
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
                          Case{"    for i, j in cores(3)", false},
                          Case{"    for i, j in cores(3, ", true}})
    EXPECT_EQ(read_beginning(head + one.text).right, one.right) << one.text;
}

TEST(DslBeginning, AProgramIsWholeWhenEveryOutputIsStored) {
  const std::string head = "kernel k(x: float[N]) -> y: float[N], z: float[N]:\n  for t in cores(tiles(N)):\n";
  EXPECT_FALSE(read_beginning(head).whole);
  EXPECT_FALSE(read_beginning(head + "    store z[t] = load x[t]\n").whole);
  EXPECT_TRUE(read_beginning(head + "    store z[t] = load x[t]\n    store y[t] = 1\n").whole);
}

}  // namespace
}  // namespace kg::dsl
