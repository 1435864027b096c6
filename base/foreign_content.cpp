#include "base/foreign_content.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace kg {

std::string_view foreign_content(std::string_view beginning) {
  if (beginning.starts_with("version https://git-lfs")) return "a Git LFS pointer, not the file it points to";
  std::string text(beginning.substr(0, 64));
  text.erase(0, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text.starts_with("<!doctype html") || text.starts_with("<html")) return "an HTML page, not the file itself";
  return {};
}

}  // namespace kg
