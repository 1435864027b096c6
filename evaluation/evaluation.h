#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluation/judged_answer.h"
#include "evaluation/paired_test.h"
#include "evaluation/pass_at_k.h"

namespace kg::evaluation {

struct AtK {
  std::uint32_t k = 1;
  Estimate compiled, correct;  // CR@k, ER@k
};

struct FastP {
  double p = 1;
  Estimate share;  // of answers that are correct and more than p times as fast as the baseline
};

struct GeometricMean {
  double value = 0;                      // 0: of nothing
  std::uint64_t tasks = 0, answers = 0;  // with a correct answer; correct answers
};

struct Evaluation {
  std::uint64_t tasks = 0, answers = 0, invalid = 0, sandbox_faults = 0;
  std::uint64_t scalar_only = 0;  // correct answers that the scalar unit alone computed
  std::uint64_t truncated = 0;    // valid answers cut off at the token limit
  std::vector<AtK> at;  // of 1, 10, 100 those for which every task has answers enough; and the fewest answers to a task
  std::vector<FastP> fast;  // 1, 1.5, 2
  GeometricMean speedup;    // over tasks of the geometric mean over their correct answers
};

// Valid answers to each task, and how many of them are correct; a task without a structure is its own cluster.
std::map<std::string, TaskOutcome> correct_by_task(const std::vector<JudgedAnswer>& answers);

Evaluation evaluate(const std::vector<JudgedAnswer>& answers);

// The same by what is between the levels' lines: level, category or dtype.
std::map<std::string, Evaluation> evaluate_by(const std::vector<JudgedAnswer>& answers,
                                              std::string JudgedAnswer::* key);

// Tasks that both have answers to; a task is solved by a run if one of its first k answers is correct, k the smaller
// number of answers that the two have to it.
PairedTest compare_runs(const std::vector<JudgedAnswer>& first, const std::vector<JudgedAnswer>& second);

}  // namespace kg::evaluation
