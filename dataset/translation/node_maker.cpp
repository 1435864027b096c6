#include "dataset/translation/node_maker.h"

#include <algorithm>
#include <numeric>

#include "dataset/translation/operator_forms.h"

namespace kg::dataset::translation {
namespace {

// A mask that an operator makes of arguments of these kinds.
bool is_mask(const TracedLine& line, const std::vector<Kind>& kinds) {
  const auto form = operator_form(line, kinds);
  return form && form->kind == Kind::kMask;
}

}  // namespace

int NodeMaker::add(Node node) {
  if (node.type.empty()) {
    node.type = "float";
    for (const int one : node.of)
      if (graph_[one].type == "half" || graph_[one].type == "bfloat16") node.type = graph_[one].type;
    for (const int one : node.of)
      if (graph_[one].type == "float" && !graph_[one].dims.empty()) node.type = "float";
    if (node.of.size() == 1) node.type = graph_[node.of[0]].type;
  }
  graph_.nodes.push_back(std::move(node));
  return static_cast<int>(graph_.nodes.size()) - 1;
}

int NodeMaker::number(const std::string& text) {
  return add({.kind = Node::Kind::kNumber, .type = "float", .text = text});
}

int NodeMaker::counter(SizeId size) { return add({.kind = Node::Kind::kCounter, .dims = {size}, .type = "float"}); }

std::vector<SizeId> NodeMaker::broadcast(const std::vector<int>& of) {
  std::vector<SizeId> dims;
  for (const int one : of)
    if (graph_[one].dims.size() > dims.size()) dims = graph_[one].dims;
  for (const int one : of) {
    const auto& own = graph_[one].dims;
    const std::size_t front = dims.size() - own.size();
    for (std::size_t i = 0; i < own.size(); ++i) {
      SizeId& all = dims[front + i];
      if (graph_.sizes.number(all) == 1) {
        all = own[i];
      } else if (graph_.sizes.number(own[i]) != 1) {
        want(graph_.sizes.number(own[i]) == graph_.sizes.number(all), "operands of other shapes");
        graph_.sizes.join(all, own[i]);
      }
    }
  }
  return dims;
}

// Operands that are transposed alike, next to numbers, are transposed afterwards: nothing has to be read across its
// rows. -1: they are not.
int NodeMaker::turned_behind(const std::vector<int>& of, const std::function<int(const std::vector<int>&)>& made_of) {
  std::vector<int> inner = of;
  std::vector<int> axes;
  for (int& one : inner) {
    if (graph_.count(graph_[one].dims) == 1 && graph_[one].dims.size() <= 1) continue;
    if (graph_[one].kind != Node::Kind::kPermute || (!axes.empty() && axes != graph_[one].axes)) return -1;
    axes = graph_[one].axes;
    one = graph_[one].of[0];
  }
  return axes.empty() ? -1 : permute(made_of(inner), axes);
}

int NodeMaker::pointwise(const std::string& form, const std::vector<int>& of, const std::string& type) {
  if (const int made = turned_behind(of, [&](const std::vector<int>& inner) { return pointwise(form, inner, type); });
      made >= 0)
    return made;
  Node node{.kind = Node::Kind::kPointwise, .of = of, .dims = broadcast(of), .type = type, .text = form};
  return add(std::move(node));
}

int NodeMaker::pointwise(const TracedLine& line, const std::vector<int>& of) {
  if (const int made = turned_behind(of, [&](const std::vector<int>& inner) { return pointwise(line, inner); });
      made >= 0)
    return made;
  std::vector<Kind> kinds;
  for (const int one : of)
    kinds.push_back(graph_[one].type == "bool"                ? Kind::kMask
                    : graph_[one].kind == Node::Kind::kNumber ? Kind::kNumber
                                                              : Kind::kTile);
  Node node{.kind = Node::Kind::kPointwise,
            .of = of,
            .dims = broadcast(of),
            .type = is_mask(line, kinds) ? "bool" : "",
            .line = line};
  if (line.op == "where" && of.size() == 3) node.type = graph_[of[graph_[of[1]].dims.empty() ? 2 : 1]].type;
  return add(std::move(node));
}

int NodeMaker::permute(int of, const std::vector<int>& axes) {
  if (graph_[of].kind == Node::Kind::kPermute && axes.size() == graph_[of].axes.size()) {
    std::vector<int> both;
    for (const int axis : axes) both.push_back(graph_[of].axes.at(static_cast<std::size_t>(axis)));
    return permute(graph_[of].of[0], both);
  }
  std::vector<int> long_ones;
  for (const int axis : axes)
    if (graph_.size(of, static_cast<std::size_t>(axis)) != 1) long_ones.push_back(axis);
  if (std::is_sorted(long_ones.begin(), long_ones.end())) {  // the elements keep their order
    std::vector<SizeId> dims;
    for (const int axis : axes) dims.push_back(graph_[of].dims[static_cast<std::size_t>(axis)]);
    return reshape(of, dims);
  }
  want(axes.size() == graph_[of].dims.size(), "a permutation of other axes");
  Node node{.kind = Node::Kind::kPermute, .of = {of}, .axes = axes};
  const int rank = static_cast<int>(axes.size());
  std::vector<int> turned = axes;
  std::swap(turned[axes.size() - 1], turned[axes.size() - 2]);
  if (turned.back() == rank - 1 && !std::is_sorted(turned.begin(), turned.end())) {  // first the axes before the rows
    node.of = {permute(of, turned)};
    std::iota(node.axes.begin(), node.axes.end(), 0);
    std::swap(node.axes[axes.size() - 1], node.axes[axes.size() - 2]);
    for (const int axis : node.axes) node.dims.push_back(graph_[node.of[0]].dims[static_cast<std::size_t>(axis)]);
    return add(std::move(node));
  }
  for (const int axis : axes) node.dims.push_back(graph_[of].dims.at(static_cast<std::size_t>(axis)));
  return add(std::move(node));
}

bool NodeMaker::is_transposed(int node) const {
  std::vector<int> axes = graph_[node].axes;
  if (graph_[node].kind != Node::Kind::kPermute || axes.size() < 2) return false;
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return std::is_sorted(axes.begin(), axes.end());
}

int NodeMaker::transposed(int of) {
  if (is_transposed(of)) return graph_[of].of[0];
  std::vector<int> axes = all_axes(of);
  want(axes.size() >= 2, "a transposed vector");
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return permute(of, axes);
}

int NodeMaker::slice(int of, int axis, std::int64_t from, std::int64_t to, std::int64_t step) {
  const std::int64_t whole = graph_.size(of, static_cast<std::size_t>(axis));
  to = std::min(to, whole);
  const std::int64_t count = (to - from + step - 1) / step;
  want(from >= 0 && step > 0 && count > 0, "an empty slice");
  if (from == 0 && step == 1 && count == whole) return of;
  Node node{.kind = Node::Kind::kSlice, .of = {of}, .dims = graph_[of].dims, .axis = axis, .from = from, .step = step};
  SizeId& size = node.dims[static_cast<std::size_t>(axis)];
  const std::string all = "{" + std::to_string(size) + "}";
  constexpr std::int64_t kShift = 64;  // a number of places rather than a share of the size
  if (to == whole && step == 1 && from <= kShift)
    size = graph_.sizes.derived(count, all + " - " + std::to_string(from));
  else if (step == 1 && from == 0 && whole - to <= kShift)
    size = graph_.sizes.derived(count, all + " - " + std::to_string(whole - to));
  else if (step == 1 && whole % count == 0 && count > kShift) {
    size = graph_.sizes.derived(count, all + " // " + std::to_string(whole / count));
    const std::string part = "{" + std::to_string(size) + "}";
    if (from > 0 && from % count == 0) node.first = from == count ? part : part + " * " + std::to_string(from / count);
  } else if (from == 0 && to == whole)
    size = graph_.sizes.derived(count, "(" + all + " + " + std::to_string(step - 1) + ") // " + std::to_string(step));
  else
    size = graph_.sizes.literal(count);
  return add(std::move(node));
}

int NodeMaker::select(int of, int axis, std::int64_t place) {
  Node node{.kind = Node::Kind::kSelect, .of = {of}, .dims = graph_[of].dims, .axis = axis, .from = place};
  if (place < 0) node.from += graph_.size(of, static_cast<std::size_t>(axis));
  // Of tensors stacked on each other, one of them.
  const Node& stack = graph_[of];
  const auto is_single = [&](int part) { return graph_.size(part, static_cast<std::size_t>(axis)) == 1; };
  if (stack.kind == Node::Kind::kJoin && stack.axis == axis && std::all_of(stack.of.begin(), stack.of.end(), is_single))
    return squeeze(stack.of[static_cast<std::size_t>(node.from)], axis);
  node.dims.erase(node.dims.begin() + axis);
  return add(std::move(node));
}

int NodeMaker::reshape(int of, const std::vector<SizeId>& dims) {
  if (dims == graph_[of].dims) return of;
  want(graph_.count(dims) == graph_.count(graph_[of].dims), "a view of other elements");
  if (graph_[of].kind == Node::Kind::kReshape) return reshape(graph_[of].of[0], dims);
  const std::vector<SizeId> own = graph_[of].dims;
  if (graph_[of].kind == Node::Kind::kPermute && is_transposed(of) && dims.size() >= 2 && dims.back() == own.back() &&
      dims[dims.size() - 2] == own[own.size() - 2]) {
    std::vector<SizeId> inner = dims;  // only leading axes are viewed differently
    std::swap(inner[inner.size() - 1], inner[inner.size() - 2]);
    return transposed(reshape(graph_[of].of[0], inner));
  }
  return add({.kind = Node::Kind::kReshape, .of = {of}, .dims = dims});
}

int NodeMaker::reshape_to(int of, const Shape& shape) { return reshape(of, views_.sizes_of(graph_[of].dims, shape)); }

int NodeMaker::unsqueeze(int of, int axis) {
  std::vector<SizeId> dims = graph_[of].dims;
  dims.insert(dims.begin() + axis, graph_.sizes.literal(1));
  return reshape(of, dims);
}

int NodeMaker::squeeze(int of, int axis) {
  std::vector<SizeId> dims = graph_[of].dims;
  if (graph_.sizes.number(dims.at(static_cast<std::size_t>(axis))) != 1) return of;
  dims.erase(dims.begin() + axis);
  return reshape(of, dims);
}

int NodeMaker::expand(int of, const std::vector<SizeId>& dims) {
  if (dims == graph_[of].dims) return of;
  return add({.kind = Node::Kind::kExpand, .of = {of}, .dims = dims});
}

int NodeMaker::flip(int of, int axis) {
  return add({.kind = Node::Kind::kFlip, .of = {of}, .dims = graph_[of].dims, .axis = axis});
}

int NodeMaker::reduce_in_parts(const std::string& how, int of, const std::vector<int>& axes) {
  constexpr std::int64_t kMany = 8192, kFew = 2048;
  const std::vector<SizeId> dims = graph_[of].dims;
  const std::size_t count = axes.size();
  if (count == 0 || count == dims.size() || axes.back() != static_cast<int>(count) - 1) return -1;
  const auto at = [&](std::size_t axis) { return dims.begin() + static_cast<std::ptrdiff_t>(axis); };
  const std::int64_t results = graph_.count({at(count), dims.end()});
  if (results < 2 || results > kFew || graph_.count({dims.begin(), at(count)}) < kMany) return -1;
  for (const std::int64_t parts : {48, 40, 50, 64, 32, 36, 30, 25, 24, 20, 16}) {
    if (graph_.sizes.number(dims[0]) % parts != 0) continue;
    std::vector<SizeId> split = {graph_.sizes.literal(parts)};
    split.push_back(graph_.sizes.derived(graph_.sizes.number(dims[0]) / parts,
                                         "{" + std::to_string(dims[0]) + "} // " + std::to_string(parts)));
    split.insert(split.end(), at(1), dims.end());
    std::vector<int> inner = axes;
    for (int& axis : inner) ++axis;
    const int made = reduce(how, reshape(of, split), inner, false);
    graph_.nodes[static_cast<std::size_t>(made)].in_memory = true;
    return reduce(how, made, {0}, false);
  }
  return -1;
}

int NodeMaker::reduce(const std::string& how, int of, std::vector<int> axes, bool keep) {
  std::sort(axes.begin(), axes.end());
  Node node{.kind = Node::Kind::kReduce, .of = {of}, .op = how, .axes = axes};
  std::vector<SizeId> kept;
  for (int i = 0; i < rank(of); ++i) {
    const SizeId size = graph_[of].dims[static_cast<std::size_t>(i)];
    const bool gone = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!gone) node.dims.push_back(size);
    kept.push_back(gone ? graph_.sizes.literal(1) : size);
  }
  if (graph_[of].type == "bool") node.type = "float";
  const int parts = reduce_in_parts(how, of, axes), made = parts >= 0 ? parts : add(std::move(node));
  return keep ? reshape(made, kept) : made;
}

