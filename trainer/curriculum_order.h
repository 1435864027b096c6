#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataset/store/dataset.h"
#include "trainer/curriculum.h"

namespace kg::trainer {

// A group that was trained on, as a curriculum remembers it.
struct GroupOutcome {
  std::uint64_t work_id = 0;
  std::string task;
  std::uint64_t passed = 0, samples = 0;  // correct answers of those with a valid reward
  std::int64_t update = -1;               // that trained on it; -1: as the work's number says, of a run before 0.3
};

// Which tasks an update trains on, drawn by level and running pass rate (dataset/curriculum.h). With a staleness of S,
// update u is drawn from what the updates before u - S showed, as it is submitted when those are known: a pure function
// of the seed and the outcomes, so that a resumed run draws what it drew before.
class CurriculumOrder {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::int64_t groups = 1;  // of an update
    std::int64_t staleness = 0;
  };
  // `ids`: tasks of `data` to draw from.
  CurriculumOrder(const dataset::Dataset& data, const std::vector<std::string>& ids, const Options& options);

  // The tasks of `update`, at least as high as in the call before; different ones, unless too few have signal.
  // `outcomes`: of all updates so far, in order of work.
  std::vector<std::string> tasks_of(std::int64_t update, const std::vector<GroupOutcome>& outcomes);
  int highest_level() const { return curriculum_.highest_open(); }

 private:
  std::vector<std::string> ids_;
  Options options_;
  Curriculum curriculum_;
  std::unordered_map<std::string, std::size_t> index_;
  std::size_t seen_ = 0;  // outcomes
};

}  // namespace kg::trainer
