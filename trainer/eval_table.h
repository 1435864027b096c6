#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "reward/pass_at_k.h"

namespace kg::trainer {

// One evaluation as the records of a data set tell it.
struct EvalRow {
  std::string label;
  std::string run;
  reward::Estimate compiled;       // share of answers that compile
  reward::Estimate correct;        // share of answers that are correct
  std::uint32_t k = 1;             // smallest number of answers to one of its tasks
  reward::Estimate compiled_at_k;  // at least one of k compiles
  reward::Estimate correct_at_k;
  std::uint64_t truncated = 0;  // answers cut off at the token limit
  std::uint64_t invalid = 0;    // answers without a valid reward: left out of all numbers
  double reward_mean = 0;
};

// Every label found, in the order in which the evaluations were made. Of several runs with one label the newest counts.
std::vector<EvalRow> eval_rows(const dataset::Dataset& data);

std::string eval_table_text(const std::vector<EvalRow>& rows);
nlohmann::json to_json(const EvalRow& row);

}  // namespace kg::trainer
