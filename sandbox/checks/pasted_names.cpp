#include "sandbox/checks/pasted_names.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace kg::sandbox {
namespace {

std::set<std::string_view> words_of(std::string_view source) {
  std::set<std::string_view> words;
  for (std::size_t begin = 0; begin < source.size();) {
    std::size_t end = begin;
    while (end < source.size() && is_word(source[end])) ++end;
    if (end > begin) words.insert(source.substr(begin, end - begin));
    begin = std::max(end, begin + 1);
  }
  return words;
}

bool is_made_of(std::string_view name, const std::set<std::string_view>& words) {
  std::vector<char> reached(name.size() + 1, 0);  // the name up to here can be put together
  reached[0] = 1;
  for (std::size_t begin = 0; begin < name.size(); ++begin)
    for (std::size_t end = begin + 1; reached[begin] != 0 && end <= name.size(); ++end)
      if (end - begin < name.size() && words.contains(name.substr(begin, end - begin))) reached[end] = 1;
  return reached[name.size()] != 0;
}

}  // namespace

std::string pasted_name(const std::string& source, const std::set<std::string>& names) {
  if (source.find("##") == std::string::npos && source.find("%:%:") == std::string::npos) return {};
  const std::set<std::string_view> words = words_of(source);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const std::string& name) { return is_made_of(name, words); });
  return found == names.end() ? std::string() : *found;
}

}  // namespace kg::sandbox
