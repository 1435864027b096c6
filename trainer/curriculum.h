#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace kg::trainer {

// Chooses the next task for a learner. Tasks have levels; a level opens once half of the samples of the one below
// pass. Among the tasks of open levels it draws those whose running pass rate shows that there is something to learn,
// or that were never tried: a group in which all pass or all fail has no signal.
class Curriculum {
 public:
  struct Bounds {
    double low = 0.1, high = 0.9;       // bounds of the running pass rate
    double next_level = 0.5;            // pass rate of a level that opens the next one
    double memory = 0.75;               // weight of the past in running rates
    std::uint64_t fewest_samples = 32;  // samples a level needs before its rate counts
  };
  explicit Curriculum(std::vector<int> levels) : Curriculum(std::move(levels), Bounds{}) {}
  Curriculum(std::vector<int> levels, Bounds bounds);

  // `passed` of `samples` of the task were correct. Opens at most one level.
  void record(std::size_t task, std::uint64_t passed, std::uint64_t samples);
  // A task of an open level. If none has signal, any task of the highest open level.
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
  std::vector<Level> levels_;    // one for each of all_levels_
  int open_ = 0;
};

}  // namespace kg::trainer
