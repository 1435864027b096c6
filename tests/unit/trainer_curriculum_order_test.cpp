#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "trainer/curriculum_order.h"

namespace kg::trainer {
namespace {

class CurriculumOrderTest : public testing::Test {
 protected:
  CurriculumOrderTest() : data(dataset::Dataset::open(folder.path() / "data.h5", dataset::OpenMode::kCreate)) {
    for (int level = 1; level <= 3; ++level)
      for (int task = 0; task < 20; ++task) {
        proto::JournalRecord record;
        record.mutable_task()->set_id(std::to_string(level) + "/" + std::to_string(task));
        record.mutable_task()->set_level(level);
        record.mutable_task()->set_split("train");
        data->append({record});
      }
    ids = data->task_ids("train");
  }

  CurriculumOrder order(std::int64_t staleness = 0, std::uint64_t seed = 1) const {
    return {*data, ids, {.seed = seed, .groups = kGroups, .staleness = staleness}};
  }

  static constexpr std::int64_t kGroups = 4;

  // A learner that solves level 1 always and the others half of the time.
  static void learn(std::int64_t update, const std::vector<std::string>& tasks, std::vector<GroupOutcome>& outcomes) {
    for (std::size_t i = 0; i < tasks.size(); ++i)
      outcomes.push_back({.work_id = static_cast<std::uint64_t>(update) * kGroups + i + 1,
                          .task = tasks[i],
                          .passed = tasks[i][0] == '1' ? 8u : 4u,
                          .samples = 8});
  }

  TemporaryFolder folder;
  std::unique_ptr<dataset::Dataset> data;
  std::vector<std::string> ids;
};

TEST_F(CurriculumOrderTest, BeginsWithTheLowestLevelClimbsAndDrawsNoTaskTwiceInAnUpdate) {
  CurriculumOrder curriculum = order();
  std::vector<GroupOutcome> outcomes;
  std::set<char> levels;
  for (std::int64_t update = 0; update < 12; ++update) {
    const auto tasks = curriculum.tasks_of(update, outcomes);
    ASSERT_EQ(tasks.size(), 4u);
    EXPECT_EQ(std::set<std::string>(tasks.begin(), tasks.end()).size(), 4u);
    if (update == 0) {
      for (const std::string& task : tasks) EXPECT_EQ(task[0], '1');
    }
    for (const std::string& task : tasks) levels.insert(task[0]);
    learn(update, tasks, outcomes);
  }
  EXPECT_EQ(curriculum.highest_level(), 3);
  EXPECT_EQ(levels.size(), 3u);
}

// With staleness the update is drawn before the outcomes of the ones just before it are known; a run that is resumed
// knows them and must not use them.
TEST_F(CurriculumOrderTest, AResumedRunDrawsWhatTheRunDrew) {
  for (const std::int64_t staleness : {0, 2}) {
    std::vector<GroupOutcome> outcomes;
    std::vector<std::vector<std::string>> drawn;
    CurriculumOrder curriculum = order(staleness);
    std::int64_t submitted = 0;
    for (std::int64_t step = 0; step < 10; ++step) {
      for (; submitted <= step + staleness; ++submitted) drawn.push_back(curriculum.tasks_of(submitted, outcomes));
      learn(step, drawn[static_cast<std::size_t>(step)], outcomes);
    }
    for (std::int64_t step = 0; step < 10; ++step) {
      CurriculumOrder resumed = order(staleness);
      const std::vector<GroupOutcome> known(outcomes.begin(), outcomes.begin() + step * kGroups);
      for (std::int64_t update = step; update <= step + staleness && update < 10; ++update)
        EXPECT_EQ(resumed.tasks_of(update, known), drawn[static_cast<std::size_t>(update)])
            << "update " << update << " resumed at " << step << ", staleness " << staleness;
    }
  }
}

TEST_F(CurriculumOrderTest, SeedsDifferAndATaskThatIsGoneIsForgotten) {
  EXPECT_NE(order(0, 1).tasks_of(0, {}), order(0, 2).tasks_of(0, {}));
  CurriculumOrder curriculum = order();
  EXPECT_EQ(curriculum.tasks_of(1, {{.work_id = 1, .task = "gone", .passed = 8, .samples = 8}}).size(), 4u);
}

}  // namespace
}  // namespace kg::trainer
