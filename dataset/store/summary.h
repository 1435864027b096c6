#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dataset/store/dataset.h"

namespace kg::dataset {

// The distribution of a number, in constant memory: exact extremes and mean, quantiles within 3 % from a histogram
// whose bins grow geometrically.
class Distribution {
 public:
  void add(double value);  // not negative
  std::uint64_t count() const { return count_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  double smallest() const { return smallest_; }
  double largest() const { return largest_; }
  double quantile(double q) const;

 private:
  std::uint64_t count_ = 0;
  double sum_ = 0, smallest_ = 0, largest_ = 0;
  std::map<int, std::uint64_t> bins_;
};

using Tally = std::map<std::string, std::uint64_t>;

struct RunSummary {
  std::uint64_t rollouts = 0, valid = 0, compiled = 0, correct = 0, truncated = 0;
  double reward_sum = 0;  // sum over the valid ones
  double reward_low = 0, reward_high = 0;
  Distribution tokens;
  Distribution speedup;  // over the correct ones
  std::map<int, std::uint64_t> stages;
};

// The content of `kgtrain data info`.
struct Summary {
  Counts counts;
  std::map<std::string, Tally> families;            // tasks: family -> split -> tasks
  Tally categories, structures;                     // tasks: split -> different structures
  Tally operators, types, levels, cores, elements;  // tasks: operator of the graph -> tasks that use it; ...
  Tally sample_kinds, sample_splits, sample_styles, sample_prompts;
  std::map<std::string, Distribution> kind_bytes;  // samples: kind -> size of all its texts
  Tally mutations;                                 // repairs and predictions: the mistake, from the provenance
  Distribution instruction_bytes, output_bytes;
  std::map<std::string, RunSummary> runs;  // "run / purpose"
};

Summary summarise(const Dataset& data);

// The table as text.
std::string describe(const Summary& summary);

}  // namespace kg::dataset
