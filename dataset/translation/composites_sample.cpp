#include <iomanip>
#include <limits>
#include <sstream>

#include "dataset/translation/composites.h"

// Samples of images between their elements: interpolation to another size, grid_sample and affine_grid.
namespace kg::dataset::translation {
namespace {

// A flag that the line shows by its name, or as True.
bool is_true(const LineReader& line, std::size_t place, const char* name) {
  const std::string text = line.text(place, name, "False");
  return text == "True" || text == name || line.flag(name);
}

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

int between(NodeMaker& make, int one, int other, int part) {
  return make.pointwise("$1 + ($2 - $1) * $3", {one, other, part});
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
int resized(NodeMaker& make, SizeId size, std::int64_t out, const std::string& factor, bool corners, bool cubic) {
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
  const bool cubic = line.op() == "upsample_bicubic2d", corners = is_true(line, 2, "align_corners");
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
    const int at = resized(make, size, shape[i], line.text(i + 1, "", ""), corners, cubic);
    const std::string last = "{" + std::to_string(size) + "} - 1";
    const int low = make.pointwise("floor($1)", {at}), high = make.pointwise("min($1 + 1, " + last + ")", {low});
    int part = make.pointwise("$1 - $2", {at, low});
    for (std::size_t j = i + 1; j < shape.size(); ++j) part = make.unsqueeze(part, make.rank(part));
    if (cubic) {
      made = by_cubes(make, made, low, part, axis, last);
      continue;
    }
    const int left = make.pick(made, low, axis), right = make.pick(made, high, axis);
    made = between(make, left, right, part);
  }
  return made;
}

// An image [N, C, H, W], its planes as rows, and what to do outside of it.
struct Sampler {
  NodeMaker& make;
  int rows;  // [N, C, rows of the result, H * W]
  SizeId height, width;
  std::int64_t outside;  // 0: zeros, 1: the border, 2: reflections
  bool corners;

  std::string last(SizeId size) const { return "{" + std::to_string(size) + "} - 1"; }

  // From -1..1 to places along an axis.
  int place(int of, SizeId size) const {
    const std::string count = "{" + std::to_string(size) + "}";
    const int made =
        make.pointwise(corners ? "($1 + 1) * ((" + last(size) + ") / 2)" : "(($1 + 1) * " + count + " - 1) / 2", {of});
    if (outside == 0) return made;
    const int inside = outside == 2 ? reflected(made, size) : made;
    return inside_of(inside, size);
  }

  // The nearest place of the image.
  int inside_of(int of, SizeId size) const { return make.pointwise("min(max($1, 0), " + last(size) + ")", {of}); }

  // Back and forth between the first and the last element, or between the outer edges of these.
  int reflected(int of, SizeId size) const {
    const std::string span = corners ? "(" + last(size) + ")" : "{" + std::to_string(size) + "}";
    const std::string low = corners ? "0" : "0.5";
    const int apart = make.pointwise("abs($1 + " + low + ")", {of});
    const int turn = make.pointwise("$1 - floor($1 / (2 * " + span + ")) * (2 * " + span + ")", {apart});
    return make.pointwise(span + " - abs($1 - " + span + ") - " + low, {turn});
  }

