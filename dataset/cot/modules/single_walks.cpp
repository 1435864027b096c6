// Graphs of one operator.
#include "dataset/cot/modules/flat_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {
namespace {

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
  flat_output(make, make.step(word, inputs), shape);
  flat_body(make, inputs);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
