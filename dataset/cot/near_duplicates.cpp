#include "dataset/cot/near_duplicates.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/hash.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kRun = 5;

// Words, numbers and single marks.
std::vector<std::uint64_t> word_hashes(std::string_view text) {
  std::vector<std::uint64_t> words;
  const auto is_word = [&](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
  };
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (is_word(at))
      while (end < text.size() && is_word(end)) ++end;
    words.push_back(hash64(text.substr(at, end - at)));
    at = end;
  }
  return words;
}

std::uint64_t mixed(std::uint64_t value, std::uint64_t by) {
  value = (value ^ by) * 0x9E3779B97F4A7C15ull;
  return (value ^ (value >> 29)) * 0xBF58476D1CE4E5B9ull;
}

}  // namespace

NearDuplicates::Signature NearDuplicates::signature_of(std::string_view text) {
  Signature signature;
  signature.fill(~0u);
  const std::vector<std::uint64_t> words = word_hashes(text);
  for (std::size_t i = 0; i + 1 <= std::max<std::size_t>(words.size(), kRun) - kRun + 1; ++i) {
    std::uint64_t run = 0;
    for (std::size_t k = i; k < std::min(words.size(), i + kRun); ++k) run = mixed(run, words[k]);
    for (std::size_t h = 0; h < kHashes; ++h)
      signature[h] = std::min(signature[h], static_cast<std::uint32_t>(mixed(run, h + 1) >> 32));
  }
  return signature;
}

bool NearDuplicates::known_or_add(std::string_view text) {
  if (!exact_.insert(hash64(text)).second) return true;
  const Signature signature = signature_of(text);
  constexpr std::size_t width = kHashes / kBands;
  std::array<std::uint64_t, kBands> keys;
  for (std::size_t band = 0; band < kBands; ++band) {
    keys[band] = band;
    for (std::size_t k = 0; k < width; ++k) keys[band] = mixed(keys[band], signature[band * width + k]);
  }
  for (std::size_t band = 0; band < kBands; ++band) {
    const auto found = bands_[band].find(keys[band]);
    if (found == bands_[band].end()) continue;
    for (const std::uint32_t other : found->second) {
      std::size_t equal = 0;
      for (std::size_t h = 0; h < kHashes; ++h) equal += signature[h] == signatures_[other][h];
      if (static_cast<double>(equal) >= threshold_ * kHashes) return true;
    }
  }
  for (std::size_t band = 0; band < kBands; ++band) {
    auto& bucket = bands_[band][keys[band]];
    if (bucket.size() < 64) bucket.push_back(static_cast<std::uint32_t>(signatures_.size()));
  }
  signatures_.push_back(signature);
  return false;
}

}  // namespace kg::dataset::cot
