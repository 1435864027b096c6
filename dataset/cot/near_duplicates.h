#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace kg::dataset::cot {

// Remembers texts by signatures of constant size and detects texts equal, or nearly equal, to an earlier one: MinHash
// over runs of five words; signatures that share a band are compared in full.
class NearDuplicates {
 public:
  static constexpr std::size_t kHashes = 64, kBands = 16;
  explicit NearDuplicates(double threshold = 0.97) : threshold_(threshold) {}
  // True, and not remembered, if the text is known.
  bool known_or_add(std::string_view text);

 private:
  using Signature = std::array<std::uint32_t, kHashes>;
  static Signature signature_of(std::string_view text);

  double threshold_;  // share of equal hashes, which estimates the share of common runs
  std::unordered_set<std::uint64_t> exact_;
  std::vector<Signature> signatures_;
  std::array<std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>, kBands> bands_;
};

}  // namespace kg::dataset::cot
