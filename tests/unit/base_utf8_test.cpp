#include <gtest/gtest.h>

#include "base/utf8.h"

namespace kg {
namespace {

TEST(Utf8, TakesCharactersAndNothingElse) {
  for (const char* text :
       {"", "kernel", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x99\x82", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(text)) << text;
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
  // Bytes alone, cut off, overlong, surrogates, beyond the last character.
  for (const char* text : {"\x80", "\xFF", "a\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                           "\xF4\x90\x80\x80", "\xE2\x82", "\xF0\x9F\x99"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Utf8, MarksWhatIsNoCharacter) {
  EXPECT_EQ(readable_utf8("a\xFF\xC3\xA9\xE2\x82"), "a?\xC3\xA9??");
  EXPECT_TRUE(is_utf8(readable_utf8("\xF0\x9F\x99\xED\xA0\x80")));
}

}  // namespace
}  // namespace kg
