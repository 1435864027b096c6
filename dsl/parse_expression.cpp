#include "dsl/parse_expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string_view>
#include <utility>

#include "dsl/functions.h"

namespace kg::dsl {
namespace {

constexpr int kDeepest = 60;

using Signs = std::array<const char*, 6>;
// From loose to tight; the words are logic on conditions, the signs & and | on masks.
constexpr std::array<Signs, 7> kLevels = {
    {{"or"}, {"and"}, {"|"}, {"&"}, {"<", "<=", ">", ">=", "==", "!="}, {"+", "-"}, {"*", "/", "//", "%"}}};

// How many arguments a function takes, where the beginning of a program tells.
struct Arity {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> counts;  // empty: any
  bool takes(std::size_t count) const {
    return counts.empty() || std::find(counts.begin(), counts.end(), count) != counts.end();
  }
};

Arity arity_of(const std::string& name) {
  if (name == "gemm" || name == "transpose")
    return {.most = name == "gemm" ? 2u : 1u, .counts = {name == "gemm" ? 2u : 1u}};
  Arity arity{.most = 1};
  for (const Function& function : functions())
    if (function.name == name) {
      arity.counts.push_back(static_cast<std::size_t>(function.arguments));
      arity.most = std::max(arity.most, arity.counts.back());
    }
  return arity;
}

// For as long as it lives a count of the beginning is higher by so many; where the parser stops at the cut it stays so.
class Within {
 public:
  Within(TokenReader& tokens, int Prospect::* count, int more)
      : count_(tokens.prospect() == nullptr ? nullptr : &(tokens.prospect()->*count)), more_(more) {
    if (count_ != nullptr) *count_ += more_;
  }
  ~Within() {
    if (count_ != nullptr && std::uncaught_exceptions() == 0) *count_ -= more_;
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  int* count_;
  int more_;
};

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenReader& tokens) : tokens_(tokens) {}

  ExprPtr parse() { return binary(0); }

  std::vector<Index> indices() {
    tokens_.expect_sign("[", "indices stand in square brackets");
    const Within within(tokens_, &Prospect::indices, 1);
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
      const char* found = nullptr;
      for (const char* sign : kLevels[level])
        if (sign != nullptr && (tokens_.at_sign(sign) || (level < 2 && tokens_.at_word(sign)))) found = sign;
      if (found == nullptr) return left;
      if (operations >= kDeepest)
        throw Refusal(tokens_.line(), "expression", "an expression has at most 60 operations");
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
    if (tokens_.at(Token::Kind::kNumber)) {
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
    if (tokens_.can_load() && tokens_.at_word("load")) return load();
    const bool infinite = tokens_.at_word("inf");
    ExprPtr made = make(Expr::Kind::kName, token.text);
    if (infinite) {
      tokens_.take();
      made->kind = Expr::Kind::kNumber;
      made->number = HUGE_VAL;
      return made;
    }
    tokens_.expect_name("an expression is wanted here: a number, a name, a call, or load", NameUse::kValue);
    if (!called(*made)) return made;
    made->kind = Expr::Kind::kCall;
    const Within outside(tokens_, &Prospect::indices, -depth_of_indices());
    const Within product(tokens_, &Prospect::gemms, made->text == "gemm" ? 1 : 0);
    Prospect* const prospect = tokens_.prospect();
    const std::string around = prospect == nullptr ? "" : std::exchange(prospect->call, made->text);
    arguments(*made);
    if (prospect != nullptr) prospect->call = around;
    return made;
  }

  int depth_of_indices() const { return tokens_.prospect() == nullptr ? 0 : tokens_.prospect()->indices; }

  // Whether the name just read is called. In a beginning a name that is no variable must be, and others cannot.
  bool called(const Expr& name) {
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return tokens_.accept_sign("(");
    prospect->takes_gemm = false;
    if (prospect->in_header) prospect->add(name.text, Type::Kind::kInt, /*fixed=*/true);
    const bool tensor = prospect->inputs.contains(name.text) || prospect->outputs.contains(name.text);
    if (tensor || prospect->in_header || prospect->scope.find(name.text) != nullptr) return false;
    tokens_.expect_sign("(", "a function is called");
    return true;
  }

  void arguments(Expr& made) {
    const Arity arity = tokens_.prospect() == nullptr ? Arity{} : arity_of(made.text);
    if (!arity.takes(0) || !tokens_.at_sign(")")) do {
        made.args.push_back(parse());
      } while (made.args.size() < arity.most && tokens_.accept_sign(","));
    if (!arity.takes(made.args.size())) tokens_.expect_sign(",", "this function takes more arguments");
    tokens_.expect_sign(")", "the arguments of a call end with )");
  }

  ExprPtr load() {
    ExprPtr made = make(Expr::Kind::kLoad, "");
    tokens_.take();
    made->text = tokens_.expect_name("load takes a tensor with indices, as in load x[r, :]", NameUse::kLoaded);
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
