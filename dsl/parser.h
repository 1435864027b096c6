#pragma once

#include <string_view>

#include "dsl/program.h"
#include "dsl/prospect.h"
#include "dsl/token.h"

namespace kg::dsl {

// Text to syntax tree by the grammar of docs/reference/dsl.md. Throws Refusal.
Program parse(std::string_view source);

// Reads the beginning of a program, which ends with kCut, and notes what may come there. Names, calls' arguments and
// the places of statements are looked at as they come. Throws Refusal if no program begins so.
void foresee(std::vector<Token> tokens, Prospect& prospect);
// The same of a statement's beginning, in a body of which `prospect` tells what comes in front of it. `depth`: blocks
// that are open around it, 0 in the kernel's own. The statement is none that goes on with an if (elif, else).
void foresee_statement(std::vector<Token> tokens, Prospect& prospect, int depth);

// The names of types: "half", "bfloat16", ...; DTYPE_UNSPECIFIED for another word.
proto::DType dtype_of(const std::string& name);
std::string dtype_name(proto::DType dtype);

}  // namespace kg::dsl
