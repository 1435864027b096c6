#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kg::dataset {

// Bounds on the values of a tensor. They keep generated structures well-conditioned: no logarithm of a negative number,
// no division by nearly nothing, no overflow of half.
struct Range {
  double low = 0, high = 0;
};

using Ranges = std::vector<Range>;
using Attributes = std::vector<double>;

// One row of the table that says how an operator of reward/operators.h is written: in a prompt, and in Ascend C.
struct OperatorForm {
  std::string op;
  std::string phrase;                                  // right side of a step in a prompt, from $x $y $w $a $b
  std::vector<std::string> code;                       // statements, see below
  std::vector<std::vector<double>> attribute_choices;  // exact in half and bfloat16
  // Bounds of the result, or nothing where the operator would be ill-conditioned or do nothing at all.
  std::function<std::optional<Range>(const Ranges&, const Attributes&)> range;
  bool discontinuous = false;  // may only see values without rounding error: a tie decides between far results
  bool exact = false;          // adds no rounding error
};

// Placeholders of `code`: $d destination; $x $y $w sources, which may be overwritten; $t scratch tensor; $n element
// count; $s element count of a whole buffer (256-byte multiple); $a $b attributes as scalars of the compute type T.
// Elementwise operators write $d in their last statement only, so that it may be a source; those along rows use it as
// scratch before, it is never a source.
const OperatorForm& operator_form(const std::string& op);
const std::vector<OperatorForm>& operator_forms();

// Shortest decimal text: "0.5", "2".
std::string number_text(double value);
// Replaces each $c by values[c]; a $c without a value stays.
std::string fill(const std::string& pattern, const std::vector<std::pair<char, std::string>>& values);

}  // namespace kg::dataset
