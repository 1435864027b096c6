#include <array>
#include <cctype>
#include <set>

#include "dataset/cot/modules/formula.h"

namespace kg::dataset::cot::modules {
namespace {

using dsl::Expr;
using dsl::ExprPtr;

// How tightly a text holds together, from loose to tight.
enum Tight { kEither, kBoth, kCondition, kSum, kProduct, kPower, kAtom };

struct Said {
  std::string text;
  Tight tight = kAtom;
};

ExprPtr made(Expr::Kind kind, const std::string& text, std::vector<ExprPtr> args = {}) {
  auto expr = std::make_shared<Expr>();
  expr->kind = kind;
  expr->text = text;
  expr->args = std::move(args);
  return expr;
}
ExprPtr number(const std::string& text) {
  ExprPtr expr = made(Expr::Kind::kNumber, text);
  expr->number = std::stod(text);
  return expr;
}
ExprPtr over(ExprPtr above, ExprPtr below) {
  return made(Expr::Kind::kBinary, "/", {std::move(above), std::move(below)});
}
ExprPtr negative(ExprPtr operand) { return made(Expr::Kind::kUnary, "-", {std::move(operand)}); }
ExprPtr call(const std::string& name, std::vector<ExprPtr> args) {
  return made(Expr::Kind::kCall, name, std::move(args));
}

class Printer {
 public:
  Printer(const FormulaStyle& style, const std::map<std::string, std::string>& symbols)
      : style_(style), symbols_(symbols) {}

  Said say(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kNumber:
        return expr.number < 0 && expr.text[0] != '-' ? Said{"-" + expr.text, kSum}
                                                      : Said{expr.text, expr.text[0] == '-' ? kSum : kAtom};
      case Expr::Kind::kName:
        return {symbol(expr.text), kAtom};
      case Expr::Kind::kUnary:
        if (expr.text == "not") return {(style_.latex ? "\\neg " : "not ") + at_least(*expr.args[0], kPower), kProduct};
        return {"-" + at_least(*expr.args[0], kProduct), kSum};
      case Expr::Kind::kBinary:
        return binary(expr);
      default:
        return function(expr);
    }
  }

 private:
  std::string symbol(const std::string& name) const {
    if (name == "pi") return style_.latex ? "\\pi" : "pi";
    if (name == "n") return style_.count;
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? name : found->second;
  }
  std::string bracketed(const std::string& text) const { return style_.left + text + style_.right; }
  std::string at_least(const Expr& expr, Tight tight) {
    const Said said = say(expr);
    return said.tight < tight ? bracketed(said.text) : said.text;
  }
  std::string sign(const std::string& text) const { return style_.wide ? " " + text + " " : text; }
  std::string braced(const std::string& text) const { return "{" + text + "}"; }

  Said binary(const Expr& expr) {
    const Expr &x = *expr.args[0], &y = *expr.args[1];
    const std::string& op = expr.text;
    if (op == "+" || op == "-") return {at_least(x, kSum) + sign(op) + at_least(y, kProduct), kSum};
    if (op == "*") return product(x, y);
    if (op == "/") return fraction(x, y);
    if (op == "**") return power(x, y);
    const Tight own = op == "|" || op == "or" ? kEither : op == "&" || op == "and" ? kBoth : kCondition;
    const Tight tight = own == kCondition ? kSum : own;
    return {at_least(x, tight) + " " + relation(op) + " " + at_least(y, tight), own};
  }

  std::string relation(const std::string& op) const {
    static const std::map<std::string, std::string> latex = {{"<=", "\\le"},  {">=", "\\ge"}, {"!=", "\\neq"},
                                                             {"&", "\\land"}, {"|", "\\lor"}, {"and", "\\land"},
                                                             {"or", "\\lor"}, {"==", "="}};
    static const std::map<std::string, std::string> plain = {{"&", "and"}, {"|", "or"}};  // bars are absolute values
    if (op == "==" && !chooses_) return op;  // an "=" in "y = x = 0" would be one more definition
    const auto& table = style_.latex ? latex : plain;
    const auto found = table.find(op);
    return found == table.end() ? op : found->second;
  }

  Said product(const Expr& x, const Expr& y) {
    if (x.kind == Expr::Kind::kUnary && x.text == "-") {
      const Said rest = product(*x.args[0], y);
      return {"-" + (rest.tight < kProduct ? bracketed(rest.text) : rest.text), kSum};
    }
    const bool inverse = y.kind == Expr::Kind::kBinary && y.text == "/" && y.args[0]->kind == Expr::Kind::kNumber &&
                         y.args[0]->number == 1;
    if (inverse) return fraction(x, *y.args[1]);
    const Said left = say(x), right = say(y);
    if (left.text == right.text) return {(left.tight < kAtom ? bracketed(left.text) : left.text) + "^2", kPower};
    const std::string before = left.tight < kProduct ? bracketed(left.text) : left.text;
    // A quotient on the right would be read as one of the whole.
    const std::string after = right.tight < kPower ? bracketed(right.text) : right.text;
    static const std::array<const char*, 3> latex = {"*", "\\times", "\\cdot"};
    std::string between = style_.latex ? latex[static_cast<std::size_t>(style_.product) % 3] : "*";
    const bool digit = std::isdigit(static_cast<unsigned char>(after[0])) != 0;
    if (style_.latex && style_.product == 3 && !digit && after[0] != '-') return {before + " " + after, kProduct};
    if (between[0] == '\\' || style_.wide) between = " " + between + " ";
    return {before + between + after, kProduct};
  }

