#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataset/store/dataset.h"
#include "trainer/curriculum.h"

namespace kg::trainer {

// The outcome of a group that was trained on, as a curriculum remembers it.
struct GroupOutcome {
  std::uint64_t work_id = 0;
  std::string task;
  std::uint64_t passed = 0, samples = 0;  // correct answers, and answers with a valid reward
  std::int64_t update = -1;               // trained on it; -1: as the work's number says, in a run before 0.3
};

// Chooses the tasks of an update, by level and running pass rate (dataset/curriculum.h). With a staleness of S,
// update u is drawn from the results of the updates before u - S, known when it is submitted: a pure function
// of the seed and the outcomes, so a resumed run draws the same tasks again.
class CurriculumOrder {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::int64_t groups = 1;  // groups per update
    std::int64_t staleness = 0;
  };
  // `ids`: the tasks of `data` to draw from.
  CurriculumOrder(const dataset::Dataset& data, const std::vector<std::string>& ids, const Options& options);

  // The tasks of `update`, which must not decrease from call to call; distinct ones, unless too few have signal.
  // `outcomes`: of all updates so far, in order of work.
  std::vector<std::string> tasks_of(std::int64_t update, const std::vector<GroupOutcome>& outcomes);
  int highest_level() const { return curriculum_.highest_open(); }

 private:
  std::vector<std::string> ids_;
  Options options_;
  Curriculum curriculum_;
  std::unordered_map<std::string, std::size_t> index_;
  std::size_t seen_ = 0;  // number of outcomes seen
};

}  // namespace kg::trainer
