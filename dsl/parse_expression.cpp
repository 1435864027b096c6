#include "dsl/parse_expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "dsl/whole.h"
#include "dsl/within.h"

namespace kg::dsl {
namespace {

constexpr int kDeepest = 60;

using Signs = std::array<const char*, 6>;
// From loose to tight; the words are logic on conditions, the signs & and | on masks.
constexpr std::array<Signs, 7> kLevels = {
    {{"or"}, {"and"}, {"|"}, {"&"}, {"<", "<=", ">", ">=", "==", "!="}, {"+", "-"}, {"*", "/", "//", "%"}}};

// The possible numbers of a call's arguments, if the beginning of a program shows them.
struct Arity {
  std::vector<std::size_t> counts;  // empty: any
  bool takes(std::size_t count) const {
    return counts.empty() || std::find(counts.begin(), counts.end(), count) != counts.end();
  }
  bool takes_more(std::size_t count) const {
    return counts.empty() || std::any_of(counts.begin(), counts.end(), [&](std::size_t most) { return most > count; });
  }
};

Arity arity_of(const std::string& name, bool whole) {
  if (name == "gemm") return {{2}};
  if (name == "transpose") return {{1}};
  const CallCounts* const counts = call_counts(name);
  if (counts == nullptr) return {{1}};
  return {whole ? counts->whole : counts->any};
}

// In a beginning: a tensor has no more indices than dimensions.
void expect_indices_of(TokenReader& tokens, const std::string& tensor) {
  Prospect* const prospect = tokens.prospect();
  if (prospect == nullptr) return;
  const auto found = prospect->ranks.find(tensor);
  prospect->most_indices = found == prospect->ranks.end() ? 0 : found->second;
  prospect->of_list = prospect->lists.contains(tensor);
}

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenReader& tokens) : tokens_(tokens) {}

  ExprPtr parse() { return binary(0); }

  std::vector<Index> indices() {
    tokens_.expect_sign("[", "indices are written in square brackets");
    Prospect* const prospect = tokens_.prospect();
    const int most = prospect == nullptr ? 0 : std::exchange(prospect->most_indices, 0);
    const bool of_list = prospect != nullptr && std::exchange(prospect->of_list, false);
    const auto left = [&](std::size_t read) { return most - static_cast<int>(read); };
    const Within indices(prospect, &Prospect::indices, 1), whole(prospect, &Prospect::whole, 1);
    Construct part(prospect, "");
    std::vector<Index> list;
    if (of_list) {
      part.becomes("[L");
      list.push_back({.at = position()});
      if (most > 1) tokens_.expect_sign(",", "the indices follow the tensor's position, as in x[i, t]");
    }
    if (!of_list || most > 1) do {
        Index index;
        part.becomes(most == 0 ? "[" : "[" + std::to_string(left(list.size())));
        if (!tokens_.at_sign(":")) index.at = parse();
        if (tokens_.accept_sign(":")) {
          index.slice = true;
          part.becomes(most == 0 ? "[:" : "[:" + std::to_string(left(list.size())));
          if (!(left(list.size()) != 1 && tokens_.at_sign(",")) && !tokens_.at_sign("]") && !tokens_.at_sign(":"))
            index.to = parse();
          if (tokens_.accept_sign(":")) {
            part.becomes("[::");
            index.step = parse();
          }
        }
        list.push_back(std::move(index));
      } while ((most == 0 || left(list.size()) > 0) && tokens_.accept_sign(","));
    tokens_.expect_sign("]", "the indices end with ]");
    return list;
  }

 private:
  // In a beginning: a number, or the variable of a loop over a list.
  ExprPtr position() {
    ExprPtr made = make(Expr::Kind::kName, tokens_.peek().text);
    if (tokens_.at(Token::Kind::kNumber)) return primary();
    tokens_.expect_name("the first index says which tensor of the list", NameUse::kPosition);
    return made;
  }

  ExprPtr make(Expr::Kind kind, std::string text) {
    auto expr = std::make_shared<Expr>();
    expr->kind = kind;
    expr->line = tokens_.line();
    expr->text = std::move(text);
    return expr;
  }

