#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kg::policy {

// The definition of a byte-level BPE tokenizer, whatever file it came from.
struct TokenizerSpec {
  // How text is split into words before the merges: the GPT-2 pattern, for SmolLM with each digit split off
  // first; the pattern of Llama 3 with numbers of up to three digits, that of Qwen with single digits.
  enum class WordPattern { kSmolLm, kGpt2, kLlama3, kQwen };
  struct AddedToken {
    std::int32_t id;
    bool special;  // left out when decoding
  };

  WordPattern pattern = WordPattern::kSmolLm;
  bool composes = false;            // text is first converted to Unicode's normal form C
  bool whole_words = false;         // a word that is itself a token is not built by merges
  std::vector<std::string> tokens;  // by id; added tokens as they are, others in the byte alphabet; "" for an unused id
  std::vector<std::string> merges;  // "left right" in the byte alphabet, best first
  std::vector<AddedToken> added;    // found in the text before it is split into words
  std::int32_t unknown = -1;        // for bytes outside the vocabulary; -1: they are dropped, as in Hugging Face
  std::int32_t bos = -1, eos = -1, pad = -1;
};

// The text of a token, "" for none.
inline std::string token_text(const TokenizerSpec& spec, std::int32_t id) {
  return id >= 0 && static_cast<std::size_t>(id) < spec.tokens.size() ? spec.tokens[static_cast<std::size_t>(id)] : "";
}

}  // namespace kg::policy
