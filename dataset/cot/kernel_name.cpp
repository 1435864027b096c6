#include "dataset/cot/kernel_name.h"

#include <array>
#include <cstdint>

#include "base/hash.h"

namespace kg::dataset::cot {
namespace {

// Numbers from one hash, each choice with what the ones before it have left.
class Choices {
 public:
  explicit Choices(std::uint64_t hash) : left_(hash) {}

  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t taken = left_ % bound;
    left_ /= bound;
    return taken;
  }
  template <std::size_t kCount>
  std::string of(const std::array<std::string_view, kCount>& words) {
    return std::string(words[below(kCount)]);
  }

 private:
  std::uint64_t left_;
};

std::string operators(const Structure& structure) {
  std::string name;
  for (std::size_t i = 0; i < structure.nodes.size() && i < 3; ++i) name += (i > 0 ? "_" : "") + structure.nodes[i].op;
  return name;
}

// Always followed by an ending: two such syllables can be a word of C++ or of its library, "goto" or "remove".
std::string syllables(Choices& choices) {
  constexpr std::string_view kConsonants = "bdfgklmnprstvz", kVowels = "aeiou";
  std::string word;
  for (std::uint64_t count = 2 + choices.below(3); count > 0; --count) {
    word += kConsonants[choices.below(kConsonants.size())];
    word += kVowels[choices.below(kVowels.size())];
  }
  return word;
}

}  // namespace

std::string kernel_name(const Structure& structure, std::string_view id) {
  constexpr std::array<std::string_view, 5> kPlain{"custom_op", "custom_kernel", "my_kernel", "vector_op",
                                                   "run_kernel"};
  constexpr std::array<std::string_view, 4> kNumbered{"kernel_", "op_", "task_", "case_"};
  constexpr std::array<std::string_view, 4> kEndings{"_op", "_kernel", "_custom", "_v2"};
  Choices choices(hash64("kernel name of " + std::string(id)));
  switch (choices.below(10)) {
    case 0:
      return choices.of(kPlain);
    case 1:
      return choices.of(kNumbered) + std::to_string(choices.below(100));
    case 2:
    case 3: {
      const std::string word = syllables(choices);
      return word + choices.of(kEndings);
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
