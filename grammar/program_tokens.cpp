#include "grammar/program_tokens.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace kg::grammar {
namespace {

constexpr std::size_t kMostRemembered = 20000;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool all(std::string_view text, bool (*is)(char)) { return !text.empty() && std::all_of(text.begin(), text.end(), is); }

constexpr std::size_t kMostSigns = 4;

// What no program has: other characters, long runs of signs.
bool is_foreign(const std::string& bytes) {
  const auto signs =
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return !is_word(c) && c != ' ' && c != '\n'; });
  return bytes.empty() || static_cast<std::size_t>(signs) > kMostSigns ||
         std::any_of(bytes.begin(), bytes.end(), [](char c) {
           return (static_cast<unsigned char>(c) < 32 && c != '\n') || static_cast<unsigned char>(c) > 126 ||
                  std::string_view("#`\"'$;\\{}").find(c) != std::string_view::npos;
         });
}

void merge(policy::TokenMask& to, const policy::TokenMask& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] |= from[i];
}

// How a name reads to the grammar: the class of its variable, or itself.
std::string shape_of(const dsl::Prospect& next, const std::string& name) {
  if (const dsl::Variable* found = next.scope.find(name); found != nullptr)
    return "\1" + std::to_string(static_cast<int>(found->type.kind)) + (found->fixed ? "f" : "v") +
           (found->type.product ? "p" : "");
  if (next.inputs.contains(name) || next.outputs.contains(name))
    return std::string("\2") + (next.inputs.contains(name) ? "i" : "") + (next.outputs.contains(name) ? "o" : "");
  return name;
}

// The line's beginning, with what else decides which signs may follow it.
std::string shape_of(const dsl::Beginning& here) {
  const dsl::TokenBeginning& text = here.text;
  const dsl::Prospect& next = here.next;
  using Kind = dsl::Token::Kind;
  std::size_t first = text.tokens.size();
  while (first > 0 && text.tokens[first - 1].kind != Kind::kNewline && text.tokens[first - 1].kind != Kind::kIndent &&
         text.tokens[first - 1].kind != Kind::kDedent)
    --first;
  const bool header = first == 0;
  std::string shape = header ? "h" : "b";
  for (std::size_t i = first; i < text.tokens.size(); ++i) {
    const dsl::Token& token = text.tokens[i];
    shape += ' ';
    shape += token.kind == Kind::kNumber           ? "0"
             : token.kind != Kind::kName || header ? token.text
                                                   : shape_of(next, token.text);
  }
  shape += '\n';
  if (text.line_start) {
    shape += "@" + std::to_string(text.column) + (here.may_indent ? "i" : "") + (here.must_indent ? "m" : "") +
             (here.whole ? "w" : "");
  } else if (!text.open.empty()) {
    shape += is_digit(text.open[0]) || text.open[0] == '.' ? "\3" + text.open : shape_of(next, text.open);
  }
  for (const int column : text.indents) shape += "," + std::to_string(column);
  shape += next.unstored.empty() ? "s" : "u";
  // What a name in an expression could be.
  shape += next.inputs.empty() ? "-" : "+";
  return shape;
}

}  // namespace

ProgramTokens::ProgramTokens(const std::vector<std::string>& vocabulary) {
  const std::size_t words = (vocabulary.size() + 63) / 64;
  for (policy::TokenMask* mask : {&any_word_, &any_name_, &any_spaced_name_, &digits_, &spaced_digits_})
    mask->resize(words);
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const std::string& bytes = vocabulary[i];
    const auto token = static_cast<std::int32_t>(i);
    if (is_foreign(bytes)) continue;
    const bool spaced = bytes.size() > 1 && bytes[0] == ' ';
    const std::string_view word = std::string_view(bytes).substr(spaced ? 1 : 0);
    if (!all(word, is_word)) {
      others_.add(bytes, token);
      continue;
    }
    (spaced ? spaced_words_ : words_).add(word, token);
    if (all(word, is_digit)) policy::add_token(spaced ? spaced_digits_ : digits_, i);
    if (!spaced) policy::add_token(any_word_, i);
    if (!is_digit(word[0])) policy::add_token(spaced ? any_spaced_name_ : any_name_, i);
  }
}

