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

// x with slices of `source` along an axis, which go to the places of a list; where a place is named several times the
// last one counts.
int with_slices(NodeMaker& make, int x, int places, int source, int axis) {
  const SizeId size = make.graph()[x].dims[static_cast<std::size_t>(axis)];
  make.graph().sizes.join(make.graph()[places].dims[0], make.graph()[source].dims[static_cast<std::size_t>(axis)]);
  const int own = make.unsqueeze(make.counter(size), 1), number = make.counter(make.graph()[places].dims[0]);
  const int here = make.pointwise("$1 == $2", {places, own}, "bool");
  const int last = make.reduce("amax", make.pointwise("where($1, $2, -1)", {here, number}, "float"), {1}, false);
  int found = make.pointwise("$1 >= 0", {last}, "bool");
  for (int i = axis + 1; i < make.rank(x); ++i) found = make.unsqueeze(found, make.rank(found));
  const int taken = make.pick(source, make.pointwise("max($1, 0)", {last}), axis);
  return make.pointwise("where($1, $2, $3)", {found, taken, x}, make.graph()[x].type);
}

// Places along one axis for all elements of the others.
int spread_along(NodeMaker& make, int places, int like, int axis) {
  if (make.rank(places) != 1) throw Unknown{"places with several axes"};
  std::vector<SizeId> dims(make.graph()[like].dims.size(), make.graph().sizes.literal(1));
  dims[static_cast<std::size_t>(axis)] = make.graph()[places].dims[0];
  return make.reshape(places, dims);
}

// x with the values of `source` at places along an axis, `places` having all axes of x.
int with_values(NodeMaker& make, int x, int places, int source, int axis) {
  const Written made = written(make, x, places, source, axis);
  return make.pointwise("where($1 > 0, $2 / max($1, 1), $3)", {made.count, made.total, x}, make.graph()[x].type);
}

// The same with a list of places.
int copied(NodeMaker& make, int x, int places, int source, int axis) {
  const bool slices = make.rank(places) == 1 && axis + 1 < make.rank(x) && make.rank(source) == make.rank(x);
  return slices ? with_slices(make, x, places, source, axis)
                : with_values(make, x, spread_along(make, places, x, axis), source, axis);
}

}  // namespace

int indexed(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  if (op == "index_put") {
    const int x = line.node(0), source = line.node(2);
    const std::vector<int> places = line.list(1);
    if (places.size() == 1 && make.graph()[places[0]].type == "bool" && make.rank(places[0]) == make.rank(x) &&
        make.graph().count(make.graph()[source].dims) == 1 && line.count() == 3)
      return make.pointwise("where($1, $2, $3)", {places[0], source, x}, make.graph()[x].type);
    if (places.size() != 1 || line.count() > 3) throw Unknown{"index_put of several axes"};
    return copied(make, x, places[0], source, 0);
  }
  const bool adds = op == "index_add" || op == "scatter_add", copies = op == "index_copy" || op == "scatter";
  if (!adds && !copies) return -1;
  if (!line.line().keywords.empty()) throw Unknown{op + " with a reduction"};
  const int x = line.node(0), source = line.node(3);
  const int places = line.node(2);
  int axis = static_cast<int>(line.number(1, "dim", 0));
  if (axis < 0) axis += make.rank(x);
  if (op == "index_copy") return copied(make, x, places, source, axis);
  if (op == "scatter") return with_values(make, x, places, source, axis);
  const int all = op == "index_add" ? spread_along(make, places, x, axis) : places;
  return make.pointwise("$1 + $2", {x, written(make, x, all, source, axis).total});
}

}  // namespace kg::dataset::translation
