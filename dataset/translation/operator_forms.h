#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataset/translation/traced_line.h"

namespace kg::dataset::translation {

// The form of a value in a program that processes a row, or a tile, at a time.
enum class Kind { kTile, kNumber, kMask };

struct OperatorForm {
  std::string dsl;  // "d = $1 - mean($1); mean(d * d)": $1 the first argument; temporaries are called $a, $b
  Kind kind = Kind::kTile;
};

// PyTorch's operator in the DSL, for arguments that are names or numbers, with their `kinds` by position (a number:
// kNumber). `row`: reductions are along a whole row. nullopt: this table does not have it.
std::optional<OperatorForm> operator_form(const TracedLine& line, const std::vector<Kind>& kinds);

// A form without temporaries, with these arguments.
std::string with_arguments(const std::string& dsl, const std::vector<std::string>& given);

}  // namespace kg::dataset::translation
