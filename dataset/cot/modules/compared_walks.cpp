// Comparisons: of inputs and of what was computed from them, joined to conditions; as results, or to choose by.
#include <string>
#include <utility>

#include "dataset/cot/modules/flat_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {
namespace {

// Conditions: masks in the DSL.
constexpr Word kOfTwo[] = {
    {"lt", 2, "", 0, "$x < $y", "below $y", "x < y ~ y > x", "$x < $y ~ torch.lt(@x, @y) ~ $x.lt(@y) ~ $y > $x"},
    {"le", 2, "", 0, "$x <= $y", "at most $y", "x <= y ~ y >= x", "$x <= $y ~ torch.le(@x, @y) ~ $x.le(@y) ~ $y >= $x"},
    {"gt", 2, "", 0, "$x > $y", "above $y", "x > y ~ y < x",
     "$x > $y ~ torch.gt(@x, @y) ~ $x.gt(@y) ~ torch.greater(@x, @y)"},
    {"ge", 2, "", 0, "$x >= $y", "at least $y", "x >= y", "$x >= $y ~ torch.ge(@x, @y) ~ $x.ge(@y)"},
    {"near", 2, "m", 0, "abs($x - $y) < $a", "within $a of $y", "abs(x - y) < a",
     "torch.abs($x - $y) < $a ~ ($x - $y).abs() < $a ~ ($y - $x).abs().lt($a)"},
    {"apart", 2, "m", 0, "abs($x - $y) > $a", "further than $a from $y", "abs(x - y) > a",
     "torch.abs($x - $y) > $a ~ ($x - $y).abs() > $a ~ ($y - $x).abs().gt($a)"},
};
constexpr Word kOfOne[] = {
    {"lts", 1, "t", 0, "$x < $a", "below $a", "x < a", "$x < $a ~ torch.lt(@x, $a) ~ $x.lt($a)"},
    {"les", 1, "t", 0, "$x <= $a", "at most $a", "x <= a", "$x <= $a ~ torch.le(@x, $a) ~ $x.le($a)"},
    {"gts", 1, "t", 0, "$x > $a", "above $a", "x > a", "$x > $a ~ torch.gt(@x, $a) ~ $x.gt($a)"},
    {"ges", 1, "t", 0, "$x >= $a", "at least $a", "x >= a", "$x >= $a ~ torch.ge(@x, $a) ~ $x.ge($a)"},
    {"inside", 1, "gh", 0, "($x > $a) & ($x < $b)", "between $a and $b", "(x > a) & (x < b)",
     "($x > $a) & ($x < $b) ~ torch.logical_and($x > $a, $x < $b)"},
    {"outside", 1, "gh", 0, "($x < $a) | ($x > $b)", "below $a or above $b", "(x < a) | (x > b)",
     "($x < $a) | ($x > $b) ~ torch.logical_or($x < $a, $x > $b)"},
};
// Of whole numbers, which rounding leaves equal.
constexpr Word kOfWhole[] = {
    {"eq", 2, "", 0, "$x == $y", "equal to $y", "x == y", "$x == $y ~ torch.eq(@x, @y) ~ $x.eq(@y) ~ $y == $x"},
    {"ne", 2, "", 0, "$x != $y", "other than $y", "x != y",
     "$x != $y ~ torch.ne(@x, @y) ~ $x.ne(@y) ~ torch.not_equal(@x, @y)"},
    {"zero", 1, "", 0, "$x == 0", "equal to 0", "x == 0",
     "$x == 0 ~ torch.eq(@x, 0) ~ $x.eq(0) ~ torch.logical_not(@x)"},
    {"not_zero", 1, "", 0, "$x != 0", "other than 0", "x != 0", "$x != 0 ~ torch.ne(@x, 0) ~ $x.ne(0) ~ $x.bool()"},
};
// Of numbers with infinities and NaN.
constexpr Word kOfWild[] = {
    {"isnan", 1, "", 0, "$x != $x", "nan", "isnan(x) ~ x != x", "torch.isnan(@x) ~ $x.isnan() ~ $x != $x"},
    {"isposinf", 1, "", 0, "$x == inf", "inf", "x == inf", "torch.isposinf(@x) ~ $x == float(\"inf\")"},
    {"isneginf", 1, "", 0, "$x == -inf", "-inf", "x == -inf", "torch.isneginf(@x) ~ $x == -float(\"inf\")"},
    {"isinf", 1, "", 0, "abs($x) == inf", "inf or -inf", "isinf(x) ~ abs(x) == inf",
     "torch.isinf(@x) ~ $x.isinf() ~ $x.abs() == float(\"inf\")"},
    {"isfinite", 1, "", 0, "abs($x) < inf", "finite", "isfinite(x) ~ abs(x) < inf",
     "torch.isfinite(@x) ~ $x.isfinite() ~ $x.abs() < float(\"inf\")"},
};
constexpr Word kJoins[] = {
    {"and", 2, "", 0, "$x & $y", "and $y", "x & y", "$x & $y ~ torch.logical_and(@x, @y) ~ $x.logical_and(@y)"},
    {"or", 2, "", 0, "$x | $y", "or $y", "x | y", "$x | $y ~ torch.logical_or(@x, @y) ~ $x.logical_or(@y)"},
    {"and_not", 2, "", 0, "$x & not $y", "and not $y", "x & not y", "$x & ~$y ~ torch.logical_and(@x, ~$y)"},
};
constexpr Word kNot = {"not", 1, "", 0, "not $x", "not", "not x", "~$x ~ torch.logical_not(@x) ~ $x.logical_not()"};
// By a condition, the last operand.
constexpr Word kChoices[] = {
    {"where", 3, "", 0, "where($w, $x, $y)", "where $w, else $y", "",
     "torch.where(@w, @x, @y) ~ torch.where(~$w, @y, @x) ~ $x.where(@w, @y)"},
    {"where_constant", 2, "c", 0, "where($y, $x, $a)", "where $y, else $a", "",
     "torch.where(@y, @x, $a) ~ $x.masked_fill(~$y, $a) ~ torch.where(~$y, torch.full_like(@x, $a), @x)"},
    {"masked_fill", 2, "c", 0, "where($y, $a, $x)", "$a where $y", "",
     "$x.masked_fill(@y, $a) ~ torch.masked_fill(@x, @y, $a) ~ torch.where(@y, $a, @x)"},
    {"keep", 2, "", 0, "where($y, $x, 0)", "where $y, else 0", "",
     "$x.masked_fill(~$y, 0) ~ torch.where(@y, @x, torch.zeros_like(@x)) ~ torch.where(@y, @x, 0.0)"},
};

class Conditions {
 public:
  Conditions(Maker& make, std::vector<int> inputs, std::string kind)
      : make_(make), kind_(std::move(kind)), inputs_(inputs), unused_(std::move(inputs)) {}

