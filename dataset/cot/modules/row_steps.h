#pragma once

#include <span>

namespace kg::dataset::cot::modules {

// An operator along rows that keeps their shape. {C} in a spelling: the sizes of a row.
struct RowStep {
  const char* name;
  const char* words;
  const char* constants;
  const char* dsl;
  const char* torch;
  bool positive = false;  // needs positive operands
  bool gives_positive = false;
  bool no_span = false;  // has no spelling for rows of several axes
};
std::span<const RowStep> row_steps();

// From rows to one number each, or, as a gradient, to rows. inputs: n normal, p probabilities, + positive, i an index
struct RowLoss {
  const char* name;
  const char* words;
  const char* inputs;
  const char* roles[4];
  const char* constants;
  const char* dsl;
  const char* torch;
  const char* mean = "";  // ways to write the mean over all rows with it
};
std::span<const RowLoss> row_losses();
std::span<const RowLoss> row_gradients();

}  // namespace kg::dataset::cot::modules
