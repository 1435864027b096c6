#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dataset/cot/modules/traced_prompt.h"

namespace kg::dataset::cot::modules {

// What the reductions of a prompt take together, and how a program walks over it. Extents are called A, B, ... by their axes.
struct PassDomain {
  bool total = true;
  std::size_t axis = 0;  // if not all
  std::string elements;  // how many are reduced together
  std::string outer;     // line; empty: none
  std::string loop;
  std::string full_shape, full_at;        // of a tensor with all axes
  std::string reduced_shape, reduced_at;  // of one without the axis
  std::string kept_shape, kept_at;        // of one where the axis is 1
};

// nullopt: there is no reduction, or they differ.
std::optional<PassDomain> pass_domain(const TracedPrompt& prompt);

std::string extent_letter(std::size_t axis);

}  // namespace kg::dataset::cot::modules
