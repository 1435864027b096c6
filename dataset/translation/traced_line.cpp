#include "dataset/translation/traced_line.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace kg::dataset::translation {
namespace {

// At commas outside of brackets.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(part);
      part.clear();
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

bool is_flag(const std::string& part) {
  static const std::vector<std::string> flags = {"keepdim", "unbiased", "log_target"};
  return std::find(flags.begin(), flags.end(), part) != flags.end();
}

}  // namespace

std::vector<std::int64_t> numbers_of(const std::string& text) {
  std::vector<std::int64_t> numbers;
  std::string digits;
  for (const char c : text + ",") {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-')
      digits += c;
    else if (!digits.empty())
      numbers.push_back(std::stoll(digits)), digits.clear();
  }
  return numbers;
}

std::optional<TracedLine> traced_line(const std::string& text) {
  const std::size_t equals = text.find(" = ");
  if (equals == std::string::npos) return std::nullopt;
  TracedLine line;
  std::string made = text.substr(0, equals);
  if (const std::size_t shape = made.find(" ["); shape != std::string::npos) {
    line.shape = numbers_of(made.substr(shape));
    made.resize(shape);
  }
  line.results = parts_of(made);
  const std::string value = text.substr(equals + 3);
  const std::size_t open = value.find('(');
  if (open == std::string::npos) {
    line.given = {value};
    return line;
  }
  if (!value.ends_with(')')) return std::nullopt;
  line.op = value.substr(0, open);
  for (const std::string& part : parts_of(std::string_view(value).substr(open + 1, value.size() - open - 2))) {
    const std::size_t at = part.find('=');
    if (at != std::string::npos)
      line.keywords[part.substr(0, at)] = part.substr(at + 1);
    else if (is_flag(part))
      line.keywords[part] = "";
    else
      line.given.push_back(part);
  }
  return line;
}

}  // namespace kg::dataset::translation
