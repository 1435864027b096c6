#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/text/tokenizer.h"
#include "proto/generate.pb.h"

namespace kg::policy {

// A set of tokens: bit i % 64 of word i / 64.
using TokenMask = std::vector<std::uint64_t>;

inline bool has_token(const TokenMask& mask, std::size_t token) { return (mask[token / 64] >> token % 64 & 1) != 0; }
inline void add_token(TokenMask& mask, std::size_t token) { mask[token / 64] |= std::uint64_t{1} << token % 64; }

// Defines allowed answers, token by token. One object for all completions and threads. The language of the answers is
// known only above this room.
class TokenGrammar {
 public:
  // The state of one answer. Used by one thread at a time.
  class Walk {
   public:
    virtual ~Walk() = default;
    // The tokens that may come next: at least one. With each, the answer can end within `left` tokens, itself included.
    // Valid until the next call. `left` decreases by one from call to call.
    virtual const TokenMask& allowed(int left) = 0;
    virtual void take(std::int32_t token) = 0;
  };

  virtual ~TokenGrammar() = default;
  // The grammar of a request; null: this one. Throws Error if the request lacks what the grammar has to know.
  virtual std::shared_ptr<const TokenGrammar> for_request(const proto::GenerateRequest&) const { return nullptr; }
  virtual std::unique_ptr<Walk> begin() const = 0;
};

// The bytes of each token (empty for special ones), and the tokens that end an answer.
struct GrammarVocabulary {
  std::vector<std::string> tokens;
  std::vector<std::int32_t> ends;
};
using MakeGrammar = std::function<std::shared_ptr<const TokenGrammar>(const GrammarVocabulary&)>;

// The grammars that a request may name (SamplingParameters.grammar). A program's main fills them in before it makes an
// engine.
std::map<std::string, MakeGrammar>& known_grammars();
// Throws Error with the known names for any other name.
const MakeGrammar& find_grammar(const std::string& name);

GrammarVocabulary grammar_vocabulary(const Tokenizer& tokenizer, std::int64_t vocabulary,
                                     const std::vector<std::int32_t>& ends);

}  // namespace kg::policy
