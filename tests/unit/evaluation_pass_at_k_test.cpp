#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/random.h"
#include "evaluation/pass_at_k.h"

namespace kg::evaluation {
namespace {

TEST(PassAtK, EqualsExactRationalArithmetic) {
  const auto reference = nlohmann::json::parse(read_file(KG_SOURCE_DIR "/tests/unit/reward_reference.json"));
  for (const auto& row : reference["pass_at_k"])
    EXPECT_NEAR(pass_at_k(row[0], row[1], row[2]), row[3].get<double>(), 1e-12) << row.dump();
  EXPECT_TRUE(std::isnan(pass_at_k(4, 2, 5)));
}

TEST(PassAtK, NoneThatPassesGetsTheExactBoundInsteadOfAnEmptyInterval) {
  std::vector<TaskOutcome> outcomes(24, TaskOutcome{"", 4, 0});
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].cluster = std::to_string(i);
  const Estimate estimate = mean_pass_at_k(outcomes, 1);
  EXPECT_EQ(estimate.value, 0);
  EXPECT_EQ(estimate.low, 0);
  EXPECT_NEAR(estimate.high, 0.142, 0.001);  // scipy.stats.beta.ppf(0.975, 1, 24)
}

TEST(PassAtK, IntervalsCoverTheTruthOfASimulatedModel) {
  Philox random(11, 0);
  int covered = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<TaskOutcome> outcomes;
    for (int task = 0; task < 40; ++task) {
      const double rate = random.next_double();  // the truth over tasks: 0.5
      TaskOutcome outcome{std::to_string(task), 4, 0};
      for (int sample = 0; sample < 4; ++sample) outcome.passed += random.next_double() < rate;
      outcomes.push_back(outcome);
    }
    const Estimate estimate = mean_pass_at_k(outcomes, 1);
    covered += estimate.low <= 0.5 && 0.5 <= estimate.high;
  }
  EXPECT_GE(covered, kTrials * 0.90);
  EXPECT_LE(covered, kTrials * 0.99);
}

}  // namespace
}  // namespace kg::evaluation
