#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "evaluation/judged_answer.h"

namespace kg::evaluation {

// What a rollout of evaluation `label` is for, as it is stored with it: "eval:LABEL".
std::string purpose_of(const std::string& label);

// An evaluation as the rollouts of a data set tell it.
struct StoredEvaluation {
  std::string label, run;
  std::vector<JudgedAnswer> answers;
  std::int64_t first_us = 0, last_us = 0;
};

// Every label found, in the order in which the evaluations were made. Of several runs with one label the newest counts.
std::vector<StoredEvaluation> stored_evaluations(const dataset::Dataset& data);

// The one of that label; throws Error naming the labels there are.
StoredEvaluation stored_evaluation(const dataset::Dataset& data, const std::string& label);

}  // namespace kg::evaluation