std::string NodeMaker::count(int node, const std::vector<int>& axes) const {
  std::string form;
  for (const int axis : axes) {
    const SizeId size = graph_[node].dims.at(static_cast<std::size_t>(axis));
    if (graph_.sizes.number(size) != 1) form += (form.empty() ? "{" : " * {") + std::to_string(size) + "}";
  }
  if (form.empty()) return "1";
  return form.find(' ') == std::string::npos ? form : "(" + form + ")";
}

int NodeMaker::mean(int of, const std::vector<int>& axes, bool keep) {
  return pointwise("$1 / " + count(of, axes), {reduce("sum", of, axes, keep)});
}

int NodeMaker::place(const std::string& how, int of, int axis, bool keep) {
  Node node{.kind = Node::Kind::kPlace,
            .of = {of},
            .dims = graph_[of].dims,
            .type = "int64",
            .op = how,
            .axes = {axis},
            .axis = axis};
  node.dims.erase(node.dims.begin() + axis);
  const int made = add(std::move(node));
  return keep ? unsqueeze(made, axis) : made;
}

int NodeMaker::scan(const std::string& how, int of, int axis) {
  return add({.kind = Node::Kind::kScan, .of = {of}, .dims = graph_[of].dims, .op = how, .axis = axis});
}

int NodeMaker::pick(int of, int places, int axis) {
  Node node{
      .kind = Node::Kind::kPick, .of = {of, places}, .dims = graph_[of].dims, .type = graph_[of].type, .axis = axis};
  node.dims.erase(node.dims.begin() + axis);
  node.dims.insert(node.dims.begin() + axis, graph_[places].dims.begin(), graph_[places].dims.end());
  return add(std::move(node));
}

