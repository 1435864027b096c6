#include "dataset/translation/spread.h"

// A tensor whose elements lie apart, with zeros between them: what a transposed convolution's windows run over.
namespace kg::dataset::translation {
namespace {

// A row of this many elements and more is not spread as one: what is computed with it has to fit UB.
constexpr std::int64_t kLongSpread = 4096;

}  // namespace

bool is_spread_in_pieces(const Graph& graph, const Node& node) {
  return node.kind == Node::Kind::kSpread && node.window.back().step > 1 &&
         graph.sizes.number(node.dims.back()) >= kLongSpread;
}

std::string spread_shape(const Graph& graph, const Node& node) {
  std::string shape;
  for (std::size_t i = 0; i + 1 < node.dims.size(); ++i) shape += graph.sizes.text(node.dims[i]) + ", ";
  return shape + graph.sizes.text(graph[node.of[0]].dims.back()) + ", " + std::to_string(node.window.back().step);
}

void write_spread(Writer& in, const Node& node, const Storage& source, const std::string& target, bool in_pieces) {
  Block& root = *in.top;
  const std::size_t rank = node.dims.size(), lead = rank - node.window.size();
  const std::int64_t step = node.window.back().step;
  const std::string piece = in_pieces ? in.fresh("t") : "", extent = in.text(source.dims.back());
  const std::string width = in_pieces ? "len(" + piece + ") * " + std::to_string(step) : in.text(node.dims.back());
  const std::string at = in.fresh("p"), inside = in.fresh("k"), places = in.fresh("k");
  const auto write_places = [&](Block& block) {
    block.write(at + " = float(arange(" + width + "))");
    block.write(inside + " = floor((" + at + " + 0.5) / " + std::to_string(step) + ")");
    block.write(places + " = int32(" + inside + ")");
  };
  if (step > 1 && !in_pieces) write_places(root);
  std::string names, cuts, store_at, load_at, guard;
  for (std::size_t i = 0; i + 1 < rank; ++i) {
    const std::string name = "i" + std::to_string(i);
    names += (names.empty() ? "" : ", ") + name;
    cuts += (cuts.empty() ? "" : ", ") + in.text(node.dims[i]);
    store_at += name + ", ";
    const std::int64_t by = i < lead ? 1 : node.window[i - lead].step;
    load_at += by == 1 ? name + ", " : name + " // " + std::to_string(by) + ", ";
    if (by > 1) guard += (guard.empty() ? "" : " and ") + name + " % " + std::to_string(by) + " == 0";
  }
  if (in_pieces) names += ", " + piece, cuts += ", tiles(" + extent + ")";
  Block& block = root.open("for " + names + " in cores(" + cuts + "):", {});
  if (in_pieces) write_places(block);
  const std::string row = in.fresh("v"), x = in.fresh("v");
  block.write(row + " = zeros(" + width + ")");
  std::string space;
  if (!guard.empty()) block.write("if " + guard + ":"), space = "  ";
  block.write(space + x + " = load " + source.name + "[" + load_at + (in_pieces ? piece : ":") + "]");
  block.write(space + row + " = " +
              (step == 1 ? x
                         : "where(" + inside + " * " + std::to_string(step) + " == " + at + ", gather(" + x + ", " +
                               places + "), 0)"));
  block.write("store " + target + "[" + store_at + (in_pieces ? piece + ", " : "") + ":] = " + row);
  root.close(block);
}

}  // namespace kg::dataset::translation
