#pragma once

#include <string_view>

#include "dsl/program.h"
#include "dsl/prospect.h"
#include "dsl/token.h"

namespace kg::dsl {

// Parses a text into a syntax tree by the grammar of docs/reference/dsl.md. Throws Refusal.
Program parse(std::string_view source);

// Reads the beginning of a program, which ends with kCut, and notes what may follow. Names, arguments of calls and
// places of statements are checked as they come. Throws Refusal if no program begins like this.
void foresee(std::vector<Token> tokens, Prospect& prospect);
// The same for the beginning of a statement in a body; `prospect` describes what precedes it. `depth`: number of blocks
// open around it, 0 in the kernel's own. The statement does not continue an if (elif, else).
void foresee_statement(std::vector<Token> tokens, Prospect& prospect, int depth);

// The names of types: "half", "bfloat16", ...; DTYPE_UNSPECIFIED for other words.
proto::DType dtype_of(const std::string& name);
std::string dtype_name(proto::DType dtype);

}  // namespace kg::dsl
