#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/text/tokenizer_spec.h"

namespace kg::policy {

// Byte-level BPE with the pre-tokeniser and special tokens of its model. Immutable, thread-safe.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // Special tokens written out in the text become their ids, as in the Hugging Face tokenizer.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
  // Bytes of the tokens; special tokens are left out unless wanted. May end inside a UTF-8 sequence.
  virtual std::string decode(const std::vector<std::int32_t>& ids, bool with_special = false) const = 0;
  virtual std::int32_t vocabulary_size() const = 0;
  virtual std::int32_t end_of_text() const = 0;                  // the token that ends an answer
  virtual std::int32_t id_of(std::string_view token) const = 0;  // -1 if there is none
  virtual const TokenizerSpec& spec() const = 0;                 // its specification, for export
};

}  // namespace kg::policy
