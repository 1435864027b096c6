#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "trainer/preference_pairs.h"

namespace kg::trainer {
namespace {

RankedAnswer answer(const std::string& prompt, std::uint64_t work, std::uint32_t sample, AnswerRank rank) {
  return {.run = "run",
          .work_id = work,
          .sample = sample,
          .task = "task",
          .prompt_hash = prompt,
          .answer_hash = std::to_string(work) + "-" + std::to_string(sample),
          .rank = rank};
}

TEST(PreferencePairs, AreOfOnePromptAndTheBetterAnswerIsChosen) {
  std::vector<RankedAnswer> answers;
  for (std::uint32_t i = 0; i < 6; ++i) {
    answers.push_back(answer("p", 1, i, static_cast<AnswerRank>(i % 3)));
    answers.push_back(answer("q", 2, i, i == 0 ? AnswerRank::kCorrect : AnswerRank::kBroken));
  }
  const auto pairs = choose_pairs(answers, {.per_prompt = 4, .wrong_over_broken = 1});
  EXPECT_EQ(pairs.size(), 8u);
  for (const PreferencePair& pair : pairs) {
    EXPECT_EQ(answers[pair.chosen].prompt_hash, answers[pair.rejected].prompt_hash);
    EXPECT_GT(answers[pair.chosen].rank, answers[pair.rejected].rank);
  }
}

TEST(PreferencePairs, OfWrongOverBrokenStayBelowTheirShare) {
  std::vector<RankedAnswer> answers;
  for (std::uint64_t prompt = 0; prompt < 30; ++prompt)
    for (std::uint32_t i = 0; i < 4; ++i)
      answers.push_back(
          answer("p" + std::to_string(prompt), prompt, i,
                 i == 0 ? (prompt < 10 ? AnswerRank::kCorrect : AnswerRank::kWrong) : AnswerRank::kBroken));
  for (const double share : {0.0, 0.25, 0.5}) {
    const auto pairs = choose_pairs(answers, {.per_prompt = 2, .wrong_over_broken = share});
    const auto low = static_cast<double>(std::count_if(pairs.begin(), pairs.end(), [&](const PreferencePair& pair) {
      return answers[pair.chosen].rank == AnswerRank::kWrong;
    }));
    EXPECT_LE(low, share * static_cast<double>(pairs.size()));
    EXPECT_EQ(static_cast<double>(pairs.size()) - low, 20);
  }
}

TEST(PreferencePairs, UseEachAnswerBeforeAnyTwiceAndOneTextOnce) {
  std::vector<RankedAnswer> answers;
  for (std::uint32_t i = 0; i < 4; ++i) answers.push_back(answer("p", 1, i, AnswerRank::kCorrect));
  for (std::uint32_t i = 4; i < 8; ++i) answers.push_back(answer("p", 1, i, AnswerRank::kWrong));
  answers[7].answer_hash = answers[6].answer_hash;
  const auto pairs = choose_pairs(answers, {.per_prompt = 3});
  ASSERT_EQ(pairs.size(), 3u);
  std::map<std::size_t, int> uses;
  for (const PreferencePair& pair : pairs) {
    ++uses[pair.chosen];
    ++uses[pair.rejected];
  }
  for (const auto& [index, count] : uses) EXPECT_EQ(count, 1);
}

proto::JournalRecord stored_rollout(std::uint32_t sample, bool compiled, bool correct, std::int32_t token) {
  proto::JournalRecord record;
  proto::Rollout& rollout = *record.mutable_rollout();
  rollout.set_work_id(7);
  rollout.set_sample(sample);
  rollout.set_run("run-1");
  rollout.set_task("task");
  rollout.set_kernel("kernel");
  rollout.mutable_verdict()->set_reward_valid(true);
  rollout.mutable_verdict()->set_compiled(compiled);
  rollout.mutable_verdict()->set_correct(correct);
  for (const std::int32_t id : {5, 6, 7}) rollout.mutable_completion()->add_prompt_ids(id);
  rollout.mutable_completion()->add_token_ids(token);
  return record;
}

TEST(PreferencePairs, AreReadFromRolloutsAndStoredOnce) {
  const TemporaryFolder folder("kgtrain-pairs");
  const auto data = dataset::Dataset::open(folder.path() / "data.h5", dataset::OpenMode::kCreate);
  data->append(
      {stored_rollout(0, true, true, 10), stored_rollout(1, true, false, 11), stored_rollout(2, false, false, 12)});
  const PreferenceData pairs = load_preferences(*data, "run-1", /*vocabulary=*/100, {.per_prompt = 2});
  ASSERT_EQ(pairs.records.size(), 2u);
  EXPECT_EQ(pairs.chosen[0].ids, (std::vector<std::int32_t>{5, 6, 7, 10}));
  EXPECT_EQ(pairs.chosen[0].prompt_length, 3);
  EXPECT_EQ(pairs.records[0].reason(), "correct over wrong");
  EXPECT_EQ(pairs.records[1].reason(), "correct over does not compile");
  EXPECT_EQ(pairs.records[0].chosen_run(), "run-1");
  EXPECT_EQ(store_preferences(*data, pairs.records), 2u);
  EXPECT_EQ(store_preferences(*data, pairs.records), 0u);
  EXPECT_EQ(data->counts().preferences, 2u);
}

TEST(PreferencePairs, OfAnotherVocabularyOrWithoutADifferenceAreRefused) {
  const TemporaryFolder folder("kgtrain-pairs");
  const auto data = dataset::Dataset::open(folder.path() / "data.h5", dataset::OpenMode::kCreate);
  data->append({stored_rollout(0, true, false, 10), stored_rollout(1, true, false, 11)});
  EXPECT_THROW(load_preferences(*data, "", 100, {}), Error);
  data->append({stored_rollout(2, true, true, 50)});
  EXPECT_THROW(load_preferences(*data, "", /*vocabulary=*/40, {}), Error);
  EXPECT_THROW(load_preferences(*data, "run-2", 100, {}), Error);
  EXPECT_EQ(load_preferences(*data, "", 100, {}).records.size(), 2u);
}

}  // namespace
}  // namespace kg::trainer
