#include "dsl/parse_expression.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace kg::dsl {
namespace {

constexpr int kDeepest = 60;

using Signs = std::array<const char*, 6>;
// From loose to tight; the words are logic on conditions, the signs & and | on masks.
constexpr std::array<Signs, 7> kLevels = {
    {{"or"}, {"and"}, {"|"}, {"&"}, {"<", "<=", ">", ">=", "==", "!="}, {"+", "-"}, {"*", "/", "//", "%"}}};

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenReader& tokens) : tokens_(tokens) {}

  ExprPtr parse() { return binary(0); }

  std::vector<Index> indices() {
    tokens_.expect_sign("[", "indices stand in square brackets");
    std::vector<Index> list;
    do {
      Index index;
      if (!tokens_.at_sign(":")) index.at = parse();
      if (tokens_.accept_sign(":")) {
        index.slice = true;
        if (!tokens_.at_sign(",") && !tokens_.at_sign("]") && !tokens_.at_sign(":")) index.to = parse();
        if (tokens_.accept_sign(":")) index.step = parse();
      }
      list.push_back(std::move(index));
    } while (tokens_.accept_sign(","));
    tokens_.expect_sign("]", "the indices end with ]");
    return list;
  }

 private:
  ExprPtr make(Expr::Kind kind, std::string text) {
    auto expr = std::make_shared<Expr>();
    expr->kind = kind;
    expr->line = tokens_.line();
    expr->text = std::move(text);
    return expr;
  }

  ExprPtr binary(std::size_t level) {
    if (level == kLevels.size()) return unary();
    if (level == 2 && tokens_.at_word("not")) {
      ExprPtr negated = make(Expr::Kind::kUnary, "not");
      tokens_.take();
      const Deeper deeper(*this);
      negated->args = {binary(level)};
      return negated;
    }
    ExprPtr left = binary(level + 1);
    for (int operations = 0;; ++operations) {
      const Token& token = tokens_.peek();
      const bool is_operator = token.kind == Token::Kind::kSign || token.kind == Token::Kind::kName;
      const char* found = nullptr;
      for (const char* sign : kLevels[level])
        if (is_operator && sign != nullptr && token.text == sign) found = sign;
      if (found == nullptr) return left;
      if (operations >= kDeepest) throw Refusal(token.line, "expression", "an expression has at most 60 operations");
      ExprPtr made = make(Expr::Kind::kBinary, found);
      tokens_.take();
      made->args = {left, binary(level + 1)};
      left = made;
    }
  }

  ExprPtr unary() {
    const Deeper deeper(*this);
    if (tokens_.at_word("not")) {
      ExprPtr negated = make(Expr::Kind::kUnary, "not");
      tokens_.take();
      negated->args = {unary()};
      return negated;
    }
    if (tokens_.at_sign("-") || tokens_.at_sign("+")) {
      const bool negative = tokens_.at_sign("-");
      ExprPtr made = make(Expr::Kind::kUnary, "-");
      tokens_.take();
      ExprPtr operand = unary();
      if (!negative) return operand;
      if (operand->kind == Expr::Kind::kNumber) {
        operand->number = -operand->number;
        return operand;
      }
      made->args = {operand};
      return made;
    }
    ExprPtr base = postfix();
    if (!tokens_.at_sign("**")) return base;
    ExprPtr made = make(Expr::Kind::kBinary, "**");
    tokens_.take();
    made->args = {base, unary()};
    return made;
  }

  ExprPtr postfix() {
    ExprPtr base = primary();
    while (tokens_.at_sign("[")) {
      ExprPtr made = make(Expr::Kind::kElement, "");
      made->args = {base};
      made->indices = indices();
      base = made;
    }
    return base;
  }

  ExprPtr primary() {
    const Token token = tokens_.peek();
    if (token.kind == Token::Kind::kNumber) {
      ExprPtr made = make(Expr::Kind::kNumber, token.text);
      tokens_.take();
      made->number = std::strtod(token.text.c_str(), nullptr);
      made->integer = token.text.find_first_of(".eE") == std::string::npos;
      if (made->integer && made->number > 9e15)
        throw Refusal(token.line, token.text, "a whole number has at most 15 digits");
      return made;
    }
    if (tokens_.accept_sign("(")) {
      ExprPtr inner = parse();
      tokens_.expect_sign(")", "a parenthesis is closed with )");
      return inner;
    }
    if (token.kind != Token::Kind::kName)
      tokens_.refuse("an expression is wanted here: a number, a name, a call, or load");
    if (token.text == "load") return load();
    ExprPtr made = make(Expr::Kind::kName, token.text);
    tokens_.take();
    if (token.text == "inf") {
      made->kind = Expr::Kind::kNumber;
      made->number = HUGE_VAL;
      return made;
    }
    if (!tokens_.accept_sign("(")) return made;
    made->kind = Expr::Kind::kCall;
    if (!tokens_.at_sign(")")) do {
        made->args.push_back(parse());
      } while (tokens_.accept_sign(","));
    tokens_.expect_sign(")", "the arguments of a call end with )");
    return made;
  }

  ExprPtr load() {
    ExprPtr made = make(Expr::Kind::kLoad, "");
    tokens_.take();
    made->text = tokens_.expect_name("load takes a tensor with indices, as in load x[r, :]");
    made->indices = indices();
    if (tokens_.accept_word("pad")) made->pad = unary();
    if (tokens_.accept_word("as")) {
      if (!tokens_.at_word("half") && !tokens_.at_word("float"))
        tokens_.refuse("a load can be taken 'as half' to stay in half, or 'as float'");
      made->native = tokens_.take().text == "half";
    }
    return made;
  }

  struct Deeper {
    explicit Deeper(ExpressionParser& parser) : parser(parser) {
      if (++parser.depth_ > kDeepest)
        throw Refusal(parser.tokens_.line(), "expression", "an expression is at most 60 levels deep");
    }
    ~Deeper() { --parser.depth_; }
    ExpressionParser& parser;
  };

  TokenReader& tokens_;
  int depth_ = 0;
};

}  // namespace

ExprPtr parse_expression(TokenReader& tokens) { return ExpressionParser(tokens).parse(); }
std::vector<Index> parse_indices(TokenReader& tokens) { return ExpressionParser(tokens).indices(); }

}  // namespace kg::dsl
