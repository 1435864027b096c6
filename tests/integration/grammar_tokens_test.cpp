// The grammar over the vocabulary of SmolLM2, which scripts/setup.sh fetches: programs that are in use, token by token.
#include <gtest/gtest.h>

#include <filesystem>

#include "dsl/beginning.h"
#include "grammar/dsl_grammar.h"
#include "grammar/program_tokens.h"
#include "policy/files/model_io.h"
#include "tests/support/dsl_programs.h"

namespace kg::grammar {
namespace {

struct Vocabulary {
  std::shared_ptr<const policy::Tokenizer> tokenizer;
  policy::GrammarVocabulary tokens;
};

const Vocabulary& smollm2() {
  static const Vocabulary made = [] {
    const policy::LoadedModel model = policy::load_model(policy::find_model("smollm2-135m-instruct"));
    return Vocabulary{model.tokenizer, policy::grammar_vocabulary(*model.tokenizer, model.config.vocabulary,
                                                                  {model.tokenizer->end_of_text()})};
  }();
  return made;
}

// What was found for one line is used again for others of its shape: the sets must be those that are found afresh.
TEST(GrammarTokens, WhatIsRememberedIsWhatIsFoundAfresh) {
  const Vocabulary& vocabulary = smollm2();
  const ProgramTokens remembers(vocabulary.tokens.tokens), forgets(vocabulary.tokens.tokens, /*remembered=*/0);
  const std::size_t words = (vocabulary.tokens.tokens.size() + 63) / 64;
  std::size_t n = 0;
  for (const std::string& program : testing::dsl_programs()) {
    const bool compare = n++ % 4 == 0;
    std::string source;
    dsl::BeginningReader reader, second;
    for (const std::int32_t token : vocabulary.tokenizer->encode(program)) {
      policy::TokenMask kept(words);
      remembers.add_allowed(source, kept, reader);
      const std::string& bytes = vocabulary.tokens.tokens[static_cast<std::size_t>(token)];
      ASSERT_TRUE(policy::has_token(kept, static_cast<std::size_t>(token))) << source << "|" << bytes << "|";
      if (compare) {
        policy::TokenMask afresh(words);
        forgets.add_allowed(source, afresh, second);
        ASSERT_EQ(kept, afresh) << source << "|";
      }
      source += bytes;
    }
  }
}

}  // namespace
}  // namespace kg::grammar
