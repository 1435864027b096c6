#pragma once

#include "dsl/program.h"
#include "dsl/token_reader.h"

namespace kg::dsl {

ExprPtr parse_expression(TokenReader& tokens);
// Where the checker accepts only a whole number; a beginning distinguishes these as far as it can.
ExprPtr parse_whole(TokenReader& tokens);
// "[" index { "," index } "]", of this tensor.
std::vector<Index> parse_indices(TokenReader& tokens, const std::string& tensor);

}  // namespace kg::dsl
