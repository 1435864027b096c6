#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kg::proto {

// What the sampling filters left of the vocabulary for each token of a completion (Completion.kept), so that the
// trainer computes each log-probability under the distribution that the token was drawn from. One entry a token, one
// after the other:
//
//   varint 0             the whole vocabulary
//   varint 1, varint n   a bitmap of n bytes follows: token 8 i + b is kept if bit b (1 << b) of byte i is set
//   varint 1 + n         n tokens follow in rising order, each as varint (token - the one before - 1); the first as
//   itself
//
// Varints are protobuf's. The shorter of the last two forms is written.
void append_kept_set(std::string& kept, std::span<const std::int32_t> tokens);
void append_whole_vocabulary(std::string& kept);

struct KeptSet {
  bool whole = true;
  std::vector<std::int32_t> tokens;  // rising; empty if whole
};

// The entries of `tokens` tokens. Throws Error if the bytes are not such entries, name a token beyond the vocabulary,
// or keep nothing for a token.
std::vector<KeptSet> read_kept_sets(std::string_view kept, std::size_t tokens, std::int64_t vocabulary);

}  // namespace kg::proto
