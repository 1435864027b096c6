#pragma once

#include <string>
#include <vector>

#include "dsl/flattening.h"

namespace kg::dsl {

// Single vector instructions. Each returns the index of the result's tile: `into`, or a new one if that is -1.

// `op` over all elements of `type`. `in_place`: the result may replace a source.
int operation(Flattening& flat, const std::string& op, const Type& type, std::vector<int> sources,
              std::vector<std::string> scalars, int line, int into, bool in_place = true);
int filled(Flattening& flat, const Type& type, const std::string& value, int line, int into);
// Converts the elements of `source` to another type, through other types if the chip has no direct conversion.
int convert(Flattening& flat, int source, const Type& type, proto::DType to, int line, int into);
// `into`, or a new tile for a value of this type.
int result_tile(Flattening& flat, const Type& type, int into);

}  // namespace kg::dsl
