#pragma once

#include "dsl/program.h"
#include "dsl/token_reader.h"

namespace kg::dsl {

// kernel NAME(inputs) -> outputs, up to the colon, and a type's name. Throws Refusal.
void parse_header(TokenReader& tokens, Program& program);
proto::DType parse_type(TokenReader& tokens, const char* rule);

}  // namespace kg::dsl
