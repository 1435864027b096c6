#include "dataset/translation/composites.h"

#include <map>

namespace kg::dataset::translation {
namespace {

int variance(NodeMaker& make, int x, const std::vector<int>& axes, bool keep, const std::string& correction) {
  const int centred = make.pointwise("$1 - $2", {x, make.mean(x, axes, true)});
  const int squares = make.reduce("sum", make.pointwise("$1 * $1", {centred}), axes, keep);
  const std::string count = make.count(x, axes);
  if (correction == "0") return make.pointwise("$1 / " + count, {squares});
  return make.pointwise("$1 / (" + count + " - " + correction + ")", {squares});
}

// (x - mean) / sqrt(variance + eps) over these axes.
int standardised(NodeMaker& make, int x, const std::vector<int>& axes, const std::string& eps) {
  const int centred = make.pointwise("$1 - $2", {x, make.mean(x, axes, true)});
  const int spread = make.mean(make.pointwise("$1 * $1", {centred}), axes, true);
  return make.pointwise("$1 * $2", {centred, make.pointwise("rsqrt($1 + " + eps + ")", {spread})});
}

// With a weight and a bias along an axis, if given.
int scaled(const LineReader& line, NodeMaker& make, int value, int behind) {
  const auto along = [&](std::size_t place) {
    int one = line.node(place);
    for (int i = 0; i < behind; ++i) one = make.unsqueeze(one, make.rank(one));
    return one;
  };
  if (line.has(1)) value = make.pointwise("$1 * $2", {value, along(1)});
  if (line.has(2)) value = make.pointwise("$1 + $2", {value, along(2)});
  return value;
}

int softmax(const LineReader& line, NodeMaker& make) {
  const std::vector<int> axes = line.axes(1);
  const int x = line.node(0), below = make.pointwise("$1 - $2", {x, make.reduce("amax", x, axes, true)});
  const int powers = make.pointwise("exp($1)", {below}), total = make.reduce("sum", powers, axes, true);
  if (line.op().find("log") != std::string::npos) return make.pointwise("$1 - log($2)", {below, total});
  return make.pointwise("$1 / $2", {powers, total});
}

int logsumexp(const LineReader& line, NodeMaker& make) {
  const std::vector<int> axes = line.axes(1);
  const int x = line.node(0), most = make.reduce("amax", x, axes, true);
  const int total = make.reduce("sum", make.pointwise("exp($1 - $2)", {x, most}), axes, true);
  const int made = make.pointwise("$1 + log($2)", {most, total});
  if (line.flag("keepdim")) return made;
  return make.reshape(made, make.graph()[make.reduce("amax", x, axes, false)].dims);
}

int norm(const LineReader& line, NodeMaker& make) {
  const std::string order = line.text(1, line.op() == "norm" ? "p" : "ord", "2");
  const std::vector<int> axes = line.axes(2);
  const int x = line.node(0);
  const bool keep = line.flag("keepdim");
  if (order == "1") return make.reduce("sum", make.pointwise("abs($1)", {x}), axes, keep);
  if (order == "inf") return make.reduce("amax", make.pointwise("abs($1)", {x}), axes, keep);
  if (order == "-inf") return make.reduce("amin", make.pointwise("abs($1)", {x}), axes, keep);
  if (order != "2" && order != "None") throw Unknown{"norm of order " + order};
  return make.pointwise("sqrt($1)", {make.reduce("sum", make.pointwise("$1 * $1", {x}), axes, keep)});
}

int layer_norm(const LineReader& line, NodeMaker& make) {
  if (line.count() != 5) throw Unknown{"layer_norm with other arguments"};
  const int x = line.node(0), rank = make.rank(x);
  std::vector<int> axes;
  for (int i = rank - static_cast<int>(line.numbers(1, "normalized_shape").size()); i < rank; ++i) axes.push_back(i);
  int made = standardised(make, x, axes, line.text(4, "eps", "1e-5"));
  if (line.has(2)) made = make.pointwise("$1 * $2", {made, line.node(2)});
  if (line.has(3)) made = make.pointwise("$1 + $2", {made, line.node(3)});
  return made;
}

// group_norm(x, weight, bias, N, C, elements of a channel, groups, eps)
int group_norm(const LineReader& line, NodeMaker& make) {
  if (line.count() != 8) throw Unknown{"group_norm with other arguments"};
  const int x = line.node(0);
  const std::int64_t groups = line.number(6, "group", 1);
  const std::vector<SizeId> dims = make.graph()[x].dims;
  Sizes& sizes = make.graph().sizes;
  if (sizes.number(dims.at(1)) % groups != 0) throw Unknown{"groups that do not divide the channels"};
  std::vector<SizeId> split = {
      dims[0], sizes.literal(groups),
      sizes.derived(sizes.number(dims[1]) / groups, "{" + std::to_string(dims[1]) + "} // " + std::to_string(groups))};
  split.insert(split.end(), dims.begin() + 2, dims.end());
  std::vector<int> axes;
  for (int i = 2; i < static_cast<int>(split.size()); ++i) axes.push_back(i);
  const int made = make.reshape(standardised(make, make.reshape(x, split), axes, line.text(7, "eps", "1e-5")), dims);
  return scaled(line, make, made, static_cast<int>(dims.size()) - 2);
}

// batch_norm(x, weight, bias, running mean, running variance, training, momentum, eps); without `training` where it
// cannot be.
int batch_norm(const LineReader& line, NodeMaker& make) {
  const std::size_t last = line.count() - 1;
  if (last != 6 && last != 7) throw Unknown{"batch_norm with other arguments"};
  const int x = line.node(0), rank = make.rank(x);
  const std::string eps = line.line().given[last];
  if (last == 7 && line.line().given[5] == "training") {
    std::vector<int> axes = {0};
    for (int i = 2; i < rank; ++i) axes.push_back(i);
    return scaled(line, make, standardised(make, x, axes, eps), rank - 2);
  }
  const auto along = [&](int one) {
    for (int i = 2; i < rank; ++i) one = make.unsqueeze(one, make.rank(one));
    return one;
  };
  const int centred = make.pointwise("$1 - $2", {x, along(line.node(3))});
  const int width = along(make.pointwise("rsqrt($1 + " + eps + ")", {line.node(4)}));
  return scaled(line, make, make.pointwise("$1 * $2", {centred, width}), rank - 2);
}

int reduced(const LineReader& line, NodeMaker& make) {
  static const std::map<std::string, std::string> known = {{"sum", "sum"},  {"amax", "amax"}, {"amin", "amin"},
                                                           {"max", "amax"}, {"min", "amin"},  {"prod", "prod"}};
  const std::string& op = line.op();
  const bool keep = line.flag("keepdim");
  if (op == "argmax" || op == "argmin") {
    const std::string best = op == "argmax" ? "amax" : "amin";
    const std::vector<int> axes = line.axes(1);
    if (make.rank(line.node(0)) > 1 && axes.size() == 1) return make.place(best, line.node(0), axes[0], keep);
    // The first of all elements that is the best one.
    const SizeId size = make.graph().sizes.product(make.graph()[line.node(0)].dims);
    const int x = make.reshape(line.node(0), {size});
    const int found = make.pointwise("where($1 == $2, $3, {" + std::to_string(size) + "})",
                                     {x, make.reduce(best, x, {0}, false), make.counter(size)});
    return make.pointwise("$1", {make.reduce("amin", found, {0}, false)}, "int64");
  }
  if (op == "any" || op == "all") {
    const int made = make.reduce(op == "any" ? "amax" : "amin", line.node(0), line.axes(1), keep);
    return make.pointwise("$1 > 0", {made}, "bool");
  }
  if (op == "mean") return make.mean(line.node(0), line.axes(1), keep);
  if (op == "var" || op == "std" || op == "var_mean" || op == "std_mean") {
    const int made = variance(make, line.node(0), line.axes(1), keep, line.text(9, "correction", "1"));
    return op.starts_with("var") ? made : make.pointwise("sqrt($1)", {made});
  }
  const auto how = known.find(op);
  if (how == known.end()) return -1;
  return make.reduce(how->second, line.node(0), line.axes(1), keep);
}

int halved(const LineReader& line, NodeMaker& make) {
  const int x = line.node(0), axis = static_cast<int>(line.number(1, "dim", make.rank(x) - 1));
  const int at = axis < 0 ? axis + make.rank(x) : axis;
  const std::int64_t half = make.graph().size(x, static_cast<std::size_t>(at)) / 2;
  return make.pointwise("$1 * sigmoid($2)", {make.slice(x, at, 0, half), make.slice(x, at, half, 2 * half)});
}

int rolled(const LineReader& line, NodeMaker& make) {
  const std::vector<std::int64_t> shifts = line.numbers(1, "shifts"), axes = line.numbers(2, "dims");
  int made = line.node(0);
  if (shifts.size() != axes.size()) throw Unknown{"roll without axes"};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = static_cast<int>(axes[i]);
    const std::int64_t size = make.graph().size(made, static_cast<std::size_t>(axis)),
                       shift = ((shifts[i] % size) + size) % size;
    if (shift != 0)
      made = make.join({make.slice(made, axis, size - shift, size), make.slice(made, axis, 0, size - shift)}, axis);
  }
  return made;
}

int without_nan(const LineReader& line, NodeMaker& make) {
  const auto given = [&](std::size_t place, const char* name, const char* otherwise) {
    const std::string text = line.text(place, name, otherwise);
    return text == "None" ? std::string(otherwise) : text;
  };
  return make.pointwise("where($1 != $1, " + given(1, "nan", "0") + ", where($1 == inf, " +
                            given(2, "posinf", "3.4028234e38") + ", where($1 == -inf, " +
                            given(3, "neginf", "-3.4028234e38") + ", $1)))",
                        {line.node(0)});
}

// Functions called by autograd, and others that are a formula.
int backward(const LineReader& line, NodeMaker& make) {
  static const std::map<std::string, std::string> known = {{"tanh_backward", "$1 * (1 - $2 * $2)"},
                                                           {"sigmoid_backward", "$1 * $2 * (1 - $2)"},
                                                           {"threshold_backward", "where($2 > $3, $1, 0)"},
                                                           {"softsign", "$1 / (1 + abs($1))"}};
  const std::string& op = line.op();
  if (op == "softmax_backward_data" || op == "_softmax_backward_data") {
    const int product = make.pointwise("$1 * $2", {line.node(0), line.node(1)});
    const int total = make.reduce("sum", product, line.axes(2), true);
    return make.pointwise("$1 - $2 * $3", {product, line.node(1), total});
  }
  const auto found = known.find(op);
  return found == known.end() ? -1 : make.pointwise(found->second, line.nodes());
}

}  // namespace

int composite(const LineReader& line, NodeMaker& make) {
  using Maker = int (*)(const LineReader&, NodeMaker&);
  static const std::map<std::string, Maker> known = {{"softmax", softmax},
                                                     {"_softmax", softmax},
                                                     {"safe_softmax", softmax},
                                                     {"log_softmax", softmax},
                                                     {"_log_softmax", softmax},
                                                     {"logsumexp", logsumexp},
                                                     {"norm", norm},
                                                     {"vector_norm", norm},
                                                     {"layer_norm", layer_norm},
                                                     {"group_norm", group_norm},
                                                     {"batch_norm", batch_norm},
                                                     {"nan_to_num", without_nan},
                                                     {"glu", halved},
                                                     {"roll", rolled},
                                                     {"weight_norm_interface", with_lengths}};
  if (const auto found = known.find(line.op()); found != known.end()) return found->second(line, make);
  for (const Maker maker : {&reduced, &multiplied, &windowed, &indexed, &resized, &sampled, &lost, &backward})
    if (const int made = maker(line, make); made >= 0) return made;
  return -1;
}

}  // namespace kg::dataset::translation
