#include "dataset/translation/products.h"

namespace kg::dataset::translation {

void write_taps(Writer& in, const Node& node, const std::string& weights, const std::string& rows,
                const std::string& target) {
  const std::size_t count = node.window.size(), group = count;  // its axis in the result
  const std::vector<SizeId>& filter = in.graph[node.of[0]].dims;
  Block& root = *in.top;
  std::vector<Block*> blocks = {&root};
  std::string loops, cuts, place;
  std::vector<std::string> at;
  for (std::size_t i = 0; i <= group; ++i) {
    const bool single = in.graph.sizes.number(node.dims[i]) == 1;
    at.push_back(single ? "0" : "i" + std::to_string(i));
    place += at.back() + ", ";
    if (!single) loops += at.back() + ", ", cuts += in.text(node.dims[i]) + ", ";
  }
  const std::string m = in.fresh("m"), n = in.fresh("n"), k = in.fresh("k"), c = in.fresh("c"), p = in.fresh("a"),
                    q = in.fresh("b");
  blocks.push_back(&root.open("for " + loops + m + ", " + n + " in cores(" + cuts + "tiles(" +
                                  in.text(node.dims[group + 1]) + "), tiles(" + in.text(node.dims[group + 2]) + ")):",
                              {}));
  blocks.back()->write("l0c " + c + ": float[" + m + ", " + n + "] = 0");
  std::string filter_at, rows_at = at[0] + ", ", shift = "0", part = "0";
  for (std::size_t i = 0; i < count; ++i) {
    const WindowAxis& axis = node.window[i];
    std::string tap = "0";
    if (axis.width > 1) {
      tap = in.fresh("j");
      blocks.push_back(&blocks.back()->open("for " + tap + " in range(" + in.text(filter[i]) + "):", {}));
    }
    filter_at += tap + ", ";
    const std::string by = times(tap, std::to_string(axis.apart));
    if (i + 1 < count) {
      rows_at += plus(times(at[1 + i], std::to_string(axis.step)), by) + ", ";
    } else {
      part = axis.step == 1 || tap == "0" ? "0" : in_brackets(by) + " % " + std::to_string(axis.step);
      shift = axis.step == 1 || tap == "0" ? by : in_brackets(by) + " // " + std::to_string(axis.step);
    }
  }
  blocks.push_back(&blocks.back()->open("for " + k + " in tiles(" + in.text(filter.back()) + "):", {}));
  blocks.back()->write("l1 " + p + " = load " + weights + "[" + filter_at + at[group] + ", " + m + ", " + k + "]");
  blocks.back()->write("l1 " + q + " = load " + rows + "[" + rows_at + part + ", " + at[group] + ", " + k + ", " +
                       plus(n, shift) + "]");
  blocks.back()->write(c + " += gemm(" + p + ", " + q + ")");
  while (blocks.size() > 2) {
    blocks[blocks.size() - 2]->close(*blocks.back());
    blocks.pop_back();
  }
  blocks.back()->write("store " + target + "[" + place + m + ", " + n + "] = " + c);
  root.close(*blocks.back());
}

void write_product(Writer& in, const Node& node, const MatrixOperand& left, const MatrixOperand& right,
                   const std::string& target) {
  const std::size_t batch = node.dims.size() - 2;
  Block& root = *in.top;
  const auto place_of_matrix = [&](const MatrixOperand& operand) {
    const std::vector<SizeId>& dims = operand.storage.dims;
    const std::size_t own = dims.size() - 2;
    std::string at;
    for (std::size_t i = 0; i < own; ++i)
      at += (in.graph.sizes.number(dims[i]) == 1 ? "0" : "i" + std::to_string(batch - own + i)) + ", ";
    return operand.storage.name + "[" + at;
  };
  std::string loops, cuts, place;
  for (std::size_t i = 0; i < batch; ++i) {
    const std::string name = "i" + std::to_string(i);
    loops += name + ", ", cuts += in.text(node.dims[i]) + ", ", place += name + ", ";
  }
  const std::string m = in.fresh("m"), n = in.fresh("n"), k = in.fresh("k"), c = in.fresh("c"), p = in.fresh("a"),
                    q = in.fresh("b");
  const auto extent = [&](std::size_t axis) { return "tiles(" + in.text(node.dims[axis]) + ")"; };
  Block& block = root.open(
      "for " + loops + m + ", " + n + " in cores(" + cuts + extent(batch) + ", " + extent(batch + 1) + "):", {});
  block.write("l0c " + c + ": float[" + m + ", " + n + "] = 0");
  Block& inner = block.open("for " + k + " in tiles(" + in.text(in.graph[node.of[0]].dims.back()) + "):", {});
  inner.write("l1 " + p + " = load " + place_of_matrix(left) + (left.turned ? k + ", " + m : m + ", " + k) + "]");
  inner.write("l1 " + q + " = load " + place_of_matrix(right) + (right.turned ? n + ", " + k : k + ", " + n) + "]");
  inner.write(c + " += gemm(" + (left.turned ? "transpose(" + p + ")" : p) + ", " +
              (right.turned ? "transpose(" + q + ")" : q) + ")");
  block.close(inner);
  block.write("store " + target + "[" + place + m + ", " + n + "] = " + c);
  root.close(block);
}

}  // namespace kg::dataset::translation
