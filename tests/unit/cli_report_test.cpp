#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/duration.h"
#include "cli/man_page.h"
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

proto::Rollout failed_rollout(int work, const std::string& task) {
  proto::Rollout rollout = dataset::example_rollout(work, 0);
  rollout.set_task(task);
  rollout.set_run("mine");
  std::string kernel;
  for (int line = 1; line <= 300; ++line) kernel += "line " + std::to_string(line) + ";\n";
  rollout.set_kernel(kernel);
  rollout.mutable_verdict()->Clear();
  rollout.mutable_verdict()->set_reward_valid(true);
  rollout.mutable_verdict()->set_stage(proto::COMPILE);
  rollout.mutable_verdict()->set_compiler_output("kernel.cpp:250:6: error: expected ';'\n");
  return rollout;
}

TEST(ReportPage, TheFaultyLineIsMarkedAndInViewHoweverLongTheKernel) {
  ReportInput input{.run = "mine"};
  input.rollouts.rollouts = 1;
  input.rollouts.best.push_back(failed_rollout(1, "a"));
  const std::string page = report_page(input);
  const std::size_t excerpt = page.find("class=\"excerpt\"");
  ASSERT_NE(excerpt, std::string::npos);
  EXPECT_THAT(page.substr(excerpt), testing::HasSubstr("<mark>line 250;</mark>"));
  EXPECT_LT(page.find("expected &#39;;&#39;", excerpt), page.find("line 1;", excerpt)) << "before the kernel itself";
}

TEST(ReportRollouts, OfFewRolloutsNoneIsBothBestAndWorst) {
  TemporaryFolder folder;
  const auto data = dataset::Dataset::open(folder.path() / "d.h5", dataset::OpenMode::kCreate);
  for (int i = 0; i < 7; ++i) {
    proto::JournalRecord record;
    *record.mutable_rollout() = failed_rollout(i, "task" + std::to_string(i));
    record.mutable_rollout()->mutable_verdict()->set_reward(0.1 * i);
    record.mutable_rollout()->set_turn(i % 2 == 0 ? 0 : 1);
    data->append({record});
  }
  const RolloutDigest digest = digest_rollouts(*data, "mine");
  EXPECT_EQ(digest.best.size(), 5u);
  EXPECT_EQ(digest.worst.size(), 2u);
  EXPECT_EQ(digest.worst.front().task(), "task0");
  EXPECT_EQ(digest.tasks.size(), 7u);
  EXPECT_EQ(digest.purposes.at("train").rollouts, 4u);
  EXPECT_EQ(digest.purposes.at("train, turn 2").rollouts, 3u) << "repairs are apart";
  const RolloutDigest chosen = digest_rollouts(*data, "mine", {.task = "task3", .stage = "compile"});
  ASSERT_EQ(chosen.chosen.size(), 1u);
  EXPECT_EQ(chosen.chosen[0].task(), "task3");
  EXPECT_TRUE(digest_rollouts(*data, "mine", {.stage = "correct"}).chosen.empty());
}

TEST(ReportPage, TwoRunsAreDrawnIntoOneChart) {
  ReportInput input{.run = "mine"};
  input.metrics.series["loss"] = {{1, 3}, {2, 2}};
  input.against_run = "theirs";
  input.against.series["loss"] = {{1, 4}, {2, 1}};
  const std::string page = report_page(input);
  EXPECT_THAT(page, testing::HasSubstr("loss, mine"));
  EXPECT_THAT(page, testing::HasSubstr("loss, theirs"));
}

TEST(Reference, IsReadBackForCompletionAndManPages) {
  const auto commands = parse_reference(
      "# Commands\n\n## kgtrain data build\n\nMakes &lt;data>.\n\n| option | kind | default | meaning "
      "|\n|---|---|---|---|\n"
      "| `FILE` | text | required | the file |\n| `--form` | `a`, `b`, empty | `a` | one \\| two |\n");
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_EQ(commands[0].summary, "Makes <data>.");
  ASSERT_EQ(commands[0].options.size(), 2u);
  EXPECT_TRUE(commands[0].options[0].positional);
  EXPECT_EQ(commands[0].options[1].meaning, "one | two");
  EXPECT_EQ(commands[0].options[1].choices, (std::vector<std::string>{"a", "b"}));
  const std::string page = man_pages(commands).at("kgtrain-data-build.1");
  EXPECT_THAT(page, testing::HasSubstr("\\fB\\-\\-form\\fR a|b\n"));
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
  EXPECT_EQ(read_metrics(file, /*began=*/93).seconds, 57) << "what came before the first line is time too";
  EXPECT_EQ(read_metrics(file, /*began=*/120).seconds, 50) << "an older run has lines from before";
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
