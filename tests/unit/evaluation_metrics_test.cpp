#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/random.h"
#include "evaluation/evaluation.h"
#include "evaluation/paired_difference.h"

namespace kg::evaluation {
namespace {

nlohmann::json reference() {
  return nlohmann::json::parse(read_file(KG_SOURCE_DIR "/tests/unit/reward_metrics_reference.json"));
}

TEST(Metrics, McNemarEqualsExactRationalArithmetic) {
  for (const auto& row : reference()["mcnemar"])
    EXPECT_NEAR(mcnemar_exact(row[0], row[1]), row[2].get<double>(), 1e-9) << row.dump();
}

// 200,000 resamples there, 10,000 here: the ends of an interval wander by a few thousandths.
TEST(Metrics, IntervalsEqualThoseOfNumpy) {
  for (const auto& row : reference()["intervals"]) {
    std::vector<std::pair<std::string, double>> values;
    int name = 0;
    for (const auto& cluster : row["clusters"]) {
      ++name;
      for (const double value : cluster) values.emplace_back(std::to_string(name), value);
    }
    const Estimate estimate = clustered_mean(values);
    EXPECT_NEAR(estimate.value, row["mean"].get<double>(), 1e-12);
    const double width = row["high"].get<double>() - row["low"].get<double>();
    EXPECT_NEAR(estimate.low, row["low"].get<double>(), 0.03 * width) << name;
    EXPECT_NEAR(estimate.high, row["high"].get<double>(), 0.03 * width) << name;
  }
}

JudgedAnswer answer(const std::string& task, bool compiled, bool correct, double speedup = 0) {
  JudgedAnswer made;
  made.task = task;
  made.compiled = compiled;
  made.correct = correct;
  made.speedup = speedup;
  return made;
}

TEST(Metrics, SpeedUpIsTheGeometricMeanOverTasks) {
  const auto row = reference()["speedup"];
  std::vector<JudgedAnswer> answers{answer("none", true, false)};
  for (std::size_t task = 0; task < row["tasks"].size(); ++task)
    for (const double speedup : row["tasks"][task])
      answers.push_back(answer(std::to_string(task), true, true, speedup));
  const GeometricMean mean = evaluate(answers).speedup;
  EXPECT_NEAR(mean.value, row["geometric_mean"].get<double>(), 1e-12);
  EXPECT_EQ(mean.tasks, 3u);
  EXPECT_EQ(mean.answers, 6u);
}

TEST(Metrics, FastPCountsCorrectAnswersThatAreFasterThanP) {
  const Evaluation evaluation = evaluate({answer("a", true, true, 1.6), answer("a", true, true, 0.9),
                                          answer("b", true, false), answer("b", false, false)});
  ASSERT_EQ(evaluation.fast.size(), 3u);
  EXPECT_DOUBLE_EQ(evaluation.fast[0].share.value, 0.25);
  EXPECT_DOUBLE_EQ(evaluation.fast[1].share.value, 0.25);
  EXPECT_DOUBLE_EQ(evaluation.fast[2].share.value, 0);
  ASSERT_EQ(evaluation.at.size(), 2u);
  EXPECT_DOUBLE_EQ(evaluation.at[0].compiled.value, 0.75);
  EXPECT_EQ(evaluation.at[1].k, 2u);
  EXPECT_DOUBLE_EQ(evaluation.at[1].correct.value, 0.5);
}

TEST(Metrics, DifferencesOfTwoRunsEqualThoseOfNumpy) {
  for (const auto& row : reference()["differences"]) {
    std::vector<JudgedAnswer> first, second;
    int number = 0;
    for (const auto& task : row["tasks"]) {
      const std::string id = std::to_string(number++);
      const auto add = [&](std::vector<JudgedAnswer>& run, const nlohmann::json& passes) {
        for (const int pass : passes) {
          run.push_back(answer(id, true, pass == 1));
          run.back().cluster = task[0];
        }
      };
      add(first, task[1]);
      add(second, task[2]);
    }
    const PairedDifference found = paired_difference(first, second);
    EXPECT_EQ(found.tasks, 60u);
    EXPECT_EQ(found.clusters, 30u);
    EXPECT_NEAR(found.difference, row["difference"].get<double>(), 1e-12);
    EXPECT_NEAR(found.first - found.second, found.difference, 1e-12);
    const double width = row["high"].get<double>() - row["low"].get<double>();
    EXPECT_NEAR(found.low, row["low"].get<double>(), 0.04 * width);
    EXPECT_NEAR(found.high, row["high"].get<double>(), 0.04 * width);
    const double p = row["p_value"].get<double>();
    EXPECT_NEAR(found.p_value, p, 4 * std::sqrt(2 * p / 10000) + 3e-4);
  }
}

TEST(Metrics, TasksOfOneRunAloneAreInNoDifference) {
  const PairedDifference found = paired_difference({answer("a", true, true), answer("b", true, true)},
                                                   {answer("a", true, false), answer("c", true, true)});
  EXPECT_EQ(found.tasks, 1u);
  EXPECT_DOUBLE_EQ(found.difference, 1);
  EXPECT_EQ(difference_text(found), "+100.0 points, no interval: it takes two structures at least");
  EXPECT_TRUE(json_of(found)["p_value"].is_null());
  EXPECT_EQ(paired_difference({answer("a", true, true)}, {}).tasks, 0u);
}

TEST(Metrics, AnswersWithoutAVerdictCountInNoRate) {
  JudgedAnswer broken = answer("a", false, false);
  broken.valid = false;
  broken.sandbox_fault = true;
  const Evaluation evaluation = evaluate({answer("a", true, true, 1), broken});
  EXPECT_EQ(evaluation.answers, 2u);
  EXPECT_EQ(evaluation.invalid, 1u);
  EXPECT_EQ(evaluation.sandbox_faults, 1u);
  EXPECT_DOUBLE_EQ(evaluation.at[0].correct.value, 1);
  EXPECT_TRUE(evaluate({broken}).at.empty());
}

TEST(Metrics, RunsAreComparedTaskByTask) {
  const std::vector<JudgedAnswer> first{answer("a", true, true), answer("b", true, true), answer("c", true, false),
                                        answer("d", true, true)};
  const std::vector<JudgedAnswer> second{answer("a", true, true), answer("b", true, false), answer("b", true, true),
                                         answer("c", true, false)};
  const PairedTest test = compare_runs(first, second);
  EXPECT_EQ(test.both, 1u);
  EXPECT_EQ(test.only_first, 1u);  // only the first answer to b counts: the other run has one
  EXPECT_EQ(test.only_second, 0u);
  EXPECT_EQ(test.neither, 1u);
  EXPECT_DOUBLE_EQ(test.p_value(), 1.0);
}

// A model that solves a task with a probability of its own, drawn from Beta(a, b) by two gamma numbers of integer
// halves: here as the a-th smallest of a + b - 1 uniform numbers, so a and b are whole.
double beta(Philox& random, int a, int b) {
  std::vector<double> drawn(static_cast<std::size_t>(a + b - 1));
  for (double& one : drawn) one = random.next_double();
  std::sort(drawn.begin(), drawn.end());
  return drawn[static_cast<std::size_t>(a - 1)];
}

// KG_COVERAGE_TRIALS=2000 measures to half a percent (docs/guide/metrics.md has the numbers).
TEST(Metrics, IntervalsCoverTheTruthOfSimulatedModels) {
  const char* asked = std::getenv("KG_COVERAGE_TRIALS");
  const int trials = asked == nullptr ? 40 : std::atoi(asked);
  struct Model {
    int tasks, samples, k, a, b;
    double none = 0;  // share of the tasks that are out of reach
  };
  Philox random(23, 0);
  for (const Model& model :
       {Model{40, 10, 1, 1, 1}, Model{40, 10, 1, 1, 9}, Model{40, 10, 1, 4, 2}, Model{40, 10, 10, 1, 19},
        Model{40, 10, 1, 1, 1, 0.5}, Model{40, 10, 1, 1, 1, 0.9}, Model{40, 10, 1, 1, 1, 0.95}, Model{40, 10, 1, 1, 39},
        Model{80, 10, 1, 1, 19, 0.5}, Model{80, 10, 1, 1, 1, 0.95}, Model{157, 10, 1, 1, 1, 0.95},
        Model{157, 10, 10, 1, 9, 0.5}}) {
    double truth = 1 - model.none;
    if (model.k == 1)
      truth *= model.a / static_cast<double>(model.a + model.b);
    else {  // 1 - E (1 - p)^k = 1 - B(a, b + k) / B(a, b)
      double miss = 1;
      for (int i = 0; i < model.k; ++i) miss *= static_cast<double>(model.b + i) / (model.a + model.b + i);
      truth *= 1 - miss;
    }
    int covered = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<TaskOutcome> outcomes;
      for (int task = 0; task < model.tasks; ++task) {
        const bool reached = random.next_double() >= model.none;
        const double rate = reached ? beta(random, model.a, model.b) : 0;
        TaskOutcome outcome{std::to_string(task), static_cast<std::uint32_t>(model.samples), 0};
        for (int sample = 0; sample < model.samples; ++sample) outcome.passed += random.next_double() < rate ? 1 : 0;
        outcomes.push_back(outcome);
      }
      const Estimate estimate = mean_pass_at_k(outcomes, static_cast<std::uint32_t>(model.k));
      covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    }
    const double share = static_cast<double>(covered) / trials;
    if (asked != nullptr)
      std::printf("%d tasks, k = %d, truth %.4f: covered %.4f\n", model.tasks, model.k, truth, share);
    const double noise = 3 * std::sqrt(0.05 * 0.95 / trials);
    EXPECT_GE(share, 0.93 - noise) << truth;
    EXPECT_LE(share, 0.97 + noise) << truth;
  }
}

}  // namespace
}  // namespace kg::evaluation
