#include "dataset/cot/kernel_name.h"

#include <array>
#include <cstdint>

#include "base/hash.h"
#include "base/random.h"

namespace kg::dataset::cot {
namespace {

template <std::size_t kCount>
std::string choice(const std::array<std::string_view, kCount>& words, Philox& random) {
  return std::string(words[random.next_below(kCount)]);
}

std::string operators(const Structure& structure) {
  std::string name;
  for (std::size_t i = 0; i < structure.nodes.size() && i < 3; ++i) name += (i > 0 ? "_" : "") + structure.nodes[i].op;
  return name;
}

// Always followed by an ending: two such syllables can be a word of C++ or of its library, "goto" or "remove".
std::string syllables(Philox& random) {
  constexpr std::string_view kConsonants = "bdfgklmnprstvz", kVowels = "aeiou";
  std::string word;
  for (std::uint64_t count = 2 + random.next_below(3); count > 0; --count) {
    word += kConsonants[random.next_below(kConsonants.size())];
    word += kVowels[random.next_below(kVowels.size())];
  }
  return word;
}

}  // namespace

std::string kernel_name(const Structure& structure, std::string_view id) {
  constexpr std::array<std::string_view, 5> kPlain{"custom_op", "custom_kernel", "my_kernel", "vector_op",
                                                   "run_kernel"};
  constexpr std::array<std::string_view, 4> kNumbered{"kernel_", "op_", "task_", "case_"};
  constexpr std::array<std::string_view, 4> kEndings{"_op", "_kernel", "_custom", "_v2"};
  Philox random(hash64(id), hash64("kernel name"));
  switch (random.next_below(10)) {
    case 0:
      return choice(kPlain, random);
    case 1:
      return choice(kNumbered, random) + std::to_string(random.next_below(100));
    case 2:
    case 3: {
      const std::string word = syllables(random);
      return word + choice(kEndings, random);
    }
    case 4:
      return operators(structure) + "_kernel";
    case 5:
      return "fused_" + operators(structure);
    default:
      return operators(structure) + "_custom";
  }
}

}  // namespace kg::dataset::cot
