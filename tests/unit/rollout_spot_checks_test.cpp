// Which results of an untrusted worker are judged again, and what becomes of the others.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "proto/kept_set.h"
#include "rollout/spot_checks.h"

namespace kg::rollout {
namespace {

SpotChecks::Held result(std::uint64_t work_id, double reward = 0) {
  SpotChecks::Held held;
  held.identity = "key/w#1";
  held.rollout.set_work_id(work_id);
  held.rollout.set_kernel("kernel");
  held.rollout.mutable_verdict()->set_reward_valid(true);
  held.rollout.mutable_verdict()->set_reward(reward);
  held.rollout.mutable_verdict()->set_stage(reward > 0 ? proto::CORRECT : proto::COMPARE);
  return held;
}

TEST(SpotChecks, ALiarWithOneFalseVerdictInTwentyIsFoundWithinTwoHundredResults) {
  constexpr int kRuns = 2000;
  int found = 0, stored_lies = 0, results_until_found = 0;
  for (int run = 0; run < kRuns; ++run) {
    SpotChecks checks({.seed = static_cast<std::uint64_t>(run)});
    std::mt19937 random(static_cast<unsigned>(run + 77));
    bool caught = false;
    for (std::uint64_t i = 1; i <= 200 && !caught; ++i) {
      checks.add("key", result(i, random() % 20 == 0 ? 1 : 0), static_cast<double>(i));
      while (const auto due = checks.next(static_cast<double>(i))) {
        if (due->second.rollout.verdict().reward() > 0) {
          caught = true;
          results_until_found += static_cast<int>(i);
          for (const SpotChecks::Held& dropped : checks.drop("key")) EXPECT_EQ(dropped.identity, "key/w#1");
          EXPECT_EQ(checks.waiting(), 0u);
          break;
        }
        for (const SpotChecks::Held& good : checks.release("key", due->second, false))
          stored_lies += good.rollout.verdict().reward() > 0 ? 1 : 0;
      }
    }
    found += caught ? 1 : 0;
  }
  std::printf("found %d of %d, after %.1f results; %.2f false ones stored a liar\n", found, kRuns,
              results_until_found / static_cast<double>(found), stored_lies / static_cast<double>(kRuns));
  EXPECT_GE(found, kRuns * 99 / 100);
}

TEST(SpotChecks, NothingIsReleasedBeforeTheNextGoodCheck) {
  SpotChecks checks({.first_rate = 0, .rate = 0, .patience_seconds = 2});
  for (std::uint64_t i = 1; i <= 5; ++i) checks.add("key", result(i), 10);
  checks.add("key", result(5), 10);
  EXPECT_EQ(checks.waiting("key"), 5u) << "one that is sent twice waits once";
  EXPECT_FALSE(checks.next(11));
  const auto due = checks.next(12.1);
  ASSERT_TRUE(due) << "what waits too long is checked anyway";
  EXPECT_EQ(due->second.rollout.work_id(), 5u);
  EXPECT_FALSE(checks.next(12.1));
  checks.add("key", result(6), 12.2);
  EXPECT_EQ(checks.release("key", due->second, false).size(), 5u);
  EXPECT_EQ(checks.waiting("key"), 1u);
}

TEST(SpotChecks, ACheckThatToldNothingReleasesItsResultAlone) {
  SpotChecks checks({.first_rate = 0, .rate = 0});
  for (std::uint64_t i = 1; i <= 5; ++i) checks.add("key", result(i), 0);
  EXPECT_EQ(checks.release("key", checks.next(3)->second, true).size(), 1u);
  EXPECT_EQ(checks.waiting("key"), 4u);
}

TEST(SpotChecks, AHostTooSlowForALimitIsNoLiar) {
  proto::Rollout slow = result(1, 0).rollout, fast = result(1, 1).rollout;
  EXPECT_EQ(compare_verdicts(fast, fast), Agreement::kSame);
  EXPECT_EQ(compare_verdicts(slow, fast), Agreement::kFalse);
  slow.mutable_verdict()->add_faults()->set_fault_class("limit");
  EXPECT_EQ(compare_verdicts(slow, fast), Agreement::kSlower);
  EXPECT_EQ(compare_verdicts(fast, slow), Agreement::kFalse);
  slow.set_kernel("another");
  EXPECT_EQ(compare_verdicts(slow, fast), Agreement::kFalse);
}

TEST(KeptSets, ComeBackAsTheyWere) {
  std::mt19937 random(9);
  for (const int vocabulary : {3, 300, 50000}) {
    std::string bytes;
    std::vector<std::vector<std::int32_t>> sets;
    for (int i = 0; i < 60; ++i) {
      std::vector<std::int32_t>& set = sets.emplace_back();
      const unsigned one_in = 1u << random() % 12;
      for (std::int32_t token = 0; token < vocabulary; ++token)
        if (random() % one_in == 0) set.push_back(token);
      if (set.empty()) set.push_back(static_cast<std::int32_t>(random() % vocabulary));
      if (i % 10 == 0) {
        set.clear();
        proto::append_whole_vocabulary(bytes);
      } else {
        const std::size_t before = bytes.size();
        proto::append_kept_set(bytes, set);
        EXPECT_LE(bytes.size() - before, static_cast<std::size_t>(vocabulary) / 8 + 8);
      }
    }
    const auto back = proto::read_kept_sets(bytes, sets.size(), vocabulary);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      EXPECT_EQ(back[i].whole, i % 10 == 0);
      EXPECT_EQ(back[i].tokens, sets[i]);
    }
    EXPECT_THROW(proto::read_kept_sets(bytes, sets.size() + 1, vocabulary), Error);
    EXPECT_THROW(proto::read_kept_sets(bytes, sets.size() - 1, vocabulary), Error);
    EXPECT_THROW(proto::read_kept_sets(bytes, sets.size(), 2), Error);
    // Damage is an error or other sets, never more than the vocabulary.
    for (int i = 0, times = vocabulary > 1000 ? 200 : 2000; i < times; ++i) {
      std::string damaged = bytes;
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
      try {
        for (const proto::KeptSet& set : proto::read_kept_sets(damaged, sets.size(), vocabulary))
          ASSERT_TRUE(set.tokens.empty() || std::ranges::max(set.tokens) < vocabulary);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace kg::rollout
