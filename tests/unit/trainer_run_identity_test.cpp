// What a resumed run takes for its own: its works, its model, and what its rewards mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "tests/support/fake_coordinator.h"
#include "tests/support/trainer_tiny_model.h"
#include "trainer/eval_data.h"
#include "trainer/rl_works.h"
#include "trainer/run_identity.h"
#include "trainer/run_request.h"

namespace kg::trainer {
namespace {

struct RunIdentity : testing::Test {
  TemporaryFolder folder;
  std::unique_ptr<dataset::Dataset> data;
  std::vector<std::string> tasks;
  RunIdentity() : data(dataset::Dataset::open(folder.path() / "data.h5", dataset::OpenMode::kCreate)) {
    std::vector<proto::JournalRecord> records(100);
    for (std::size_t i = 0; i < records.size(); ++i) {
      proto::Task& task = *records[i].mutable_task();
      task.set_id("task-" + std::to_string(i));
      task.set_split("train");
      task.set_prompt_short("prompt " + std::to_string(i));
    }
    data->append(records);
    tasks = data->task_ids("train");
  }
};

// Update u took the works u * groups + 1 and so on: a run that went on with fewer groups trained on rollouts again.
TEST_F(RunIdentity, ARunThatGoesOnWithOtherGroupsDrawsNoWorkThatWasTrainedOn) {
  RlOptions options;
  options.steps = 40;
  options.groups_per_step = 8;
  std::set<std::uint64_t> trained;
  {
    RlWorks works(options, *data, tasks, "run", 2048, {});
    FakeCoordinator coordinator;
    for (std::int64_t update = 0; update < 10; ++update) {
      works.submit_for(update, {}, /*version=*/1, /*sent=*/1, coordinator);
      for (const std::uint64_t id : works.ids_of(update)) EXPECT_TRUE(trained.insert(id).second);
    }
    EXPECT_EQ(*trained.rbegin(), 80u);
  }
  options.groups_per_step = 2;
  options.staleness = 2;
  RlWorks works(options, *data, tasks, "run", 2048, {.update = 10, .draw = 80});
  FakeCoordinator coordinator;
  coordinator.taken = 83;
  for (std::int64_t update = 10; update < 14; ++update) {
    works.submit_for(update, {}, /*version=*/1, /*sent=*/1, coordinator);
    EXPECT_EQ(works.ids_of(update).size(), 2u);
    for (const std::uint64_t id : works.ids_of(update)) EXPECT_TRUE(trained.insert(id).second) << id;
  }
  EXPECT_TRUE(trained.contains(1000000)) << "the number that the coordinator gave";
  EXPECT_EQ(coordinator.submitted.size(), 12u);
  // The same draw has the same task and stream, whoever makes it.
  RlWorks again(options, *data, tasks, "run", 2048, {.update = 12, .draw = 84});
  FakeCoordinator other;
  again.submit_for(12, {}, /*version=*/1, /*sent=*/1, other);
  EXPECT_EQ(other.submitted[0].task.id(), coordinator.submitted[4].task.id());
  EXPECT_EQ(other.submitted[0].sampling.seed(), coordinator.submitted[4].sampling.seed());
}

// --model latest-sft was recorded as the link: the resumed run followed it to whatever it led to by then.
TEST_F(RunIdentity, TheModelIsTheOneThatTheLinkLedToAtTheStart) {
  write_tiny_model(folder.path() / "sft-a");
  fs::create_directory_symlink(folder.path() / "sft-a", folder.path() / "latest-sft");
  RunRequest request;
  settle(request, {}, (folder.path() / "latest-sft").string());
  EXPECT_EQ(request.model, fs::canonical(folder.path() / "sft-a"));
  const std::string before = model_hash(request.model);
  EXPECT_EQ(model_hash(folder.path() / "latest-sft"), before);
  std::string weights = read_file(folder.path() / "sft-a" / "model.safetensors");
  weights.back() = static_cast<char>(weights.back() ^ 1);
  write_file_durably(folder.path() / "sft-a" / "model.safetensors", weights);
  const std::string after = model_hash(request.model);
  EXPECT_NE(before, after);
  require_same_run({{"model_hash", before}, {"reward", {{"correct", 1}}}},
                   {{"model_hash", before}, {"reward", {{"correct", 1}}}}, "run");
  try {
    require_same_run({{"model_hash", before}}, {{"model_hash", after}}, "run");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::AllOf(testing::HasSubstr(before), testing::HasSubstr(after)));
  }
  EXPECT_THROW(require_same_run({{"reward", {{"correct", 1}}}}, {{"reward", {{"correct", 2}}}}, "run"), Error);
  EXPECT_THROW(require_same_run({{"language", "dsl"}}, {{"language", "ascendc"}}, "run"), Error);
  require_same_run(nlohmann::json::object(), {{"model_hash", after}}, "run");  // of an older kgtrain
}

// An evaluation could not begin while a run had the data set.
TEST_F(RunIdentity, AnEvaluationStoresItsAnswersApartWhileARunWritesTheDataSet) {
  const fs::path aside = folder.path() / "eval" / "answers.h5";
  proto::JournalRecord record;
  record.mutable_rollout()->set_run("eval");
  record.mutable_rollout()->set_work_id(1);
  record.mutable_rollout()->set_task("task-1");
  {
    const EvalData eval = open_for_answers(folder.path() / "data.h5", aside);
    EXPECT_TRUE(eval.apart);
    EXPECT_EQ(eval.data->task_ids("train").size(), 100u);
    EXPECT_EQ(eval.data->append({record}), 1u);
    EXPECT_EQ(eval.data->counts().rollouts, 1u);
  }
  EXPECT_EQ(data->counts().rollouts, 0u);
  data.reset();
  const EvalData again = open_for_answers(folder.path() / "data.h5", aside);
  EXPECT_TRUE(again.apart) << "an evaluation that goes on finds what it has";
  EXPECT_EQ(again.data->append({record}), 0u);
  EXPECT_FALSE(open_for_answers(folder.path() / "data.h5", folder.path() / "other" / "answers.h5").apart);
}

}  // namespace
}  // namespace kg::trainer
