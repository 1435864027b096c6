#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsl/beginning.h"
#include "grammar/token_trie.h"
#include "policy/generation/token_grammar.h"

namespace kg::grammar {

// Which tokens of a vocabulary may follow the beginning of a program. A token may hold several words and signs, or a
// piece of one.
//
// Words are told by what the parser asks for (dsl/beginning.h) and a trie: those that begin like a name that is
// visible, or like a word of the language. All other tokens are tried on the parser itself, the shorter first, since
// what no program begins with no longer text does either. What came out is remembered by the shape of the line, in
// which every variable is like another.
class ProgramTokens {
 public:
  explicit ProgramTokens(const std::vector<std::string>& vocabulary);

  // Sets the bits of the tokens; `mask` has room for the vocabulary and is zero.
  void add_allowed(const std::string& source, policy::TokenMask& mask) const;

 private:
  using Tokens = std::vector<std::int32_t>;

  void add_words(const dsl::Prospect& next, const std::string& open, const TokenTrie& words,
                 const policy::TokenMask& any, policy::TokenMask& mask) const;
  Tokens other_tokens(const std::string& source, const dsl::Beginning& here, const dsl::Beginning* spaced) const;
  void try_below(int node, std::string& text, Tokens& found) const;

  TokenTrie words_, spaced_words_, others_;
  policy::TokenMask any_word_, any_name_, any_spaced_name_, digits_, spaced_digits_;

  // What was found, the last used first.
  struct Remembered {
    std::string shape;
    Tokens tokens;
  };
  mutable std::mutex mutex_;
  mutable std::list<Remembered> recent_;
  mutable std::unordered_map<std::string, std::list<Remembered>::iterator> by_shape_;
};

}  // namespace kg::grammar
