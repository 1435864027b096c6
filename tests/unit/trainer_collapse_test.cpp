// When a run of rl stops because its policy is breaking down, and when it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "trainer/collapse.h"

namespace kg::trainer {
namespace {

constexpr CollapseLimits kLimits{.entropy = 20, .length = 6, .difference = 0.5, .difference_growth = 20};

nlohmann::json line(double entropy, double length, double difference, int computed = 100) {
  return {{"step", 1},
          {"entropy", entropy},
          {"answer_tokens", length},
          {"log_prob_difference", difference},
          {"train_computed_tokens", computed}};
}

// The update of `last`, repeated, after which a run stops that was sound for `sound` updates; -1: it does not.
int stops_after(int sound, const nlohmann::json& last, const CollapseLimits& limits = kLimits) {
  PolicyWatch watch(limits, {});
  for (int i = 0; i < sound; ++i) {
    auto metrics = line(0.06, 120, 0.01);
    watch.add(metrics);
    EXPECT_EQ(watch.collapsed(), "") << i;
  }
  for (int i = 1; i <= 50; ++i) {
    auto metrics = last;
    watch.add(metrics);
    if (!watch.collapsed().empty()) return i;
  }
  return -1;
}

TEST(Collapse, ASoundRunGoesOn) {
  EXPECT_EQ(stops_after(30, line(0.06, 120, 0.01)), -1);
  EXPECT_EQ(stops_after(30, line(0.02, 90, 0.04)), -1) << "surer, shorter, a little further from the sampler";
  EXPECT_EQ(stops_after(30, line(0.06, 120, 0.0)), -1);
}

TEST(Collapse, EntropyThatIsGoneOrThatExplodesStopsIt) {
  EXPECT_EQ(stops_after(30, line(0.0, 120, 0.01)), 5) << "five updates in a row";
  EXPECT_GT(stops_after(30, line(0.002, 120, 0.01)), 0);
  EXPECT_GT(stops_after(30, line(5.0, 120, 0.01)), 0);
}

TEST(Collapse, AnswersWithoutEndOrWithoutContentStopIt) {
  EXPECT_GT(stops_after(30, line(0.06, 900, 0.01)), 0);
  EXPECT_GT(stops_after(30, line(0.06, 3, 0.01)), 0);
  EXPECT_EQ(stops_after(30, line(0.06, 600, 0.01)), -1);
}

TEST(Collapse, ASamplerThatIsNoLongerTheTrainersStopsIt) {
  EXPECT_EQ(stops_after(0, line(0.06, 120, 0.6)), 5) << "the level counts from the beginning";
  EXPECT_GT(stops_after(30, line(0.06, 120, 0.3)), 0) << "thirty times what it was";
  PolicyWatch watch(kLimits, {});
  for (int i = 0; i < 30; ++i) {
    auto metrics = line(0.06, 120, i < 10 ? 1e-6 : 1e-3);
    watch.add(metrics);
    EXPECT_EQ(watch.collapsed(), "") << "a thousandfold growth of nothing";
  }
}

// Where no answer had an advantage nothing went through the model: the 0 that is written says nothing.
TEST(Collapse, UpdatesWithoutSignalSayNothingOfTheDifference) {
  PolicyWatch watch(kLimits, {});
  for (int i = 0; i < 40; ++i) {
    auto metrics = line(0.06, 120, i % 5 == 0 ? 0.45 : 0, i % 5 == 0 ? 100 : 0);
    watch.add(metrics);
    if (i >= 15) {
      EXPECT_NEAR(metrics["log_prob_difference_ratio"].get<double>(), 1, 1e-9) << i;
    }
    EXPECT_EQ(watch.collapsed(), "");
  }
}

TEST(Collapse, ALimitOfZeroIsNone) { EXPECT_EQ(stops_after(30, line(0.0, 1e6, 100), {}), -1); }

TEST(Collapse, ItIsSaidOnceWhenALimitComesNear) {
  PolicyWatch watch(kLimits, {});
  std::vector<std::string> warnings;
  for (int i = 0; i < 40; ++i) {
    auto metrics = line(0.06, i < 20 ? 120 : 400, 0.01);
    if (const std::string warning = watch.add(metrics); !warning.empty()) warnings.push_back(warning);
  }
  EXPECT_THAT(warnings, testing::ElementsAre(testing::HasSubstr("length of the answers")));
  EXPECT_EQ(watch.collapsed(), "");
}

// A run that was killed knows how it began.
TEST(Collapse, AResumedRunGoesByTheWholeRunsMetrics) {
  const TemporaryFolder folder;
  {
    std::ofstream file(folder.path() / "metrics.jsonl");
    for (int i = 0; i < 14; ++i) {
      file << line(0.06, i < 10 ? 120 : 900, 0.01).dump() << "\n";
      file << R"({"step":1,"eval_correct_rate":0.5})" << "\n";
    }
    file << R"({"step":15,"entr)";
  }
  const auto before = read_signs(folder.path() / "metrics.jsonl");
  ASSERT_EQ(before.size(), 14u);
  PolicyWatch watch(kLimits, before);
  auto metrics = line(0.06, 900, 0.01);
  watch.add(metrics);
  EXPECT_THAT(watch.collapsed(), testing::HasSubstr("answers have 900 tokens, 7.5 times as many"));
  EXPECT_NEAR(metrics["answer_tokens_ratio"].get<double>(), 7.5, 1e-12);
}

}  // namespace
}  // namespace kg::trainer
