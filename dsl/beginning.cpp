#include "dsl/beginning.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"

namespace kg::dsl {
namespace {

constexpr int kMostSteps = 400;          // longest ending, in steps
constexpr std::size_t kMostDigits = 15;  // longest whole number

// What may come after these tokens. Throws Refusal.
Prospect prospect_of(std::vector<Token> tokens, int line, const ExpectedHeader* expected) {
  tokens.push_back({Token::Kind::kCut, "", line});
  Prospect prospect;
  prospect.expected = expected;
  foresee(std::move(tokens), prospect);
  return prospect;
}

bool some_starts_with(const std::vector<const char*>& texts, const std::string& begin) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const char* text) { return std::strncmp(text, begin.c_str(), begin.size()) == 0; });
}

// The text that a number may still become one of.
bool begins_number(const std::string& text) {
  return std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '.';
}

// What a number lacks, as short as possible: a digit, or the point without which its value is too large.
std::string_view rest_of_number(const std::string& open) {
  const char last = open.back();
  if (open == "." || last == 'e' || last == 'E' || last == '+' || last == '-') return "0";
  const bool integer = open.find_first_of(".eE") == std::string::npos;
  return integer && std::strtod(open.c_str(), nullptr) > kLargestWhole ? "." : "";
}

// Digits, a point, digits, an exponent, as far as the text goes.
bool is_number_so_far(const std::string& text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at > first;
  };
  bool any = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    any |= digits();
  }
  if (any && at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    digits();
  }
  return at == text.size() && text.size() + rest_of_number(text).size() <= kLongestNumber;
}

bool is_whole_so_far(const std::string& text) {
  return text.size() <= kMostDigits && text.find_first_not_of("0123456789") == std::string::npos;
}

bool may_become(const Prospect& next, const std::string& open) {
  if (begins_number(open) && next.number) {
    if (next.numbers.empty() ? (next.whole > 0 ? is_whole_so_far(open) : is_number_so_far(open))
                             : std::any_of(next.numbers.begin(), next.numbers.end(),
                                           [&](const std::string& number) { return number.starts_with(open); }))
      return true;
  }
  if (!is_word(open[0])) return some_starts_with(next.signs, open);
  if (std::isdigit(static_cast<unsigned char>(open[0])) != 0) return false;
  if (next.any_name() || some_starts_with(next.words, open)) return true;
  const std::vector<std::string> known = next.known_names();
  return std::any_of(known.begin(), known.end(), [&](const std::string& name) { return name.starts_with(open); });
}

// Whether a line whose first column.. columns are blank may begin there, or further in.
bool line_may_begin(const Prospect& behind, const TokenBeginning& text) {
  if (text.tokens.empty()) return text.column == 0;
  const int top = text.indents.back();
  return text.column <= (behind.indent ? top + kMostIndent : top);
}

void read_line_start(Beginning& made, const ExpectedHeader* expected) {
  const Prospect behind = prospect_of(made.text.tokens, made.text.line, expected);
  made.right = line_may_begin(behind, made.text);
  if (!made.right) return;
  made.may_indent = behind.indent;
  made.must_indent = behind.indent && behind.words.empty();
  std::vector<Token> tokens = made.text.tokens;
  if (lay_out(made.text, made.text.column, tokens)) try {
      made.next = prospect_of(std::move(tokens), made.text.line, expected);
    } catch (const Refusal&) {
      made.next = {};  // a line cannot begin in this column, but further in
    }
  std::vector<Token> all = made.text.tokens;
  if (made.text.column != 0 || all.empty() || !lay_out(made.text, 0, all)) return;
  try {
    const Prospect last = prospect_of(std::move(all), made.text.line, expected);
    made.whole = last.end && last.unstored.empty();
  } catch (const Refusal&) {
    made.whole = false;
  }
}

