#include "grammar/program_tokens.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"
#include "dsl/expected_header.h"

namespace kg::grammar {
namespace {

constexpr std::size_t kMostRemembered = 20000;

bool all(std::string_view text, bool (*is)(char)) { return !text.empty() && std::all_of(text.begin(), text.end(), is); }

constexpr std::size_t kMostSigns = 4;

// Things that occur in no program: other characters, long runs of signs, a tokenizer's own words such as <repo_name>.
bool is_foreign(const std::string& bytes) {
  const auto signs =
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return !is_word(c) && c != ' ' && c != '\n'; });
  const bool own = bytes.size() > 3 && bytes.front() == '<' && bytes.back() == '>' && is_word(bytes[1]);
  return bytes.empty() || own || static_cast<std::size_t>(signs) > kMostSigns ||
         std::any_of(bytes.begin(), bytes.end(), [](char c) {
           return (static_cast<unsigned char>(c) < 32 && c != '\n') || static_cast<unsigned char>(c) > 126 ||
                  std::string_view("#`\"'$;\\{}").find(c) != std::string_view::npos;
         });
}

void merge(policy::TokenMask& to, const policy::TokenMask& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] |= from[i];
}

// The expression parser limits depth and number of operations: after this many tokens of a line its text matters too.
constexpr std::size_t kLongLine = 50;

std::string long_line(const dsl::TokenBeginning& text) {
  std::size_t first = text.tokens.size();
  while (first > 0 && text.tokens[first - 1].kind != dsl::Token::Kind::kNewline) --first;
  std::string line;
  if (text.tokens.size() - first >= kLongLine)
    for (std::size_t i = first; i < text.tokens.size(); ++i) line += ' ' + text.tokens[i].text;
  return line;
}

}  // namespace

struct ProgramTokens::Place {
  Place(const std::string& text, dsl::BeginningReader& its_reader)
      : source(text), reader(its_reader), here(reader.read(text)) {
    const std::string& open = here.text.open;
    in_word = !open.empty() && is_word(open[0]) && !is_digit(open[0]);
    in_number = !open.empty() && (is_digit(open[0]) || (open[0] == '.' && open.size() > 1 && is_digit(open[1])));
    if (!here.right || (!text.empty() && text.back() == ' ' && !here.text.line_start)) return;
    // After a complete token a space changes nothing.
    if (open.empty() && !here.text.line_start)
      spaced = here;
    else if (dsl::Beginning behind = here.text.line_start ? reader.read_alone(text + ' ') : reader.read(text + ' ');
             behind.right)
      spaced = std::move(behind);
  }

  // All that decides which signs may come. Of a name that is open, what follows it.
  std::string state() const {
    // There names and numbers matter.
    if (here.next.task_decides()) return std::to_string(here.next.expected->id) + "\6" + source;
    const dsl::TokenBeginning& text = here.text;
    std::string made;
    if (text.line_start)
      made = "@" + std::to_string(text.column) + (here.may_indent ? "i" : "") + (here.must_indent ? "m" : "") +
             (here.whole ? "w" : "");
    else if (!in_word)
      made = text.open;
    made += in_word ? "\1" : "\2" + here.next.state();
    made += spaced ? text.line_start || !in_word ? "\3" : "\4" + spaced->next.state() : "\5";
    if (!text.open.empty() && !in_word && spaced) made += spaced->next.state();
    if (source.empty() || source.back() != ' ') made += '_';
    for (const int column : text.indents) made += "," + std::to_string(column);
    made += text.depth > 0 ? "(" : "";
    return made + long_line(text);
  }

