#include "dataset/cot/modules/flat_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {

namespace {

// How the numbers of all elements are combined into one.
struct Total {
  const char* name;
  const char* words;
  const char* begin;    // initial value of the sum
  const char* gather;   // $s the sum so far, $x the tile
  const char* finish;   // $s
  const char* formula;  // # what is combined
  const char* torch;
  bool positive = true;
};

const std::vector<Total>& totals() {
  static const std::vector<Total> rows = {
      {"total_sum", "sum of all", "0", "s += sum($x)", "all_sum(s)", "sum(#)", "torch.sum(@x) ~ $x.sum()", false},
      {"total_mean", "mean of all", "0", "s += sum($x)", "all_sum(s) / N", "mean(#)",
       "torch.mean(@x) ~ $x.mean() ~ $x.sum() / $x.numel()", false},
      {"total_max", "max of all", "-inf", "s = max(s, max($x))", "all_max(s)", "max(#)",
       "torch.max(@x) ~ $x.max() ~ torch.amax(@x) ~ $x.amax()", false},
      {"total_min", "min of all", "inf", "s = min(s, min($x))", "all_min(s)", "min(#)",
       "torch.min(@x) ~ $x.min() ~ torch.amin(@x)", false},
      {"total_norm", "l2 norm of all", "0", "s += sum($x * $x)", "sqrt(all_sum(s))", "sqrt(sum((#) ** 2))",
       "torch.norm(@x) ~ $x.norm() ~ torch.sqrt(torch.sum($x ** 2)) ~ torch.linalg.vector_norm(@x) ~ "
       "$x.pow(2).sum().sqrt() ~ $x.norm(p=2)"},
      {"total_norm1", "l1 norm of all", "0", "s += sum(abs($x))", "all_sum(s)", "sum(abs(#))",
       "$x.abs().sum() ~ torch.norm(@x, p=1) ~ torch.sum(torch.abs(@x))"},
      {"total_mean_square", "mean square of all", "0", "s += sum($x * $x)", "all_sum(s) / N", "mean((#) ** 2)",
       "torch.mean($x ** 2) ~ $x.pow(2).mean() ~ $x.square().mean()"},
      {"total_rms", "root mean square of all", "0", "s += sum($x * $x)", "sqrt(all_sum(s) / N)", "sqrt(mean((#) ** 2))",
       "torch.sqrt(torch.mean($x ** 2)) ~ $x.pow(2).mean().sqrt()"},
      {"total_max_abs", "max of abs of all", "0", "s = max(s, max(abs($x)))", "all_max(s)", "max(abs(#))",
       "$x.abs().max() ~ torch.max(torch.abs(@x)) ~ torch.amax($x.abs())"},
      {"total_mean_abs", "mean of abs of all", "0", "s += sum(abs($x))", "all_sum(s) / N", "mean(abs(#))",
       "$x.abs().mean() ~ torch.mean(torch.abs(@x))"},
  };
  return rows;
}

std::string formula_of(const Total& total, const std::string& combined) {
  std::string text = total.formula;
  return text.replace(text.find('#'), 1, combined);
}

int total_step(Maker& make, const Total& total, int value) {
  Node node;
  node.name = total.name;
  node.operands = {value};
  node.words = total.words;
  node.formula = formula_of(total, "x");
  node.torch = ways_of(total.torch);
  const int made = make.step(node);
  make.known(made) = {.positive = total.positive, .number = true};
  return made;
}

void gather(Maker& make, const Total& total, int value) {
  std::string text = total.gather;
  for (std::size_t at; (at = text.find("$x")) != std::string::npos;) text.replace(at, 2, make.of(value));
  make.line(2, text);
}

}  // namespace

