#include "dataset/cot/modules/rows.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {

// A norm with weights, held by the module or given.
Graph affine_norm_graph(Draw& draw) {
  Maker make(draw, "rows_affine", "reduction");
  make.graph.dtype = "float";
  Rows of = rows(make, false);
  const bool rms = draw.chance(0.35), bias = !rms && draw.chance(0.7), held = draw.chance(0.75);
  std::vector<int> operands = {make.input("x", of.shape, of.program, of.at)};
  const int residual = draw.chance(0.25) ? make.input("y", of.shape, of.program, of.at) : -1;
  for (int i = 0; i < (bias ? 2 : 1); ++i) {
    operands.push_back(make.input(i == 0 ? "weight" : "bias", {"C"}, "C", ":"));
    make.graph.inputs.back().parameter = held;
    if (held)
      make.graph.inputs.back().construct = i == 0 ? "nn.Parameter(torch.ones({C}))" : "nn.Parameter(torch.zeros({C}))";
  }
  const std::vector<int> vectors(operands.begin() + 1, operands.end());
  if (residual >= 0) operands[0] = make.step(joining_words()[0], {0, residual});
  Node node;
  node.name = rms ? "rms_norm_affine" : "layer_norm_affine";
  node.operands = operands;
  node.constants = {make.constant('e')};
  node.axes = of.axes;
  node.rank = of.rank();
  if (rms) {
    node.dsl = "$x * rsqrt(mean($x * $x) + $a) * $y";
    node.words = "rms norm $a over C; mul $y";
    node.torch = {"$x * torch.rsqrt($x.pow(2).mean($d, keepdim=True) + $a) * $y",
                  "$y * ($x / torch.sqrt(torch.mean($x ** 2, dim=$d, keepdim=True) + $a))",
                  "F.rms_norm(@x, ({C},), weight=$y, eps=$a)"};
    if (held) node.torch.push_back("P:nn.RMSNorm({C}, eps=$a)");
  } else {
    node.dsl = std::string("$1 = $x - mean($x); $1 * rsqrt(mean($1 * $1) + $a) * $y") + (bias ? " + $w" : "");
    node.words = std::string("layer norm $a over C; mul $y") + (bias ? "; add $w" : "");
    node.torch = {std::string("F.layer_norm(@x, ({C},), weight=$y, ") + (bias ? "bias=$w, " : "") + "eps=$a)",
                  std::string("($x - $x.mean(dim=$d, keepdim=True)) / torch.sqrt($x.var(dim=$d, keepdim=True, "
                              "unbiased=False) + $a) * $y") +
                      (bias ? " + $w" : "")};
    if (held && bias)
      node.torch.insert(node.torch.end(), {"P:nn.LayerNorm({C}, eps=$a)", "P:nn.LayerNorm({C}, eps=$a)"});
    if (held && !bias) node.torch.push_back("P:nn.LayerNorm({C}, eps=$a, bias=False)");
  }
  const int numbers = make.step(node);
  const int value = draw.chance(0.3) ? make.chain(numbers, 1) : numbers;
  make.output(value, of.shape, of.program);
  make.loads(1, vectors);
  row_body(make, of, residual >= 0 ? std::vector<int>{0, residual} : std::vector<int>{0}, value, place_of_rows(of));
  return make.graph;
}

namespace {

// A number of each row comes back to it.
int back_to_row(Maker& make, const Rows& of, int value) {
  Draw& draw = make.draw;
  const Reduction& one = reduction_for(make, value);
  const int number = make.step(reduction_node(one, value, of.axes, of.rank(), true, of.letters));
  make.known(number) = {.positive = one.positive, .number = true};
  static const std::vector<Word> joins = {
      {"sub_number", 2, "", 0, "$x - $y", "sub $y", "", "$x - $y ~ torch.sub(@x, @y)"},
      {"mul_number", 2, "", 0, "$x * $y", "mul $y", "", "$x * $y ~ $y * $x"},
      {"div_number", 2, "e", 0, "$x / ($y + $a)", "div by $y + $a", "", "$x / ($y + $a) ~ torch.div(@x, $y + $a)"},
      {"clamp_number", 2, "e", 0, "$x / max($y, $a)", "div by $y, at least $a", "",
       "$x / $y.clamp(min=$a) ~ $x / torch.clamp(@y, min=$a)"}};
  return make.step(joins[one.positive ? 2 + draw.below(2) : draw.below(2)], {value, number});
}

}  // namespace

Graph row_graph(Draw& draw) {
  if (draw.chance(0.22)) return affine_norm_graph(draw);
  Maker make(draw, "rows", "reduction");
  const Rows of = rows(make, true);
  std::vector<int> inputs = {make.input("x", of.shape, of.program, of.at, draw.chance(0.85) ? "normal" : "positive")};
  if (draw.chance(0.15)) inputs.push_back(make.input("y", of.shape, of.program, of.at));
  std::vector<int> vectors;
  if (of.axes.size() == 1 && draw.chance(0.3)) {
    make.graph.dtype = "float";
    const bool held = draw.chance(0.5);
    const int count = draw.chance(0.6) ? 1 : 2;
    for (int i = 0; i < count; ++i) {
      vectors.push_back(make.input(held ? (i == 0 ? "weight" : "bias") : "vector", {"C"}, "C", ":"));
      make.graph.inputs.back().parameter = held;
      if (held)
        make.graph.inputs.back().construct =
            i == 0 ? "nn.Parameter(torch.ones({C}))" : "nn.Parameter(torch.zeros({C}))";
    }
  }
  int value = inputs.size() > 1   ? make.chain(0, 1, {1})
              : draw.chance(0.35) ? make.chain(0, 1 + static_cast<int>(draw.below(2)))
                                  : 0;
  const bool to_numbers = vectors.empty() && draw.chance(0.45);
  RowPlace place = place_of_rows(of);
  if (to_numbers) {
    const bool keep = draw.chance(0.3);
    const Reduction& one = reduction_for(make, value);
    value = make.step(reduction_node(one, value, of.axes, of.rank(), keep, of.letters));
    make.known(value) = {.positive = one.positive, .number = true};
    if (draw.chance(0.25)) value = make.step(math_words()[draw.below(5)], {value});
    place = place_of_numbers(of, keep);
  } else {
    value = draw.chance(0.25) ? back_to_row(make, of, value) : add_row_step(make, of, value, true);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      static const std::vector<Word> joins = {
          {"scale_by", 2, "", 0, "$x * $y", "mul $y", "", "$x * $y ~ torch.mul(@x, @y) ~ $y * $x"},
          {"shift_by", 2, "", 0, "$x + $y", "add $y", "", "$x + $y ~ torch.add(@x, @y) ~ $y + $x"}};
      value = make.step(joins[i % 2], {value, vectors[i]});
    }
    if (draw.chance(0.3)) value = make.chain(value, 1);
  }
  make.output(value, place.shape, place.program);
  if (!vectors.empty()) make.loads(1, vectors);
  row_body(make, of, inputs, value, place);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