  // An operand, and what operators of this level or a tighter one join to it.
  ExprPtr binary(std::size_t level) {
    ExprPtr left;
    if (level <= 2 && !wants_whole() && may_deepen(2) && tokens_.at_word("not")) {
      left = make(Expr::Kind::kUnary, "not");
      tokens_.take();
      const Deeper deeper(*this);
      left->args = {binary(2)};
    } else {
      left = unary();
    }
    Operations operations{};
    while (true) {
      const auto [sign, its_level] = operator_from(level, operations);
      if (sign == nullptr) return left;
      if (operations[its_level]++ >= kDeepest)
        throw Refusal(tokens_.line(), "expression", "an expression has at most 60 operations");
      std::fill(operations.begin() + static_cast<std::ptrdiff_t>(its_level) + 1, operations.end(), 0);
      ExprPtr made = make(Expr::Kind::kBinary, sign);
      tokens_.take();
      made->args = {left, binary(its_level + 1)};
      left = made;
    }
  }

  using Operations = std::array<int, kLevels.size()>;  // joined so far, by level

  // The operator here, of this level or a tighter one; null: none. In a beginning, only one that may still come.
  std::pair<const char*, std::size_t> operator_from(std::size_t least, const Operations& operations) {
    std::pair<const char*, std::size_t> found = {nullptr, 0};
    for (std::size_t level = kLevels.size(); level-- > least;) {
      if (tokens_.prospect() != nullptr && operations[level] >= kDeepest) continue;
      for (const char* sign : kLevels[level])
        if (sign != nullptr && may_join(level, sign) && (tokens_.at_sign(sign) || (level < 2 && tokens_.at_word(sign))))
          found = {sign, level};
    }
    return found;
  }

  // In a beginning: a value that is not a whole number cannot be where one is required.
  bool may_join(std::size_t level, std::string_view sign) const {
    return !wants_whole() || (level >= 5 && sign != "/");
  }
  bool wants_whole() const { return tokens_.prospect() != nullptr && tokens_.prospect()->whole > 0; }
  // In a beginning: whether an operand may lie this many levels deeper, so that what leads to it may come.
  bool may_deepen(int levels = 1) const { return tokens_.prospect() == nullptr || depth_ + levels <= kDeepest; }

