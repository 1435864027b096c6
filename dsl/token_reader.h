#pragma once

#include <string>
#include <vector>

#include "dsl/refusal.h"
#include "dsl/token.h"

namespace kg::dsl {

// Walks over the tokens of a program.
class TokenReader {
 public:
  explicit TokenReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const {
    const std::size_t at = at_ + ahead;
    return at < tokens_.size() ? tokens_[at] : tokens_.back();
  }
  Token take() {
    const Token token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  int line() const { return peek().line; }
  bool at(Token::Kind kind) const { return peek().kind == kind; }
  bool at_sign(const char* sign) const { return peek().kind == Token::Kind::kSign && peek().text == sign; }
  bool at_word(const char* word) const { return peek().kind == Token::Kind::kName && peek().text == word; }
  bool accept_sign(const char* sign) {
    if (!at_sign(sign)) return false;
    take();
    return true;
  }
  bool accept_word(const char* word) {
    if (!at_word(word)) return false;
    take();
    return true;
  }
  void expect_sign(const char* sign, const char* rule) {
    if (!accept_sign(sign)) refuse(rule);
  }
  std::string expect_name(const char* rule) {
    if (!at(Token::Kind::kName)) refuse(rule);
    return take().text;
  }
  // The present token is not what `rule` asks for.
  [[noreturn]] void refuse(const std::string& rule) const {
    switch (peek().kind) {
      case Token::Kind::kNewline:
        throw Refusal(line(), "end of the line", rule);
      case Token::Kind::kIndent:
      case Token::Kind::kDedent:
        throw Refusal(line(), "indentation", rule);
      case Token::Kind::kEnd:
        throw Refusal(line(), "end of the program", rule);
      default:
        throw Refusal(line(), "'" + peek().text + "'", rule);
    }
  }

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace kg::dsl