  // The elements at whole places y and x, both [N, ..]; 0 outside.
  int at(int y, int x) const {
    const int near_y = inside_of(y, height), near_x = inside_of(x, width);
    const int flat = make.pointwise("$1 * {" + std::to_string(width) + "} + $2", {near_y, near_x});
    const int places = make.unsqueeze(flat, 1);
    std::vector<SizeId> dims = make.graph()[places].dims;
    dims[1] = make.graph()[rows].dims[1];
    const int found = make.gather(rows, make.expand(places, dims), 3);
    if (outside != 0) return found;
    // 1 inside, where the distances are 0; whole numbers from 1 on outside.
    const int kept = make.pointwise("max(1 - abs($1 - $2) - abs($3 - $4), 0)", {y, near_y, x, near_x});
    return make.pointwise("$1 * $2", {found, make.unsqueeze(kept, 1)});
  }
};

int sampled(const LineReader& line, NodeMaker& make) {
  const int image = line.node(0), grid = line.node(1);
  if (make.rank(image) != 4) throw Unknown{"grid_sampler of volumes"};
  const std::int64_t mode = line.number(2, "interpolation_mode", 0), outside = line.number(3, "padding_mode", 0);
  if (mode > 1) throw Unknown{"grid_sampler with bicubic interpolation"};
  const std::vector<SizeId> dims = make.graph()[image].dims, places = make.graph()[grid].dims;
  Sizes& sizes = make.graph().sizes;
  const SizeId plane = sizes.product({dims[2], dims[3]});
  const int rows = make.unsqueeze(make.reshape(image, {dims[0], dims[1], plane}), 2);
  const Sampler sampler{.make = make,
                        .rows = make.expand(rows, {dims[0], dims[1], places[1], plane}),
                        .height = dims[2],
                        .width = dims[3],
                        .outside = outside,
                        .corners = is_true(line, 4, "align_corners")};
  const int x = sampler.place(make.select(grid, 3, 0), dims[3]);
  const int y = sampler.place(make.select(grid, 3, 1), dims[2]);
  if (mode == 1) return sampler.at(make.pointwise("round($1)", {y}), make.pointwise("round($1)", {x}));
  const int left = make.pointwise("floor($1)", {x}), top = make.pointwise("floor($1)", {y});
  const int right = make.pointwise("$1 + 1", {left}), bottom = make.pointwise("$1 + 1", {top});
  const int across = make.unsqueeze(make.pointwise("$1 - $2", {x, left}), 1);
  const int down = make.unsqueeze(make.pointwise("$1 - $2", {y, top}), 1);
  const int above = between(make, sampler.at(top, left), sampler.at(top, right), across);
  const int below = between(make, sampler.at(bottom, left), sampler.at(bottom, right), across);
  return between(make, above, below, down);
}

// [N, 2, 3] to the places of every element of an image [N, _, H, W]: [N, H, W, 2].
int affine(const LineReader& line, NodeMaker& make) {
  const int theta = line.node(0);
  const std::vector<std::int64_t> size = line.numbers(1, "size");
  if (size.size() != 4) throw Unknown{"affine_grid_generator of volumes"};
  const bool ends = is_true(line, 2, "align_corners");
  Sizes& sizes = make.graph().sizes;
  const auto axis = [&](std::int64_t count) {
    const std::string n = std::to_string(count);
    return make.pointwise(
        ends ? count == 1 ? "$1 * 0" : "$1 * (2 / (" + n + " - 1)) - 1" : "($1 * 2 + 1) / " + n + " - 1",
        {make.counter(sizes.literal(count))});
  };
  const int x = axis(size[3]), y = make.unsqueeze(axis(size[2]), 1);
  std::vector<int> parts;
  for (const std::int64_t row : {0, 1}) {
    const auto factor = [&](std::int64_t column) {
      const int one = make.select(make.select(theta, 1, row), 1, column);
      return make.unsqueeze(make.unsqueeze(one, 1), 1);
    };
    const int made = make.pointwise("$1 * $2 + $3 * $4 + $5", {factor(0), x, factor(1), y, factor(2)});
    parts.push_back(make.unsqueeze(made, 3));
  }
  return make.join(parts, 3);
}

}  // namespace

int sample(const LineReader& line, NodeMaker& make) {
  if (line.op().find("upsample_nearest") != std::string::npos) return nearest(line, make);
  if (line.op().starts_with("upsample_") &&
      (line.op().find("linear") != std::string::npos || line.op() == "upsample_bicubic2d") &&
      !line.op().ends_with("_aa"))
    return interpolated(line, make);
  if (line.op() == "grid_sampler_2d" || line.op() == "grid_sampler") return sampled(line, make);
  if (line.op() == "affine_grid_generator") return affine(line, make);
  return -1;
}

}  // namespace kg::dataset::translation
