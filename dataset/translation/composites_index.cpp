#include "dataset/translation/composites.h"

namespace kg::dataset::translation {
namespace {

// An operator that writes to places along an axis; each element is computed by looking at all places: `total` is
// the sum of the values written there, and `count` their number.
struct Written {
  int total, count;
};

// `places` and `source` have axes of x; along `axis` as many elements as there are places.
Written written(NodeMaker& make, int x, int places, int source, int axis) {
  std::vector<SizeId> single(make.graph()[x].dims.size() + 1, make.graph().sizes.literal(1));
  const SizeId size = make.graph()[x].dims[static_cast<std::size_t>(axis)];
  single[static_cast<std::size_t>(axis)] = size;
  const int own = make.reshape(make.counter(size), single);
  const int here = make.pointwise("$1 == $2", {make.unsqueeze(places, axis), own}, "bool");
  const int value = make.rank(source) == 0 ? source : make.unsqueeze(source, axis);
  const int one = make.pointwise("where($1, 1, 0)", {here}, "float");
  return {make.reduce("sum", make.pointwise("where($1, $2, 0)", {here, value}, "float"), {axis + 1}, false),
          make.reduce("sum", one, {axis + 1}, false)};
}

// Places along one axis for all elements of the others.
int spread_along(NodeMaker& make, int places, int like, int axis) {
  if (make.rank(places) != 1) throw Unknown{"places with several axes"};
  std::vector<SizeId> dims(make.graph()[like].dims.size(), make.graph().sizes.literal(1));
  dims[static_cast<std::size_t>(axis)] = make.graph()[places].dims[0];
  return make.reshape(places, dims);
}

// By linear interpolation between neighbours, an axis after the other.
int interpolated(const LineReader& line, NodeMaker& make) {
  const Shape shape = line.shape();
  const bool corners = line.text(2, "align_corners", "") == "align_corners" || line.flag("align_corners");
  int made = line.node(0);
  Sizes& sizes = make.graph().sizes;
  for (std::size_t i = 2; i < shape.size(); ++i) {
    const SizeId size = make.graph()[made].dims[i];
    const std::int64_t in = sizes.number(size), out = shape[i];
    if (in == out) continue;
    const int axis = static_cast<int>(i);
    if (in == 1) {
      std::vector<SizeId> dims = make.graph()[made].dims;
      dims[i] = sizes.literal(out);
      made = make.expand(made, dims);
      continue;
    }
    const SizeId wide = out % in == 0
                            ? sizes.derived(out, std::to_string(out / in) + " * {" + std::to_string(size) + "}")
                            : sizes.literal(out);
    const std::string last = "{" + std::to_string(size) + "} - 1",
                      scale = corners ? "(" + last + ") / ({" + std::to_string(wide) + "} - 1)"
                                      : "{" + std::to_string(size) + "} / {" + std::to_string(wide) + "}";
    const int place = make.counter(wide);
    const int at = corners ? make.pointwise("$1 * (" + scale + ")", {place})
                           : make.pointwise("max(($1 + 0.5) * (" + scale + ") - 0.5, 0)", {place});
    const int low = make.pointwise("floor($1)", {at}), high = make.pointwise("min($1 + 1, " + last + ")", {low});
    int part = make.pointwise("$1 - $2", {at, low});
    for (std::size_t j = i + 1; j < shape.size(); ++j) part = make.unsqueeze(part, make.rank(part));
    const int left = make.pick(made, low, axis), right = make.pick(made, high, axis);
    made = make.pointwise("$1 + ($2 - $1) * $3", {left, right, part});
  }
  return made;
}

}  // namespace

int indexed(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  if (op == "upsample_linear1d" || op == "upsample_bilinear2d" || op == "upsample_trilinear3d")
    return interpolated(line, make);
  if (op == "index_put") {
    const int x = line.node(0), source = line.node(2);
    const std::vector<int> places = line.list(1);
    if (places.size() == 1 && make.graph()[places[0]].type == "bool" && make.rank(places[0]) == make.rank(x) &&
        make.graph().count(make.graph()[source].dims) == 1 && line.count() == 3)
      return make.pointwise("where($1, $2, $3)", {places[0], source, x}, make.graph()[x].type);
    if (places.size() != 1 || line.count() > 3) throw Unknown{"index_put of several axes"};
    const Written made = written(make, x, spread_along(make, places[0], x, 0), source, 0);
    return make.pointwise("where($1 > 0, $2 / max($1, 1), $3)", {made.count, made.total, x}, make.graph()[x].type);
  }
  const bool adds = op == "index_add" || op == "scatter_add", copies = op == "index_copy" || op == "scatter";
  if (!adds && !copies) return -1;
  if (!line.line().keywords.empty()) throw Unknown{op + " with a reduction"};
  const int x = line.node(0), axis = static_cast<int>(line.number(1, "dim", 0)), source = line.node(3);
  int places = line.node(2);
  if (op.starts_with("index")) places = spread_along(make, places, x, axis);
  const Written made = written(make, x, places, source, axis < 0 ? axis + make.rank(x) : axis);
  if (adds) return make.pointwise("$1 + $2", {x, made.total});
  return make.pointwise("where($1 > 0, $2 / max($1, 1), $3)", {made.count, made.total, x}, make.graph()[x].type);
}

}  // namespace kg::dataset::translation
