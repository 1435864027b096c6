// Formulas: simple operators combined at random, each taking any earlier value, as in modules that are not a library
// operator. The reader must follow the module statement by statement; no name describes the whole.
#include <algorithm>
#include <set>
#include <string_view>

#include "dataset/cot/modules/flat_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/rows.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {
namespace {

const std::vector<const char*> kSimple = {
    "adds",     "subs", "rsubs",      "muls",     "divs",     "neg",      "abs",        "square", "cube",
    "exp",      "log",  "sqrt",       "rsqrt",    "sin",      "cos",      "reciprocal", "maxs",   "mins",
    "relu",     "tanh", "sigmoid",    "softplus", "silu",     "elu",      "log1p",      "erf",    "expm1",
    "gelu_erf", "mish", "leaky_relu", "hardtanh", "softsign", "gelu_tanh"};
// For a number; usually something that keeps it from zero, a root or a scale.
const std::vector<const char*> kOfNumbers = {"adds",   "muls", "divs",       "sqrt", "rsqrt",
                                             "square", "maxs", "reciprocal", "subs"};

constexpr Word kDivide = {
    "div",     2,           "", kCommon,
    "$x / $y", "div by $y", "", "$x / $y ~ torch.div(@x, @y) ~ $x.div(@y) ~ torch.true_divide(@x, @y)"};

// A formula as it grows.
class Tree {
 public:
  Tree(Maker& make, std::vector<int> inputs) : make_(make), values_(std::move(inputs)), open_(values_) {}

  // One operator more, of any values, the last one most often.
  void grow() {
    const int x = make_.draw.chance(0.6) ? values_.back() : make_.draw.of(values_);
    const int y = make_.draw.of(open_.size() > 1 && make_.draw.chance(0.6) ? open_ : values_);
    if (x == y || make_.draw.chance(0.5))
      one(x);
    else
      two(x, y);
  }
  // A number of each row more.
  void reduce(const Rows& of) {
    int x = values_.back();
    while (make_.known(x).number) x = make_.draw.of(values_);
    const Reduction& reduction = make_.draw.chance(0.75) ? reductions()[make_.draw.below(4)] : reduction_for(make_, x);
    const int value = make_.step(reduction_node(reduction, x, of.axes, of.rank(), /*keep=*/true, of.letters));
    make_.known(value) = {.positive = reduction.positive || make_.known(x).positive, .number = true};
    add(value, {x});
  }
  // Joins what nothing has used yet; the result.
  int close() {
    while (open_.size() > 1) two(open_[open_.size() - 2], open_.back());
    return open_.back();
  }
  bool is_number(int value) const { return make_.known(value).number; }

 private:
  void one(int x) {
    const Known of = make_.known(x);
    for (;;) {
      const Word& word = word_named(make_.draw.of(of.number ? kOfNumbers : kSimple));
      if ((word.traits & kWantsPositive) != 0 && !of.positive) continue;
      if ((word.traits & kGrows) != 0 && !of.bounded) continue;
      if (make_.graph.node(x) != nullptr && make_.graph.node(x)->name == word.name) continue;
      const int value = make_.step(word, {x});
      const std::string_view name = word.name;
      make_.known(value).positive |= of.positive && (name == "divs" || name == "square");
      add(value, {x});
      return;
    }
  }

  void two(int x, int y) {
    if (make_.known(x).number && !make_.known(y).number) std::swap(x, y);
    const Known a = make_.known(x), b = make_.known(y);
    const bool divides = b.positive && make_.draw.chance(0.45);
    static constexpr const char* names[] = {"add", "sub",     "mul",     "add",        "sub",
                                            "mul", "maximum", "minimum", "scaled_add", "squared_difference"};
    const char* name = b.exact && make_.draw.chance(0.1) ? "select_positive" : names[make_.draw.below(10)];
    const Word& word = divides ? kDivide : word_named(name);
    const int value = make_.step(word, {x, y});
    const std::string_view used = word.name;
    static const std::set<std::string_view> sums = {"add", "sub", "maximum", "minimum"};
    make_.known(value).positive = a.positive && b.positive && used != "sub" && used != "scaled_add" &&
                                  used != "squared_difference" && used != "select_positive";
    make_.known(value).bounded = a.bounded && b.bounded && sums.contains(used);
    make_.known(value).number = a.number && b.number;
    add(value, {x, y});
  }

  void add(int value, std::initializer_list<int> used) {
    for (const int one : used) std::erase(open_, one);
    values_.push_back(value);
    open_.push_back(value);
  }

  Maker& make_;
  std::vector<int> values_, open_;  // all; those that nothing has used
};

}  // namespace

Graph tree_graph(Draw& draw) {
  Maker make(draw, "flat_tree", "elementwise");
  const auto shape = flat_shape(make);
  const int count = draw.chance(0.5) ? 1 : draw.chance(0.7) ? 2 : 3;
  const auto inputs = flat_inputs(make, shape, count, draw.chance(0.7) ? "normal" : "positive");
  Tree tree(make, inputs);
  const int operators = 2 + static_cast<int>(draw.below(5));
  for (int i = 0; i < operators; ++i) tree.grow();
  flat_output(make, tree.close(), shape);
  flat_body(make, inputs);
  return make.graph;
}

Graph row_tree_graph(Draw& draw) {
  Maker make(draw, "row_tree", "reduction");
  make.graph.dtype = "float";
  const Rows of = rows(make, true);
  const int count = draw.chance(0.7) ? 1 : 2;
  std::vector<int> inputs;
  for (int i = 0; i < count; ++i)
    inputs.push_back(
        make.input(i == 0 ? "x" : "y", of.shape, of.program, of.at, draw.chance(0.7) ? "normal" : "positive"));
  Tree tree(make, inputs);
  const int before = static_cast<int>(draw.below(3)), after = static_cast<int>(draw.below(3));
  for (int i = 0; i < before; ++i) tree.grow();
  tree.reduce(of);
  for (int i = 0; i < after; ++i) tree.grow();
  if (draw.chance(0.3)) {
    tree.reduce(of);
    if (draw.chance(0.5)) tree.grow();
  }
  const int value = tree.close();
  const RowPlace place = tree.is_number(value) ? place_of_numbers(of, /*keep=*/true) : place_of_rows(of);
  make.output(value, place.shape, place.program);
  row_body(make, of, inputs, value, place);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