namespace {

// A loss of elements and its mean or sum, in one step: PyTorch has functions for both together.
struct Fused {
  const char* name;
  const char* arguments;  // arguments of the functional
  const char* member;     // member of nn, empty: none
  const char* given;      // to the member
};
constexpr Fused kFused[] = {
    {"mse", "F.mse_loss(@x, @y", "MSELoss", ""},
    {"l1", "F.l1_loss(@x, @y", "L1Loss", ""},
    {"smooth_l1", "F.smooth_l1_loss(@x, @y, beta=$a", "SmoothL1Loss", "beta=$a"},
    {"huber", "F.huber_loss(@x, @y, delta=$a", "HuberLoss", "delta=$a"},
    {"bce_logits", "F.binary_cross_entropy_with_logits(@x, @y", "BCEWithLogitsLoss", ""},
    {"soft_margin", "F.soft_margin_loss(@x, @y", "SoftMarginLoss", ""},
    {"poisson", "F.poisson_nll_loss(@x, @y", "PoissonNLLLoss", ""},
    {"kl", "F.kl_div(@x, @y", "KLDivLoss", ""},
    {"bce", "F.binary_cross_entropy(@x, @y", "BCELoss", ""},
};

Graph fused_total(Maker& make, const Word& word, const Total& total, const std::vector<int>& inputs) {
  Node node;
  node.name = std::string(word.name) + "-" + total.name;
  node.operands = inputs;
  for (const char* kind = word.constants; *kind != '\0'; ++kind) node.constants.push_back(make.constant(*kind));
  node.words = std::string(word.words) + "; " + total.words;
  if (std::string(word.dsl).find(';') == std::string::npos) node.formula = formula_of(total, word.dsl);
  const auto outer = ways_of(total.torch);
  node.torch = around(outer, spellings(word));
  const std::string by = total.name;
  for (const Fused& fused : kFused)
    if (fused.name == std::string(word.name) && (by == "total_mean" || by == "total_sum")) {
      const std::string how = by == "total_sum" ? "reduction=\"sum\"" : "", comma = how.empty() ? "" : ", ";
      std::vector<std::string> ways = {
          std::string(fused.arguments) + comma + how + ")",
          std::string("M:nn.") + fused.member + "(" + fused.given + (*fused.given != '\0' ? comma : "") + how + ")"};
      if (how.empty()) ways.push_back(std::string(fused.arguments) + ", reduction='mean')");
      const std::size_t times = std::max<std::size_t>(1, node.torch.size() / 2);  // half of all
      for (std::size_t i = 0; i < times; ++i) node.torch.push_back(ways[i % ways.size()]);
    }
  const int number = make.step(node);
  make.output(number, {}, "1");
  make.line(1, std::string("s = ") + total.begin);
  flat_loop(make, inputs);
  const std::string tile = make.filled_dsl(word.dsl, inputs, make.node_of(number).constants, 2);
  const int value = number;
  make.name(value, make.local());
  make.line(2, make.of(value) + " = " + tile);
  gather(make, total, value);
  make.line(1, std::string("store {z0}[0] = ") + total.finish);
  return make.graph;
}

constexpr Word kLosses[] = {
    {"mse", 2, "", 0, "($x - $y) ** 2", "squared difference with $y", "",
     "F.mse_loss(@x, @y, reduction=\"none\") ~ ($x - $y) ** 2 ~ torch.square($x - $y) ~ ($y - $x).pow(2)"},
    {"l1", 2, "", 0, "abs($x - $y)", "absolute difference with $y", "",
     "torch.abs($x - $y) ~ ($x - $y).abs() ~ F.l1_loss(@x, @y, reduction=\"none\")"},
    {"smooth_l1", 2, "p", 0, "$1 = abs($x - $y); $2 = min($1, $a); $2 * ($1 - 0.5 * $2) / $a", "smooth l1 $a with $y",
     "", "F.smooth_l1_loss(@x, @y, reduction=\"none\", beta=$a)"},
    {"huber", 2, "p", 0, "$1 = abs($x - $y); $2 = min($1, $a); $2 * ($1 - 0.5 * $2)", "huber $a with $y", "",
     "F.huber_loss(@x, @y, reduction=\"none\", delta=$a) ~ torch.where(torch.abs($x - $y) <= $a, 0.5 * ($x - $y) ** "
     "2, $a * (torch.abs($x - $y) - 0.5 * $a))"},
    {"log_cosh", 2, "", 0, "$1 = abs($x - $y); $1 + softplus(-2 * $1) - 0.69314718", "log cosh of difference with $y",
     "", "torch.log(torch.cosh($x - $y)) ~ ($x - $y).cosh().log()"},
    {"bce_logits", 2, "", 0, "softplus($x) - $x * $y", "bce of logits with $y", "",
     "F.binary_cross_entropy_with_logits(@x, @y, reduction=\"none\") ~ F.softplus(@x) - $x * $y ~ torch.clamp(@x, "
     "min=0) - $x * $y + torch.log1p(torch.exp(-torch.abs(@x)))"},
    {"hinge", 2, "m", 0, "relu($a - $x * $y)", "hinge $a with $y", "",
     "torch.clamp($a - $x * $y, min=0) ~ F.relu($a - $x * $y) ~ torch.relu($a - $y * $x)"},
    {"squared_hinge", 2, "", 0, "$1 = relu(1 - $x * $y); $1 * $1", "squared hinge with $y", "",
     "torch.clamp(1 - $x * $y, min=0) ** 2 ~ F.relu(1 - $x * $y).pow(2)"},
    {"soft_margin", 2, "", 0, "softplus(-$x * $y)", "soft margin with $y", "",
     "torch.log1p(torch.exp(-$x * $y)) ~ F.softplus(-$x * $y)"},
    {"charbonnier", 2, "e", 0, "$1 = $x - $y; sqrt($1 * $1 + $a)", "charbonnier $a with $y", "",
     "torch.sqrt(($x - $y) ** 2 + $a) ~ (torch.square($x - $y) + $a).sqrt()"},
    {"quantile", 2, "u", 0, "$1 = $y - $x; max($a * $1, ($a - 1) * $1)", "quantile loss $a with $y", "",
     "torch.maximum($a * ($y - $x), ($a - 1) * ($y - $x))"},
    {"poisson", 2, "", 0, "exp($x) - $y * $x", "poisson nll with $y", "",
     "torch.exp(@x) - $y * $x ~ F.poisson_nll_loss(@x, @y, log_input=True, reduction=\"none\")"},
    {"kl", 2, "", kWantsPositive, "$y * (log($y) - $x)", "kl with $y", "",
     "$y * (torch.log(@y) - $x) ~ F.kl_div(@x, @y, reduction=\"none\")"},
    {"bce", 2, "", 0, "-($y * log($x) + (1 - $y) * log(1 - $x))", "bce with $y", "",
     "F.binary_cross_entropy(@x, @y, reduction=\"none\") ~ -($y * torch.log(@x) + (1 - $y) * torch.log(1 - $x))"},
    {"focal", 2, "p", 0, "$1 = sigmoid($x); -$y * exp(log(1 - $1) * $a) * log($1)", "focal $a with $y", "",
     "-$y * (1 - torch.sigmoid(@x)) ** $a * torch.log(torch.sigmoid(@x)) ~ -$y * (1 - $x.sigmoid()).pow($a) * "
     "F.logsigmoid(@x)"},
    {"weighted", 3, "", 0, "$w * ($x - $y) ** 2", "$w times squared difference with $y", "",
     "$w * ($x - $y) ** 2 ~ $w * torch.square($x - $y) ~ ($x - $y).pow(2) * $w"},
};

}  // namespace