// What an ending prefers among the possible tokens: closing ones, then the shortest.
std::optional<std::string> cheapest(const Beginning& now) {
  const Prospect& next = now.next;
  const auto has_sign = [&](const char* sign) { return some_starts_with(next.signs, sign); };
  const auto is = [&](const std::vector<const char*>& all, const char* text) {
    return std::any_of(all.begin(), all.end(), [&](const char* one) { return std::strcmp(one, text) == 0; });
  };
  if (next.new_line) return "\n";
  for (const char* sign : {")", "]", "->"})
    if (is(next.signs, sign)) return sign;
  if (next.number && next.numbers.empty()) return "1";
  if (is(next.signs, "=")) return "=";
  if (!next.task_words.empty()) return next.task_words.front();
  for (const char* word : {"in", "range", "cores", "half", "float", "kernel"})
    if (is(next.words, word)) return word;
  for (const char* sign : {"(", ":", ",", "["})
    if (has_sign(sign)) return sign;
  std::string shortest;
  for (const std::string& name : next.known_names())
    if (shortest.empty() || name.size() < shortest.size()) shortest = name;
  if (!shortest.empty() && !next.any_name()) return shortest;
  if (!next.any_name() && !next.signs.empty()) return next.signs.front();  // [..] is followed by *
  if (!next.any_name()) return {};
  for (std::string name = "a"; name.size() < 4; name += name.back())
    for (char last = 'a'; last <= 'z'; ++last) {
      name.back() = last;
      if (next.task_decides() && next.scope.find(name) != nullptr) continue;  // its extent may not fit
      for (const NameUse use : next.names)
        if (next.allows(use, name)) return name;
    }
  return {};
}

// The rest of a name, number or sign that is open.
std::string rest_of(const Beginning& now) {
  const std::string& open = now.text.open;
  for (const std::string& number : now.next.numbers)
    if (begins_number(open) && number.starts_with(open)) return number.substr(open.size());
  if (begins_number(open)) return std::string(rest_of_number(open));
  std::vector<std::string> all;
  const Prospect& next = now.next;
  for (const NameUse use : next.names)
    if (is_word(open[0]) && next.any_name() && next.allows(use, open)) return "";
  for (const char* word : next.words) all.emplace_back(word);
  for (const char* sign : next.signs) all.emplace_back(sign);
  for (std::string& name : next.known_names()) all.push_back(std::move(name));
  std::string best;
  bool found = false;
  for (const std::string& one : all)
    if (one.starts_with(open) && (!found || one.size() < best.size())) {
      best = one;
      found = true;
    }
  if (found) return best.substr(open.size());
  return is_word(open[0]) && next.any_name() ? "1" : "";  // a name of another use continues
}

}  // namespace

Beginning read_beginning(std::string_view source, const ExpectedHeader* expected) {
  Beginning made;
  if (source.find_first_of("#\t\r") != std::string_view::npos) return made;
  try {
    made.text = tokenise_beginning(source);
    if (made.text.line_start) {
      read_line_start(made, expected);
      return made;
    }
    made.next = prospect_of(made.text.tokens, made.text.line, expected);
    made.right = made.text.open.empty() || may_become(made.next, made.text.open);
  } catch (const Refusal&) {
    made.right = false;
  }
  return made;
}

bool BeginningReader::find_head(const std::string& source) {
  const std::size_t line = source.rfind('\n');
  if (line == std::string::npos) return false;
  const std::size_t first = std::min(source.find_first_not_of(' ', line + 1), source.size());
  if (head_.size() == first && source.starts_with(head_)) return true;
  std::string head = source.substr(0, first);
  Beginning at = read_alone(head);
  if (!at.right || !at.text.line_start) return false;
  head_ = std::move(head);
  at_ = std::move(at);
  return true;
}