int NodeMaker::gather(int of, int places, int axis) {
  want(rank(of) == rank(places), "a gather of another rank");
  for (int i = 0; i < rank(of); ++i)
    if (i != axis && graph_.size(of, static_cast<std::size_t>(i)) == graph_.size(places, static_cast<std::size_t>(i)))
      graph_.sizes.join(graph_[of].dims[static_cast<std::size_t>(i)], graph_[places].dims[static_cast<std::size_t>(i)]);
  return add({.kind = Node::Kind::kGather,
              .of = {of, places},
              .dims = graph_[places].dims,
              .type = graph_[of].type,
              .axis = axis});
}

int NodeMaker::windows(int of, std::vector<WindowAxis> axes, const std::vector<std::int64_t>& out,
                       const std::string& outside) {
  constexpr std::int64_t kMostOutside = 8;  // elements, that a load fills in
  if (axes.back().padding > kMostOutside) {
    std::vector<SizeId> edge = graph_[of].dims;
    edge.back() = graph_.sizes.literal(axes.back().padding);
    const int pad = expand(number(outside), edge);
    of = join({pad, of, pad}, rank(of) - 1);
    axes.back().padding = 0;
  }
  Node node{.kind = Node::Kind::kWindow, .of = {of}, .text = outside, .window = axes};
  const std::size_t lead = graph_[of].dims.size() - axes.size();
  node.dims.assign(graph_[of].dims.begin(), graph_[of].dims.begin() + static_cast<std::ptrdiff_t>(lead));
  for (const WindowAxis& axis : axes) node.dims.push_back(graph_.sizes.literal(axis.width));
  for (std::size_t i = 0; i < axes.size(); ++i)
    node.dims.push_back(windowed_size(graph_[of].dims[lead + i], axes[i], out.at(i)));
  const bool same = std::all_of(axes.begin(), axes.end(), [](const WindowAxis& axis) {
    return axis.width == 1 && axis.step == 1 && axis.padding == 0;
  });
  return same && graph_.count(node.dims) == graph_.count(graph_[of].dims) ? reshape(of, node.dims)
                                                                          : add(std::move(node));
}