  Said fraction(const Expr& x, const Expr& y) {
    if (style_.latex && style_.fraction < 3) {
      const std::string above = say(x).text, below = say(y).text;
      if (style_.fraction == 2) return {"{{" + above + "} \\over {" + below + "}}", kPower};
      return {"\\frac{" + above + "}{" + below + "}", kPower};
    }
    return {at_least(x, kProduct) + sign("/") + at_least(y, kPower), kProduct};
  }

  Said power(const Expr& x, const Expr& y) {
    if (y.kind == Expr::Kind::kNumber && y.number == 0.5) return root(x);
    const std::string exponent = say(y).text;
    const bool digit = exponent.size() == 1;
    if (style_.latex) return {at_least(x, kAtom) + "^" + (digit ? exponent : braced(exponent)), kPower};
    return {at_least(x, kAtom) + (style_.fraction % 2 == 0 ? "^" : "**") + at_least(y, kAtom), kPower};
  }

  Said root(const Expr& x) {
    return {style_.latex ? "\\sqrt{" + say(x).text + "}" : named("sqrt", {say(x).text}), kAtom};
  }

  std::string named(const std::string& name, const std::vector<std::string>& args) const {
    std::string list;
    for (const std::string& one : args) list += (list.empty() ? "" : ", ") + one;
    static const std::set<std::string> latex = {"sin", "cos", "tanh", "sinh", "cosh", "ln", "log", "exp", "max", "min"};
    std::string front = name;
    if (style_.latex && latex.contains(name)) {
      front = "\\" + name;
    } else if (style_.latex) {
      static const std::array<const char*, 4> fonts = {"\\mathrm{", "\\text{", "\\operatorname{", ""};
      const char* font = fonts[static_cast<std::size_t>(style_.call)];
      front = std::string(font) + name + (*font == '\0' ? "" : "}");
    }
    return front + bracketed(list);
  }

  Said absolute(const Expr& x) {
    const std::string inner = say(x).text;
    if (!style_.latex && style_.bars > 1) return {named("abs", {inner}), kAtom};
    if (style_.latex && style_.bars == 2) return {"\\left| " + inner + " \\right|", kAtom};
    if (style_.latex && style_.bars == 3) return {"\\lvert " + inner + " \\rvert", kAtom};
    return {"|" + inner + "|", kAtom};
  }

  Said choice(const Expr& expr) {
    const bool asks = style_.choice % 2 == 1 && !(style_.latex && style_.choice < 3);  // a > 0 ? a : b
    chooses_ = !asks;
    const std::string when = say(*expr.args[0]).text;
    chooses_ = false;
    const std::string yes = say(*expr.args[1]).text, no = say(*expr.args[2]).text;
    if (style_.latex && style_.choice < 3)
      return {"\\begin{cases}\n" + yes + ", & \\text{if } " + when + " \\\\\n" + no +
                  (style_.choice == 0 ? ", & \\text{otherwise}" : ", & \\text{else}") + "\n\\end{cases}",
              kAtom};
    if (asks) return {when + " ? " + at_least(*expr.args[1], kSum) + " : " + at_least(*expr.args[2], kSum), kEither};
    return {"where(" + when + ", " + yes + ", " + no + ")", kAtom};
  }

  // Of a row: its mean, sum, greatest or smallest number, variance.
  Said reduction(const std::string& name, const Expr& x) {
    if (style_.latex && style_.reduction == 0 && (name == "sum" || name == "mean")) {
      const std::string elements = "\\sum_{" + style_.index + "=1}^{" + style_.count + "} " + at_least(x, kPower);
      return {name == "sum" ? elements : "\\frac{1}{" + style_.count + "} " + elements, kProduct};
    }
    if (style_.latex && style_.reduction == 1 && name == "sum")
      return {"\\sum_" + style_.index + " " + at_least(x, kPower), kProduct};
    if (style_.latex && style_.reduction == 1 && (name == "mean" || name == "var"))
      return {(name == "mean" ? "\\mathrm{E}[" : "\\mathrm{Var}[") + say(x).text + "]", kAtom};
    if (style_.latex && style_.reduction == 1)
      return {"\\" + name + "_" + style_.index + " " + at_least(x, kPower), kProduct};
    if (style_.latex && style_.reduction == 3 && name == "mean" && x.kind == Expr::Kind::kName)
      return {"\\bar{" + say(x).text + "}", kAtom};
    std::string word = name;
    if (style_.reduction == 2) word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    return {named(word, {say(x).text}), kAtom};
  }

