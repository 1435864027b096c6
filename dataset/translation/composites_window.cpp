#include <algorithm>

#include "dataset/translation/composites.h"
#include "dataset/translation/window_numbers.h"

namespace kg::dataset::translation {
namespace {

// How many places of each window count, of those along one axis: those inside, or also those in the padding.
int counted_places(NodeMaker& make, SizeId size, const WindowAxis& axis, SizeId windows, bool with_padding) {
  const std::string first = "$1 * " + std::to_string(axis.step), back = std::to_string(axis.padding);
  const std::string end = "{" + std::to_string(size) + "}" + (with_padding ? " + " + back : "");
  const std::string behind = "min(" + first + " + " + std::to_string(axis.width - axis.padding) + ", " + end + ")";
  const std::string from = with_padding ? first + " - " + back : "max(" + first + " - " + back + ", 0)";
  return make.pointwise(behind + " - (" + from + ")", {make.counter(windows)});
}

int pooling(const LineReader& line, NodeMaker& make) {
  const bool largest = line.op().starts_with("max");
  const auto widths = line.numbers(1, "kernel_size"), steps = line.numbers(2, "stride"),
             paddings = line.numbers(3, "padding");
  const auto aparts = largest ? line.numbers(4, "dilation") : std::vector<std::int64_t>{};
  const bool up = line.is_true(largest ? 5 : 4, "ceil_mode");
  const bool uncounted = !largest && (line.text(5, "count_include_pad", "") == "False");
  if (widths.empty() || line.flag("divisor_override") || (!largest && line.count() > 6))
    throw Unknown{"a pooling with other arguments"};
  const int x = line.node(0);
  std::vector<WindowAxis> axes;
  std::int64_t elements = 1;
  bool padded = false;
  const std::size_t count = static_cast<std::size_t>(line.op()[8] - '0');
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t width = at(widths, i, 1);
    axes.push_back({width, at(steps, i, width), at(paddings, i, 0), at(aparts, i, 1), up});
    elements *= width;
    padded = padded || axes.back().padding > 0;
  }
  const std::vector<std::int64_t> out = last_of(line.shape(), axes.size());
  const int places = make.windows(x, axes, out, largest ? "-inf" : "0");
  const std::size_t lead = make.graph()[x].dims.size() - count;
  int made = make.reduce(largest ? "amax" : "sum", places, axes_from(lead, count), false);
  if (largest) return made;
  if (!up && !(uncounted && padded)) return make.pointwise("$1 / " + std::to_string(elements), {made});
  for (std::size_t i = 0; i < count; ++i) {
    int inside =
        counted_places(make, make.graph()[x].dims[lead + i], axes[i], make.graph()[made].dims[lead + i], !uncounted);
    for (std::size_t j = i + 1; j < count; ++j) inside = make.unsqueeze(inside, make.rank(inside));
    made = make.pointwise("$1 / $2", {made, inside});
  }
  return made;
}

// adaptive_avg_pool2d(x, [out..]), where that divides the sizes.
int adaptive(const LineReader& line, NodeMaker& make) {
  const bool largest = line.op().find("max") != std::string::npos;
  const std::size_t count = static_cast<std::size_t>(line.op()[line.op().size() - 2] - '0');
  const int x = line.node(0);
  const std::vector<std::int64_t> out = last_of(line.shape(), count);
  const std::size_t lead = make.graph()[x].dims.size() - count;
  std::vector<WindowAxis> axes;
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t in = make.graph().size(x, lead + i);
    if (in % out[i] != 0) throw Unknown{"an adaptive pooling to sizes that do not divide"};
    axes.push_back({in / out[i], in / out[i]});
    elements *= in / out[i];
  }
  const int made = make.reduce(largest ? "amax" : "sum", make.windows(x, axes, out, largest ? "-inf" : "0"),
                               axes_from(lead, count), false);
  return largest ? made : make.pointwise("$1 / " + std::to_string(elements), {made});
}

