#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "trainer/task_works.h"

namespace kg::trainer {
namespace {

TEST(TasksOfDraws, ArePureFunctionsOfSeedAndDrawAndCoverAllBeforeOneComesAgain) {
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(std::to_string(i));
  std::multiset<std::string> seen;
  for (std::uint64_t draw = 0; draw < 10; draw += 2)
    for (const std::string& id : tasks_of_draws(ids, 3, draw, 2)) seen.insert(id);
  for (const std::string& id : ids) EXPECT_EQ(seen.count(id), 1u);
  EXPECT_EQ(tasks_of_draws(ids, 3, 14, 2), tasks_of_draws(ids, 3, 14, 2));
  EXPECT_NE(tasks_of_draws(ids, 3, 28, 4), tasks_of_draws(ids, 4, 28, 4));
}

// Three cases, of which the first could not be taken.
proto::Task imported_task() {
  proto::Task task;
  task.set_id("level1/Math/Neg");
  task.set_suite("npukernelbench");
  for (const char* prompt : {"", "a kernel for [4]", "a kernel for [8]"}) {
    proto::TaskCase& one = *task.add_cases();
    one.set_prompt_kernel_only(prompt);
    if (*prompt != '\0') one.add_checked();
  }
  return task;
}

rollout::Work work_of(const proto::Task& task, const std::string& form) {
  return make_work(task, 7, form, 2, {}, 1, "eval:x");
}

TEST(WorkOfAnImportedTask, AsksForOneCaseWhichKeepsItsNumberAndIsJudgedAlone) {
  const rollout::Work work = work_of(imported_task(), "npukernelbench");
  EXPECT_EQ(work.messages.at(0).content(), "a kernel for [4]");
  ASSERT_EQ(work.task.cases_size(), 2);
  EXPECT_TRUE(work.task.cases(0).checked().empty());
  EXPECT_EQ(work.task.cases(1).prompt_kernel_only(), "a kernel for [4]");
  EXPECT_THROW(work_of(imported_task(), "short"), Error);
}

TEST(WorkOfAnImportedTask, IsNotThereIfMoreThanAKernelIsWanted) {
  proto::Task project = imported_task();
  EXPECT_TRUE(wants_kernel(project));
  for (proto::TaskCase& one : *project.mutable_cases()) one.clear_prompt_kernel_only();
  EXPECT_FALSE(wants_kernel(project));
  project.set_suite("builtin");
  EXPECT_TRUE(wants_kernel(project));
}

}  // namespace
}  // namespace kg::trainer
