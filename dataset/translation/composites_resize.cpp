#include <iomanip>
#include <limits>
#include <sstream>

#include "dataset/translation/composites.h"

// Images of another size, by interpolation (upsample_*).
namespace kg::dataset::translation {
namespace {

// Repeats every element as often as the sizes say.
int repeated(const LineReader& line, NodeMaker& make) {
  const int x = line.node(0);
  std::vector<SizeId> apart(make.graph()[x].dims.begin(), make.graph()[x].dims.begin() + 2), all = apart,
                                                                                             single = apart;
  Sizes& sizes = make.graph().sizes;
  for (std::size_t i = 2; i < line.shape().size(); ++i) {
    const SizeId own = make.graph()[x].dims[i];
    const std::int64_t times = line.shape()[i] / sizes.number(own);
    single.push_back(own), single.push_back(sizes.literal(1));
    apart.push_back(own), apart.push_back(sizes.literal(times));
    all.push_back(sizes.derived(line.shape()[i], std::to_string(times) + " * {" + std::to_string(own) + "}"));
  }
  return make.reshape(make.expand(make.reshape(x, single), apart), all);
}

std::string inverse(const std::string& factor) {
  std::ostringstream text;
  text << std::setprecision(std::numeric_limits<float>::max_digits10) << static_cast<float>(1 / std::stod(factor));
  return text.str();
}

// Elements at the place rounded down (nearest) or the nearest one (nearest_exact), an axis after the other.
int nearest(const LineReader& line, NodeMaker& make) {
  const Shape shape = line.shape();
  int made = line.node(0);
  bool whole = true;
  for (std::size_t i = 2; i < shape.size(); ++i) whole = whole && shape[i] % make.graph().size(made, i) == 0;
  if (whole) return repeated(line, make);
  const std::string centre = line.op().find("exact") == std::string::npos ? "$1" : "($1 + 0.5)";
  for (std::size_t i = 2; i < shape.size(); ++i) {
    const SizeId size = make.graph()[made].dims[i];
    if (make.graph().sizes.number(size) == shape[i]) continue;
    const std::string old = "{" + std::to_string(size) + "}", factor = line.text(i, "", "None"),
                      // As PyTorch has it: a product in float32 with a step in float32.
        at = centre + " * (" + (factor == "None" ? old + " / " + std::to_string(shape[i]) : inverse(factor)) + ")";
    const int place =
        make.pointwise("min(floor(" + at + "), " + old + " - 1)", {make.counter(make.graph().sizes.literal(shape[i]))});
    made = make.pick(made, place, static_cast<int>(i));
  }
  return made;
}

// The sum of four neighbours along an axis by cubic convolution with a = -0.75, as PyTorch has it; `part` is the
// distance from the second one, `low` its place.
int by_cubes(NodeMaker& make, int of, int low, int part, int axis, const std::string& last) {
  static const char* const kWeights[] = {"((-0.75 * ($1 + 1) + 3.75) * ($1 + 1) - 6) * ($1 + 1) + 3",
                                         "(1.25 * $1 - 2.25) * $1 * $1 + 1",
                                         "(1.25 * (1 - $1) - 2.25) * (1 - $1) * (1 - $1) + 1",
                                         "((-0.75 * (2 - $1) + 3.75) * (2 - $1) - 6) * (2 - $1) + 3"};
  int sum = -1;
  for (int i = 0; i < 4; ++i) {
    const int place = make.pointwise("min(max($1 + " + std::to_string(i - 1) + ", 0), " + last + ")", {low});
    const int weighted = make.pointwise("$1 * $2", {make.pick(of, place, axis), make.pointwise(kWeights[i], {part})});
    sum = i == 0 ? weighted : make.pointwise("$1 + $2", {sum, weighted});
  }
  return sum;
}

// Where the elements of an axis of a new size lie among the old ones. `factor`: what the size was made with, where that
// was said.
int places_of(NodeMaker& make, SizeId size, std::int64_t out, const std::string& factor, bool corners, bool cubic) {
  Sizes& sizes = make.graph().sizes;
  const std::int64_t in = sizes.number(size);
  const std::string old = "{" + std::to_string(size) + "}";
  const SizeId wide = out % in == 0 ? sizes.derived(out, std::to_string(out / in) + " * " + old) : sizes.literal(out);
  const std::string now = "{" + std::to_string(wide) + "}";
  const int place = make.counter(wide);
  if (corners && out == 1) return make.pointwise("$1 * 0", {place});
  if (corners) return make.pointwise("$1 * ((" + old + " - 1) / (" + now + " - 1))", {place});
  const bool given = out % in != 0 && !factor.empty() && factor != "None";
  const std::string centred = "($1 + 0.5) * (" + (given ? "1 / " + factor : old + " / " + now) + ") - 0.5";
  return make.pointwise(cubic ? centred : "max(" + centred + ", 0)", {place});
}

// By linear or cubic interpolation between neighbours, an axis after the other.
int interpolated(const LineReader& line, NodeMaker& make) {
  const Shape shape = line.shape();
  const bool cubic = line.op() == "upsample_bicubic2d", corners = line.is_true(2, "align_corners");
  int made = line.node(0);
  for (std::size_t i = 2; i < shape.size(); ++i) {
    const SizeId size = make.graph()[made].dims[i];
    if (make.graph().sizes.number(size) == shape[i]) continue;
    const int axis = static_cast<int>(i);
    if (make.graph().sizes.number(size) == 1) {
      std::vector<SizeId> dims = make.graph()[made].dims;
      dims[i] = make.graph().sizes.literal(shape[i]);
      made = make.expand(made, dims);
      continue;
    }
    const int at = places_of(make, size, shape[i], line.text(i + 1, "", ""), corners, cubic);
    const std::string last = "{" + std::to_string(size) + "} - 1";
    const int low = make.pointwise("floor($1)", {at}), high = make.pointwise("min($1 + 1, " + last + ")", {low});
    int part = make.pointwise("$1 - $2", {at, low});
    for (std::size_t j = i + 1; j < shape.size(); ++j) part = make.unsqueeze(part, make.rank(part));
    if (cubic) {
      made = by_cubes(make, made, low, part, axis, last);
      continue;
    }
    const int left = make.pick(made, low, axis), right = make.pick(made, high, axis);
    made = make.between(left, right, part);
  }
  return made;
}

}  // namespace

int resized(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  if (op.find("upsample_nearest") != std::string::npos) return nearest(line, make);
  if (!op.starts_with("upsample_") || op.ends_with("_aa")) return -1;
  const bool known = op.find("linear") != std::string::npos || op == "upsample_bicubic2d";
  return known ? interpolated(line, make) : -1;
}

}  // namespace kg::dataset::translation
