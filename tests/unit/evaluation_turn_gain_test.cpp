// What repairs are worth beside fresh answers with as many tokens, from the rollouts of a data set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/random.h"
#include "evaluation/stored_evaluation.h"
#include "evaluation/tables.h"
#include "evaluation/turn_gain.h"

namespace kg::evaluation {
namespace {

TEST(FreshAnswers, CountAsFarAsTheirTokensFitIntoTheBudget) {
  const DrawnAnswer wrong{.tokens = 40, .correct = false}, right{.tokens = 40, .correct = true};
  EXPECT_FALSE(spend_on_fresh(100, {}).enough);
  EXPECT_TRUE(spend_on_fresh(0, {}).enough) << "what was not repaired gets nothing in its place";
  EXPECT_FALSE(spend_on_fresh(100, {wrong, wrong}).enough);
  const FreshOutcome half = spend_on_fresh(100, {wrong, wrong, right});
  EXPECT_TRUE(half.enough);
  EXPECT_DOUBLE_EQ(half.solved, 0.5) << "20 of its 40 tokens were left";
  EXPECT_DOUBLE_EQ(half.tokens, 100);
  const FreshOutcome early = spend_on_fresh(100, {right, wrong});
  EXPECT_DOUBLE_EQ(early.solved, 1);
  EXPECT_DOUBLE_EQ(early.tokens, 40) << "nobody goes on after a correct answer";
  EXPECT_TRUE(early.enough);
  EXPECT_FALSE(spend_on_fresh(100, {{.tokens = 10, .valid = false, .correct = true}}).valid);
  EXPECT_DOUBLE_EQ(spend_on_fresh(100, {{.tokens = 10, .valid = false, .correct = true}}).solved, 0);
  EXPECT_TRUE(spend_on_fresh(10, {wrong, {.tokens = 1, .valid = false}}).valid) << "beyond the budget";
}

// A tie stays a tie: answers that are right with probability p, whatever their lengths, against repairs that are too.
TEST(FreshAnswers, OfTheSameKindAsTheRepairsAreWorthAsMuch) {
  Philox random(3, 0);
  double repaired = 0, fresh = 0, tokens = 0, budget = 0;
  constexpr int kTrials = 200000;
  for (int i = 0; i < kTrials; ++i) {
    const auto draw = [&] {
      return DrawnAnswer{.tokens = static_cast<std::int64_t>(20 + random.next_below(100)),
                         .correct = random.next_below(100) < 5};
    };
    const DrawnAnswer repair = draw();
    std::vector<DrawnAnswer> answers;
    while (!spend_on_fresh(repair.tokens, answers).enough) answers.push_back(draw());
    const FreshOutcome outcome = spend_on_fresh(repair.tokens, answers);
    repaired += repair.correct ? 1 : 0;
    fresh += outcome.solved;
    budget += static_cast<double>(repair.tokens);
    tokens += outcome.tokens;
  }
  EXPECT_LE(tokens, budget);
  EXPECT_GT(tokens, 0.95 * budget);
  EXPECT_NEAR(fresh / kTrials, repaired / kTrials, 0.006);
}

struct TurnGains : testing::Test {
  TemporaryFolder folder;
  std::unique_ptr<dataset::Dataset> data =
      dataset::Dataset::open(folder.path() / "data.h5", dataset::OpenMode::kCreate);
  std::vector<proto::JournalRecord> records;

