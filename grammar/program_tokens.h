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
// visible, or like a word of the language. Signs, spaces, line ends and digits are tried on the parser itself, the
// shorter first, since what no program begins with no longer text does either. What came out is remembered by the state
// of the parser (Prospect::state), in which all names are alike.
class ProgramTokens {
 public:
  // `remembered`: states, at most.
  explicit ProgramTokens(const std::vector<std::string>& vocabulary, std::size_t remembered = 20000);

  // Sets the bits of the tokens; `mask` has room for the vocabulary and is zero.
  // `reader`: of this answer.
  void add_allowed(const std::string& source, policy::TokenMask& mask, dsl::BeginningReader& reader) const;

 private:
  using Tokens = std::vector<std::int32_t>;
  struct Place;  // where a text ends

  void add_words(const dsl::Prospect& next, const std::string& open, const TokenTrie& words,
                 const policy::TokenMask& any, policy::TokenMask& mask) const;
  Tokens other_tokens(const Place& place) const;
  Tokens try_others(const Place& place) const;
  void try_blanks(const Place& place, Tokens& found) const;
  void add_mixed(const Place& place, policy::TokenMask& mask) const;
  void try_below(const TokenTrie& trie, int node, std::string& text, const Place& place, Tokens& found) const;

  TokenTrie words_, spaced_words_;
  TokenTrie signs_;               // and spaces and line ends, but no letter, digit or _
  TokenTrie mixed_;               // words and signs in one
  bool only_underscores_ = true;  // the words in these begin with _
  // Spaces and line ends alone.
  struct Blank {
    std::int32_t token;
    bool breaks;                 // the line ends
    int before, after, longest;  // spaces before the first line end, behind the last, and most in a row
  };
  static Blank blank(std::int32_t token, const std::string& bytes);
  std::vector<Blank> blanks_;
  policy::TokenMask any_word_, any_name_, any_spaced_name_;
  Tokens digits_, spaced_digits_;

  // What was found, the last used first.
  struct Remembered {
    std::string state;
    Tokens tokens;
  };
  std::size_t most_remembered_;
  mutable std::mutex mutex_;
  mutable std::list<Remembered> recent_;
  mutable std::unordered_map<std::string, std::list<Remembered>::iterator> by_state_;
};

}  // namespace kg::grammar
