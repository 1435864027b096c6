// The best constant, the best affine function of one input, and a copy, against the judge's own rules: none may pass,
// unless fp64 says that the operator is such a function. Decided exactly (affine_answer.h), in numbers, without
// kernels.
//
// KG_GUESS_TASKS=2000: so many generated tasks. KG_GUESS_DATA=FILE: the tasks of benchmarks that a data set holds, with
// KGTRAIN_PYTHON and the checkouts that they were imported from, by cases of at most KG_GUESS_MEGABYTES (64).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/cot/choice.h"
#include "dataset/store/dataset.h"
#include "operators/number_format.h"
#include "proto/dtype.h"
#include "reward/affine_answer.h"
#include "reward/check_width.h"
#include "reward/imported_look.h"
#include "reward/second_look.h"
#include "reward/tolerance.h"

namespace kg::dataset::cot {
namespace {

using operators::GoldenTensor;
using reward::AffineAnswer;

// Answers to one output, over all that the judge compares.
struct Answers {
  AffineAnswer within, exact;
  void add(double x, double wanted, double tolerance, double exactly) {
    within.add(x, wanted, tolerance);
    exact.add(x, wanted, exactly);
  }
  void add(double x, double wanted, double tolerance) {
    add(x, wanted, tolerance, 1e-9 * std::max(1.0, std::abs(wanted)));
  }
};

enum class Guess { kConstant, kAffine, kCopy };
constexpr Guess kGuesses[] = {Guess::kConstant, Guess::kAffine, Guess::kCopy};
constexpr const char* kNames[] = {"a constant", "an affine function of an input", "a copy"};

bool passes(const AffineAnswer& answer, Guess guess) {
  return guess == Guess::kConstant ? answer.constant_exists()
         : guess == Guess::kAffine ? answer.exists()
                                   : answer.copy_exists();
}

struct Counts {
  int tasks = 0;
  std::map<Guess, int> guessed, functions;  // passing, and of these those whose operator is that function
  void add(const std::string& id, const std::vector<std::vector<Answers>>& outputs) {
    ++tasks;
    for (const Guess guess : kGuesses) {
      bool every = true, is_function = true;
      for (const auto& by_input : outputs) {
        bool some = false, exactly = false;
        for (const Answers& answers : by_input) {
          some = some || passes(answers.within, guess);
          exactly = exactly || passes(answers.exact, guess);
        }
        every = every && some;
        is_function = is_function && exactly;
      }
      guessed[guess] += every;
      functions[guess] += every && is_function;
      if (every && !is_function) std::printf("%s passes for %s\n", kNames[static_cast<int>(guess)], id.c_str());
    }
  }
  void expect_none() const {
    for (const Guess guess : kGuesses) {
      std::printf("%s: right for %d of %d tasks, of which %d compute such a function\n",
                  kNames[static_cast<int>(guess)], guessed.at(guess), tasks, functions.at(guess));
      EXPECT_EQ(guessed.at(guess), functions.at(guess)) << kNames[static_cast<int>(guess)];
    }
  }
};

// Integers have to be met: rounding is no affine function.
constexpr double kInteger = 1e-6;
double room(const proto::Task& task, proto::DType dtype, double wanted, double times) {
  return operators::is_floating(dtype) ? reward::element_tolerance(dtype, wanted, times * task.absolute_bound())
                                       : kInteger;
}

void add_run(const proto::Task& task, const std::vector<proto::Tensor>& inputs, const std::vector<GoldenTensor>& golden,
             double times, std::vector<std::vector<Answers>>& outputs) {
  for (std::size_t o = 0; o < golden.size(); ++o)
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const GoldenTensor x = operators::to_golden(inputs[i]);
      const bool same_size = x.values.size() == golden[o].values.size();
      const proto::DType dtype = task.cases(0).outputs(static_cast<int>(o)).dtype();
      for (std::size_t n = 0; n < golden[o].values.size(); ++n)  // of another size: its first number
        outputs[o][i].add(same_size          ? x.values[n]
                          : x.values.empty() ? 0
                                             : x.values[0],
                          golden[o].values[n], room(task, dtype, golden[o].values[n], times));
    }
}

int wanted_tasks() {
  const char* named = std::getenv("KG_GUESS_TASKS");
  return named == nullptr ? 60 : std::atoi(named);
}

TEST(Guesses, NoneIsRightForGeneratedTasks) {
  Counts counts;
  int without = 0, refused = 0;
  std::map<std::string, int> reasons;
  const double started = monotonic_seconds();
  double chosen_in = 0;
  for (std::uint64_t number = 0; counts.tasks < wanted_tasks(); ++number) {
    const double before = monotonic_seconds();
    const Choice choice = choose_task(number, /*seed=*/11);
    chosen_in += monotonic_seconds() - before;
    refused += static_cast<int>(choice.refused.size());
    if (!choice.found) {
      ++without;
      if (!choice.refused.empty()) ++reasons[choice.instance.structure->family + ": " + choice.refused.back()];
      continue;
    }
    if (is_empty(choice.instance)) continue;
    const proto::Task& task = choice.task;
    std::vector<std::vector<Answers>> outputs(static_cast<std::size_t>(task.cases(0).outputs_size()));
    for (auto& by_input : outputs) by_input.resize(static_cast<std::size_t>(task.cases(0).inputs_size()));
    for (const proto::TaskCase& task_case : task.cases()) {
      const std::vector<proto::Tensor> inputs = operators::make_inputs(task_case);
      add_run(task, inputs, operators::golden_outputs(task.graph(), inputs), 1, outputs);
    }
    proto::ExecutionRequest program;
    program.set_source("a guess");
    std::vector<int> cases;
    for (int c = 0; c < task.cases_size(); ++c) cases.push_back(c);
    for (const reward::Look& look : reward::looks_at(task, cases, program))
      add_run(task, look.inputs, look.golden, 4, outputs);
    counts.add(task.id(), outputs);
  }
  counts.expect_none();
  std::printf("%d structures without a task, %d variants refused, %.1f ms to choose a task, %.0f s in all\n", without,
              refused, 1e3 * chosen_in / counts.tasks, monotonic_seconds() - started);
  if (std::getenv("KG_GUESS_REASONS") != nullptr)
    for (const auto& [reason, times] : reasons) std::printf("  %d %s\n", times, reason.c_str());
}

// What passes for an element: by the benchmark's checker, or by the strict rule where the judge takes that.
double imported_room(const proto::TaskCase& task_case, proto::DType dtype, double wanted, double floor,
                     reward::JudgedBy judged) {
  if (!operators::is_floating(dtype)) return kInteger;
  const double room = reward::published_tolerance(task_case.check(), dtype, wanted);
  return judged == reward::JudgedBy::kChecker ? room : std::min(room, reward::element_tolerance(dtype, wanted, floor));
}

// Elements of one run: every expected tensor against every input. What fp64 says is wanted, if it says something: the
// rounding of a reference in half is no part of its function.
void add_imported(const proto::TaskCase& task_case, const std::vector<proto::Tensor>& inputs,
                  const reward::BenchmarkCase& expected, const std::vector<reward::JudgedBy>& judged,
                  std::vector<std::vector<Answers>>& outputs) {
  outputs.resize(expected.golden.size());
  for (std::size_t o = 0; o < expected.golden.size(); ++o) {
    const proto::DType dtype = expected.golden[o].dtype();
    if (dtype == proto::COMPLEX64 || dtype == proto::BOOL) continue;
    const bool wide = o < expected.golden64.size();
    const GoldenTensor wanted = wide ? expected.golden64[o] : operators::to_golden(expected.golden[o]);
    const double floor = wide ? reward::noise_floor(expected.golden[o], wanted) : 0;
    outputs[o].resize(std::max<std::size_t>(1, inputs.size()));
    for (std::size_t i = 0; i < outputs[o].size(); ++i) {
      GoldenTensor x;
      if (i < inputs.size() && !inputs[i].absent() && inputs[i].dtype() != proto::COMPLEX64)
        x = operators::to_golden(inputs[i]);
      const bool same_size = x.values.size() == wanted.values.size();
      double largest = 0;
      for (const double value : wanted.values)
        if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
      for (std::size_t n = 0; n < wanted.values.size(); ++n)
        if (const double value = wanted.values[n]; std::isfinite(value))
          outputs[o][i].add(
              same_size          ? x.values[n]
              : x.values.empty() ? 0
                                 : x.values[0],
              value, imported_room(task_case, dtype, value, floor, judged[o]),
              wide ? 1e-9 * largest : std::max(1e-9 * largest, operators::unit_in_last_place(dtype, value)));
    }
  }
}

struct LookedAt {
  google::protobuf::RepeatedPtrField<proto::Tensor> inputs;
  reward::BenchmarkCase expected;
};
LookedAt run_of(reward::BenchmarkCase expected) {
  LookedAt run{{expected.inputs.begin(), expected.inputs.end()}, {}};
  run.expected = std::move(expected);
  return run;
}

// In doubles, with all looks, a case takes some fifty times as much memory.
std::uint64_t most_bytes() {
  const char* megabytes = std::getenv("KG_GUESS_MEGABYTES");
  return (megabytes == nullptr ? 64ull : std::strtoull(megabytes, nullptr, 10)) << 20;
}
// One case of each task, the smallest that the benchmark's checker judges; -1: none.
int smallest_checked(const proto::Task& task) {
  int best = -1;
  for (int c = 0; c < task.cases_size(); ++c)
    if (!task.cases(c).checked().empty() &&
        (best < 0 || proto::byte_size(task.cases(c)) < proto::byte_size(task.cases(best))))
      best = c;
  return best;
}

TEST(Guesses, NoneIsRightForTasksOfBenchmarks) {
  const char* file = std::getenv("KG_GUESS_DATA");
  if (file == nullptr) GTEST_SKIP() << "KG_GUESS_DATA names no data set with imported tasks";
  const auto data = Dataset::open(file, OpenMode::kRead);
  benchmarks::StoredCases stored(*data, {});
  Counts first, both;
  int looks = 0, without = 0, strictly = 0, by_nothing = 0;
  data->for_each_task([&](const proto::Task& task) {
    if (const int c = smallest_checked(task); c >= 0) {
      const proto::TaskCase& task_case = task.cases(c);
      try {
        if (proto::byte_size(task_case) > most_bytes()) throw Error("its smallest case is too large", task.id(), "");
        std::vector<LookedAt> runs;
        runs.push_back(run_of(stored.get(task, c)));
        std::vector<reward::JudgedBy> judged(runs[0].expected.golden.size(), reward::JudgedBy::kChecker);
        std::vector<std::vector<Answers>> outputs;
        add_imported(task_case, runs[0].expected.inputs, runs[0].expected, judged, outputs);
        if (outputs.empty() || outputs[0].empty()) return true;
        std::printf("[first look] ");
        first.add(task.id(), outputs);
        for (int turn = 0; turn <= 3; ++turn)
          if (auto other = stored.other(task, c, {.seed = hash64(task.id() + std::to_string(turn)), .wide = turn > 0}))
            runs.push_back(run_of(std::move(*other)));
        looks += static_cast<int>(runs.size()) - 1;
        without += runs.size() == 1;
        std::vector<reward::CheckedRun> checked;
        for (const LookedAt& run : runs) checked.push_back({run.inputs, run.expected});
        judged = reward::judged_by(task_case.check(), checked);
        outputs.clear();
        for (const LookedAt& run : runs) add_imported(task_case, run.expected.inputs, run.expected, judged, outputs);
        const auto some = [&](reward::JudgedBy by) {
          return std::find(judged.begin(), judged.end(), by) != judged.end();
        };
        if (some(reward::JudgedBy::kScale)) ++strictly, std::printf("%s is judged strictly\n", task.id().c_str());
        if (some(reward::JudgedBy::kNothing)) {  // the judge says that this is no result
          ++by_nothing;
          std::printf("%s does not tell\n", task.id().c_str());
          return true;
        }
        std::printf("[both looks] ");
        both.add(task.id(), outputs);
      } catch (const std::exception& error) {
        std::printf("left out %s: %s\n", task.id().c_str(), error.what());
      }
    }
    return true;
  });
  std::printf("first look alone:\n");
  for (const Guess guess : kGuesses)
    std::printf("  %s: %d of %d\n", kNames[static_cast<int>(guess)], first.guessed[guess], first.tasks);
  std::printf("%d looks with the reference, %d tasks without any; %d tasks judged strictly, %d without a result\n",
              looks, without, strictly, by_nothing);
  both.expect_none();
}

}  // namespace
}  // namespace kg::dataset::cot
