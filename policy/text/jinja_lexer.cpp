#include "policy/text/jinja_lexer.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/text.h"

namespace kg::policy::jinja {

[[noreturn]] void fail(const std::string& what, int line) {
  throw Error(what, "chat template, line " + std::to_string(line),
              "use a model whose template uses only the supported part of Jinja");
}

namespace {

class Lexer {
 public:
  explicit Lexer(const std::string& text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      const std::size_t tag = next_tag();
      add_text(tag);
      if (tag == std::string::npos) break;
      const char kind = text_[tag + 1];
      at_ = tag + 2;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      if (kind == '#') {
        const std::size_t end = text_.find("#}", at_);
        if (end == std::string::npos) fail("a comment has no end", line());
        close(end, /*block=*/true);
      } else {
        add(kind == '{' ? Token::kOutputBegin : Token::kBlockBegin, "");
        inside_tag(kind == '{' ? "}}" : "%}", kind == '%');
      }
    }
    add(Token::kEndOfTemplate, "");
    return std::move(tokens_);
  }

 private:
  int line() const {
    return 1 + static_cast<int>(
                   std::count(text_.begin(), text_.begin() + static_cast<long>(std::min(at_, text_.size())), '\n'));
  }
  void add(Token::Kind kind, std::string text) { tokens_.push_back({kind, std::move(text), line()}); }

  std::size_t next_tag() const {
    for (std::size_t i = at_; i + 1 < text_.size(); ++i)
      if (text_[i] == '{' && (text_[i + 1] == '{' || text_[i + 1] == '%' || text_[i + 1] == '#')) return i;
    return std::string::npos;
  }

  // Text up to the tag, without what the tags on both sides take away.
  void add_text(std::size_t tag) {
    std::string text = text_.substr(at_, tag == std::string::npos ? std::string::npos : tag - at_);
    if (strip_left_) text.erase(0, std::min(text.size(), text.find_first_not_of(" \t\r\n\f\v")));
    if (drop_line_break_ && !strip_left_) {
      if (text.starts_with("\r\n"))
        text.erase(0, 2);
      else if (text.starts_with("\n"))
        text.erase(0, 1);
    }
    if (tag != std::string::npos && tag + 2 < text_.size()) {
      const char mark = text_[tag + 2];
      if (mark == '-') {
        while (!text.empty() && is_space(text.back())) text.pop_back();
      } else if (mark != '+' && text_[tag + 1] != '{') {  // lstrip_blocks: blanks between a line's begin and its block
        std::size_t from = tag;
        while (from > 0 && (text_[from - 1] == ' ' || text_[from - 1] == '\t')) --from;
        if (from == 0 || text_[from - 1] == '\n') text.resize(text.size() - std::min(text.size(), tag - from));
      }
    }
    strip_left_ = drop_line_break_ = false;
    if (!text.empty()) add(Token::kText, text);
  }

  // Moves past the end of a tag, noting what it removes from the following text.
  void close(std::size_t end, bool block) {
    strip_left_ = end > 0 && text_[end - 1] == '-';
    const bool keep = end > 0 && text_[end - 1] == '+';
    at_ = end + 2;
    drop_line_break_ = block && !keep;
  }

  void inside_tag(const std::string& closing, bool block) {
    int nested = 0;
    while (true) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ >= text_.size()) fail("a tag has no end", line());
      const char c = text_[at_];
      const bool marked = (c == '-' || c == '+') && text_.compare(at_ + 1, 2, closing) == 0;
      if (nested == 0 && (marked || text_.compare(at_, 2, closing) == 0)) {
        close(at_ + (marked ? 1 : 0), block);
        if (!marked) strip_left_ = false;
        add(Token::kEnd, "");
        return;
      }
      if (c == '"' || c == '\'') {
        add(Token::kString, quoted(c));
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        std::size_t end = at_;
        while (end < text_.size() &&
               (is_word(text_[end]) || (text_[end] == '.' && end + 1 < text_.size() &&
                                        std::isdigit(static_cast<unsigned char>(text_[end + 1])) != 0)))
          ++end;
        add(Token::kNumber, text_.substr(at_, end - at_));
        at_ = end;
      } else if (is_word(c)) {
        std::size_t end = at_;
        while (end < text_.size() && is_word(text_[end])) ++end;
        add(Token::kName, text_.substr(at_, end - at_));
        at_ = end;
      } else {
        const std::string two = text_.substr(at_, 2);
        const bool pair = two == "==" || two == "!=" || two == "<=" || two == ">=" || two == "//" || two == "**";
        const std::string sign = pair ? two : std::string(1, c);
        if (!pair && std::string("()[]{}.,:|+-*/%~<>=").find(c) == std::string::npos)
          fail(std::string("the character \"") + c + "\" is not understood", line());
        if (c == '(' || c == '[' || c == '{') ++nested;
        if (c == ')' || c == ']' || c == '}') --nested;
        add(Token::kSign, sign);
        at_ += sign.size();
      }
    }
  }

  // The character given by the next hexadecimal digits, as UTF-8.
  std::string character(std::size_t digits) {
    unsigned code = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const char digit = ++at_ < text_.size() ? text_[at_] : '?';
      if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) fail("an escape lacks its digits", line());
      code = code * 16 + static_cast<unsigned>(std::stoi(std::string(1, digit), nullptr, 16));
    }
    if (code < 0x80) return std::string(1, static_cast<char>(code));
    if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
    return {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
            static_cast<char>(0x80 | (code & 63))};
  }

  std::string quoted(char quote) {
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\' || at_ + 1 >= text_.size()) {
        value += text_[at_];
        continue;
      }
      const char escaped = text_[++at_];
      const std::string codes = "ntrbf", meant = "\n\t\r\b\f";
      const std::size_t known = codes.find(escaped);
      if (known != std::string::npos)
        value += meant[known];
      else if (escaped == '\\' || escaped == '\'' || escaped == '"')
        value += escaped;
      else if (escaped == 'u' || escaped == 'x')
        value += character(escaped == 'u' ? 4 : 2);
      else
        fail(std::string("the escape \\") + escaped + " is not supported", line());
    }
    if (at_ >= text_.size()) fail("a string has no end", line());
    ++at_;
    return value;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  bool strip_left_ = false, drop_line_break_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenise(const std::string& text) { return Lexer(text).run(); }

}  // namespace kg::policy::jinja
