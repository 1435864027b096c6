#include "dataset/cot/modules/flat_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {

Graph flat_graph(Draw& draw) {
  Maker make(draw, "flat", "elementwise");
  const auto shape = flat_shape(make);
  if (draw.chance(0.12)) {  // a gradient
    const int grad = make.input("grad", shape, "N", "t"), saved = make.input("saved", shape, "N", "t");
    make.graph.stratum = "outputs";
    const Word& word = gradient_words()[draw.below(gradient_words().size())];
    const int value = make.step(word, {grad, saved});
    make.output(draw.chance(0.3) ? make.chain(value, 1) : value, shape, "N");
    flat_body(make, {grad, saved});
    return make.graph;
  }
  const int count = draw.chance(0.6) ? 1 : draw.chance(0.7) ? 2 : 3;
  const auto inputs = flat_inputs(make, shape, count,
                                  draw.chance(0.75)  ? "normal"
                                  : draw.chance(0.7) ? "positive"
                                                     : "unit");
  const int steps = draw.chance(0.3) ? 1 : 2 + static_cast<int>(draw.below(4));
  flat_output(make, make.chain(0, steps, {inputs.begin() + 1, inputs.end()}), shape);
  flat_body(make, inputs);
  return make.graph;
}

Graph outputs_graph(Draw& draw) {
  Maker make(draw, "flat_outputs", "outputs");
  const auto shape = flat_shape(make);
  const int count = 1 + static_cast<int>(draw.below(2));
  const auto inputs = flat_inputs(make, shape, count, "normal");
  const int first = make.chain(0, 1 + static_cast<int>(draw.below(3)), {inputs.begin() + 1, inputs.end()});
  const int second = make.chain(draw.chance(0.5) ? first : 0, 1 + static_cast<int>(draw.below(2)));
  make.output(first, shape, "N");
  make.output(second, shape, "N");
  if (draw.chance(0.2)) make.output(make.chain(second, 1), shape, "N");
  flat_body(make, inputs);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
