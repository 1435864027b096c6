#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dataset/translation/graph.h"
#include "dataset/translation/view_sizes.h"

namespace kg::dataset::translation {

// Adds nodes to a graph, with the resulting shapes. Axes count from the front. Throws Unknown.
class NodeMaker {
 public:
  explicit NodeMaker(Graph& graph) : graph_(graph), views_(graph.sizes) {}

  int number(const std::string& text);
  int pointwise(const std::string& form, const std::vector<int>& of, const std::string& type = "");
  int pointwise(const TracedLine& line, const std::vector<int>& of);
  int permute(int of, const std::vector<int>& axes);
  int slice(int of, int axis, std::int64_t from, std::int64_t to, std::int64_t step = 1);
  int select(int of, int axis, std::int64_t place);
  int reshape(int of, const std::vector<SizeId>& dims);
  int reshape_to(int of, const Shape& shape);  // keeps sizes of `of` where they are equal
  int unsqueeze(int of, int axis);
  int squeeze(int of, int axis);
  int expand(int of, const std::vector<SizeId>& dims);
  int flip(int of, int axis);
  int reduce(const std::string& how, int of, std::vector<int> axes, bool keep);
  // Over leading axes whose elements are many and the results few: in parts, which all cores share. -1: it is not so.
  int reduce_in_parts(const std::string& how, int of, const std::vector<int>& axes);
  int mean(int of, const std::vector<int>& axes, bool keep);
  int between(int low, int high, int part) { return pointwise("$1 + ($2 - $1) * $3", {low, high, part}); }
  int place(const std::string& how, int of, int axis, bool keep);
  int scan(const std::string& how, int of, int axis);
  int pick(int of, int places, int axis);
  int gather(int of, int places, int axis);
  int windows(int of, std::vector<WindowAxis> axes, const std::vector<std::int64_t>& out, const std::string& outside);
  int spread(int of, const std::vector<std::int64_t>& steps);
  int product(int a, int b);
  int taps(int weights, int rows, const std::vector<WindowAxis>& axes, const std::vector<SizeId>& out);
  SizeId windowed_size(SizeId in, const WindowAxis& axis, std::int64_t out);
  int join(std::vector<int> of, int axis);
  int counter(SizeId size);
  int diagonal(int of);  // matrices with the last axis of `of` on their diagonals, else 0

  int transposed(int of);  // swaps its last two axes
  bool is_transposed(int node) const;
  int rank(int node) const { return static_cast<int>(graph_[node].dims.size()); }
  std::vector<int> all_axes(int node) const;
  std::string count(int node, const std::vector<int>& axes) const;  // {N} of sizes: the number of elements
  Graph& graph() { return graph_; }

 private:
  int add(Node node);
  int turned_behind(const std::vector<int>& of, const std::function<int(const std::vector<int>&)>& made_of);
  std::vector<SizeId> broadcast(const std::vector<int>& of);
  SizeId joined_size(const std::vector<int>& of, std::size_t axis);
  Graph& graph_;
  ViewSizes views_;
  std::map<std::pair<int, std::vector<int>>, int> joins_;  // by axis and parts
};

}  // namespace kg::dataset::translation