  Said function(const Expr& expr) {
    const std::string& name = expr.text;
    const std::vector<ExprPtr>& args = expr.args;
    const ExprPtr x = args.empty() ? nullptr : args[0];
    if (args.size() == 1) {
      if (name == "exp" && style_.exponential == 0)
        return {"e^" + (style_.latex                   ? braced(say(*x).text)
                        : x->kind == Expr::Kind::kName ? say(*x).text
                                                       : bracketed(say(*x).text)),
                kPower};
      if (name == "sqrt") return root(*x);
      if (name == "rsqrt") return say(*over(number("1"), call("sqrt", {x})));
      if (name == "reciprocal") return say(*over(number("1"), x));
      if (name == "abs") return absolute(*x);
      if (chooses_ && style_.bars > 1 && name.starts_with("is"))  // "x is finite"
        return {
            at_least(*x, kAtom) + (style_.latex ? "\\text{ is " : " is ") + name.substr(2) + (style_.latex ? "}" : ""),
            kCondition};
      if (name == "square") return say(*made(Expr::Kind::kBinary, "**", {x, number("2")}));
      if (name == "log") return {named(style_.exponential == 0 ? "ln" : "log", {say(*x).text}), kAtom};
      if (style_.latex && (name == "log2" || name == "log10"))
        return {"\\log_" + (name == "log2" ? std::string("2") : "{10}") + bracketed(say(*x).text), kAtom};
      if (name == "relu" && style_.call > 0) return {named("max", {say(*x).text, "0"}), kAtom};
      if (name == "sigmoid" && style_.latex && style_.call == 0) return {"\\sigma" + bracketed(say(*x).text), kAtom};
      if (name == "sigmoid" && style_.exponential == 0)
        return say(*over(number("1"), made(Expr::Kind::kBinary, "+", {number("1"), call("exp", {negative(x)})})));
      if (name == "softplus" && style_.call != 1)
        return say(*call("log", {made(Expr::Kind::kBinary, "+", {number("1"), call("exp", {x})})}));
      if (name == "silu" && style_.call > 1) return say(*made(Expr::Kind::kBinary, "*", {x, call("sigmoid", {x})}));
      if (name == "silu")
        return {named(style_.bars > 1 ? "SiLU" : style_.bars == 1 ? "silu" : "Swish", {say(*x).text}), kAtom};
      if (name == "gelu_erf")
        return {named(style_.bars > 1 ? "GELU" : style_.bars == 1 ? "gelu" : "Gelu", {say(*x).text}), kAtom};
      if (name == "gelu") return {named("gelu_tanh", {say(*x).text}), kAtom};
      if (name == "len") return {style_.count, kAtom};
      if (style_.latex && name == "floor") return {"\\lfloor " + say(*x).text + " \\rfloor", kAtom};
      if (style_.latex && name == "ceil") return {"\\lceil " + say(*x).text + " \\rceil", kAtom};
      if (name == "sum" || name == "mean" || name == "max" || name == "min" || name == "var")
        return reduction(name, *x);
    }
    if (name == "where" && args.size() == 3) return choice(expr);
    if (name == "leaky_relu" && args.size() == 2)
      return say(*call("where", {made(Expr::Kind::kBinary, ">", {x, number("0")}), x,
                                 made(Expr::Kind::kBinary, "*", {args[1], x})}));
    if (name == "clamp" && args.size() == 3 && style_.call > 1)
      return say(*call("min", {call("max", {x, args[1]}), args[2]}));
    std::vector<std::string> said;
    for (const ExprPtr& one : args) said.push_back(say(*one).text);
    return {named(name == "clamp" && style_.call == 1 ? "clip" : name, said), kAtom};
  }

  const FormulaStyle& style_;
  const std::map<std::string, std::string>& symbols_;
  bool chooses_ = false;  // in the condition of a choice
};

}  // namespace

FormulaStyle::FormulaStyle(Draw& draw)
    : latex(draw.chance(0.75)),
      product(static_cast<int>(draw.below(4))),
      fraction(static_cast<int>(draw.below(draw.chance(0.3) ? 4 : 2))),
      exponential(static_cast<int>(draw.below(2))),
      call(static_cast<int>(draw.below(4))),
      choice(static_cast<int>(draw.below(4))),
      bars(static_cast<int>(draw.below(4))),
      reduction(static_cast<int>(draw.below(4))),
      wide(draw.chance(0.75)),
      left(latex && draw.chance(0.25) ? "\\left(" : "("),
      right(left == "(" ? ")" : "\\right)"),
      count(draw.any({"N", "n", "D", "m", "H"})),
      index(draw.any({"i", "j", "k"})) {}

std::string formula_text(const Expr& formula, const FormulaStyle& style,
                         const std::map<std::string, std::string>& symbols) {
  return Printer(style, symbols).say(formula).text;
}

}  // namespace kg::dataset::cot::modules
