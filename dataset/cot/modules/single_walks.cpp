// Graphs of one operator, and of comparisons.
#include "dataset/cot/modules/flat_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {
namespace {

// Results are 0 and 1. Operands are inputs, so that rounding decides nothing.
constexpr Word kComparisons[] = {
    {"lt", 2, "", 0, "where($x < $y, 1, 0)", "1 where below $y", "x < y",
     "$x < $y ~ torch.lt(@x, @y) ~ $x.lt(@y) ~ $y > $x"},
    {"le", 2, "", 0, "where($x <= $y, 1, 0)", "1 where at most $y", "x <= y",
     "$x <= $y ~ torch.le(@x, @y) ~ $x.le(@y) ~ $y >= $x"},
    {"gt", 2, "", 0, "where($x > $y, 1, 0)", "1 where above $y", "x > y",
     "$x > $y ~ torch.gt(@x, @y) ~ $x.gt(@y) ~ torch.greater(@x, @y)"},
    {"ge", 2, "", 0, "where($x >= $y, 1, 0)", "1 where at least $y", "x >= y",
     "$x >= $y ~ torch.ge(@x, @y) ~ $x.ge(@y)"},
    {"lt_abs", 2, "", 0, "where(abs($x) < abs($y), 1, 0)", "1 where its abs is below that of $y", "abs(x) < abs(y)",
     "$x.abs() < $y.abs() ~ torch.lt(torch.abs(@x), torch.abs(@y))"},
    {"both_above", 2, "tt", 0, "where(($x > $a) & ($y > $b), 1, 0)", "1 where above $a and $y above $b",
     "(x > a) & (y > b)", "($x > $a) & ($y > $b) ~ torch.logical_and($x > $a, $y > $b)"},
    {"lts", 1, "t", 0, "where($x < $a, 1, 0)", "1 where below $a", "x < a", "$x < $a ~ torch.lt(@x, $a) ~ $x.lt($a)"},
    {"les", 1, "t", 0, "where($x <= $a, 1, 0)", "1 where at most $a", "x <= a", "$x <= $a ~ torch.le(@x, $a)"},
    {"gts", 1, "t", 0, "where($x > $a, 1, 0)", "1 where above $a", "x > a", "$x > $a ~ torch.gt(@x, $a) ~ $x.gt($a)"},
    {"ges", 1, "t", 0, "where($x >= $a, 1, 0)", "1 where at least $a", "x >= a", "$x >= $a ~ torch.ge(@x, $a)"},
    {"inside", 1, "gh", 0, "where(($x > $a) & ($x < $b), 1, 0)", "1 where between $a and $b", "(x > a) & (x < b)",
     "($x > $a) & ($x < $b) ~ torch.logical_and($x > $a, $x < $b)"},
    {"outside", 1, "gh", 0, "where(($x < $a) | ($x > $b), 1, 0)", "1 where below $a or above $b", "(x < a) | (x > b)",
     "($x < $a) | ($x > $b) ~ torch.logical_or($x < $a, $x > $b)"},
};

// Of inputs with infinities and NaN.
constexpr Word kWild[] = {
    {"isnan", 1, "", 0, "where($x == $x, 0, 1)", "1 where nan", "isnan(x)", "torch.isnan(@x) ~ $x.isnan() ~ $x != $x"},
    {"isposinf", 1, "", 0, "where($x == inf, 1, 0)", "1 where inf", "x == inf",
     "torch.isposinf(@x) ~ $x == float(\"inf\")"},
    {"isneginf", 1, "", 0, "where($x == -inf, 1, 0)", "1 where -inf", "x == -inf",
     "torch.isneginf(@x) ~ $x == -float(\"inf\")"},
    {"isinf", 1, "", 0, "where(abs($x) == inf, 1, 0)", "1 where inf or -inf", "isinf(x) ~ abs(x) == inf",
     "torch.isinf(@x) ~ $x.isinf() ~ $x.abs() == float(\"inf\")"},
    {"isfinite", 1, "", 0, "where(abs($x) < inf, 1, 0)", "1 where finite", "isfinite(x) ~ abs(x) < inf",
     "torch.isfinite(@x) ~ $x.isfinite() ~ $x.abs() < float(\"inf\")"},
    {"not_finite", 1, "", 0, "where(abs($x) < inf, 0, 1)", "1 where not finite", "not isfinite(x)",
     "~torch.isfinite(@x) ~ torch.logical_not(torch.isfinite(@x))"},
};

const char* kind_for(const Word& word) {
  return (word.traits & kWantsUnit) != 0 ? "unit" : (word.traits & kWantsPositive) != 0 ? "positive" : "normal";
}

}  // namespace

Graph single_graph(Draw& draw) {
  Maker make(draw, "flat", "elementwise");
  const auto shape = flat_shape(make);
  const std::span<const Word> tables[] = {activation_words(), math_words(), math_words(), joining_words(),
                                          gradient_words()};
  const std::span<const Word>& words = tables[draw.below(std::size(tables))];
  const Word& word = words[draw.below(words.size())];
  const auto inputs = flat_inputs(make, shape, word.arity, kind_for(word));
  make.output(make.step(word, inputs), shape, "N");
  flat_body(make, inputs);
  return make.graph;
}

Graph compared_graph(Draw& draw) {
  Maker make(draw, "compared", "elementwise");
  const auto shape = flat_shape(make);
  const bool wild = draw.chance(0.3);
  const Word& word = wild ? kWild[draw.below(std::size(kWild))] : kComparisons[draw.below(std::size(kComparisons))];
  const auto inputs = flat_inputs(make, shape, word.arity, wild ? "wild" : "normal");
  make.output(make.step(word, inputs), shape, "N");
  make.graph.out_dtypes = {"bool"};
  flat_body(make, inputs);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
