// Further turns: which failed answers are repaired when, and what a repair's work asks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/fake_coordinator.h"
#include "tests/support/trainer_tiny_model.h"
#include "trainer/repair_buffer.h"
#include "trainer/repair_works.h"
#include "trainer/rl_works.h"

namespace kg::trainer {
namespace {

std::vector<std::uint64_t> works_of(const std::vector<FailedAnswer>& answers) {
  std::vector<std::uint64_t> works;
  for (const FailedAnswer& answer : answers) works.push_back(answer.work_id);
  return works;
}

TEST(RepairBuffer, GivesOutTheNewestFirstAndEachOnce) {
  RepairBuffer buffer(/*staleness=*/0, {});
  EXPECT_TRUE(buffer.take(0, 2).empty());
  buffer.done(0, {{.work_id = 1, .update = 0}, {.work_id = 2, .update = 0}, {.work_id = 3, .update = 0}});
  EXPECT_THAT(works_of(buffer.take(1, 2)), testing::ElementsAre(3, 2));
  buffer.done(1, {{.work_id = 4, .update = 1}});
  EXPECT_THAT(works_of(buffer.take(2, 3)), testing::ElementsAre(4, 1));
  buffer.done(2, {});
  EXPECT_TRUE(buffer.waiting().empty());
}

TEST(RepairBuffer, WhatFailedManyUpdatesAgoIsForgotten) {
  RepairBuffer buffer(0, {});
  buffer.done(0, {{.work_id = 1, .update = 0}});
  for (std::int64_t update = 1; update <= RepairBuffer::kUpdatesKept; ++update) buffer.done(update, {});
  EXPECT_TRUE(buffer.waiting().empty());
  EXPECT_TRUE(buffer.take(RepairBuffer::kUpdatesKept + 1, 1).empty());
}

// Whenever the run is killed, and with any staleness, an update repairs what it would have repaired.
TEST(RepairBuffer, AResumedRunRepairsWhatItRepairedBefore) {
  constexpr std::int64_t kUpdates = 60;
  for (const std::int64_t staleness : {0, 1, 4}) {
    const auto failures_of = [](std::int64_t update) {
      std::vector<FailedAnswer> failed;
      for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(update * 7 % 4); ++i)
        failed.push_back({.work_id = static_cast<std::uint64_t>(update) * 10 + i, .update = update});
      return failed;
    };
    std::vector<std::vector<std::uint64_t>> whole(kUpdates + 10);
    std::vector<std::vector<FailedAnswer>> checkpoints;
    RepairBuffer buffer(staleness, {});
    std::int64_t submitted = 0;
    for (std::int64_t update = 0; update < kUpdates; ++update) {
      checkpoints.push_back(buffer.waiting());
      for (; submitted <= update + staleness; ++submitted)
        whole[static_cast<std::size_t>(submitted)] = works_of(buffer.take(submitted, 1 + submitted % 2));
      buffer.done(update, failures_of(update));
    }
    std::size_t repaired = 0;
    for (std::int64_t begin = 0; begin < kUpdates; ++begin) {
      RepairBuffer resumed(staleness, checkpoints[static_cast<std::size_t>(begin)]);
      std::int64_t next = begin;
      for (std::int64_t update = begin; update < std::min(kUpdates, begin + 25); ++update) {
        for (; next <= update + staleness; ++next) {
          const auto works = works_of(resumed.take(next, 1 + next % 2));
          EXPECT_EQ(works, whole[static_cast<std::size_t>(next)])
              << "staleness " << staleness << ", resumed at " << begin << ", update " << next;
          repaired += works.size();
        }
        resumed.done(update, failures_of(update));
      }
    }
    EXPECT_GT(repaired, 500u);
  }
}

proto::Rollout answer(std::uint64_t work_id, std::uint32_t sample, double reward, bool correct = false) {
  proto::Rollout one;
  one.set_run("run");
  one.set_work_id(work_id);
  one.set_sample(sample);
  one.set_task("task-0");
  one.set_prompt("prompt 0");
  one.set_purpose("train");
  one.mutable_completion()->set_text("no kernel");
  for (const int id : {1, 2, 3}) one.mutable_completion()->add_prompt_ids(id);
  for (const int id : {4, 5}) one.mutable_completion()->add_token_ids(id);
  for (int i = 0; i < 2; ++i) one.mutable_completion()->add_log_probs(-0.5f);
  one.mutable_verdict()->set_reward_valid(true);
  one.mutable_verdict()->set_reward(reward);
  one.mutable_verdict()->set_correct(correct);
  return one;
}

constexpr RepairLimits kLimits{.turns = 2, .context = 1024, .max_new_tokens = 100, .language = proto::DSL};

TEST(RepairWorks, OfAGroupThatFailedTheAnswerThatCameFurthestIsRepaired) {
  rollout::FinishedWork group{.work = {}, .rollouts = {answer(7, 0, 0), answer(7, 1, 0.2), answer(7, 2, 0.2)}};
  EXPECT_EQ(answer_to_repair(group, 5, kLimits), (FailedAnswer{.work_id = 7, .sample = 1, .turn = 0, .update = 5}));
  group.rollouts[1].mutable_verdict()->set_reward_valid(false);
  EXPECT_EQ(answer_to_repair(group, 5, kLimits)->sample, 2u) << "an answer without a verdict is none";
  group.rollouts.push_back(answer(7, 3, 1, /*correct=*/true));
  EXPECT_FALSE(answer_to_repair(group, 5, kLimits)) << "the group has signal of its own";
}

TEST(RepairWorks, TheLastTurnAndWhatLeavesNoRoomAreNotRepaired) {
  proto::Rollout failed = answer(7, 0, 0);
  EXPECT_TRUE(may_be_repaired(failed, kLimits));
  failed.set_turn(1);
  EXPECT_FALSE(may_be_repaired(failed, kLimits));
  RepairLimits three = kLimits;
  three.turns = 3;
  EXPECT_TRUE(may_be_repaired(failed, three));
  three.context = 200;
  EXPECT_FALSE(may_be_repaired(failed, three));
  EXPECT_TRUE(may_be_repaired(answer(7, 0, 0), kLimits));
  failed = answer(7, 0, 0);
  failed.mutable_completion()->clear_token_ids();
  EXPECT_FALSE(may_be_repaired(failed, kLimits)) << "nothing was drawn";
}

TEST(RepairWorks, ARepairBeginsWithTheTokensAsTheyWereDrawn) {
  rollout::Work work;
  follow(work, answer(7, 3, 0), proto::DSL);
  EXPECT_THAT(work.prefix_ids, testing::ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(work.turn, 1u);
  EXPECT_EQ(work.after_work_id, 7u);
  EXPECT_EQ(work.after_sample, 3u);
  ASSERT_EQ(work.messages.size(), 3u);
  EXPECT_EQ(work.messages[0].content(), "prompt 0");
  EXPECT_EQ(work.messages[1].role(), "assistant");
  EXPECT_EQ(work.messages[1].content(), "no kernel");
  EXPECT_THAT(work.messages[2].content(), testing::HasSubstr("begins with ```dsl"));
}

struct RlRepairs : testing::Test {
  TemporaryFolder folder;
  std::unique_ptr<dataset::Dataset> data;
  std::vector<std::string> tasks;
  RlOptions options;
  RlRepairs() : data(dataset::Dataset::open(folder.path() / "data.h5", dataset::OpenMode::kCreate)) {
    std::vector<proto::JournalRecord> records(20);
    for (std::size_t i = 0; i < records.size(); ++i) {
      proto::Task& task = *records[i].mutable_task();
      task.set_id("task-" + std::to_string(i));
      task.set_split("train");
      task.set_prompt_short("prompt " + std::to_string(i));
    }
    data->append(records);
    tasks = data->task_ids("train");
    options.steps = 40;
    options.groups_per_step = 4;
    options.group_size = 3;
    options.turns = 2;
    options.max_new_tokens = 100;
  }
  // Answers of the works, stored as the coordinator stores them. None is correct.
  std::vector<rollout::FinishedWork> answered(const std::vector<rollout::Work>& works) {
    std::vector<rollout::FinishedWork> groups;
    std::vector<proto::JournalRecord> records;
    for (const rollout::Work& work : works) {
      groups.push_back({.work = work, .rollouts = {}});
      for (std::uint32_t sample = 0; sample < work.samples; ++sample) {
        proto::Rollout one = answer(work.work_id, sample, 0);
        one.set_task(work.task.id());
        one.set_turn(work.turn);
        one.mutable_completion()->set_token_ids(0, static_cast<std::int32_t>(work.work_id % 1000));
        groups.back().rollouts.push_back(one);
        *records.emplace_back().mutable_rollout() = one;
      }
    }
    data->append(records);
    return groups;
  }
};

TEST_F(RlRepairs, HalfOfAnUpdateRepairsWhatFailedBeforeOnceTheWarmUpIsOver) {
  options.turns_after = 2;
  RlWorks works(options, *data, tasks, "run", 2048, {});
  std::int64_t draws = 0;
  for (std::int64_t update = 0; update < 4; ++update) {
    FakeCoordinator coordinator;
    works.submit_for(update, {}, /*version=*/1, /*sent=*/1, coordinator);
    ASSERT_EQ(coordinator.submitted.size(), 4u);
    const auto repairs = std::count_if(coordinator.submitted.begin(), coordinator.submitted.end(),
                                       [](const rollout::Work& work) { return work.turn > 0; });
    EXPECT_EQ(repairs, update < 2 ? 0 : 2) << update;
    for (std::size_t i = 2; update >= 2 && i < 4; ++i) {
      const rollout::Work& repair = coordinator.submitted[i];
      EXPECT_EQ(repair.samples, 3u);
      EXPECT_THAT(repair.prefix_ids, testing::ElementsAre(1, 2, 3, static_cast<std::int32_t>(repair.after_work_id), 5));
    }
    draws += works.trained(update, answered(coordinator.submitted));
  }
  EXPECT_EQ(draws, 4 + 4 + 2 + 2);
  // The works of repairs failed too, but two turns are all. Eight first answers and four of the later updates, less
  // four.
  EXPECT_EQ(works.failed().size(), 8u);
  for (const FailedAnswer& answer : works.failed()) EXPECT_EQ(answer.turn, 0u);
}

TEST_F(RlRepairs, AResumedRunAsksForTheSameRepairs) {
  std::vector<std::vector<rollout::Work>> whole;
  WorksPosition position;
  {
    RlWorks works(options, *data, tasks, "run", 2048, {});
    for (std::int64_t update = 0; update < 5; ++update) {
      if (update == 3) position.failed = works.failed();
      FakeCoordinator coordinator;
      works.submit_for(update, {}, /*version=*/1, /*sent=*/1, coordinator);
      const std::int64_t draws = works.trained(update, answered(coordinator.submitted));
      if (update < 3) position.draw += draws;
      whole.push_back(coordinator.submitted);
    }
  }
  position.update = 3;
  RlWorks works(options, *data, tasks, "run", 2048, position);
  for (std::size_t update = 3; update < 5; ++update) {
    FakeCoordinator coordinator;
    works.submit_for(static_cast<std::int64_t>(update), {}, /*version=*/1, /*sent=*/1, coordinator);
    ASSERT_EQ(coordinator.submitted.size(), whole[update].size());
    for (std::size_t i = 0; i < whole[update].size(); ++i) {
      const rollout::Work &now = coordinator.submitted[i], &before = whole[update][i];
      EXPECT_EQ(now.work_id, before.work_id);
      EXPECT_EQ(now.task.id(), before.task.id());
      EXPECT_EQ(now.prefix_ids, before.prefix_ids);
      EXPECT_EQ(now.after_work_id, before.after_work_id);
      EXPECT_EQ(now.sampling.seed(), before.sampling.seed());
    }
    works.trained(static_cast<std::int64_t>(update), answered(whole[update]));
  }
}

// The data set may have lost it: the update has its groups all the same.
TEST_F(RlRepairs, AnAnswerThatCannotBeReadIsReplacedByATask) {
  RlWorks works(options, *data, tasks, "run", 2048,
                {.update = 3, .draw = 12, .failed = {{.work_id = 99, .sample = 0, .turn = 0, .update = 2}}});
  FakeCoordinator coordinator;
  works.submit_for(3, {}, /*version=*/1, /*sent=*/1, coordinator);
  ASSERT_EQ(coordinator.submitted.size(), 4u);
  for (const rollout::Work& work : coordinator.submitted) EXPECT_EQ(work.turn, 0u);
}

}  // namespace
}  // namespace kg::trainer
