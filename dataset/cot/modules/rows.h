#pragma once

#include <string>
#include <vector>

#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/row_steps.h"

namespace kg::dataset::cot::modules {

// The inputs and outputs of a graph of rows.
struct Rows {
  std::vector<std::string> shape;  // as the module sees it
  std::vector<std::string> lead;   // axes before the rows
  std::vector<int> axes;           // axes of a row
  std::string letters;             // "C", "H, W"
  std::string program;             // "R, C"
  std::string program_lead;        // "R"
  std::string loop;                // "for r in cores(R):"
  std::string at;                  // "r, :"
  std::string number_at;           // "r"
  int rank() const { return static_cast<int>(shape.size()); }
};

// Where the program stores a value, and the output's shape there.
struct RowPlace {
  std::vector<std::string> shape;
  std::string program, at;
};
RowPlace place_of_rows(const Rows& of);
RowPlace place_of_numbers(const Rows& of, bool keep);  // one number per row; `keep`: with the row's axes as 1

// The loop over the rows: loads `inputs`, does every step, and stores `value`.
void row_body(Maker& make, const Rows& of, const std::vector<int>& inputs, int value, const RowPlace& place);

// Draws one; `may_span`: a row may have several axes.
Rows rows(Maker& make, bool may_span);
// Draws an operator that keeps rows, as a step of the graph.
int add_row_step(Maker& make, const Rows& of, int operand, bool shaped);
// Draws a reduction that this value allows.
const Reduction& reduction_for(Maker& make, int operand);

}  // namespace kg::dataset::cot::modules
