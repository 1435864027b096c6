#pragma once

#include <memory>

#include "policy/generation/token_grammar.h"

namespace kg::grammar {

// Answers in the DSL: free text, possibly empty, then one block with a program, and the end:
//
//   y = x * 2 over N.
//   ```dsl
//   kernel custom_op(x: float[N]) -> y: float[N]:
//     ...
//   ```
//
// The program parses, names are visible where they are used, functions have as many arguments as they take, and
// every output is stored; the checker handles lengths, types and UB. The free text takes at most half of the tokens.
// When the tokens run short, the grammar closes the program instead of following the model's choice.
std::shared_ptr<const policy::TokenGrammar> make_dsl_grammar(const policy::GrammarVocabulary& vocabulary);

// Of these only programs whose parameters are those of the request's task (dsl/expected_header.h). A request without
// GenerateRequest.cases causes an Error.
std::shared_ptr<const policy::TokenGrammar> make_task_grammar(const policy::GrammarVocabulary& vocabulary);

}  // namespace kg::grammar
