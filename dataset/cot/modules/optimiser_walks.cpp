#include "dataset/cot/modules/flat_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {

namespace {

int make_step(Maker& make, const char* name, const std::vector<int>& operands, const char* kinds, const char* dsl,
              const char* words, const char* torch) {
  return make.step(Word{name, static_cast<int>(operands.size()), kinds, 0, dsl, words, "", torch}, operands);
}

// The parameter changes along the direction, over the root of the squares where there are any.
int last_step(Maker& make, int p, int direction, int new_square) {
  if (new_square >= 0) {
    if (make.draw.chance(0.3))
      return make_step(
          make, "descend_root_in", {p, direction, new_square}, "le", "$x - $a * $y / sqrt($w + $b)",
          "descend $a by $y over root of $w + $b",
          "$x - $a * $y / torch.sqrt($w + $b) ~ $x - $a * $y * torch.rsqrt($w + $b) ~ $x - $a * ($y / ($w + "
          "$b).sqrt())");
    else
      return make_step(make, "descend_root", {p, direction, new_square}, "le", "$x - $a * $y / (sqrt($w) + $b)",
                       "descend $a by $y over root of $w, plus $b",
                       "$x - $a * $y / (torch.sqrt(@w) + $b) ~ $x - $a * ($y / ($w.sqrt() + $b)) ~ $x.addcdiv(@y, "
                       "$w.sqrt() + $b, value=-$a) ~ "
                       "$x - $a * $y / $w.sqrt().add($b)");
  } else if (make.draw.chance(0.2)) {
    return make_step(make, "sign_descend", {p, direction}, "l", "$x - $a * where($y > 0, 1, where($y < 0, -1, 0))",
                     "descend $a by sign of $y",
                     "$x - $a * torch.sign(@y) ~ $x.add(torch.sign(@y), alpha=-$a) ~ $x - torch.sign(@y) * $a");
  } else {
    return make_step(make, "descend", {p, direction}, "l", "$x - $a * $y", "descend $a by $y",
                     "$x - $a * $y ~ torch.sub(@x, @y, alpha=$a) ~ $x.add(@y, alpha=-$a) ~ $x - $y * $a");
  }
}

}  // namespace

// param, gradient and states; what is left out, added or spelled otherwise is drawn.
Graph optimiser_graph(Draw& draw) {
  Maker make(draw, "flat", "outputs");
  const auto shape = flat_shape(make);
  make.graph.dtype = "float";
  const int p = make.input("param", shape, "N", "t"), g = make.input("grad", shape, "N", "t");
  const bool with_moment = draw.chance(0.6), with_square = draw.chance(0.6) || !with_moment;
  const int m = with_moment ? make.input("moment", shape, "N", "t") : -1;
  const int v = with_square ? make.input("square", shape, "N", "t", "positive") : -1;
  int gradient = g;
  if (draw.chance(0.3))
    gradient = make_step(make, "weight_decay", {g, p}, "d", "$x + $a * $y", "add $a times $y",
                         "$x + $a * $y ~ torch.add(@x, @y, alpha=$a) ~ $x.add(@y, alpha=$a)");
  int direction = gradient, new_m = -1, new_v = -1;
  if (with_moment) {
    if (draw.chance(0.5))
      new_m = make_step(make, "ema", {m, gradient}, "b", "$a * $x + (1 - $a) * $y", "ema $a with $y",
                        "$a * $x + (1 - $a) * $y ~ $x * $a + $y * (1 - $a) ~ $x.mul($a).add(@y, alpha=1 - $a) ~ "
                        "torch.lerp(@y, @x, $a)");
    else
      new_m = make_step(make, "momentum", {m, gradient}, "b", "$a * $x + $y", "mul $a; add $y",
                        "$a * $x + $y ~ $x * $a + $y ~ torch.add(@y, @x, alpha=$a) ~ $x.mul($a).add(@y)");
    direction = new_m;
    if (draw.chance(0.25))
      direction = make_step(make, "nesterov", {gradient, new_m}, "b", "$x + $a * $y", "add $a times $y",
                            "$x + $a * $y ~ torch.add(@x, @y, alpha=$a)");
  }
  if (with_square) {
    if (draw.chance(0.65))
      new_v =
          make_step(make, "ema_square", {v, gradient}, "b", "$a * $x + (1 - $a) * $y * $y", "ema $a with square of $y",
                    "$a * $x + (1 - $a) * $y * $y ~ $a * $x + (1 - $a) * $y ** 2 ~ $x * $a + (1 - $a) * $y.pow(2) ~ "
                    "$x.mul($a).addcmul(@y, @y, value=1 - $a) ~ $a * $x + (1 - $a) * torch.square(@y)");
    else
      new_v = make_step(make, "add_square", {v, gradient}, "", "$x + $y * $y", "add square of $y",
                        "$x + $y * $y ~ $x + $y ** 2 ~ $x.addcmul(@y, @y) ~ $x + torch.square(@y)");
  }
  const int result = last_step(make, p, direction, new_v);
  make.output(result, shape, "N");
  if (draw.chance(0.5)) {
    if (new_m >= 0) make.output(new_m, shape, "N");
    if (new_v >= 0) make.output(new_v, shape, "N");
  }
  std::vector<int> inputs;
  for (int i = 0; i < static_cast<int>(make.graph.inputs.size()); ++i) inputs.push_back(i);
  flat_body(make, inputs);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
