#include "dataset/cot/modules/rows.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {

namespace {

std::vector<int> loss_inputs(Maker& make, const Rows& of, const RowLoss& loss) {
  std::vector<int> inputs;
  const char* const* role = loss.roles;
  for (const char* kind = loss.inputs; *kind != '\0'; ++kind, ++role) {
    if (*kind == 'i') {
      inputs.push_back(make.input(*role, {"R"}, "R", "r", "index"));
      make.graph.inputs.back().index_below = "C";
    } else {
      inputs.push_back(make.input(*role, of.shape, of.program, of.at,
                                  *kind == 'p'   ? "prob"
                                  : *kind == '+' ? "positive"
                                                 : "normal"));
    }
  }
  return inputs;
}

Node loss_node(Maker& make, const Rows& of, const RowLoss& loss, const std::vector<int>& inputs) {
  Node node;
  node.name = loss.name;
  node.operands = inputs;
  for (const char* kind = loss.constants; *kind != '\0'; ++kind) node.constants.push_back(make.constant(*kind));
  node.dsl = loss.dsl;
  node.words = std::string(loss.words) + " over C";
  node.axes = of.axes;
  node.rank = of.rank();
  node.torch = ways_of(loss.torch);
  return node;
}

// The loss and its mean in one step: PyTorch has functions for both together.
Graph loss_in_one(Maker& make, const Rows& of, const RowLoss& loss, Node node, bool mean) {
  node.torch = around(mean ? std::vector<std::string>{"torch.mean(@x)", "$x.mean()", "$x.mean(dim=0)"}
                           : std::vector<std::string>{"torch.sum(@x)", "$x.sum()"},
                      node.torch);
  node.name += mean ? "-mean_of_rows" : "-sum_of_rows";
  node.words += mean ? "; mean of all rows" : "; sum of all rows";
  if (const auto ways = ways_of(loss.mean); mean && *loss.mean != '\0')
    for (std::size_t i = 0, end = std::max(ways.size(), node.torch.size()); i < end; ++i)
      node.torch.push_back(ways[i % ways.size()]);
  const int value = make.step(std::move(node));
  make.output(value, {}, "1");
  make.line(1, of.loop);
  make.loads(2, make.node_of(value).operands);
  make.line(2, "s += " + make.expression(value, 2));
  make.line(1, std::string("store {z0}[0] = ") + (mean ? "all_sum(s) / R" : "all_sum(s)"));
  return make.graph;
}

Graph row_gradient(Maker& make, const Rows& of) {
  const RowLoss& one = row_gradients()[make.draw.below(row_gradients().size())];
  std::vector<int> inputs;
  const char* const* role = one.roles;
  for (const char* kind = one.inputs; *kind != '\0'; ++kind, ++role)
    inputs.push_back(make.input(*role, of.shape, of.program, of.at, *kind == 'p' ? "prob" : "normal"));
  const int value = make.step(loss_node(make, of, one, inputs));
  make.output(value, of.shape, of.program);
  make.line(1, of.loop);
  make.loads(2, inputs);
  make.store(0, of.at, value, 2);
  return make.graph;
}

}  // namespace

// Losses of rows, averaged or added up.
Graph row_loss_graph(Draw& draw) {
  Maker make(draw, "rows_to_number", "reduction");
  make.graph.dtype = "float";
  Rows of = rows(make, false);
  while (of.rank() != 2) {
    make.graph.extents.clear();
    make.graph.stratum = "reduction";
    of = rows(make, false);
  }
  const RowLoss& loss = row_losses()[draw.below(row_losses().size())];
  const std::vector<int> inputs = loss_inputs(make, of, loss);
  Node node = loss_node(make, of, loss, inputs);
  const int ending = static_cast<int>(draw.below(5));  // mean three times, sum, none
  const bool mean = ending < 3;
  make.line(1, ending < 4 ? "s = 0" : of.loop);
  if (ending == 4) {
    const int numbers = make.step(node);
    make.loads(2, inputs);
    make.output(numbers, {"R"}, "R");
    make.store(0, "r", numbers, 2);
    return make.graph;
  }
  if (draw.chance(0.85)) return loss_in_one(make, of, loss, std::move(node), mean);
  const int numbers = make.step(node);
  Node total;
  total.name = mean ? "mean_of_rows" : "sum_of_rows";
  total.operands = {numbers};
  total.words = mean ? "mean of all rows" : "sum of all rows";
  total.torch = mean ? std::vector<std::string>{"torch.mean(@x)", "$x.mean()", "$x.sum() / $x.shape[0]"}
                     : std::vector<std::string>{"torch.sum(@x)", "$x.sum()"};
  int result = make.step(total);
  make.line(1, of.loop);
  make.loads(2, inputs);
  make.line(2, "s += " + make.expression(numbers, 2));
  const std::string finish = mean ? "all_sum(s) / R" : "all_sum(s)";
  if (draw.chance(0.2)) {
    make.name(result, make.local());
    make.line(1, make.of(result) + " = " + finish);
    result = make.step(math_words()[3], {result});
    make.output(result, {}, "1");
    make.store(0, "0", result, 1);
  } else {
    make.output(result, {}, "1");
    make.line(1, "store {z0}[0] = " + finish);
  }
  return make.graph;
}

// Gradients of rows, and rows with their statistics.
Graph row_outputs_graph(Draw& draw) {
  Maker make(draw, "rows_outputs", "outputs");
  make.graph.dtype = "float";
  const Rows of = rows(make, false);
  make.graph.stratum = "outputs";
  if (draw.chance(0.45)) return row_gradient(make, of);
  const int x = make.input("x", of.shape, of.program, of.at);
  const int first = draw.chance(0.3) ? make.chain(x, 1) : x;
  const auto numbers_shape = [&](bool keep) {
    std::vector<std::string> shape = of.lead;
    if (keep) shape.push_back("1");
    return shape;
  };
  const Reduction& one = reduction_for(make, first);
  const bool keep = draw.chance(0.5), back = keep && draw.chance(0.7);
  const int number = make.step(reduction_node(one, first, of.axes, of.rank(), keep, of.letters));
  make.known(number) = {.positive = one.positive, .number = true};
  int other;
  bool other_is_row = true;
  if (back) {
    other =
        make.step({"sub_number", 2, "", 0, "$x - $y", "sub $y", "", "$x - $y ~ torch.sub(@x, @y)"}, {first, number});
  } else if (draw.chance(0.5)) {
    other = add_row_step(make, of, first, true);
  } else {
    const Reduction& second = reduction_for(make, first);
    other = make.step(reduction_node(second, first, of.axes, of.rank(), keep, of.letters));
    other_is_row = false;
  }
  const std::string lead = of.program_lead + (keep ? ", 1" : ""), lead_at = of.number_at + (keep ? ", 0" : "");
  const bool row_first = other_is_row && draw.chance(0.7);
  const auto put = [&](int value) {
    const bool is_row = value == other && other_is_row;
    make.output(value, is_row ? of.shape : numbers_shape(keep), is_row ? of.program : lead);
  };
  put(row_first ? other : number);
  put(row_first ? number : other);
  make.line(1, of.loop);
  make.loads(2, {x});
  make.bind_range(1, make.graph.value_count(), 2);
  for (int i = 0; i < 2; ++i) {
    const int value = make.graph.outputs[static_cast<std::size_t>(i)];
    make.store(i, value == other && other_is_row ? of.at : lead_at, value, 2);
  }
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
