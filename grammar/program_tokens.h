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
// Words are decided by what the parser expects (dsl/beginning.h) and a trie: those that begin like a visible name or
// like a word of the language. Signs, spaces, line ends and digits are tried on the parser itself, shorter tokens
// first: if no program begins with a text, none begins with a longer one. Results are remembered by the parser's
// state (Prospect::state), in which all names are alike, but by the text where a task decides.
class ProgramTokens {
 public:
  // `remembered`: the maximum number of states to remember.
  explicit ProgramTokens(const std::vector<std::string>& vocabulary, std::size_t remembered = 20000);

  // Sets the bits of the allowed tokens; `mask` has room for the vocabulary and is zero.
  // `reader` belongs to this answer.
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
  TokenTrie signs_;               // signs, spaces and line ends, but no letter, digit or _
  TokenTrie mixed_;               // tokens that mix words and signs
  bool only_underscores_ = true;  // all words in these begin with _
  // Tokens of spaces and line ends only.
  struct Blank {
    std::int32_t token;
    bool breaks;                 // the token ends the line
    int before, after, longest;  // spaces before the first line end, after the last one, and the longest run of them
  };
  static Blank blank(std::int32_t token, const std::string& bytes);
  std::vector<Blank> blanks_;
  policy::TokenMask any_word_, any_name_, any_spaced_name_;
  Tokens digits_, spaced_digits_;
  std::vector<std::pair<std::int32_t, std::string>> numbers_;  // both, with their bytes

  // The remembered results, last used first.
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
