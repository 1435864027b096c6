#pragma once

#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "reward/evaluation.h"

namespace kg::cli {

// The answers that a data set holds of the evaluation `label` (rollouts of purpose "eval:LABEL"), of the newest run with that
// label, with what their tasks say of level, category and type. Throws Error naming the labels there are.
std::vector<reward::JudgedAnswer> answers_of_label(const dataset::Dataset& data, const std::string& label);

}  // namespace kg::cli
