#include "dataset/synthesis/token_pieces.h"

#include <cctype>

namespace kg::dataset {

std::size_t token_pieces(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const auto is_mark = [&](std::size_t i) { return i < text.size() && std::ispunct(at(i)); };
  std::size_t pieces = 0, i = 0;
  while (i < text.size()) {
    if (at(i) == '\n' || std::isdigit(at(i))) {
      ++i;
    } else if (std::isspace(at(i))) {
      ++i;
      continue;
    } else if (std::isalpha(at(i))) {
      const bool capitals = std::isupper(at(i)) && !std::islower(at(i + 1));
      ++i;
      while (capitals ? std::isupper(at(i)) && !std::islower(at(i + 1)) : std::islower(at(i)) != 0) ++i;
    } else {
      ++i;
      while (is_mark(i)) ++i;
    }
    ++pieces;
  }
  return pieces;
}

}  // namespace kg::dataset
