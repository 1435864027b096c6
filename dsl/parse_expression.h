#pragma once

#include "dsl/program.h"
#include "dsl/token_reader.h"

namespace kg::dsl {

ExprPtr parse_expression(TokenReader& tokens);
// "[" index { "," index } "]"
std::vector<Index> parse_indices(TokenReader& tokens);

}  // namespace kg::dsl
