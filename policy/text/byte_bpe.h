#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policy/text/tokenizer.h"
#include "policy/text/word_splitter.h"

namespace kg::policy {

// Byte-level byte-pair encoding (Sennrich et al., "Neural machine translation of rare words with subword units", 2016):
// each word starts as its bytes; of all neighbouring pairs, the one listed first among the merges is joined,
// the leftmost one if equal, until none is left.
class ByteBpe : public Tokenizer {
 public:
  explicit ByteBpe(TokenizerSpec spec);

  std::vector<std::int32_t> encode(std::string_view text) const override;
  std::string decode(const std::vector<std::int32_t>& ids, bool with_special = false) const override;
  std::int32_t vocabulary_size() const override { return static_cast<std::int32_t>(spec_.tokens.size()); }
  std::int32_t end_of_text() const override { return spec_.eos; }
  std::int32_t id_of(std::string_view token) const override;
  const TokenizerSpec& spec() const override { return spec_; }

 private:
  struct Merge {
    std::uint64_t pair = ~0ULL;  // left id, right id
    std::int32_t rank = 0;
    std::int32_t result = 0;
  };
  void add_merges();
  const Merge* find_merge(std::int32_t left, std::int32_t right) const;
  std::size_t added_token_at(std::string_view text, std::size_t position, std::int32_t& id) const;
  void encode_plain(std::string_view text, std::vector<std::int32_t>& ids) const;
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  TokenizerSpec spec_;
  WordSplitter splitter_;
  std::unordered_map<std::string, std::int32_t> id_of_;
  std::vector<std::string> bytes_of_;          // by id
  std::vector<bool> special_;                  // by id
  std::int32_t id_of_byte_[256];               // -1: the vocabulary lacks the byte
  std::vector<Merge> merges_;                  // hash table with open addressing, a power of two of slots
  std::vector<std::int32_t> added_from_[256];  // added tokens by their first byte, longest first
};

}  // namespace kg::policy