  TurnGains() {
    for (int i = 0; i < 3; ++i) {
      proto::Task& task = *records.emplace_back().mutable_task();
      task.set_id("task-" + std::to_string(i));
      task.set_split("heldout");
      task.set_structure(i == 0 ? "one" : "two");
    }
  }
  void add(const std::string& purpose, std::uint64_t work, std::uint32_t sample, const std::string& task, bool correct,
           int tokens, std::uint64_t after = 0, std::uint32_t after_sample = 0, bool valid = true) {
    proto::Rollout& one = *records.emplace_back().mutable_rollout();
    one.set_run("run");
    one.set_purpose(purpose);
    one.set_work_id(work);
    one.set_sample(sample);
    one.set_task(task);
    one.set_after_work_id(after);
    one.set_after_sample(after_sample);
    for (int i = 0; i < tokens; ++i) one.mutable_completion()->add_token_ids(1);
    one.mutable_verdict()->set_reward_valid(valid);
    one.mutable_verdict()->set_correct(correct);
  }
};

TEST_F(TurnGains, AreCountedByEpisodeAndPairedByTask) {
  add("eval:it", 1, 0, "task-0", true, 10);
  add("eval:it", 1, 1, "task-0", false, 10);
  add("eval:it", 2, 0, "task-1", false, 10);
  add("eval:it", 2, 1, "task-1", false, 10);
  add("eval:it", 3, 0, "task-2", true, 10);
  add("eval:it", 3, 1, "task-2", false, 30);
  add("eval:it", 3, 2, "task-2", false, 30, 0, 0, /*valid=*/false);
  // Of task 0 the failed answer is right after turn 2, of task 1 one after turn 3, of task 2 it has no room.
  add("repair:it", 11, 0, "task-0", true, 20, 1, 1);
  add("repair:it", 12, 0, "task-1", false, 20, 2, 0);
  add("repair:it", 13, 0, "task-1", false, 20, 2, 1);
  add("repair:it", 22, 0, "task-1", true, 20, 12, 0);
  add("repair:it", 23, 0, "task-1", false, 20, 13, 0);
  add("fresh:it", 31, 0, "task-0", false, 20, 1, 1);
  add("fresh:it", 32, 0, "task-1", false, 30, 2, 0);
  add("fresh:it", 32, 1, "task-1", true, 40, 2, 0);
  add("fresh:it", 33, 0, "task-1", false, 15, 2, 1);
  add("eval:other", 50, 0, "task-0", false, 10);
  data->append(records);
  const auto found = turn_gain(*data, "it", "run");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->answers, 6u);
  EXPECT_EQ(found->failed, 4u);
  EXPECT_EQ(found->no_room, 1u);
  EXPECT_EQ(found->left_out, 0u);
  EXPECT_EQ(found->continued, 3u);
  EXPECT_EQ(found->repaired, 2u);
  EXPECT_EQ(found->short_of_budget, 1u) << "15 of 40 tokens of the last";
  EXPECT_DOUBLE_EQ(found->fresh_solved, 0.25) << "10 of 40 tokens were left for the one that is right";
  EXPECT_DOUBLE_EQ(found->first_tokens, (5 * 10 + 30) / 6.0);
  EXPECT_DOUBLE_EQ(found->repair_tokens, (20 + 40 + 40) / 3.0);
  EXPECT_DOUBLE_EQ(found->fresh_tokens, (20 + 40 + 15) / 3.0);
  ASSERT_EQ(found->after.size(), 3u);
  EXPECT_NEAR(found->after[0].value, (0.5 + 0 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(found->after[1].value, (1 + 0 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(found->after[2].value, (1 + 0.5 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(found->fresh.value, (0.5 + 0.125 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(found->against_fresh.difference, (0.5 + 0.375 + 0) / 3, 1e-12);
  EXPECT_EQ(found->against_fresh.tasks, 3u);
  EXPECT_EQ(found->against_fresh.clusters, 2u);
  EXPECT_FALSE(turn_gain(*data, "other", "run"));
  TurnGain other = *found;
  other.tasks["task-0"].first -= 0.3;
  other.tasks.erase("task-2");
  EXPECT_NEAR(compare_last_turns(*found, other).difference, 0.15, 1e-12);
  EXPECT_EQ(compare_last_turns(*found, other).tasks, 2u);
  // The tables of the first turn know nothing of the others.
  Tables tables = make_tables("it", stored_evaluation(*data, "it").answers);
  EXPECT_EQ(tables.all.answers, 7u);
  tables.turns = found;
  EXPECT_THAT(text_of(tables), testing::AllOf(testing::HasSubstr("after turn 3"), testing::HasSubstr("+29.2 points"),
                                              testing::HasSubstr("1 failed answers had no room")));
  EXPECT_EQ(json_of(tables)["turns"]["repaired"], 2);
}

TEST_F(TurnGains, AnEpisodeWithoutAVerdictIsLeftOutOnBothSides) {
  add("eval:it", 1, 0, "task-0", false, 10);
  add("eval:it", 1, 1, "task-0", false, 10);
  add("eval:it", 2, 0, "task-1", false, 10);
  add("repair:it", 11, 0, "task-0", true, 20, 1, 0);
  add("repair:it", 12, 0, "task-0", false, 20, 1, 1, /*valid=*/false);
  add("repair:it", 13, 0, "task-1", false, 20, 2, 0);
  add("fresh:it", 31, 0, "task-0", false, 20, 1, 0);
  add("fresh:it", 32, 0, "task-0", true, 20, 1, 1);
  add("fresh:it", 33, 0, "task-1", true, 20, 2, 0, /*valid=*/false);
  data->append(records);
  const auto found = turn_gain(*data, "it", "run");
  EXPECT_EQ(found->left_out, 2u);
  EXPECT_EQ(found->continued, 1u);
  EXPECT_DOUBLE_EQ(found->against_fresh.difference, 1);
  EXPECT_EQ(found->against_fresh.tasks, 1u);
}

}  // namespace
}  // namespace kg::evaluation
