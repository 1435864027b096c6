#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "evaluation/table_text.h"
#include "evaluation/tables.h"
#include "trainer/task_works.h"

namespace kg::evaluation {
namespace {

class EvalTable : public testing::Test {
 protected:
  EvalTable() : data(dataset::Dataset::open(folder.path() / "data.h5", dataset::OpenMode::kCreate)) {
    for (int structure = 0; structure < 3; ++structure)
      for (int shape = 0; shape < 2; ++shape) {
        proto::JournalRecord record;
        record.mutable_task()->set_id(name(structure, shape));
        record.mutable_task()->set_structure("structure-" + std::to_string(structure));
        record.mutable_task()->set_split("heldout");
        data->append({record});
      }
  }
  static std::string name(int structure, int shape) {
    return "t" + std::to_string(structure) + "/" + std::to_string(shape);
  }

  void add(const std::string& run, const std::string& label, const std::string& task, std::uint64_t work,
           std::uint32_t sample, bool compiled, bool correct, bool valid = true, std::int64_t time = 1) {
    proto::JournalRecord record;
    proto::Rollout& rollout = *record.mutable_rollout();
    rollout.set_run(run);
    rollout.set_purpose("eval:" + label);
    rollout.set_task(task);
    rollout.set_work_id(work);
    rollout.set_sample(sample);
    rollout.set_time_us(time);
    rollout.mutable_completion()->set_truncated(run == "new" && work == 1 && sample == 1);
    rollout.mutable_verdict()->set_compiled(compiled);
    rollout.mutable_verdict()->set_correct(correct);
    rollout.mutable_verdict()->set_reward_valid(valid);
    data->append({record});
  }