// The number of windows along an axis.
SizeId NodeMaker::windowed_size(SizeId in, const WindowAxis& axis, std::int64_t out) {
  const std::int64_t size = graph_.sizes.number(in);
  const std::string name = "{" + std::to_string(in) + "}";
  const std::int64_t least = 2 * axis.padding - axis.apart * (axis.width - 1) - 1 + axis.step;
  for (const bool up : {axis.up, !axis.up}) {
    const std::int64_t more = up ? least + axis.step - 1 : least;
    if ((size + more) / axis.step != out) continue;
    if (more == 0 && axis.step == 1) return in;
    std::string form = more == 0 ? name : name + (more < 0 ? " - " : " + ") + std::to_string(more < 0 ? -more : more);
    if (axis.step > 1) form = (more != 0 ? "(" + form + ")" : form) + " // " + std::to_string(axis.step);
    return graph_.sizes.derived(out, form);
  }
  if (axis.step == 1 && out == size) return in;
  if (axis.step == 1 && out > size) return graph_.sizes.derived(out, name + " + " + std::to_string(out - size));
  return graph_.sizes.literal(out);
}

int NodeMaker::taps(int weights, int rows, const std::vector<WindowAxis>& axes, const std::vector<SizeId>& out) {
  Node node{.kind = Node::Kind::kTaps, .of = {weights, rows}, .window = axes};
  const std::vector<SizeId>&filter = graph_[weights].dims, &source = graph_[rows].dims;
  want(graph_[weights].type == graph_[rows].type, "a convolution of two types");
  node.dims = {source[0]};
  node.dims.insert(node.dims.end(), out.begin(), out.end() - 1);
  node.dims.push_back(filter[filter.size() - 3]);
  node.dims.push_back(filter[filter.size() - 2]);
  node.dims.push_back(out.back());
  return add(std::move(node));
}

