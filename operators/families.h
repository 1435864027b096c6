#pragma once

#include <vector>

#include "operators/operators.h"

namespace kg::operators {

// The rows of the operator table, one file for each family.
std::vector<OperatorInfo> arithmetic_operators();
std::vector<OperatorInfo> math_operators();
std::vector<OperatorInfo> activation_operators();
std::vector<OperatorInfo> composed_activation_operators();
std::vector<OperatorInfo> fused_arithmetic_operators();
std::vector<OperatorInfo> comparison_operators();
std::vector<OperatorInfo> cast_operators();
std::vector<OperatorInfo> optimiser_operators();
std::vector<OperatorInfo> row_reduction_operators();
std::vector<OperatorInfo> normalisation_operators();
std::vector<OperatorInfo> scan_operators();
std::vector<OperatorInfo> row_part_operators();
std::vector<OperatorInfo> column_reduction_operators();
std::vector<OperatorInfo> total_operators();
std::vector<OperatorInfo> matrix_operators();

}  // namespace kg::operators
