#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kg::policy {

// What a byte-level BPE tokenizer consists of, whatever file it came from.
struct TokenizerSpec {
  // How text is cut into words before the merges: the GPT-2 pattern, for SmolLM after cutting out every digit by
  // itself; the pattern of Llama 3 with numbers of up to three digits, that of Qwen with single digits.
  enum class WordPattern { kSmolLm, kGpt2, kLlama3, kQwen };
  struct AddedToken {
    std::int32_t id;
    bool special;  // left out when decoding
  };

  WordPattern pattern = WordPattern::kSmolLm;
  bool composes = false;            // text is brought into Unicode's normal form C first
  bool whole_words = false;         // a word that is a token itself is not put together by merges
  std::vector<std::string> tokens;  // by id; added tokens as they are, others in the byte alphabet; "" for an unused id
  std::vector<std::string> merges;  // "left right" in the byte alphabet, best first
  std::vector<AddedToken> added;    // found in the text before it is cut into words
  std::int32_t unknown = -1;        // for bytes outside the vocabulary; -1: they are dropped, as Hugging Face does
  std::int32_t bos = -1, eos = -1, pad = -1;
};

// The text of a token, "" for none.
inline std::string token_text(const TokenizerSpec& spec, std::int32_t id) {
  return id >= 0 && static_cast<std::size_t>(id) < spec.tokens.size() ? spec.tokens[static_cast<std::size_t>(id)] : "";
}

}  // namespace kg::policy
