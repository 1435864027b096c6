#pragma once

#include <string>
#include <string_view>

namespace kg {

// Joins the words in order, with `separator` between them; for lists in messages.
template <typename Words>
std::string join(const Words& words, std::string_view separator = ", ") {
  std::string text;
  bool first = true;
  for (const auto& word : words) {
    if (!first) text += separator;
    text += word;
    first = false;
  }
  return text;
}

}  // namespace kg
