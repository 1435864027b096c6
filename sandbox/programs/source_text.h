#pragma once

#include <cctype>
#include <cstddef>
#include <string>

#include "base/text.h"

namespace kg::sandbox {

// The characters of a C++ source, as its text is searched for launches.

// A backslash continues a macro's line, and counts as a space.
inline std::size_t skip_spaces(const std::string& text, std::size_t at) {
  while (at < text.size() && (is_space(text[at]) || text[at] == '\\')) ++at;
  return at;
}
inline std::size_t skip_spaces_back(const std::string& text, std::size_t end) {
  while (end > 0 && (is_space(text[end - 1]) || text[end - 1] == '\\')) --end;
  return end;
}

}  // namespace kg::sandbox