  // A comparison, of something that nothing has used yet if there is such.
  int comparison() {
    const bool two = inputs_.size() > 1 && !(kind_ == "wild" && unused_.size() < 2) &&
                     (unused_.size() > 1 || make_.draw.chance(0.5));
    const int x = operand(), y = two ? other(x) : x;
    if (kind_ == "wild" && !two) return make_.step(of(kOfWild), {x});
    if (kind_ == "whole" && make_.draw.chance(0.7)) {
      const Word& word = kOfWhole[(two ? 0U : 2U) + make_.draw.below(2)];
      return two ? make_.step(word, {x, y}) : make_.step(word, {x});
    }
    return two ? make_.step(of(kOfTwo), {x, y}) : make_.step(of(kOfOne), {x});
  }

  // Comparisons, joined.
  int condition(int comparisons) {
    int mask = comparison();
    for (int i = 1; i < comparisons; ++i) {
      const int next = comparison();
      mask = make_.step(of(kJoins), {mask, next});
    }
    return make_.draw.chance(0.15) ? make_.step(kNot, {mask}) : mask;
  }

  int operand() {
    const int x = value();
    return make_.draw.chance(0.45) ? changed(x) : x;
  }
  int other(int x) {
    for (int i = 0; i < 20; ++i)
      if (const int y = operand(); y != x) return y;
    return changed(x);
  }
  bool all_used() const { return unused_.empty(); }

 private:
  template <std::size_t kCount>
  const Word& of(const Word (&words)[kCount]) {
    return words[make_.draw.below(kCount)];
  }

  int value() {
    if (unused_.empty()) return make_.draw.of(inputs_);
    const int x = unused_.front();
    unused_.erase(unused_.begin());
    return x;
  }

  int changed(int x) {
    static const std::vector<const char*> of_one = {"neg", "abs", "square", "muls", "adds", "relu", "sigmoid", "tanh"};
    static const std::vector<const char*> of_two = {"add", "sub", "mul", "maximum", "minimum"};
    if (inputs_.size() > 1 && make_.draw.chance(0.4)) {
      const int y = value();
      if (y != x) return make_.step(word_named(make_.draw.of(of_two)), {x, y});
    }
    return make_.step(word_named(make_.draw.of(of_one)), {x});
  }

  Maker& make_;
  const std::string kind_;
  const std::vector<int> inputs_;
  std::vector<int> unused_;
};

// The condition as a result: 1 and 0.
void as_numbers(Maker& make, int mask) {
  Node& node = make.node_of(mask);
  const std::string formula = node.formula;
  node.dsl = "where(" + node.dsl + ", 1, 0)";
  node.words = "1 where " + node.words;
  node.formula = "";
  for (const std::string& one : ways_of(formula.c_str()))
    node.formula += (node.formula.empty() ? "" : " ~ ") + one + " ~ where(" + one + ", 1, 0)";
}

int chosen(Maker& make, Conditions& conditions, int mask) {
  const Word& word = kChoices[make.draw.below(std::size(kChoices))];
  const int x = conditions.operand();
  if (word.arity == 2) return make.step(word, {x, mask});
  return make.step(word, {x, conditions.other(x), mask});
}

}  // namespace

Graph compared_graph(Draw& draw) {
  Maker make(draw, "compared", "elementwise");
  const auto shape = flat_shape(make);
  const int count = draw.chance(0.25) ? 1 : draw.chance(0.75) ? 2 : 3;
  const std::string kind = draw.chance(0.55) ? "normal" : draw.chance(0.5) ? "whole" : "wild";
  const auto inputs = flat_inputs(make, shape, count, kind, /*others=*/kind);
  Conditions conditions(make, inputs, kind);
  int value = conditions.condition(draw.chance(0.35) ? 1 : draw.chance(0.75) ? 2 : 3);
  const bool chooses = draw.chance(0.4) || !conditions.all_used();
  if (chooses) {
    value = chosen(make, conditions, value);
    if (draw.chance(0.4)) value = make.chain(value, 1);
  } else {
    as_numbers(make, value);
    make.graph.out_dtypes = {"bool"};
  }
  make.output(value, shape, "N");
  flat_body(make, inputs);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