// What stands before and behind x along an axis, where the operator pads it: of one number, of x in a mirror, of its
// first and last elements, or of x once more from its other end.
int edge(const LineReader& line, NodeMaker& make, int x, int axis, std::int64_t width, bool behind) {
  const std::string& op = line.op();
  const std::int64_t size = make.graph().size(x, static_cast<std::size_t>(axis));
  std::vector<SizeId> dims = make.graph()[x].dims;
  dims[static_cast<std::size_t>(axis)] = make.graph().sizes.literal(width);
  if (op == "constant_pad_nd") return make.expand(make.number(line.text(2, "value", "0")), dims);
  if (op.starts_with("replication"))
    return make.expand(make.slice(x, axis, behind ? size - 1 : 0, behind ? size : 1), dims);
  return make.flip(behind ? make.slice(x, axis, size - 1 - width, size - 1) : make.slice(x, axis, 1, 1 + width), axis);
}

// constant_pad_nd(x, [left, right of the last axis, of the one before, ..], value), and others of this form
int padded(const LineReader& line, NodeMaker& make) {
  const auto pads = line.numbers(1, line.op() == "constant_pad_nd" ? "pad" : "padding");
  int made = line.node(0);
  for (std::size_t i = 0; 2 * i + 1 < pads.size(); ++i) {
    const int axis = make.rank(made) - 1 - static_cast<int>(i);
    const std::int64_t size = make.graph().size(made, static_cast<std::size_t>(axis));
    const std::int64_t before = pads[2 * i], behind = pads[2 * i + 1];
    if (before < 0 || behind < 0)
      made = make.slice(made, axis, std::max<std::int64_t>(-before, 0), size - std::max<std::int64_t>(-behind, 0));
    std::vector<int> parts = {made};
    if (before > 0) parts.insert(parts.begin(), edge(line, make, made, axis, before, /*behind=*/false));
    if (behind > 0) parts.push_back(edge(line, make, made, axis, behind, /*behind=*/true));
    if (parts.size() > 1) made = make.join(parts, axis);
  }
  return made;
}

// pixel_shuffle(x, r): channels become r x r elements, and pixel_unshuffle back.
int shuffled(const LineReader& line, NodeMaker& make) {
  const int x = line.node(0);
  const bool apart = line.op() == "pixel_unshuffle";
  const std::int64_t by = line.number(1, apart ? "downscale_factor" : "upscale_factor", 1);
  Sizes& sizes = make.graph().sizes;
  const std::vector<SizeId> dims = make.graph()[x].dims;
  const std::size_t lead = dims.size() - 3;
  const SizeId step = sizes.literal(by);
  const auto scaled = [&](SizeId size, std::int64_t factor, bool up) {
    const std::string text = "{" + std::to_string(size) + "}", number = std::to_string(factor);
    return sizes.derived(up ? sizes.number(size) * factor : sizes.number(size) / factor,
                         up ? text + " * " + number : text + " // " + number);
  };
  const SizeId channels = scaled(dims[lead], by * by, apart), height = scaled(dims[lead + 1], by, !apart),
               width = scaled(dims[lead + 2], by, !apart);
  std::vector<SizeId> split(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(lead)), whole = split;
  const std::vector<SizeId> tail = apart ? std::vector<SizeId>{dims[lead], height, step, width, step}
                                         : std::vector<SizeId>{channels, step, step, dims[lead + 1], dims[lead + 2]};
  split.insert(split.end(), tail.begin(), tail.end());
  whole.insert(whole.end(), {channels, height, width});
  std::vector<int> axes;
  for (std::size_t i = 0; i < lead; ++i) axes.push_back(static_cast<int>(i));
  for (const int axis : apart ? std::vector<int>{0, 2, 4, 1, 3} : std::vector<int>{0, 3, 1, 4, 2})
    axes.push_back(static_cast<int>(lead) + axis);
  return make.reshape(make.permute(make.reshape(x, split), axes), whole);
}

}  // namespace

int windowed(const LineReader& line, NodeMaker& make) {
  const std::string& op = line.op();
  if (op.starts_with("max_pool") || op.starts_with("avg_pool")) return pooling(line, make);
  if (op.find("adaptive_") < 2) return adaptive(line, make);
  if (op == "convolution") return convolution(line, make);
  if (op == "constant_pad_nd" || op.starts_with("reflection_pad") || op.starts_with("replication_pad"))
    return padded(line, make);
  if (op == "pixel_shuffle" || op == "pixel_unshuffle") return shuffled(line, make);
  return -1;
}

}  // namespace kg::dataset::translation
