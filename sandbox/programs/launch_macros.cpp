#include "sandbox/programs/launch_macros.h"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/programs/source_text.h"

namespace kg::sandbox {
namespace {

// A source may be hostile: so many macros that use one another, so many of all, so much text to expand.
constexpr int kMostNesting = 8;
constexpr std::size_t kMostMacros = 256;
constexpr std::size_t kMostText = 4 << 20;
constexpr std::size_t kNone = std::string::npos;

struct Macro {
  std::size_t begin = kNone, end = kNone;  // of its definition
  std::string name, replacement;
  bool takes_arguments = false;
  std::vector<std::string> parameters;  // the rest of the arguments has the name __VA_ARGS__ or its own
  bool variadic = false;
};

std::size_t name_end(const std::string& text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}
std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// Whether the line that ends here goes on in the next.
bool goes_on(const std::string& text, std::size_t end) {
  if (end > 0 && text[end - 1] == '\r') --end;
  return end > 0 && text[end - 1] == '\\';
}

bool definition_at(const std::string& text, std::size_t at) {
  return at < text.size() && text[at] == '#' && text.compare(skip_spaces(text, at + 1), 6, "define") == 0;
}

// The arguments between the bracket at `open` and its partner, behind which `end` is.
std::vector<std::string> arguments_at(const std::string& text, std::size_t open, std::size_t& end) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (end = open; end < text.size(); ++end) {
    if (text[end] == ')' && --depth == 0) break;
    if (text[end] == '(' && depth++ == 0) continue;
    if (text[end] == ',' && depth == 1)
      arguments.emplace_back();
    else
      arguments.back() += text[end];
  }
  if (end < text.size()) ++end;
  for (std::string& argument : arguments) argument = trimmed(argument);
  return arguments;
}

Macro read_macro(const std::string& text, std::size_t definition) {
  Macro macro{definition, definition_end(text, definition), {}, {}, false, {}};
  const std::size_t name = skip_spaces(text, text.find("define", definition) + 6);
  std::size_t at = name_end(text, name);
  macro.name = text.substr(name, at - name);
  if (at < text.size() && text[at] == '(') {
    macro.takes_arguments = true;
    macro.parameters = arguments_at(text, at, at);
    if (std::string& last = macro.parameters.back(); last.ends_with("...")) {
      macro.variadic = true;
      last = last == "..." ? "__VA_ARGS__" : trimmed(std::string_view(last).substr(0, last.size() - 3));
    }
  }
  for (; at < macro.end; ++at)
    if (text[at] != '\n' && text[at] != '\r' && !continues_line(text, at)) macro.replacement += text[at];
  return macro;
}

bool holds_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != kNone; at = text.find(word, at + 1))
    if ((at == 0 || !is_word(text[at - 1])) && name_end(text, at) == at + word.size()) return true;
  return false;
}

// The definitions that hold a launch, or another such macro, by their places.
std::vector<Macro> launching_macros(const std::string& text) {
  std::vector<Macro> others, found;
  for (std::size_t line = 0; line < text.size(); ++line) {
    const std::size_t at = skip_spaces(text, line);
    line = definition_end(text, line);
    if (!definition_at(text, at)) continue;
    Macro macro = read_macro(text, at);
    line = macro.end;
    const bool launches = macro.replacement.find("<<<") != kNone && found.size() < kMostMacros;
    (launches ? found : others).push_back(std::move(macro));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string name = found[i].name;
    for (Macro& other : others)
      if (found.size() < kMostMacros && !other.name.empty() && holds_word(other.replacement, name))
        found.push_back(std::exchange(other, {}));
  }
  return found;
}

std::string without_pastes(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "##") != 0) {
      result += text[at];
      continue;
    }
    while (!result.empty() && is_space(result.back())) result.pop_back();
    ++at;
    while (at + 1 < text.size() && is_space(text[at + 1])) ++at;
  }
  return result;
}

std::string replacement_of(const Macro& macro, std::vector<std::string> arguments) {
  if (macro.variadic) {
    while (arguments.size() > macro.parameters.size()) {
      std::string last = std::move(arguments.back());
      arguments.pop_back();
      arguments.back() += ", " + last;
    }
  }
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i < macro.parameters.size(); ++i)
    values[macro.parameters[i]] = i < arguments.size() ? arguments[i] : "";
  std::string result;
  for (std::size_t at = 0; at < macro.replacement.size() && result.size() <= kMostText;) {
    const std::size_t end = name_end(macro.replacement, at);
    const std::string word = macro.replacement.substr(at, end == at ? 1 : end - at);
    const auto value = values.find(word);
    result += value == values.end() ? word : value->second;
    at += word.size();
  }
  return without_pastes(result);
}

struct Expansion {
  std::vector<Macro> macros;
  std::size_t left = kMostText;  // text to be looked at
};

// `place`: where the use is that the text comes from; kNone: the text is the whole source.
std::string with_uses_replaced(const std::string& text, Expansion& expansion, std::size_t place, int depth) {
  if (text.size() > expansion.left) {
    expansion.left = 0;
    return {};
  }
  expansion.left -= text.size();
  if (depth == kMostNesting) return text;
  std::string result;
  for (std::size_t at = 0; at < text.size() && expansion.left > 0;) {
    const std::size_t here = place == kNone ? at : place;
    const std::size_t end = name_end(text, at);
    const std::string word = text.substr(at, end == at ? 1 : end - at);
    const Macro* used = nullptr;
    for (const Macro& macro : expansion.macros) {
      if (place == kNone && macro.begin == at) used = &macro;
      if (macro.begin < here && macro.name == word && (used == nullptr || used->begin < macro.begin)) used = &macro;
    }
    const std::size_t open = skip_spaces(text, end);
    const bool called = open < text.size() && text[open] == '(';
    if (used != nullptr && used->begin == here && place == kNone) {
      at = used->end;
    } else if (used == nullptr || (used->takes_arguments && !called)) {
      result += word;
      at += word.size();
    } else {
      std::vector<std::string> arguments;
      at = end;
      if (used->takes_arguments) arguments = arguments_at(text, open, at);
      result += with_uses_replaced(replacement_of(*used, arguments), expansion, here, depth + 1);
    }
  }
  return result;
}

}  // namespace

std::size_t definition_around(const std::string& text, std::size_t place) {
  std::size_t begin = place == 0 ? kNone : text.rfind('\n', place - 1);
  while (begin != kNone && begin > 0 && goes_on(text, begin)) begin = text.rfind('\n', begin - 1);
  begin = skip_spaces(text, begin == kNone ? 0 : begin + 1);
  return begin < place && definition_at(text, begin) ? begin : kNone;
}

std::size_t definition_end(const std::string& text, std::size_t definition) {
  std::size_t at = text.find('\n', definition);
  while (at != kNone && goes_on(text, at)) at = text.find('\n', at + 1);
  return at == kNone ? text.size() : at;
}

bool continues_line(const std::string& text, std::size_t at) {
  return text[at] == '\\' && (text.compare(at + 1, 1, "\n") == 0 || text.compare(at + 1, 2, "\r\n") == 0);
}

std::size_t replacement_begin(const std::string& text, std::size_t definition) {
  const std::size_t name = skip_spaces(text, text.find("define", definition) + 6);
  std::size_t at = name_end(text, name);
  if (at < text.size() && text[at] == '(') arguments_at(text, at, at);
  return at;
}

std::string with_launches_expanded(const std::string& text) {
  Expansion expansion{launching_macros(text)};
  return with_uses_replaced(text, expansion, /*place=*/kNone, /*depth=*/0);
}

}  // namespace kg::sandbox
