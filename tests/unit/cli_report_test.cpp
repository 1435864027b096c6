#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/duration.h"
#include "cli/report_chart.h"
#include "cli/report_page.h"
#include "cli/run_record.h"
#include "tests/dataset_examples.h"

namespace kg::cli {
namespace {

constexpr const char* kAttack = "</pre></title><script>alert(1)</script><img src=x onerror=\"alert(2)\"> ' & \x01";

// Every text field of a message, at any depth, becomes the attack.
void poison(google::protobuf::Message& message) {
  const auto& look = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const auto* field = message.GetDescriptor()->field(i);
    if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING && !field->is_repeated())
      look.SetString(&message, field, kAttack);
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) poison(*look.MutableMessage(&message, field));
    for (int j = 0; field->is_repeated() && j < look.FieldSize(message, field); ++j)
      poison(*look.MutableRepeatedMessage(&message, field, j));
  }
}

TEST(ReportPage, NothingThatAModelOrACompilerWroteIsMarkup) {
  ReportInput input{.run = kAttack,
                    .config = {{"command", kAttack}, {kAttack, kAttack}, {"nested", {{kAttack, {kAttack}}}}},
                    .status = {{"state", kAttack}},
                    .rollouts_missing = kAttack};
  input.metrics.series[kAttack] = {{1, 2}, {2, 3}};
  input.metrics.series["loss"] = {{1, 2}};
  for (const bool with_kernel : {true, false}) {
    proto::Rollout rollout = dataset::example_rollout(1, 0);
    poison(rollout);
    if (!with_kernel) rollout.clear_kernel();
    input.rollouts.best.push_back(rollout);
    input.rollouts.worst.push_back(rollout);
  }
  input.rollouts.rollouts = 2;
  input.rollouts.purposes[kAttack].rollouts = 2;
  input.rollouts.stages_by_version[0][1] = 2;
  input.rollouts.rewards[0.5] = 2;
  const std::string page = report_page(input);
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("<script")));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("<img")));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("onerror=\"")));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("\x01")));
  EXPECT_THAT(page, testing::HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(ReportPage, ReachesForNothingOutsideItself) {
  const std::string page = report_page({.run = "r"});
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("http:")));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("https:")));
  EXPECT_THAT(page, testing::Not(testing::HasSubstr("url(")));
}

TEST(ReportMetrics, TheLastLineOfAStepCountsAndACutOffLineIsPassedOver) {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "metrics.jsonl";
  write_file_atomically(file,
                        "{\"step\":1,\"time\":100,\"loss\":3}\n{\"step\":2,\"time\":110,\"loss\":2.5,\"kl\":null}\n"
                        "{\"step\":2,\"time\":150,\"loss\":2}\n{\"step\":3,\"lo");
  const Metrics metrics = read_metrics(file);
  EXPECT_EQ(metrics.series.size(), 1u);
  EXPECT_EQ(metrics.series.at("loss"), (Points{{1, 3}, {2, 2}}));
  EXPECT_EQ(metrics.steps, 2);
  EXPECT_EQ(metrics.seconds, 50);
  EXPECT_EQ(thin_out({{0, 1}, {1, 3}, {2, 5}, {3, 7}}, 2), (Points{{0.5, 2}, {2.5, 6}}));
}

TEST(ReportChart, TicksAreRoundAndCoverTheRange) {
  EXPECT_THAT(nice_ticks(0, 1, 4), testing::ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(nice_ticks(-0.03, 0.04, 4), testing::ElementsAre(-0.04, -0.02, 0, 0.02, 0.04));
  const auto flat = nice_ticks(5, 5, 4);
  EXPECT_LT(flat.front(), 5);
  EXPECT_GT(flat.back(), 5);
  EXPECT_EQ(nice_ticks(0, 0, 4).front(), 0);  // nothing is less than none
}

TEST(ReportChart, TheMovingMeanKeepsALineAndSmoothsAStep) {
  Points line, jump;
  for (int i = 0; i < 60; ++i) {
    line.emplace_back(i, 2 * i);
    jump.emplace_back(i, i < 30 ? 0 : 7);
  }
  EXPECT_EQ(moving_mean(line), line);
  const Points smooth = moving_mean(jump);  // over 7 points
  EXPECT_EQ(smooth[26].second, 0);
  EXPECT_EQ(smooth[29].second, 3);
  EXPECT_EQ(smooth[33].second, 7);
  EXPECT_EQ(moving_mean({{0, 1}, {1, 5}}), (Points{{0, 1}, {1, 5}}));
}

TEST(RunFolder, DurationsReadWell) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(3840), "1 h 04 min");
  EXPECT_EQ(duration_text(3599.7), "1 h 00 min");
  EXPECT_FALSE(lives(0));
  EXPECT_FALSE(lives(1 << 30));
}

}  // namespace
}  // namespace kg::cli
