#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace kg::trainer {

// Which task a learner should see next. Tasks have levels; a level opens once half of the samples of the one below
// pass. Among the tasks of open levels those are drawn whose running pass rate says that there is something to learn,
// or that were never tried: a group that all passes or all fails has no signal.
class Curriculum {
 public:
  struct Bounds {
    double low = 0.1, high = 0.9;       // of the running pass rate
    double next_level = 0.5;            // pass rate of a level from which the next one opens
    double memory = 0.75;               // weight of the past in running rates
    std::uint64_t fewest_samples = 32;  // of a level, before its rate counts
  };
  explicit Curriculum(std::vector<int> levels) : Curriculum(std::move(levels), Bounds{}) {}
  Curriculum(std::vector<int> levels, Bounds bounds);

  // `passed` of `samples` of the task were correct. Opens at most one level.
  void record(std::size_t task, std::uint64_t passed, std::uint64_t samples);
  // A task of an open level. Where none has signal, any of the highest open level.
  std::size_t draw(Philox& random) const;

  int highest_open() const { return open_; }
  double rate(std::size_t task) const { return tasks_[task].rate; }
  bool eligible(std::size_t task) const;

 private:
  struct Running {
    int level = 1;
    double rate = 0;
    std::uint64_t samples = 0;
  };
  struct Level {
    double rate = 0;
    std::uint64_t samples = 0;
  };
  void mix(double& rate, std::uint64_t before, double seen) const {
    rate = before == 0 ? seen : bounds_.memory * rate + (1 - bounds_.memory) * seen;
  }

  Bounds bounds_;
  std::vector<Running> tasks_;
  std::vector<int> all_levels_;  // sorted, distinct
  std::vector<Level> levels_;    // of all_levels_
  int open_ = 0;
};

}  // namespace kg::trainer
