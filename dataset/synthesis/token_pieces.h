#pragma once

#include <cstddef>
#include <string_view>

namespace kg::dataset {

// Digits, words of camelCase names, runs of punctuation and line ends: what a byte-level BPE that splits digits makes
// of source text, nearly. SmolLM2's tokenizer makes 1.08 to 1.13 tokens of a piece of a compact kernel.
std::size_t token_pieces(std::string_view text);

// A kernel in compact style has at most 450 tokens; variants with more pieces than this are left out (tests/unit checks
// the tokens).
constexpr std::size_t kMostCompactPieces = 404;

}  // namespace kg::dataset
