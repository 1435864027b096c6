#include <gtest/gtest.h>

#include "base/terminal_line.h"

namespace kg {
namespace {

TEST(TerminalLine, WhatIsLongerThanTheTerminalIsCut) {
  EXPECT_EQ(fitted("twelve signs", 12), "twelve signs");
  EXPECT_EQ(fitted("thirteen sign", 12), "thirteen ...");
  EXPECT_EQ(fitted("", 12), "");
}

TEST(TerminalLine, CharactersOfSeveralBytesAreNotCutInTwo) {
  EXPECT_EQ(fitted("███ 3", 5), "███ 3");
  EXPECT_EQ(fitted("██████", 5), "██...");
}

TEST(TerminalLine, ItIsOneLine) { EXPECT_EQ(fitted("a\nb\tc\r", 12), "a b c "); }

}  // namespace
}  // namespace kg
