#include "dataset/translation/composites.h"

namespace kg::dataset::translation {
namespace {

constexpr std::int64_t kMostPlaces = 16;  // each is found by a loop over the row

// The largest elements along an axis, one after the other, and where they are.
struct Largest {
  std::vector<int> values, places;
};

Largest largest(NodeMaker& make, int x, int axis, std::int64_t count, bool smallest) {
  const std::string how = smallest ? "amin" : "amax", without = smallest ? "inf" : "-inf";
  std::vector<SizeId> single(make.graph()[x].dims.size(), make.graph().sizes.literal(1));
  single[static_cast<std::size_t>(axis)] = make.graph()[x].dims[static_cast<std::size_t>(axis)];
  const int own = make.reshape(make.counter(single[static_cast<std::size_t>(axis)]), single);
  Largest found;
  for (int left = x; static_cast<std::int64_t>(found.values.size()) < count;) {
    found.values.push_back(make.reduce(how, left, {axis}, true));
    found.places.push_back(make.place(how, left, axis, true));
    const int taken = make.pointwise("$1 == $2", {own, found.places.back()}, "bool");
    left = make.pointwise("where($1, " + without + ", $2)", {taken, left}, make.graph()[x].type);
  }
  return found;
}

}  // namespace

// topk(x, k, dim, largest, sorted), sort(x, dim, descending)
std::vector<int> ordered(const LineReader& line, NodeMaker& make) {
  const bool top = line.op() == "topk";
  if (!top && line.op() != "sort") return {};
  int x = line.node(0);
  if (is_whole_number(make.graph()[x].type)) {
    if (make.graph()[x].kind == Node::Kind::kInput) throw Unknown{line.op() + " of integers"};
    x = make.pointwise("float($1)", {x}, "float");  // places, which are small
  }
  int axis = static_cast<int>(line.number(top ? 2 : 1, "dim", -1));
  if (axis < 0) axis += make.rank(x);
  const std::int64_t count = top ? line.number(1, "k", 1) : make.graph().size(x, static_cast<std::size_t>(axis));
  if (count > kMostPlaces) throw Unknown{line.op() + " of more than " + std::to_string(kMostPlaces)};
  const bool smallest = top ? line.text(3, "largest", "True") == "False" : !line.is_true(2, "descending");
  const Largest found = largest(make, x, axis, count, smallest);
  return {make.join(found.values, axis), make.join(found.places, axis)};
}

// weight_norm_interface(v, g, dim): directions v with the lengths g
int with_lengths(const LineReader& line, NodeMaker& make) {
  const int v = line.node(0), kept = static_cast<int>(line.number(2, "dim", 0));
  std::vector<int> axes = make.all_axes(v);
  std::erase(axes, kept);
  const int squares = make.reduce("sum", make.pointwise("$1 * $1", {v}), axes, true);
  return make.pointwise("$1 * $2 / sqrt($3)", {v, line.node(1), squares});
}

}  // namespace kg::dataset::translation