  // False for a word that begins so where none of the program's names does: no word of the language begins with _.
  bool knows_word(char first) const {
    if (first != '_') return true;
    const dsl::Prospect& next = here.next;
    const auto begins = [&](const auto& names) {
      return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(first); });
    };
    return next.any_name() || (spaced && spaced->next.any_name()) || begins(next.task_words) ||
           begins(next.scope.names()) || begins(next.inputs) || begins(next.outputs);
  }

  bool begins(const std::string& longer) const { return reader.read(longer).right; }

  const std::string& source;
  dsl::BeginningReader& reader;
  dsl::Beginning here;
  std::optional<dsl::Beginning> spaced;  // state after a space, if one may follow
  bool in_word = false, in_number = false;
};

ProgramTokens::Blank ProgramTokens::blank(std::int32_t token, const std::string& bytes) {
  const std::size_t size = bytes.size(), first = std::min(bytes.find('\n'), size), last = bytes.rfind('\n');
  Blank made{.token = token, .breaks = first < size, .before = static_cast<int>(first), .after = 0, .longest = 0};
  if (made.breaks) made.after = static_cast<int>(size - last - 1);
  int run = 0;
  for (const char c : bytes) made.longest = std::max(made.longest, run = c == ' ' ? run + 1 : 0);
  return made;
}

ProgramTokens::ProgramTokens(const std::vector<std::string>& vocabulary, std::size_t remembered)
    : most_remembered_(remembered) {
  const std::size_t words = (vocabulary.size() + 63) / 64;
  for (policy::TokenMask* mask : {&any_word_, &any_name_, &any_spaced_name_}) mask->resize(words);
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const std::string& bytes = vocabulary[i];
    const auto token = static_cast<std::int32_t>(i);
    if (is_foreign(bytes)) continue;
    const bool spaced = bytes.size() > 1 && bytes[0] == ' ';
    const std::string_view word = std::string_view(bytes).substr(spaced ? 1 : 0);
    if (!all(word, is_word)) {
      const auto first = std::find_if(bytes.begin(), bytes.end(), is_word);
      if (bytes.find_first_not_of(" \n") == std::string::npos)
        blanks_.push_back(blank(token, bytes));
      else
        (first != bytes.end() ? mixed_ : signs_).add(bytes, token);
      only_underscores_ &= first == bytes.end() || *first == '_';
      continue;
    }
    (spaced ? spaced_words_ : words_).add(word, token);
    if (all(word, is_digit)) {
      (spaced ? spaced_digits_ : digits_).push_back(token);
      numbers_.emplace_back(token, bytes);
    }
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
  if (!next.names.empty() || !next.task_words.empty())
    for (const std::string& name : next.known_names()) add(name);
}

void ProgramTokens::add_allowed(const std::string& source, policy::TokenMask& mask,
                                dsl::BeginningReader& reader) const {
  const Place place(source, reader);
  if (!place.here.right) return;
  const std::string& open = place.here.text.open;
  // A word where there is none, or a piece of the open one; a word after a sign that may continue begins a new token.
  if (place.in_word || open.empty())
    add_words(place.here.next, open, words_, place.in_word ? any_word_ : any_name_, mask);
  else if (!place.in_number && open[0] != '.' && place.spaced)
    add_words(place.spaced->next, "", words_, any_name_, mask);
  if (place.spaced) add_words(place.spaced->next, "", spaced_words_, any_spaced_name_, mask);
  for (const std::int32_t token : other_tokens(place)) policy::add_token(mask, static_cast<std::size_t>(token));
  add_mixed(place, mask);
}

ProgramTokens::Tokens ProgramTokens::other_tokens(const Place& place) const {
  std::string state = place.state();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_state_.find(state); found != by_state_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      return found->second->tokens;
    }
  }
  Tokens found = try_others(place);
  const std::lock_guard lock(mutex_);
  if (most_remembered_ == 0 || by_state_.contains(state)) return found;
  recent_.push_front({state, found});
  by_state_[std::move(state)] = recent_.begin();
  if (recent_.size() > most_remembered_) {
    by_state_.erase(recent_.back().state);
    recent_.pop_back();
  }
  return found;
}

