#pragma once

#include <vector>

#include "operators/operators.h"

namespace kg::operators {

// Rows of the operator table whose result has a shape of its own: reductions of a whole tensor or of another axis than
// the last, losses, pooling, slices, gathers, products of matrices.
std::vector<OperatorInfo> shaped_operators();

}  // namespace kg::operators
