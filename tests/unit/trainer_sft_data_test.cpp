#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "trainer/one_judge.h"
#include "trainer/run_identity.h"
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

TEST(OneJudge, SamplesOfTwoJudgesAreRefusedWithBothNamed) {
  proto::Sample now = sample("train", "kernel", "dsl"), before = now, unjudged = now;
  now.set_judge_version("v2");
  before.set_cycles(20000);
  EXPECT_EQ(judge_of(now), "v2");
  EXPECT_EQ(judge_of(before), "unknown");
  EXPECT_EQ(judge_of(unjudged), "");
  require_one_judge({});
  require_one_judge({{"v2", 3}});
  try {
    require_one_judge({{"unknown", 4}, {"v2", 3}});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::HasSubstr("unknown (4 samples), v2 (3 samples)"));
    EXPECT_THAT(error.full_message(), testing::HasSubstr("--judge-version"));
  }
  EXPECT_TRUE(passes({.judge_version = "v2"}, now) && passes({.judge_version = "v2"}, unjudged));
  EXPECT_FALSE(passes({.judge_version = "v2"}, before));
  EXPECT_TRUE(passes({.judge_version = "unknown"}, before));
}

TEST(OneJudge, RunOfAnotherJudgeDoesNotGoOn) {
  require_same_run({{"judge_version", "v1"}}, {{"judge_version", "v1"}}, "run");
  require_same_run(nlohmann::json::object(), {{"judge_version", "v1"}}, "run");  // from before there were versions
  try {
    require_same_run({{"judge_version", "v1"}}, {{"judge_version", "v2"}}, "run");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::AllOf(testing::HasSubstr("v1"), testing::HasSubstr("v2")));
  }
}

}  // namespace
}  // namespace kg::trainer
