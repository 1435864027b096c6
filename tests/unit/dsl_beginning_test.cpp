#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
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