// Elementwise losses, and any chain, to one number.
Graph total_graph(Draw& draw) {
  Maker make(draw, "total", "reduction");
  make.graph.dtype = "float";
  const auto shape = flat_shape(make);
  std::vector<int> inputs;
  int value = 0;
  if (draw.chance(0.65)) {
    const Word& word = kLosses[draw.below(std::size(kLosses))];
    const std::string name = word.name;
    const char* target = name.starts_with("bce")                                            ? "unit"
                         : name == "kl" || name == "poisson"                                ? "positive"
                         : name.find("hinge") != std::string::npos || name == "soft_margin" ? "sign"
                                                                                            : "normal";
    inputs = {make.input("pred", shape, "N", "t", name == "bce" ? "unit" : "normal"),
              make.input("target", shape, "N", "t", target)};
    if (word.arity == 3) inputs.push_back(make.input("w", shape, "N", "t", "positive"));
    if (draw.chance(0.75)) {
      const auto& by = totals()[draw.chance(0.9) ? (draw.chance(0.75) ? 1 : 0) : draw.below(totals().size())];
      return fused_total(make, word, by, inputs);
    }
    value = make.step(word, inputs);
    if (draw.chance(0.2)) value = make.step(math_words()[3], {value});
  } else {
    inputs = flat_inputs(make, shape, draw.chance(0.6) ? 1 : 2, "normal");
    const bool bare = inputs.size() == 1 && draw.chance(0.25);
    value = bare ? 0 : make.chain(0, 1 + static_cast<int>(draw.below(2)), {inputs.begin() + 1, inputs.end()});
  }
  const Total& total = totals()[draw.chance(0.6) ? draw.below(2) : draw.below(totals().size())];
  const int number = total_step(make, total, value);
  int result = number;
  if (draw.chance(0.2)) result = make.step(math_words()[3], {number});
  make.output(result, {}, "1");
  make.line(1, std::string("s = ") + total.begin);
  flat_loop(make, inputs);
  make.bind_range(static_cast<int>(inputs.size()), value + 1, 2);
  gather(make, total, value);
  if (result == number) {
    make.line(1, std::string("store {z0}[0] = ") + total.finish);
  } else {
    make.name(number, make.local());
    make.line(1, make.of(number) + " = " + total.finish);
    make.store(0, "0", result, 1);
  }
  return make.graph;
}

