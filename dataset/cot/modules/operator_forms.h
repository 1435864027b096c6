#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/cot/modules/traced_line.h"

namespace kg::dataset::cot::modules {

// What a value is in a program that takes a row, or a tile, at a time.
enum class Kind { kTile, kNumber, kMask };

struct OperatorForm {
  std::string dsl;  // "d = $1 - mean($1); mean(d * d)": $1 the first argument; temporaries are called $a, $b
  Kind kind = Kind::kTile;
};

// PyTorch's operator in the DSL, for arguments that are names or numbers, `kinds` of those by place (a number:
// kNumber). `row`: reductions are along the whole of a row. nullopt: this table does not know it.
std::optional<OperatorForm> operator_form(const TracedLine& line, const std::vector<Kind>& kinds);

// A form without temporaries, with these arguments.
std::string with_arguments(const std::string& dsl, const std::vector<std::string>& given);

}  // namespace kg::dataset::cot::modules
