#include "dataset/translation/graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "dataset/translation/composites.h"
#include "dataset/translation/line_reader.h"
#include "dataset/translation/node_maker.h"

namespace kg::dataset::translation {
namespace {

std::vector<SizeId> sizes_of(NodeMaker& make, const Shape& shape, int like) {
  std::vector<SizeId> dims;
  const auto& own = make.graph()[like].dims;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t from_end = shape.size() - i;
    const bool same = from_end <= own.size() && make.graph().sizes.number(own[own.size() - from_end]) == shape[i];
    dims.push_back(same ? own[own.size() - from_end] : make.graph().sizes.literal(shape[i]));
  }
  return dims;
}

// Parts of an axis, each from `step` elements on, along a new axis at the end.
int unfolded(const LineReader& line, NodeMaker& make) {
  int made = line.node(0);
  const int axis = line.axes(1).at(0);
  const std::int64_t width = line.number(2, "size", 1), step = line.number(3, "step", 1);
  const auto at = static_cast<std::size_t>(axis);
  const std::int64_t count = (make.graph().size(made, at) - width) / step + 1;
  Sizes& sizes = make.graph().sizes;
  if (step == width) {
    made = make.slice(made, axis, 0, count * width, 1);
    std::vector<SizeId> dims = make.graph()[made].dims;
    dims[at] = sizes.derived(count, "{" + std::to_string(dims[at]) + "} // " + std::to_string(width));
    dims.insert(dims.begin() + axis + 1, sizes.literal(width));
    made = make.reshape(made, dims);
  } else {
    const int first = make.unsqueeze(make.counter(sizes.literal(count)), 1), place = make.counter(sizes.literal(width));
    made = make.pick(made, make.pointwise("$1 * " + std::to_string(step) + " + $2", {first, place}), axis);
  }
  std::vector<int> axes = make.all_axes(made);
  axes.erase(axes.begin() + axis + 1);
  axes.push_back(axis + 1);
  return make.permute(made, axes);
}

int moved(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  const int x = line.node(0);
  const auto axis = [&](std::size_t place) { return line.axes(place).at(0); };
  if (op.empty() || op == "to_copy" || op == "clone") return x;
  if (op == "view" || op == "reshape" || op == "flatten" || op == "unflatten") return make.reshape_to(x, line.shape());
  if (op == "unsqueeze") {
    const std::int64_t at = line.number(1, "dim", 0);
    return make.unsqueeze(x, static_cast<int>(at < 0 ? at + make.rank(x) + 1 : at));
  }
  if (op == "squeeze") {
    int made = x;
    std::vector<int> axes = line.axes(1);
    std::sort(axes.rbegin(), axes.rend());
    for (const int one : axes) made = make.squeeze(made, one);
    return made;
  }
  if (op == "t") return make.rank(x) < 2 ? x : make.transposed(x);
  if (op == "transpose") {
    std::vector<int> axes = make.all_axes(x);
    const std::vector<std::int64_t> two = {line.number(1, "dim0", 0), line.number(2, "dim1", 1)};
    std::swap(axes.at(static_cast<std::size_t>(two[0])), axes.at(static_cast<std::size_t>(two[1])));
    return make.permute(x, axes);
  }
  if (op == "repeat") {
    const Shape shape = line.shape();
    std::vector<SizeId> apart, single;
    const auto own = make.graph()[x].dims;
    Sizes& sizes = make.graph().sizes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::size_t from_end = shape.size() - i;
      const SizeId size = from_end <= own.size() ? own[own.size() - from_end] : sizes.literal(1);
      single.push_back(sizes.literal(1)), single.push_back(size);
      apart.push_back(sizes.literal(shape[i] / sizes.number(size))), apart.push_back(size);
    }
    return make.reshape_to(make.expand(make.reshape(x, single), apart), shape);
  }
  if (op == "permute") return make.permute(x, line.axes(1));
  if (op == "expand") return make.expand(x, sizes_of(make, line.shape(), x));
  if (op == "slice")
    return make.slice(x, static_cast<int>(line.number(1, "dim", 0)), line.number(2, "start", 0),
                      line.number(3, "end", 1LL << 62), line.number(4, "step", 1));
  if (op == "select") return make.select(x, axis(1), line.number(2, "index", 0));
  if (op == "flip") {
    int made = x;
    for (const int one : line.axes(1)) made = make.flip(made, one);
    return made;
  }
  if (op == "unfold") return unfolded(line, make);
  if (op == "cumsum" || op == "cumprod") return make.scan(op, x, axis(1));
  return -1;
}