Graph total_again_graph(Draw& draw) {
  Maker make(draw, "total_again", "reduction");
  make.graph.dtype = "float";
  const auto shape = flat_shape(make);
  const bool two = draw.chance(0.25);
  std::vector<int> inputs = flat_inputs(make, shape, two ? 2 : 1, "normal");
  const int before = draw.chance(0.3) ? make.chain(0, 1) : 0;
  const Total& total = totals()[draw.below(totals().size())];
  const int number = total_step(make, total, before);
  int factor = number;
  if (total.positive && draw.chance(0.4))
    factor = make.step({"add_eps", 1, "e", 0, "$x + $a", "add $a", "", "$x + $a ~ torch.add(@x, $a)"}, {number});
  static const std::vector<Word> joins = {
      {"div_number", 2, "", 0, "$x / $y", "div by $y", "", "$x / $y ~ torch.div(@x, @y) ~ $x.div(@y)"},
      {"sub_number", 2, "", 0, "$x - $y", "sub $y", "", "$x - $y ~ torch.sub(@x, @y)"},
      {"mul_number", 2, "", 0, "$x * $y", "mul $y", "", "$x * $y ~ torch.mul(@x, @y) ~ $y * $x"},
  };
  int value =
      make.step(total.positive && draw.chance(0.75) ? joins[0] : joins[1 + draw.below(2)], {two ? 1 : before, factor});
  value = make.chain(value, static_cast<int>(draw.below(2)),
                     two && draw.chance(0.0) ? std::vector<int>{1} : std::vector<int>{});
  make.output(value, shape, "N");
  make.line(1, std::string("s = ") + total.begin);
  flat_loop(make, {0});
  if (before != 0) make.bind(before, 2);
  gather(make, total, before);
  make.name(number, make.local());
  make.line(1, make.of(number) + " = " + total.finish);
  for (int i = number + 1; i <= factor; ++i) make.bind(i, 1);
  make.line(1, "for t in cores(tiles(N)):");
  make.loads(2, {two ? 1 : 0});
  if (before != 0 && !two) make.bind(before, 2);
  make.bind_range(factor + 1, value, 2);
  make.store(0, "t", value, 2);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
