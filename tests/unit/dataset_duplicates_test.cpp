#include <gtest/gtest.h>

#include "dataset/cot/near_duplicates.h"

namespace kg::dataset::cot {
namespace {

std::string text_of(int words, int changed, int salt = 0) {
  std::string text;
  for (int i = 0; i < words; ++i)
    text += (i < changed ? "other" : "word") + std::to_string(i * 7919 % 1009 + salt) + (i % 10 == 9 ? "\n" : " ");
  return text;
}

TEST(NearDuplicates, FindsEqualAndNearlyEqualTexts) {
  NearDuplicates known;
  EXPECT_FALSE(known.known_or_add(text_of(400, 0)));
  EXPECT_TRUE(known.known_or_add(text_of(400, 0)));
  EXPECT_TRUE(known.known_or_add(text_of(400, 1)));
}

TEST(NearDuplicates, KeepsWhatDiffers) {
  NearDuplicates known;
  EXPECT_FALSE(known.known_or_add(text_of(200, 0)));
  EXPECT_FALSE(known.known_or_add(text_of(200, 60)));
  for (int salt = 1; salt < 300; ++salt) EXPECT_FALSE(known.known_or_add(text_of(100, 0, salt * 5000))) << salt;
  EXPECT_FALSE(known.known_or_add("two words"));
  EXPECT_FALSE(known.known_or_add(""));
}

}  // namespace
}  // namespace kg::dataset::cot
