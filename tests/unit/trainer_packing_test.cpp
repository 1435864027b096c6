#include <gtest/gtest.h>

#include <set>

#include "trainer/advantage.h"
#include "trainer/packing.h"

namespace kg::trainer {
namespace {

TEST(Packing, OnlyTheAnswerIsLearnedAndEachTokenIsPredictedFromTheOneBefore) {
  const Document first{.ids = {10, 11, 12, 13, 14}, .prompt_length = 3};
  const Document second{.ids = {20, 21, 22}, .prompt_length = 1};
  const PackedRow row = assemble_row({&first, &second});
  EXPECT_EQ(row.ids, (std::vector<std::int64_t>{10, 11, 12, 13, 14, 20, 21, 22}));
  EXPECT_EQ(row.segments, (std::vector<policy::Segment>{{0, 5}, {5, 8}}));
  EXPECT_EQ(row.loss_positions, (std::vector<std::int64_t>{2, 3, 5, 6}));
  EXPECT_EQ(row.targets, (std::vector<std::int64_t>{13, 14, 21, 22}));
}

TEST(Packing, AnswersToOnePromptStandBehindItOnceAndTheirFirstTokensArePredictedFromItsEnd) {
  const Document first{.ids = {1, 2, 3, 10, 11}, .prompt_length = 3};
  const Document other{.ids = {1, 2, 7, 8}, .prompt_length = 2};
  const Document second{.ids = {1, 2, 3, 20}, .prompt_length = 3};
  const PackedRow row = assemble_row({&first, &other, &second});
  EXPECT_EQ(row.ids, (std::vector<std::int64_t>{1, 2, 3, 10, 11, 20, 1, 2, 7, 8}));
  EXPECT_EQ(row.segments, (std::vector<policy::Segment>{{0, 3}, {3, 5, 0}, {5, 6, 0}, {6, 10}}));
  EXPECT_EQ(row.loss_positions, (std::vector<std::int64_t>{2, 3, 2, 7, 8}));
  EXPECT_EQ(row.targets, (std::vector<std::int64_t>{10, 11, 20, 7, 8}));
  EXPECT_EQ(row.order, (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_EQ(policy::positions_of(row.segments), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 3, 0, 1, 2, 3}));
  // 5 + 1 tokens share a prompt of 3; the third document has no room beside them.
  EXPECT_EQ(pack_sharing_prompts({&first, &other, &second}, 6), (std::vector<std::vector<std::size_t>>{{0, 2}, {1}}));
}

TEST(Packing, AGroupIsSplitOnlyIfARowDoesNotHoldIt) {
  std::vector<Document> answers;
  for (const std::int32_t prompt : {1, 2, 3})
    for (int i = 0; i < 4; ++i) answers.push_back({.ids = {prompt, prompt, 9, i}, .prompt_length = 2});  // 2 + 4 * 2
  std::vector<const Document*> documents;
  for (const Document& answer : answers) documents.push_back(&answer);
  // Rows of 16 would take one and a half groups, and compute a prompt twice.
  EXPECT_EQ(pack_sharing_prompts(documents, 16),
            (std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
  EXPECT_EQ(pack_sharing_prompts(documents, 8),
            (std::vector<std::vector<std::size_t>>{{0, 1, 2}, {3, 7}, {4, 5, 6}, {8, 9, 10}, {11}}));
}

TEST(Packing, RowsHoldEveryDocumentOnceWithinTheBound) {
  std::vector<std::int64_t> lengths;
  std::vector<std::size_t> documents;
  for (std::size_t i = 0; i < 200; ++i) {
    lengths.push_back(1 + static_cast<std::int64_t>(i * 7919 % 97));
    documents.push_back(i);
  }
  std::set<std::size_t> seen;
  for (const auto& row : pack_rows(documents, lengths, 100)) {
    std::int64_t tokens = 0;
    for (const std::size_t document : row) {
      tokens += lengths[document];
      EXPECT_TRUE(seen.insert(document).second);
    }
    EXPECT_LE(tokens, 100);
  }
  EXPECT_EQ(seen.size(), 200u);
}

TEST(Packing, OrderDependsOnSeedAndEpochAloneAndCoversEachEpoch) {
  const std::vector<std::int64_t> lengths(50, 10);
  DocumentOrder straight(lengths, 3);
  DataPosition position;
  std::vector<std::vector<std::size_t>> steps;
  std::vector<DataPosition> positions;
  std::multiset<std::size_t> first_epochs;
  while (position.epoch < 2) {
    positions.push_back(position);
    steps.push_back(straight.next(70, position, /*end_epoch=*/2));
    first_epochs.insert(steps.back().begin(), steps.back().end());
  }
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(first_epochs.count(i), 2u);
  EXPECT_NE(shuffled_order(50, 3, 0), shuffled_order(50, 3, 1));
  EXPECT_NE(shuffled_order(50, 3, 0), shuffled_order(50, 4, 0));
  // From any recorded position the rest is the same.
  DocumentOrder resumed(lengths, 3);
  DataPosition middle = positions[6];
  EXPECT_EQ(resumed.next(70, middle, 2), steps[6]);
}

TEST(Packing, ADocumentLongerThanAStepStillMakesProgress) {
  DocumentOrder order({500, 500}, 1);
  DataPosition position;
  EXPECT_EQ(order.next(100, position).size(), 1u);
  EXPECT_EQ(order.next(100, position).size(), 1u);
  EXPECT_EQ(position.epoch, 1u);
}

TEST(Advantage, AGroupWithoutSignalIsNamedNotDividedByZero) {
  EXPECT_FALSE(group_advantages({1, 1, 1, 1}, {}).has_value());
  EXPECT_FALSE(group_advantages({0.5}, {}).has_value());
  EXPECT_FALSE(group_advantages({}, {}).has_value());
}

}  // namespace
}  // namespace kg::trainer