// x with other numbers in a part of it.
int replaced(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  if (op == "copy") return make.expand(line.node(1), make.graph()[line.node(0)].dims);
  if (op != "select_scatter" && op != "slice_scatter") return -1;
  const int x = line.node(0), axis = line.axes(2).at(0);
  const std::int64_t size = make.graph().size(x, static_cast<std::size_t>(axis));
  std::int64_t from = line.number(3, op == "select_scatter" ? "index" : "start", 0);
  if (from < 0) from += size;
  const std::int64_t to = op == "select_scatter" ? from + 1 : std::min(line.number(4, "end", size), size);
  if (line.number(5, "step", 1) != 1) throw Unknown{"slice_scatter with a step"};
  const int part = op == "select_scatter" ? make.unsqueeze(line.node(1), axis) : line.node(1);
  std::vector<int> parts;
  if (from > 0) parts.push_back(make.slice(x, axis, 0, from));
  parts.push_back(part);
  if (to < size) parts.push_back(make.slice(x, axis, to, size));
  const int made = make.join(parts, axis);
  if (parts.size() > 1) make.graph().nodes[static_cast<std::size_t>(made)].dims = make.graph()[x].dims;
  return made;
}

// Whether the operator, by its name, gives numbers without operands.
int constant(const LineReader& line, NodeMaker& make) {
  static const std::map<std::string, std::string> filled = {
      {"zeros_like", "0"}, {"ones_like", "1"}, {"zeros", "0"}, {"ones", "1"}};
  const std::string& op = line.op();
  if (op == "scalar_tensor") return make.number(line.line().given[0]);
  std::string text;
  if (const auto known = filled.find(op); known != filled.end())
    text = known->second;
  else if (op == "full_like" || op == "full" || op == "new_full")
    text = line.line().given.at(op == "new_full" ? 2 : 1);
  else if (op == "new_zeros")
    text = "0";
  else
    return -1;
  std::vector<SizeId> dims;
  if (!line.line().shape && line.is_node(0))
    dims = make.graph()[line.node(0)].dims;
  else
    for (const std::int64_t size : line.shape()) dims.push_back(make.graph().sizes.literal(size));
  const bool truths = line.text(line.count(), "dtype", "") == "bool";
  const int value = make.number(text);
  return make.expand(truths ? make.pointwise("$1 != 0", {value}, "bool") : value, dims);
}

int counted(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  if (op == "arange" || op == "linspace") {
    const std::int64_t count = line.shape().at(0);
    const int places = make.counter(make.graph().sizes.literal(count));
    const auto& given = line.line().given;
    if (op == "linspace")
      return make.pointwise("$1 * ((" + given.at(1) + " - " + given.at(0) + ") / " +
                                std::to_string(std::max<std::int64_t>(count - 1, 1)) + ") + " + given.at(0),
                            {places});
    if (given.size() == 1) return places;
    return make.pointwise((given.size() > 2 ? "$1 * " + given[2] : "$1") + " + " + given[0], {places});
  }
  if (op == "diag_embed" && line.count() == 1) return make.diagonal(line.node(0));
  if (op != "tril" && op != "triu") return -1;
  const int x = line.node(0);
  const std::vector<SizeId> dims = make.graph()[x].dims;
  const int row = make.unsqueeze(make.counter(dims.at(dims.size() - 2)), 1), column = make.counter(dims.back());
  const std::int64_t shift = line.number(1, "diagonal", 0);
  const std::string bound = "$1 + " + std::to_string(shift);
  const int kept = make.pointwise(op == "tril" ? "$2 <= " + bound : "$2 >= " + bound, {row, column}, "bool");
  const std::string& type = make.graph()[x].type;
  return make.pointwise(type == "bool" ? "$1 & $2" : "where($1, $2, 0)", {kept, x}, type);
}