ProgramTokens::Tokens ProgramTokens::try_others(const Place& place) const {
  Tokens found;
  std::string text = place.source;
  if (place.here.next.task_decides()) {
    for (const auto& [token, bytes] : numbers_)
      if ((bytes[0] != ' ' || place.spaced) && !place.in_word && place.begins(text + bytes)) found.push_back(token);
  } else {
    if (!place.in_word && place.begins(text + "1")) found = digits_;
    if (place.spaced && place.spaced->next.number)
      found.insert(found.end(), spaced_digits_.begin(), spaced_digits_.end());
  }
  if (place.in_number)
    for (const char exponent : {'e', 'E'})
      if (const int node = words_.child(TokenTrie::kRoot, exponent);
          node != TokenTrie::kNone && place.begins(text + exponent))
        found.insert(found.end(), words_.node(node).tokens.begin(), words_.node(node).tokens.end());
  try_blanks(place, found);
  for (const auto& [c, node] : signs_.node(TokenTrie::kRoot).children) {
    if (c == ' ' && !place.spaced) continue;
    text.push_back(c);
    if (place.begins(text)) try_below(signs_, node, text, place, found);
    text.pop_back();
  }
  return found;
}

// One space between words is enough; a line begins as far in as its block, or a new block further.
void ProgramTokens::try_blanks(const Place& place, Tokens& found) const {
  const dsl::Beginning broken = place.reader.read_alone(place.source + '\n');
  const dsl::TokenBeginning& text = place.here.text;
  const auto furthest = [](const dsl::Beginning& line) {
    return line.text.tokens.empty() ? 0 : line.text.indents.back() + (line.may_indent ? dsl::kMostIndent : 0);
  };
  for (const Blank& blank : blanks_) {
    const bool first = text.line_start
                           ? (blank.breaks || text.column + blank.before <= furthest(place.here))
                           : blank.before == 0 || (blank.before == 1 && place.spaced && place.source.back() != ' ');
    const bool then = !blank.breaks ||
                      (broken.right && (broken.text.line_start ? blank.after <= furthest(broken) : blank.longest <= 1));
    if (first && then) found.push_back(blank.token);
  }
}

// The names in these tokens decide as well: they are tried each time, which is seldom.
void ProgramTokens::add_mixed(const Place& place, policy::TokenMask& mask) const {
  // Where no name begins with _, only an open name may go on so: "_," may be its end.
  const bool only_open = only_underscores_ && !place.knows_word('_');
  if (only_open && !place.in_word) return;
  Tokens found;
  std::string text = place.source;
  for (const auto& [c, node] : mixed_.node(TokenTrie::kRoot).children) {
    if ((only_open && c != '_') || (c == ' ' && !place.spaced) ||
        (is_word(c) && !place.in_word && !place.knows_word(c)))
      continue;
    const auto leads_to_a_word = [&](const auto& below) {
      return !is_word(below.first) || place.knows_word(below.first);
    };
    const auto& children = mixed_.node(node).children;
    if (!is_word(c) && std::none_of(children.begin(), children.end(), leads_to_a_word)) continue;
    text.push_back(c);
    if (place.begins(text)) try_below(mixed_, node, text, place, found);
    text.pop_back();
  }
  for (const std::int32_t token : found) policy::add_token(mask, static_cast<std::size_t>(token));
}

// `text` ends at this node, and a program begins so.
void ProgramTokens::try_below(const TokenTrie& trie, int node, std::string& text, const Place& place,
                              Tokens& found) const {
  const TokenTrie::Node& at = trie.node(node);
  found.insert(found.end(), at.tokens.begin(), at.tokens.end());
  for (const auto& [c, child] : at.children) {
    if (c == ' ' && text.back() == ' ' && !place.reader.read(text).text.line_start) continue;  // one space is enough
    if (is_word(c) && !is_word(text.back()) && !place.knows_word(c)) continue;
    text.push_back(c);
    if (place.begins(text)) try_below(trie, child, text, place, found);
    text.pop_back();
  }
}

}  // namespace kg::grammar
