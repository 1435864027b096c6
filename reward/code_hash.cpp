#include "reward/code_hash.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/hash.h"
#include "base/text.h"

namespace kg::reward {
namespace {

// Behind the literal that begins at `at` with a quotation mark.
std::size_t end_of_literal(std::string_view source, std::size_t at) {
  const char mark = source[at];
  for (std::size_t i = at + 1; i < source.size(); ++i) {
    if (source[i] == '\\')
      ++i;
    else if (source[i] == mark)
      return i + 1;
  }
  return source.size();
}

// The same for R"delimiter(...)delimiter", from its quotation mark.
std::size_t end_of_raw_literal(std::string_view source, std::size_t at) {
  const std::size_t open = source.find('(', at);
  if (open == std::string_view::npos) return source.size();
  const std::string close = ")" + std::string(source.substr(at + 1, open - at - 1)) + "\"";
  const std::size_t end = source.find(close, open);
  return end == std::string_view::npos ? source.size() : end + close.size();
}

std::size_t end_of_comment(std::string_view source, std::size_t at) {
  const bool is_line = source[at + 1] == '/';
  const std::size_t end = source.find(is_line ? "\n" : "*/", at + 2);
  return end == std::string_view::npos ? source.size() : end + (is_line ? 1 : 2);
}

}  // namespace

std::string code_text(std::string_view source) {
  std::string text;
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at], before = at > 0 ? source[at - 1] : ' ',
               next = at + 1 < source.size() ? source[at + 1] : ' ';
    if (c == '/' && (next == '/' || next == '*')) {
      at = end_of_comment(source, at);
    } else if (c == '"' || (c == '\'' && !is_word(before))) {  // 1'000 is a number
      const std::size_t end = c == '"' && before == 'R' ? end_of_raw_literal(source, at) : end_of_literal(source, at);
      text += source.substr(at, end - at);
      at = end;
    } else {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) text += c;
      ++at;
    }
  }
  return text;
}

std::string code_hash(const fs::path& root, const fs::path& part) {
  std::vector<fs::path> files;
  if (fs::is_regular_file(root / part))
    files.push_back(root / part);
  else
    for (const auto& entry : fs::recursive_directory_iterator(root / part))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    const std::string extension = file.extension();
    if (extension != ".h" && extension != ".hpp" && extension != ".cpp" && extension != ".py") continue;
    const std::string text = read_file(file);
    all += file.lexically_relative(root).generic_string() + ' ' +
           hash128_hex(extension == ".py" ? text : code_text(text)) + '\n';
  }
  return hash128_hex(all);
}

}  // namespace kg::reward
