#include <gtest/gtest.h>

#include "policy/text/valid_utf8.h"

namespace kg::policy {
namespace {

// The right-hand sides are what CPython 3.11 prints for bytes.decode("utf-8", errors="replace").
TEST(ValidUtf8, ReplacesAsPythonDoes) {
  EXPECT_EQ(valid_utf8("plain, \xC3\xA4, \xE4\xB8\xAD, \xF0\x9F\x98\x80"),
            "plain, \xC3\xA4, \xE4\xB8\xAD, \xF0\x9F\x98\x80");
  EXPECT_EQ(valid_utf8("cut \xE4\xB8"), "cut \xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\x80\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xF0\x9F\x98 x"), "\xEF\xBF\xBD x");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80!"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD!");
  EXPECT_EQ(valid_utf8(std::string_view("a\0b", 3)), std::string("a\0b", 3));
}

}  // namespace
}  // namespace kg::policy
