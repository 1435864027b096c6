#include "operators/operators.h"

#include <unordered_map>

#include "base/error.h"
#include "base/nearest_name.h"
#include "operators/families.h"

namespace kg::operators {

const std::vector<OperatorInfo>& operator_table() {
  static const std::vector<OperatorInfo> table = [] {
    std::vector<OperatorInfo> rows;
    // Another order of families or rows makes the generator draw other compositions.
    for (const auto family : {arithmetic_operators, math_operators, activation_operators, composed_activation_operators,
                              fused_arithmetic_operators, comparison_operators, cast_operators, optimiser_operators,
                              row_reduction_operators, normalisation_operators, scan_operators, row_part_operators,
                              column_reduction_operators, total_operators, matrix_operators})
      for (OperatorInfo& row : family()) rows.push_back(std::move(row));
    return rows;
  }();
  return table;
}

const OperatorInfo* find_operator(const std::string& name) {
  static const auto by_name = [] {
    std::unordered_map<std::string, const OperatorInfo*> map;
    for (const auto* table : {&operator_table(), &hyper_connection_operators()})
      for (const OperatorInfo& row : *table) map.emplace(row.name, &row);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const OperatorInfo& operator_info(const std::string& name) {
  if (const OperatorInfo* found = find_operator(name)) return *found;
  std::vector<std::string> known;
  for (const OperatorInfo& row : operator_table()) known.push_back(row.name);
  const std::string near = nearest_name(name, known);
  throw Error("unknown operator \"" + name + "\"", "operator graph",
              near.empty() ? "docs/reference/operators.md lists all operators" : "did you mean \"" + near + "\"?");
}

}  // namespace kg::operators
