#pragma once

#include <memory>

#include "policy/generation/token_grammar.h"

namespace kg::grammar {

// Answers in the DSL: words of the model's own, which may be none, then one block of a program, and the end:
//
//   y = x * 2 over N.
//   ```dsl
//   kernel custom_op(x: float[N]) -> y: float[N]:
//     ...
//   ```
//
// The program parses, its names are visible where they are used, functions have as many arguments as they take, and
// every output is stored; lengths, types and UB are left to the checker. The words take half of the tokens at most.
// Where the tokens run short a short end is given in place of the model's choice.
std::shared_ptr<const policy::TokenGrammar> make_dsl_grammar(const policy::GrammarVocabulary& vocabulary);

}  // namespace kg::grammar
