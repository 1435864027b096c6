#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"

namespace kg::evaluation {

// How much more often one run's answers are correct than another's, on the tasks that both have valid answers to: the
// mean over tasks of the difference of their shares of correct answers (ER@1). A paired bootstrap over clusters (10,000
// resamples, fixed seed) gives the 95 % interval by percentiles and the two-sided p: twice the smaller share of
// resamples on either side of zero, at most 1 (Efron and Tibshirani, An Introduction to the Bootstrap, 1993,
// section 15.4).
struct PairedDifference {
  double first = 0, second = 0;  // ER@1 on the common tasks
  double difference = 0;         // first - second
  double low = 0, high = 0;      // these and p only with has_interval()
  double p_value = 1;
  std::uint64_t tasks = 0, clusters = 0;

  bool has_interval() const { return clusters > 1; }  // resamples of one cluster are all alike
};

std::string difference_text(const PairedDifference& difference);  // "+1.2 points [-0.3, +2.7], p = 0.1150"
nlohmann::json json_of(const PairedDifference& difference);       // no interval: null

// A task's share of correct answers by each of the two.
struct PairedShares {
  std::string cluster;
  double first = 0, second = 0;
};
PairedDifference paired_difference(const std::map<std::string, PairedShares>& tasks);

PairedDifference paired_difference(const std::vector<JudgedAnswer>& first, const std::vector<JudgedAnswer>& second);

}  // namespace kg::evaluation
