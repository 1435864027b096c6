#pragma once

#include "sandbox/dsl/program.h"
#include "sandbox/dsl/token_reader.h"

namespace kg::sandbox::dsl {

ExprPtr parse_expression(TokenReader& tokens);
// "[" index { "," index } "]"
std::vector<Index> parse_indices(TokenReader& tokens);

}  // namespace kg::sandbox::dsl
