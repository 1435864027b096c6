#pragma once

#include <vector>

#include "dsl/check.h"

namespace kg::dsl {

// The values of a tensor, row-major; integers exactly as far as double can represent them.
using Values = std::vector<double>;

// Runs a checked program directly, without lowering it: the reference for its lowered kernel. Every operation on
// tiles and numbers is computed in double and rounded once to the type of its result; reductions and scans of a tile
// are summed in double and rounded once. Cores run one after the other. Outputs start as NaN. Throws Refusal if a
// program reads or writes outside a tensor.
std::vector<Values> interpret(const Checked& program, const std::vector<Values>& inputs);

// `value` as stored in a tensor or tile of this type.
double rounded_to(proto::DType dtype, double value);

}  // namespace kg::dsl
