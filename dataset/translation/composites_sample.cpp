#include "dataset/translation/composites.h"

// Samples of images at places that a tensor gives: grid_sample, and affine_grid, which makes such places.
namespace kg::dataset::translation {
namespace {

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

int grid_sample(const LineReader& line, NodeMaker& make) {
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
                        .corners = line.is_true(4, "align_corners")};
  const int x = sampler.place(make.select(grid, 3, 0), dims[3]);
  const int y = sampler.place(make.select(grid, 3, 1), dims[2]);
  if (mode == 1) return sampler.at(make.pointwise("round($1)", {y}), make.pointwise("round($1)", {x}));
  const int left = make.pointwise("floor($1)", {x}), top = make.pointwise("floor($1)", {y});
  const int right = make.pointwise("$1 + 1", {left}), bottom = make.pointwise("$1 + 1", {top});
  const int across = make.unsqueeze(make.pointwise("$1 - $2", {x, left}), 1);
  const int down = make.unsqueeze(make.pointwise("$1 - $2", {y, top}), 1);
  const int above = make.between(sampler.at(top, left), sampler.at(top, right), across);
  const int below = make.between(sampler.at(bottom, left), sampler.at(bottom, right), across);
  return make.between(above, below, down);
}

// [N, 2, 3] to the places of every element of an image [N, _, H, W]: [N, H, W, 2].
int affine(const LineReader& line, NodeMaker& make) {
  const int theta = line.node(0);
  const std::vector<std::int64_t> size = line.numbers(1, "size");
  if (size.size() != 4) throw Unknown{"affine_grid_generator of volumes"};
  const bool ends = line.is_true(2, "align_corners");
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

int sampled(const LineReader& line, NodeMaker& make) {
  if (line.op() == "grid_sampler_2d" || line.op() == "grid_sampler") return grid_sample(line, make);
  if (line.op() == "affine_grid_generator") return affine(line, make);
  return -1;
}

}  // namespace kg::dataset::translation
