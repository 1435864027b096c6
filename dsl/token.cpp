#include "dsl/token.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "dsl/refusal.h"

namespace kg::dsl {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::array<const char*, 12> kLongSigns = {
    "->", "**", "//", "+=", "-=", "*=", "/=", "==", "!=", "<=", ">=", ".."};
constexpr std::string_view kSigns = "()[]{},:=+-*/%<>&|~@.?";

class Tokeniser {
 public:
  explicit Tokeniser(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      ++line_;
      read_line();
    }
    end_line();
    while (indents_.size() > 1) close_block();
    add(Token::Kind::kEnd, "");
    return std::move(tokens_);
  }

  // The same for a text that may continue; the last token is left open if it may.
  TokenBeginning run_beginning() {
    TokenBeginning made;
    const std::size_t unfinished = unfinished_tail();
    made.open = source_.substr(source_.size() - unfinished);
    source_.remove_suffix(unfinished);
    made.line_start = source_.empty();
    while (at_ < source_.size()) {
      ++line_;
      const std::size_t newline = source_.find('\n', at_);
      const bool last = newline == std::string_view::npos;
      const bool blank = last && source_.substr(at_).find_first_not_of(' ') == std::string_view::npos;
      made.line_start = depth_ == 0 && blank;
      made.column = blank ? static_cast<int>(source_.size() - at_) : 0;
      if (blank && depth_ == 0 && unfinished == 0) break;
      read_line(/*ends=*/!last);
      made.line_start = !last && depth_ == 0;  // a line may close brackets that it does not open
    }
    made.line_start = made.line_start && unfinished == 0;
    if (made.open.empty() && !made.line_start && !tokens_.empty() && may_go_on()) {
      made.open = tokens_.back().text;
      tokens_.pop_back();
    }
    made.tokens = std::move(tokens_);
    made.depth = depth_;
    made.indents = indents_;
    made.line = std::max(line_, 1);
    return made;
  }

 private:
  // The number of bytes at the end that are not a token yet but may begin one: "!", and a number's exponent, "1e-".
  std::size_t unfinished_tail() const {
    if (source_.empty()) return 0;
    if (source_.back() == '!') return 1;
    std::size_t at = source_.size();
    if (source_[at - 1] == '+' || source_[at - 1] == '-') --at;
    if (at == 0 || (source_[at - 1] != 'e' && source_[at - 1] != 'E')) return 0;
    std::size_t begin = at - 1;
    while (begin > 0 && (is_digit(source_[begin - 1]) || source_[begin - 1] == '.')) --begin;
    const bool number = begin + 1 < at && (begin == 0 || !is_word(source_[begin - 1]));
    return number ? source_.size() - begin : 0;
  }

  // The text ends with a token that a further character may make longer.
  bool may_go_on() const {
    const char last = source_.back();
    if (is_word(last)) return true;
    if (tokens_.back().kind == Token::Kind::kNumber) return last == '.';
    if (tokens_.back().kind != Token::Kind::kSign || tokens_.back().text != std::string(1, last)) return false;
    return std::any_of(kLongSigns.begin(), kLongSigns.end(), [&](const char* sign) { return sign[0] == last; });
  }

  void add(Token::Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
  void close_block() {
    indents_.pop_back();
    add(Token::Kind::kDedent, "");
  }
  void end_line() {
    if (!tokens_.empty() && tokens_.back().kind != Token::Kind::kNewline && tokens_.back().kind != Token::Kind::kDedent)
      add(Token::Kind::kNewline, "");
  }

  void read_line(bool ends = true) {
    int column = 0;
    for (; at_ < source_.size() && (source_[at_] == ' ' || source_[at_] == '\t'); ++at_)
      column += source_[at_] == '\t' ? 4 : 1;
    bool first = depth_ == 0;
    while (at_ < source_.size() && source_[at_] != '\n') {
      const char c = source_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '#') {
        while (at_ < source_.size() && source_[at_] != '\n') ++at_;
      } else {
        if (first) begin_line(column);
        first = false;
        read_token();
      }
    }
    if (!ends) return;
    ++at_;
    if (depth_ == 0) end_line();
  }

  void begin_line(int column) {
    if (column > indents_.back()) {
      if (tokens_.empty()) throw Refusal(line_, "indentation", "the first line of a program is not indented");
      indents_.push_back(column);
      add(Token::Kind::kIndent, "");
      return;
    }
    while (column < indents_.back()) close_block();
    if (column != indents_.back())
      throw Refusal(line_, "indentation", "a line must have the same indentation as the block it belongs to");
  }

  void read_token() {
    const std::size_t begin = at_;
    const char c = source_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < source_.size() && is_digit(source_[at_ + 1]))) return read_number();
    if (is_word(c)) {
      while (at_ < source_.size() && is_word(source_[at_])) ++at_;
      return add(Token::Kind::kName, std::string(source_.substr(begin, at_ - begin)));
    }
    for (const char* sign : kLongSigns)
      if (source_.substr(at_, 2) == sign) {
        at_ += 2;
        return add(Token::Kind::kSign, sign);
      }
    if (kSigns.find(c) == std::string_view::npos)
      throw Refusal(line_, std::string("'") + (std::isprint(static_cast<unsigned char>(c)) ? c : '?') + "'",
                    "this character has no meaning in the language");
    ++at_;
    if (c == '(' || c == '[') ++depth_;
    if ((c == ')' || c == ']') && depth_ > 0) --depth_;
    add(Token::Kind::kSign, std::string(1, c));
  }

  void read_number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      while (at_ < source_.size() && (is_digit(source_[at_]) || source_[at_] == '_')) ++at_;
    };
    digits();
    if (at_ < source_.size() && source_[at_] == '.' && source_.substr(at_, 2) != "..") {
      ++at_;
      digits();
    }
    if (at_ < source_.size() && (source_[at_] == 'e' || source_[at_] == 'E')) {
      const std::size_t mark = at_++;
      if (at_ < source_.size() && (source_[at_] == '+' || source_[at_] == '-')) ++at_;
      if (at_ >= source_.size() || !is_digit(source_[at_])) at_ = mark;
      digits();
    }
    std::string text;
    for (const char c : source_.substr(begin, at_ - begin))
      if (c != '_') text += c;
    if (text.size() > kLongestNumber || (at_ < source_.size() && is_word(source_[at_])))
      throw Refusal(line_, "number " + text.substr(0, kLongestNumber),
                    "a number has digits, at most one point and one exponent");
    add(Token::Kind::kNumber, text);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 0, depth_ = 0;
  std::vector<int> indents_ = {0};
  std::vector<Token> tokens_;
};

}  // namespace

TokenBeginning tokenise_beginning(std::string_view source) { return Tokeniser(source).run_beginning(); }

bool lay_out(const TokenBeginning& beginning, int column, std::vector<Token>& tokens) {
  if (column > beginning.indents.back()) {
    if (beginning.tokens.empty()) return false;
    tokens.push_back({Token::Kind::kIndent, "", beginning.line});
    return true;
  }
  for (std::size_t block = beginning.indents.size(); column < beginning.indents[block - 1]; --block)
    tokens.push_back({Token::Kind::kDedent, "", beginning.line});
  return std::find(beginning.indents.begin(), beginning.indents.end(), column) != beginning.indents.end();
}

std::vector<Token> tokenise(std::string_view source) {
  if (source.size() > kMostBytes)
    throw Refusal(1, "program", "a program has at most " + std::to_string(kMostBytes) + " bytes");
  return Tokeniser(source).run();
}

}  // namespace kg::dsl
