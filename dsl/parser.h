#pragma once

#include <string_view>

#include "dsl/program.h"

namespace kg::dsl {

// Text to syntax tree by the grammar of docs/dsl.md. Throws Refusal.
Program parse(std::string_view source);

// The names of types: "half", "bfloat16", ...; DTYPE_UNSPECIFIED for another word.
proto::DType dtype_of(const std::string& name);
std::string dtype_name(proto::DType dtype);

}  // namespace kg::dsl