std::optional<Beginning> BeginningReader::read_line(std::string_view rest) const {
  // The header is always read completely. If no line begins in this column, there are no words.
  if (at_.text.tokens.empty() || at_.next.words.empty() || rest.find_first_of("#\t\r") != std::string_view::npos)
    return {};
  Beginning made;
  try {
    made.text = tokenise_beginning(rest);
    std::vector<Token>& tokens = made.text.tokens;
    for (const Token& token : tokens)
      if (token.kind == Token::Kind::kNewline) return {};
    if (made.text.line_start || (!tokens.empty() && (tokens[0].text == "elif" || tokens[0].text == "else"))) return {};
    made.text.indents = at_.text.indents;
    while (made.text.indents.back() > at_.text.column) made.text.indents.pop_back();
    if (made.text.indents.back() < at_.text.column) made.text.indents.push_back(at_.text.column);
    made.next = at_.next;
    if (!tokens.empty()) {
      const auto blocks = std::count_if(made.next.path.begin(), made.next.path.end(),
                                        [](char mark) { return mark == kBlock || mark == kWrittenOutBlock; });
      tokens.push_back({Token::Kind::kCut, "", made.text.line});
      foresee_statement(tokens, made.next, static_cast<int>(blocks));
      tokens.pop_back();
    }
    made.right = made.text.open.empty() || may_become(made.next, made.text.open);
  } catch (const Refusal&) {
    made.right = false;
  }
  return made;
}

Beginning BeginningReader::read(const std::string& source) {
  const auto behind_head = [&] {
    return !head_.empty() && source.size() > head_.size() && source.starts_with(head_) && source[head_.size()] != ' ' &&
           source[head_.size()] != '\n';
  };
  // A line continued inside brackets keeps its head.
  if (behind_head())
    if (std::optional<Beginning> made = read_line(std::string_view(source).substr(head_.size())))
      return *std::move(made);
  if (!find_head(source)) return read_alone(source);
  if (source.size() == head_.size()) return at_;
  if (behind_head())
    if (std::optional<Beginning> made = read_line(std::string_view(source).substr(head_.size())))
      return *std::move(made);
  return read_alone(source);
}

std::optional<std::string> short_end(std::string source) {
  BeginningReader reader;
  return short_end(std::move(source), reader);
}

std::optional<std::string> short_end(std::string source, BeginningReader& reader) {
  std::string end;
  for (int step = 0; step < kMostSteps; ++step) {
    const Beginning now = reader.read(source);
    if (!now.right) return {};
    if (now.text.line_start && now.whole) return end;
    std::string more;
    if (!now.text.open.empty()) {
      more = rest_of(now);
      if (more.empty()) {  // it is complete: what comes after it
        const Beginning behind = reader.read(source + " ");
        // An extent that does not fit its tensor becomes another name.
        const bool longer = !behind.right && is_word(now.text.open[0]) && now.next.any_name();
        const std::optional<std::string> next = behind.right ? cheapest(behind) : std::nullopt;
        if (!next && !longer) return {};
        more = longer ? "1" : is_word(next->front()) ? " " + *next : *next;
      }
    } else if (now.text.line_start) {
      // The innermost block continues; after a head a new one begins. An output that is not stored yet is stored first.
      const int top = now.text.indents.back(), wanted = now.may_indent ? top + 2 : top;
      if (now.text.column < wanted) {
        more = std::string(static_cast<std::size_t>(wanted - now.text.column), ' ');
      } else if (!now.next.unstored.empty()) {
        const std::string& output = *now.next.unstored.begin();
        more = "store " + output + (now.next.lists.contains(output) ? "[0,0]=1" : "[0]=1");
      } else {
        const std::optional<std::string> next = cheapest(now);
        if (!next) return {};
        more = *next;
      }
    } else {
      const std::optional<std::string> next = cheapest(now);
      if (!next) return {};
      const bool apart = is_word(next->front()) && !source.empty() && is_word(source.back());
      more = apart ? " " + *next : *next;
    }
    source += more;
    end += more;
    if (end.size() > 4000) return {};
  }
  return {};
}

}  // namespace kg::dsl
