#include "base/suggestion.h"

#include <algorithm>

#include "base/join.h"
#include "base/nearest_name.h"

namespace kg {

std::string suggestion(const std::string& name, const std::vector<std::string>& known, const std::string& kind,
                       const std::string& if_none) {
  constexpr std::size_t kNamed = 12;
  const std::string near = nearest_name(name, known);
  if (!near.empty()) return "did you mean " + near + "?";
  if (known.empty()) return if_none;
  std::string text = kind + " there are: " +
                     join(std::vector<std::string>(
                         known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kNamed))));
  if (known.size() > kNamed) text += " and " + std::to_string(known.size() - kNamed) + " more";
  return text;
}

}  // namespace kg