int NodeMaker::spread(int of, const std::vector<std::int64_t>& steps) {
  Node node{.kind = Node::Kind::kSpread, .of = {of}, .dims = graph_[of].dims};
  const std::size_t lead = node.dims.size() - steps.size();
  bool same = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    node.window.push_back({.width = 1, .step = steps[i]});
    SizeId& size = node.dims[lead + i];
    if (steps[i] == 1) continue;
    same = false;
    const std::string form = steps[i] == 1 ? ""
                                           : std::to_string(steps[i]) + " * {" + std::to_string(size) + "} - " +
                                                 std::to_string(steps[i] - 1);
    size = graph_.sizes.derived((graph_.sizes.number(size) - 1) * steps[i] + 1, form);
  }
  return same ? of : add(std::move(node));
}

int NodeMaker::diagonal(int of) {
  const int column = counter(graph_[of].dims.back()), row = unsqueeze(column, 1);
  const int here = pointwise("$1 == $2", {row, column}, "bool");
  const int made = pointwise("where($1, $2, 0)", {here, unsqueeze(of, rank(of) - 1)}, graph_[of].type);
  graph_.nodes[static_cast<std::size_t>(made)].diagonal = of;
  return made;
}

int NodeMaker::product(int a, int b) {
  if (rank(a) == 3 && rank(b) == 3 && graph_.size(a, 0) == 1 && graph_.size(b, 0) == 1)
    return unsqueeze(product(squeeze(a, 0), squeeze(b, 0)), 0);
  const std::vector<SizeId> left = graph_[a].dims, right = graph_[b].dims;
  want(left.size() >= 2 && right.size() >= 2, "a product of vectors");
  const SizeId inner = left.back(), other = right[right.size() - 2];
  want(graph_.sizes.number(inner) == graph_.sizes.number(other), "matrices that do not fit");
  graph_.sizes.join(inner, other);
  if (const int rows = graph_[a].diagonal; rows >= 0) return pointwise("$1 * $2", {unsqueeze(rows, rank(rows)), b});
  if (const int columns = graph_[b].diagonal; columns >= 0)
    return pointwise("$1 * $2", {a, unsqueeze(columns, rank(columns) - 1)});
  Node node{.kind = Node::Kind::kProduct, .of = {a, b}};
  const std::vector<SizeId>& longer = left.size() >= right.size() ? left : right;
  const std::vector<SizeId>& shorter = left.size() >= right.size() ? right : left;
  node.dims.assign(longer.begin(), longer.end() - 2);
  for (std::size_t i = 0; i + 2 < shorter.size(); ++i) {
    SizeId& all = node.dims[longer.size() - shorter.size() + i];
    if (graph_.sizes.number(all) == 1)
      all = shorter[i];
    else if (graph_.sizes.number(shorter[i]) != 1)
      graph_.sizes.join(all, shorter[i]);
  }
  node.dims.push_back(left[left.size() - 2]);
  node.dims.push_back(right.back());
  want(graph_[a].type == graph_[b].type, "a product of two types");
  return add(std::move(node));
}

