#pragma once

#include <cstddef>
#include <string>

namespace kg::dataset::translation {

// Replaces "$x", "@x", ... by `text_of(sign, letter)`. Letters follow a $ or @.
template <typename TextOf>
std::string filled(const std::string& form, const TextOf& text_of) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if ((form[i] == '$' || form[i] == '@') && i + 1 < form.size())
      text += text_of(form[i], form[i + 1]), ++i;
    else
      text += form[i];
  }
  return text;
}

}  // namespace kg::dataset::translation
