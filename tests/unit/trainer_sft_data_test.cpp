#include <gtest/gtest.h>

#include "trainer/sft_data.h"

namespace kg::trainer {
namespace {

proto::Sample sample(const std::string& split, const std::string& kind, const std::string& style) {
  proto::Sample made;
  made.set_split(split);
  made.set_kind(kind);
  made.set_style(style);
  made.set_prompt_form("short");
  return made;
}

TEST(SampleFilter, TakesWhatIsAskedForAndImportedSamplesOfAnySplit) {
  const proto::Sample dsl = sample("train", "kernel", "dsl"), queues = sample("heldout", "repair", "queues"),
                      imported = sample("", "", "");
  EXPECT_TRUE(passes({}, dsl) && passes({}, queues) && passes({}, imported));
  EXPECT_TRUE(passes({.split = "train"}, dsl));
  EXPECT_FALSE(passes({.split = "train"}, queues));
  EXPECT_TRUE(passes({.split = "train"}, imported));
  EXPECT_TRUE(passes({.kind = "kernel"}, dsl));
  EXPECT_FALSE(passes({.kind = "kernel"}, queues));
  EXPECT_TRUE(passes({.language = "dsl"}, dsl));
  EXPECT_FALSE(passes({.language = "dsl"}, queues));
  EXPECT_FALSE(passes({.language = "ascendc"}, dsl));
  EXPECT_TRUE(passes({.language = "ascendc"}, imported));
  EXPECT_TRUE(passes({.kind = "repair", .style = "queues", .prompt_form = "short", .language = "ascendc"}, queues));
  EXPECT_FALSE(passes({.prompt_form = "npukernelbench"}, queues));
}

}  // namespace
}  // namespace kg::trainer
