#include "policy/generation/token_grammar.h"

#include "base/error.h"

namespace kg::policy {

std::map<std::string, MakeGrammar>& known_grammars() {
  static std::map<std::string, MakeGrammar> all;
  return all;
}

const MakeGrammar& find_grammar(const std::string& name) {
  const auto found = known_grammars().find(name);
  if (found != known_grammars().end()) return found->second;
  std::string known;
  for (const auto& [one, make] : known_grammars()) known += (known.empty() ? "" : ", ") + one;
  throw Error("no grammar \"" + name + "\"", "sampling parameters",
              known.empty() ? "this program has none" : "there is " + known);
}

GrammarVocabulary grammar_vocabulary(const Tokenizer& tokenizer, std::int64_t vocabulary,
                                     const std::vector<std::int32_t>& ends) {
  GrammarVocabulary made{.tokens = std::vector<std::string>(static_cast<std::size_t>(vocabulary)), .ends = ends};
  const std::int32_t known = std::min(tokenizer.vocabulary_size(), static_cast<std::int32_t>(vocabulary));
  for (std::int32_t id = 0; id < known; ++id) made.tokens[static_cast<std::size_t>(id)] = tokenizer.decode({id});
  return made;
}

}  // namespace kg::policy