int picked(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  if (op == "embedding") return make.pick(line.node(0), line.node(1), 0);
  if (op == "index_select") return make.pick(line.node(0), line.node(2), static_cast<int>(line.number(1, "dim", 0)));
  if (op == "gather") return make.gather(line.node(0), line.node(2), static_cast<int>(line.number(1, "dim", 0)));
  if (op == "index") {
    const std::vector<int> places = line.list(1);
    if (places.size() != 1) throw Unknown{"index of several axes"};
    std::string in_front = line.line().given[1].substr(1);
    int axis = 0;
    for (; in_front.starts_with("None, "); in_front = in_front.substr(6)) ++axis;
    return make.pick(line.node(0), places[0], axis);
  }
  if (op == "cat" || op == "stack") {
    std::vector<int> parts = line.list(0);
    int axis = static_cast<int>(line.number(1, "dim", 0));
    const int rank = make.rank(parts[0]) + (op == "stack" ? 1 : 0);
    if (axis < 0) axis += rank;
    if (op == "stack")
      for (int& one : parts) one = make.unsqueeze(one, axis);
    return make.join(parts, axis);
  }
  return -1;
}

bool is_place_of(const LineReader& line) {
  return (line.op() == "max" || line.op() == "min") && line.line().results.size() == 2;
}

}  // namespace

bool is_whole_number(const std::string& type) { return type.starts_with("int") || type == "uint8"; }

bool is_move(Node::Kind kind) {
  using enum Node::Kind;
  return kind == kPermute || kind == kSlice || kind == kSelect || kind == kReshape || kind == kExpand || kind == kFlip;
}

bool is_made_whole(Node::Kind kind) {
  using enum Node::Kind;
  return kind == kProduct || kind == kTaps || kind == kJoin || kind == kSpread;
}

std::int64_t Graph::count(const std::vector<SizeId>& dims) const {
  std::int64_t made = 1;
  for (const SizeId size : dims) made *= sizes.number(size);
  return made;
}

Graph graph_of(const TracedPrompt& prompt) {
  Graph graph;
  NodeMaker make(graph);
  std::map<std::string, int> values;
  for (const TracedTensor& one : prompt.inputs) {
    Node node{.kind = Node::Kind::kInput, .type = one.type, .name = one.name};
    for (const std::int64_t size : one.shape) node.dims.push_back(graph.sizes.axis(size));
    graph.inputs.push_back(static_cast<int>(graph.nodes.size()));
    values[one.name] = graph.inputs.back();
    graph.nodes.push_back(std::move(node));
  }
  for (const TracedLine& traced : prompt.lines) {
    const LineReader line(traced, values, make);
    const std::vector<int> both = ordered(line, make);
    int made = !both.empty() ? both[0] : line.is_node(0) || traced.op.empty() ? moved(line, make) : -1;
    for (const auto& kind : {constant, counted, picked, replaced, composite})
      if (made < 0) made = kind(line, make);
    if (made < 0) made = make.pointwise(traced, line.nodes());
    values[traced.results.at(0)] = made;
    if (both.size() == traced.results.size() && both.size() > 1) values[traced.results[1]] = both[1];
    if (is_place_of(line))
      values[traced.results[1]] =
          make.place(traced.op == "max" ? "amax" : "amin", line.node(0), line.axes(1).at(0), line.flag("keepdim"));
    if ((traced.op == "var_mean" || traced.op == "std_mean") && traced.results.size() == 2)
      values[traced.results[1]] = make.mean(line.node(0), line.axes(1), line.flag("keepdim"));
    Node& node = graph.nodes[static_cast<std::size_t>(made)];
    if (node.name.empty() && node.kind != Node::Kind::kNumber) node.name = traced.results[0];
  }
  for (const TracedTensor& one : prompt.outputs) {
    const auto known = values.find(one.name);
    if (known == values.end()) throw Unknown{"the result " + one.name};
    graph.outputs.push_back({one.name, one.type, known->second});
  }
  return graph;
}

}  // namespace kg::dataset::translation
