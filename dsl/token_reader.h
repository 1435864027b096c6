#pragma once

#include <string>
#include <vector>

#include "dsl/prospect.h"
#include "dsl/refusal.h"
#include "dsl/token.h"

namespace kg::dsl {

// Walks over the tokens of a program, or of the beginning of one, which ends with kCut: there it notes what is asked
// for, and refuses nothing.
class TokenReader {
 public:
  explicit TokenReader(std::vector<Token> tokens, Prospect* prospect = nullptr)
      : tokens_(std::move(tokens)), prospect_(prospect) {}

  // Null: the program is complete.
  Prospect* prospect() const { return prospect_; }

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
  bool at(Token::Kind kind) const {
    if (at_cut()) note(kind);
    return peek().kind == kind;
  }
  bool at_sign(const char* sign) const {
    if (at_cut()) prospect_->signs.push_back(sign);
    return peek().kind == Token::Kind::kSign && peek().text == sign;
  }
  bool at_word(const char* word) const {
    if (at_cut()) prospect_->words.push_back(word);
    return peek().kind == Token::Kind::kName && peek().text == word;
  }
  // The current token exists, and a name follows it.
  bool name_follows(NameUse use = NameUse::kAny) const {
    if (peek(1).kind == Token::Kind::kCut) prospect_->names.insert(use);
    return peek(1).kind == Token::Kind::kName || peek(1).kind == Token::Kind::kCut;
  }
  // For refusals with their own words: nothing is allowed here.
  bool is_sign(const char* sign) const { return peek().kind == Token::Kind::kSign && peek().text == sign; }
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
  // A name or type that the task decides.
  bool accept_task_word(const std::string& word) {
    if (at_cut()) prospect_->task_words.push_back(word);
    if (peek().kind != Token::Kind::kName || peek().text != word) return false;
    take();
    return true;
  }
  // False only in a beginning without anything to load.
  bool can_load() const { return prospect_ == nullptr || prospect_->can_load(); }
  void expect_sign(const char* sign, const char* rule) {
    if (!accept_sign(sign)) refuse(rule);
  }
  std::string expect_name(const char* rule, NameUse use = NameUse::kAny) {
    if (at_cut()) prospect_->names.insert(use);
    if (peek().kind != Token::Kind::kName) refuse(rule);
    require(use, peek().text);
    return take().text;
  }
  // In a beginning, a name must be allowed here: nothing that follows could make it right.
  void require(NameUse use, const std::string& name) const {
    if (prospect_ != nullptr && !prospect_->allows(use, name))
      throw Refusal(line(), name, "this name cannot be used here");
  }
  // The current token is not what `rule` requires.
  [[noreturn]] void refuse(const std::string& rule) const {
    if (peek().kind == Token::Kind::kCut) throw AtCut();
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
  bool at_cut() const { return prospect_ != nullptr && peek().kind == Token::Kind::kCut; }
  void note(Token::Kind kind) const {
    prospect_->number |= kind == Token::Kind::kNumber;
    prospect_->new_line |= kind == Token::Kind::kNewline;
    prospect_->indent |= kind == Token::Kind::kIndent;
    prospect_->dedent |= kind == Token::Kind::kDedent;
    prospect_->end |= kind == Token::Kind::kEnd;
  }

  std::vector<Token> tokens_;
  Prospect* prospect_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace kg::dsl