  TemporaryFolder folder;
  std::unique_ptr<dataset::Dataset> data;
};

TEST_F(EvalTable, RatesCountAnswersThatHaveAValidRewardOfTheNewestRunOfEachLabel) {
  add("old", "sft", name(0, 0), 1, 0, false, false, true, 5);
  for (int structure = 0; structure < 3; ++structure)
    for (std::uint32_t sample = 0; sample < 2; ++sample)
      add("new", "sft", name(structure, 0), static_cast<std::uint64_t>(structure) + 1, sample, structure != 2,
          structure == 0 && sample == 0, true, 10);
  add("new", "sft", name(0, 0), 1, 2, false, false, /*valid=*/false, 11);
  add("other-run", "other", name(0, 0), 1, 0, true, true);
  const auto evaluations = stored_evaluations(*data);
  ASSERT_EQ(evaluations.size(), 2u);
  EXPECT_EQ(evaluations[0].label, "other");
  EXPECT_EQ(evaluations[1].label, "sft");
  EXPECT_EQ(evaluations[1].run, "new");
  const evaluation::Evaluation all = evaluation::evaluate(evaluations[1].answers);
  ASSERT_EQ(all.at.size(), 2u);
  EXPECT_DOUBLE_EQ(all.at[0].compiled.value, 4.0 / 6);
  EXPECT_DOUBLE_EQ(all.at[0].correct.value, 1.0 / 6);
  EXPECT_EQ(all.at[1].k, 2u);
  EXPECT_DOUBLE_EQ(all.at[1].correct.value, 1.0 / 3);
  EXPECT_EQ(all.at[0].compiled.samples, 6u);
  EXPECT_EQ(all.at[0].compiled.clusters, 3u);
  EXPECT_EQ(all.invalid, 1u);
  EXPECT_EQ(all.truncated, 1u);
  EXPECT_LE(all.at[0].compiled.low, all.at[0].compiled.value);
  EXPECT_GE(all.at[0].compiled.high, all.at[0].compiled.value);
}

TEST_F(EvalTable, SummaryHasARowForEachLabelAndALabelThatIsNotThereIsNamed) {
  add("a", "sft", name(0, 0), 1, 0, true, false);
  add("b", "rl", name(0, 0), 1, 0, true, true, true, 2);
  const std::string text = summary_text(stored_evaluations(*data));
  EXPECT_LT(text.find("\nsft "), text.find("\nrl "));
  EXPECT_THAT(text, testing::HasSubstr("100.0 %"));
  EXPECT_EQ(stored_evaluation(*data, "rl").answers.size(), 1u);
  try {
    stored_evaluation(*data, "dpo");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::HasSubstr("it has rl, sft"));
  }
}

TEST(JudgesOfATable, AreToldWhereTheyAreSeveralAndOnlyThere) {
  const auto answers = [](std::vector<std::string> versions) {
    std::vector<JudgedAnswer> made;
    for (const std::string& version : versions) {
      made.push_back({.task = "t" + std::to_string(made.size()), .cluster = "", .judge_version = version});
      made.back().correct = made.size() == 1;
    }
    return made;
  };
  Tables one = make_tables("a", answers({"v1", "v1"}));
  EXPECT_THAT(text_of(one), testing::Not(testing::HasSubstr("judge")));
  EXPECT_THAT(text_of(make_tables("a", answers({"", ""}))), testing::Not(testing::HasSubstr("judge")));
  EXPECT_THAT(text_of(make_tables("a", answers({"v1", "v2", "v2", ""}))),
              testing::HasSubstr("judged by 3 versions of the judge: unknown (1), v1 (1), v2 (2)."));
  one.against = compare("b", answers({"v1", "v1"}), answers({"v1", "v1"}));
  EXPECT_THAT(text_of(one), testing::Not(testing::HasSubstr("judge")));
  one.against = compare("b", answers({"v1", "v1"}), answers({"v2", "v2"}));
  EXPECT_THAT(text_of(one), testing::HasSubstr("different versions of the judge: this by v1, b by v2."));
  EXPECT_EQ(json_of(one).at("against").at("judge_versions").at("v2"), 2);
  EXPECT_THAT(summary_text({{.label = "a", .run = "", .answers = answers({"v1"})},
                            {.label = "b", .run = "", .answers = answers({"v2"})}}),
              testing::HasSubstr("different versions of the judge: a by v1; b by v2."));
}

TEST(TableText, ATableThatIsWiderThanTheTerminalIsFoldedNotWrapped) {
  const std::vector<std::vector<std::string>> rows = {
      {"", "tasks", "answers", "CR@1", "ER@1", "CR@4", "ER@4", "speed-up (tasks)"},
      {"sft", "100", "400", "50.2 % [42.5, 57.9]", "37.8 % [30.5, 45.6]", "73.0 % [63.4, 80.8]", "57.0 % [47.1, 66.3]",
       "1.234 (57)"}};
  std::istringstream folded(table_text(rows, 80));
  std::string line, all;
  while (std::getline(folded, line)) {
    EXPECT_LE(line.size(), 80u) << line;
    all += line + " ";
  }
  for (std::size_t i = 1; i < rows[0].size(); ++i) EXPECT_THAT(all, testing::HasSubstr(rows[0][i] + " " + rows[1][i]));
  EXPECT_THAT(table_text(rows, 0), testing::HasSubstr("37.8 % [30.5, 45.6]  73.0 %"));
  EXPECT_EQ(table_text(rows, 0), table_text(rows, 200));
  EXPECT_EQ(wrapped_text("one two three four\n", 9), "one two\nthree\nfour\n");
}

TEST_F(EvalTable, OneTaskOfEachStructureComesFirst) {
  const auto chosen = [&](const std::string& split, const std::string& only, std::size_t limit) {
    return trainer::tasks_by_structure(*data, {.split = split, .only = only, .limit = limit}).ids;
  };
  EXPECT_EQ(chosen("heldout", "", 3), (std::vector<std::string>{name(0, 0), name(1, 0), name(2, 0)}));
  EXPECT_EQ(chosen("heldout", "", 4).back(), name(0, 1));
  EXPECT_EQ(chosen("heldout", "", 0).size(), 6u);
  EXPECT_EQ(chosen("heldout", "none," + name(1, 0) + "," + name(2, 1), 0),
            (std::vector<std::string>{name(1, 0), name(2, 1)}));
  EXPECT_TRUE(chosen("train", "", 0).empty());
}

}  // namespace
}  // namespace kg::evaluation