  ExprPtr unary() {
    const Deeper deeper(*this);
    const Within deepest(tokens_.prospect(), &Prospect::deepest, may_deepen() ? 0 : 1);
    if (!wants_whole() && may_deepen() && tokens_.at_word("not")) {
      ExprPtr negated = make(Expr::Kind::kUnary, "not");
      tokens_.take();
      negated->args = {unary()};
      return negated;
    }
    if (may_deepen() && (tokens_.at_sign("-") || tokens_.at_sign("+"))) {
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
    if (!may_deepen() || !tokens_.at_sign("**")) return base;
    ExprPtr made = make(Expr::Kind::kBinary, "**");
    tokens_.take();
    made->args = {base, unary()};
    return made;
  }

  ExprPtr postfix() {
    ExprPtr base = primary();
    while (may_deepen() && may_have_elements(*base) && tokens_.at_sign("[")) {
      ExprPtr made = make(Expr::Kind::kElement, "");
      made->args = {base};
      if (Prospect* const prospect = tokens_.prospect()) {
        prospect->most_indices = 1;
        prospect->of_list = prospect->lists.contains(base->text);
      }
      made->indices = indices();
      base = made;
    }
    return base;
  }

  // In a beginning: not what is known to be a single number, and of tensors only lists, whose elements have sizes.
  bool may_have_elements(const Expr& base) const {
    const Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return true;
    if (base.kind == Expr::Kind::kNumber) return false;
    if (base.kind != Expr::Kind::kName) return true;
    if (prospect->inputs.contains(base.text) || prospect->outputs.contains(base.text))
      return prospect->lists.contains(base.text);
    const Variable* const variable = prospect->scope.find(base.text);
    return variable == nullptr ||
           (variable->type.kind != Type::Kind::kInt && variable->type.kind != Type::Kind::kRange);
  }

  ExprPtr primary() {
    const Token token = tokens_.peek();
    if (tokens_.at(Token::Kind::kNumber)) {
      ExprPtr made = make(Expr::Kind::kNumber, token.text);
      tokens_.take();
      made->number = std::strtod(token.text.c_str(), nullptr);
      made->integer = token.text.find_first_of(".eE") == std::string::npos;
      if (wants_whole() && !made->integer) throw Refusal(token.line, token.text, "expected a whole number here");
      if (made->integer && made->number > kLargestWhole)
        throw Refusal(token.line, token.text, "a whole number has at most 15 digits");
      return made;
    }
    if (may_deepen() && tokens_.accept_sign("(")) {
      const Construct parenthesis(tokens_.prospect(), "(");
      ExprPtr inner = parse();
      tokens_.expect_sign(")", "a parenthesis is closed with )");
      return inner;
    }
    if (may_deepen() && tokens_.can_load() && tokens_.at_word("load")) return load();
    const bool infinite = !wants_whole() && tokens_.at_word("inf");
    ExprPtr made = make(Expr::Kind::kName, token.text);
    if (infinite) {
      tokens_.take();
      made->kind = Expr::Kind::kNumber;
      made->number = HUGE_VAL;
      return made;
    }
    tokens_.expect_name("expected an expression here: a number, a name, a call, or load", NameUse::kValue);
    Prospect* const prospect = tokens_.prospect();
    const Arity arity = prospect == nullptr ? Arity{} : arity_of(made->text, wants_whole());
    Construct open(prospect, "");
    if (prospect != nullptr) open.becomes(call_mark(made->text, arity, 0, wants_whole()));
    if (!called(*made)) return made;
    made->kind = Expr::Kind::kCall;
    const Within outside(prospect, &Prospect::indices, -depth_of_indices());
    const Within product(prospect, &Prospect::gemms, made->text == "gemm" ? 1 : 0);
    const std::string around = prospect == nullptr ? "" : std::exchange(prospect->call, made->text);
    arguments(*made, arity, open);
    if (prospect != nullptr) prospect->call = around;
    return made;
  }

  int depth_of_indices() const { return tokens_.prospect() == nullptr ? 0 : tokens_.prospect()->indices; }

  // Whether the name just read is called. In a beginning a name that is not a variable must be, and others cannot.
  bool called(const Expr& name) {
    Prospect* const prospect = tokens_.prospect();
    if (prospect == nullptr) return tokens_.accept_sign("(");
    prospect->takes_gemm = false;
    if (prospect->in_extents) prospect->add(name.text, Type::Kind::kInt, /*fixed=*/true);
    const bool tensor = prospect->inputs.contains(name.text) || prospect->outputs.contains(name.text);
    if (tensor || prospect->in_extents || prospect->scope.find(name.text) != nullptr) return false;
    tokens_.expect_sign("(", "a function is called");
    return true;
  }

  void arguments(Expr& made, const Arity& arity, Construct& open) {
    Prospect* const prospect = tokens_.prospect();
    const int around = prospect == nullptr ? 0 : prospect->whole;
    if (!arity.takes(0) || !tokens_.at_sign(")")) do {
        if (prospect != nullptr) open.becomes(call_mark(made.text, arity, made.args.size(), around > 0));
        const char kind = argument_kind(made.text, made.args.size());
        const Within argument(prospect, &Prospect::whole, kind == 'w' ? 1 : kind == 'a' ? -around : 0);
        made.args.push_back(parse());
      } while (arity.takes_more(made.args.size()) && tokens_.accept_sign(","));
    if (!arity.takes(made.args.size())) tokens_.expect_sign(",", "this function takes more arguments");
    tokens_.expect_sign(")", "the arguments of a call end with )");
  }

  // Kind of an argument: w: a whole number, as the n of arange(n); p: whole if the call's value must be; a: any.
  static char argument_kind(const std::string& function, std::size_t argument) {
    if (argument == 0 && (function == "zeros" || function == "full" || function == "arange")) return 'w';
    return passes_whole(function, argument) ? 'p' : 'a';
  }

  // How many more arguments may follow the `read` ones and of which kind, as a mark.
  static std::string call_mark(const std::string& function, const Arity& arity, std::size_t read, bool whole) {
    std::string mark = whole ? "F" : "f";
    std::size_t most = read;
    for (const std::size_t count : arity.counts)
      if (count > read) {
        mark += static_cast<char>('0' + static_cast<int>(count - read));
        most = std::max(most, count);
      }
    for (std::size_t i = read; i < most; ++i) mark += argument_kind(function, i);
    return mark;
  }

  ExprPtr load() {
    ExprPtr made = make(Expr::Kind::kLoad, "");
    tokens_.take();
    made->text = tokens_.expect_name("load takes a tensor with indices, as in load x[r, :]", NameUse::kLoaded);
    expect_indices_of(tokens_, made->text);
    made->indices = indices();
    if (tokens_.accept_word("pad")) {
      const Construct pad(tokens_.prospect(), "p");
      made->pad = unary();
    }
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
ExprPtr parse_whole(TokenReader& tokens) {
  const Within whole(tokens.prospect(), &Prospect::whole, 1);
  return ExpressionParser(tokens).parse();
}
std::vector<Index> parse_indices(TokenReader& tokens, const std::string& tensor) {
  expect_indices_of(tokens, tensor);
  return ExpressionParser(tokens).indices();
}

}  // namespace kg::dsl