void ProgramTokens::add_words(const dsl::Prospect& next, const std::string& open, const TokenTrie& words,
                              const policy::TokenMask& any, policy::TokenMask& mask) const {
  if (next.any_name()) merge(mask, any);
  const auto add = [&](std::string_view name) {
    if (!name.starts_with(open)) return;
    int node = TokenTrie::kRoot;
    for (const char c : name.substr(open.size())) {
      node = words.child(node, c);
      if (node == TokenTrie::kNone) return;
      for (const std::int32_t token : words.node(node).tokens) policy::add_token(mask, static_cast<std::size_t>(token));
    }
  };
  for (const char* word : next.words) add(word);
  if (!next.names.empty())
    for (const std::string& name : next.known_names()) add(name);
}

void ProgramTokens::add_allowed(const std::string& source, policy::TokenMask& mask) const {
  const dsl::Beginning here = dsl::read_beginning(source);
  if (!here.right) return;
  const std::string& open = here.text.open;
  const bool line_start = here.text.line_start, in_word = !open.empty() && is_word(open[0]) && !is_digit(open[0]);
  std::optional<dsl::Beginning> spaced;
  if (source.empty() || source.back() != ' ' || line_start) spaced = dsl::read_beginning(source + " ");
  if (spaced && !spaced->right) spaced.reset();
  // A word where none is, or a piece of the one that is open; a word behind a sign that may go on begins a new token.
  if (in_word || open.empty())
    add_words(here.next, open, words_, in_word ? any_word_ : any_name_, mask);
  else if (!is_word(open[0]) && open[0] != '.')
    if (const dsl::Beginning behind = dsl::read_beginning(source + " "); behind.right)
      add_words(behind.next, "", words_, any_name_, mask);
  if (spaced) add_words(spaced->next, "", spaced_words_, any_spaced_name_, mask);
  if (!in_word && dsl::read_beginning(source + "1").right) merge(mask, digits_);
  if (!open.empty() && is_digit(open[0]))  // an exponent
    for (const char c : {'e', 'E'})
      if (const int node = words_.child(TokenTrie::kRoot, c);
          node != TokenTrie::kNone && dsl::read_beginning(source + c).right)
        for (const std::int32_t token : words_.node(node).tokens)
          policy::add_token(mask, static_cast<std::size_t>(token));
  if (spaced && spaced->next.number) merge(mask, spaced_digits_);
  for (const std::int32_t token : other_tokens(source, here, spaced ? &*spaced : nullptr))
    policy::add_token(mask, static_cast<std::size_t>(token));
}

ProgramTokens::Tokens ProgramTokens::other_tokens(const std::string& source, const dsl::Beginning& here,
                                                  const dsl::Beginning* spaced) const {
  std::string shape = shape_of(here);
  if (source.empty() || source.back() != ' ') shape += '_';
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_shape_.find(shape); found != by_shape_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      return found->second->tokens;
    }
  }
  Tokens found;
  std::string text = source;
  const auto begins = [](const dsl::Prospect& next, const std::string& sign) {
    return std::any_of(next.signs.begin(), next.signs.end(),
                       [&](const char* one) { return std::string_view(one).starts_with(sign); });
  };
  const TokenTrie::Node& root = others_.node(TokenTrie::kRoot);
  for (const auto& [c, node] : root.children) {
    if (c == ' ' && (spaced == nullptr)) continue;
    const bool sign = !is_word(c) && c != ' ' && c != '\n' && c != '.';
    const bool goes_on = sign && begins(here.next, here.text.open + c);
    const bool follows =
        sign && !here.text.open.empty() && spaced != nullptr && begins(spaced->next, std::string(1, c));
    const bool exponent = !here.text.open.empty() && is_digit(here.text.open[0]) && (c == '-' || c == '+');
    if (sign && c != '!' && !goes_on && !follows && !exponent && here.text.open != "!") continue;
    text.push_back(c);
    if (dsl::read_beginning(text).right) try_below(node, text, found);
    text.pop_back();
  }
  const std::lock_guard lock(mutex_);
  if (by_shape_.contains(shape)) return found;
  recent_.push_front({shape, found});
  by_shape_[shape] = recent_.begin();
  if (recent_.size() > kMostRemembered) {
    by_shape_.erase(recent_.back().shape);
    recent_.pop_back();
  }
  return found;
}

// `text` ends at this node, and a program begins so.
void ProgramTokens::try_below(int node, std::string& text, Tokens& found) const {
  const TokenTrie::Node& at = others_.node(node);
  found.insert(found.end(), at.tokens.begin(), at.tokens.end());
  for (const auto& [c, child] : at.children) {
    if (c == ' ' && text.back() == ' ' && !dsl::read_beginning(text).text.line_start) continue;  // one space is enough
    text.push_back(c);
    if (dsl::read_beginning(text).right) try_below(child, text, found);
    text.pop_back();
  }
}

}  // namespace kg::grammar
