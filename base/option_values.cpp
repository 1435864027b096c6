#include "base/option_values.h"

#include <cctype>
#include <cstdint>
#include <sstream>

namespace kg {

bool parse_bool(const std::string& name, const std::string& text, const std::string& where) {
  if (text == "true" || text == "1" || text == "yes") return true;
  if (text == "false" || text == "0" || text == "no") return false;
  throw Error("--" + name + " got \"" + text + "\", wanted true or false", where, "--" + name + " or --no-" + name);
}

std::string bound_text(double bound) {
  if (bound == static_cast<double>(static_cast<std::int64_t>(bound)))
    return std::to_string(static_cast<std::int64_t>(bound));
  std::ostringstream text;
  text << bound;
  return text.str();
}

bool looks_like_number(const std::string& word) {
  return word.size() > 1 && (std::isdigit(static_cast<unsigned char>(word[1])) != 0 || word[1] == '.');
}

}  // namespace kg