int NodeMaker::join(std::vector<int> of, int axis) {
  const std::size_t at = static_cast<std::size_t>(axis);
  const auto is_empty = [&](int one) { return graph_.count(graph_[one].dims) == 0; };
  if (!std::all_of(of.begin(), of.end(), is_empty)) std::erase_if(of, is_empty);
  if (of.size() == 1) return of[0];
  Node node{
      .kind = Node::Kind::kJoin, .of = of, .dims = graph_[of.at(0)].dims, .type = graph_[of[0]].type, .axis = axis};
  for (const int one : of)
    for (std::size_t i = 0; i < node.dims.size(); ++i)
      if (i != at) graph_.sizes.join(node.dims[i], graph_[one].dims[i]);
  node.dims[at] = joined_size(of, at);
  // What begins with the parts of an earlier one begins with that one, as in a network that keeps all it has made.
  for (std::vector<int> first(of.begin(), of.end() - 1); first.size() > 1; first.pop_back())
    if (const auto earlier = joins_.find({axis, first}); earlier != joins_.end()) {
      node.of.assign(of.begin() + static_cast<std::ptrdiff_t>(first.size()), of.end());
      node.of.insert(node.of.begin(), earlier->second);
      break;
    }
  const int made = add(std::move(node));
  joins_.try_emplace({axis, std::move(of)}, made);
  return made;
}

SizeId NodeMaker::joined_size(const std::vector<int>& of, std::size_t axis) {
  std::int64_t count = 0, in_numbers = 0;
  std::vector<std::pair<SizeId, int>> terms;  // each size and how often
  for (const int one : of) {
    const SizeId size = graph_.sizes.same_as(graph_[one].dims.at(axis));
    count += graph_.sizes.number(size);
    const auto known = std::find_if(terms.begin(), terms.end(), [&](const auto& term) { return term.first == size; });
    if (graph_.sizes.is_literal(size))
      in_numbers += graph_.sizes.number(size);
    else if (known != terms.end())
      ++known->second;
    else
      terms.emplace_back(size, 1);
  }
  std::string form = in_numbers > 0 ? std::to_string(in_numbers) : "";
  for (const auto& [size, times] : terms)
    form +=
        (form.empty() ? "" : " + ") + (times > 1 ? std::to_string(times) + " * {" : "{") + std::to_string(size) + "}";
  return terms.empty() ? graph_.sizes.literal(count) : graph_.sizes.derived(count, form);
}

std::vector<int> NodeMaker::all_axes(int node) const {
  std::vector<int> axes(graph_[node].dims.size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace kg::dataset::translation
