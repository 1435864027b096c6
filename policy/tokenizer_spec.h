#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kg::policy {

// What a byte-level BPE tokenizer consists of, whatever file it came from.
struct TokenizerSpec {
  // How text is cut into words before the merges: the GPT-2 pattern, for SmolLM after cutting out every digit by
  // itself.
  enum class WordPattern { kSmolLm, kGpt2 };
  struct AddedToken {
    std::int32_t id;
    bool special;  // left out when decoding
  };

  WordPattern pattern = WordPattern::kSmolLm;
  std::vector<std::string> tokens;  // by id; added tokens as they are, others in the byte alphabet; "" for an unused id
  std::vector<std::string> merges;  // "left right" in the byte alphabet, best first
  std::vector<AddedToken> added;    // found in the text before it is cut into words
  std::int32_t unknown = -1;        // for bytes outside the vocabulary; -1: they are dropped, as Hugging Face does
  std::int32_t bos = -1, eos = -1, pad = -1;
};

}  // namespace kg::policy
