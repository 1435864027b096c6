#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reward/paired_test.h"
#include "reward/pass_at_k.h"

namespace kg::reward {

// What an evaluation knows of one judged answer. docs/metrics.md defines what is made of them.
struct JudgedAnswer {
  std::string task;
  std::string cluster;  // tasks of one operator structure count as one draw; empty: the task alone
  std::string level, category, dtype;
  bool valid = true;  // false: the sandbox failed, or the timing is impossible; counted apart, in no rate
  bool sandbox_fault = false;
  bool compiled = false;
  bool correct = false;
  double speedup = 0;        // of a correct one
  bool scalar_only = false;  // the device warned that the scalar unit did the work
};

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

}  // namespace kg::reward
