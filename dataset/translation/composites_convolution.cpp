#include <algorithm>

#include "dataset/translation/composites.h"
#include "dataset/translation/window_numbers.h"

namespace kg::dataset::translation {

namespace {

constexpr std::int64_t kMostColumns = 65535;  // largest pitch of a matrix's rows

struct Convolution {
  int x = 0, weight = 0;
  std::vector<WindowAxis> axes;
  std::vector<std::int64_t> out;
  std::int64_t groups = 1;
};

// A filter for each channel: elements of windows and filter one by one.
int convolved_apart(const Convolution& given, NodeMaker& make) {
  Graph& graph = make.graph();
  const std::size_t count = given.axes.size();
  const int places = make.windows(given.x, given.axes, given.out, "0");  // [N, C, K.., O..]
  const std::vector<SizeId> filter = graph[given.weight].dims;
  std::vector<SizeId> shape = {graph[given.x].dims[1]};
  shape.insert(shape.end(), filter.begin() + 2, filter.end());
  shape.insert(shape.end(), count, graph.sizes.literal(1));
  return make.reduce("sum", make.pointwise("$1 * $2", {places, make.reshape(given.weight, shape)}), axes_from(2, count),
                     false);
}

// x [N, C, D..] and weight [O, C / groups, K..] as products of matrices: of the weights with all windows where these
// are not too many, else for each tap of its weights with rows of x. What is multiplied from the right has the rows of
// all channels together; with a step, every step-th element of a row.
class Convolved {
 public:
  Convolved(const Convolution& given, NodeMaker& make)
      : given_(given),
        make_(make),
        sizes_(make.graph().sizes),
        count_(given.axes.size()),
        filter_(make.graph()[given.weight].dims),
        own_(make.graph()[given.x].dims) {}

  int node() {
    const std::int64_t inner = sizes_.number(filter_[1]), in = sizes_.number(own_[1]), out = sizes_.number(filter_[0]);
    if (inner * given_.groups != in || out % given_.groups != 0) throw Unknown{"groups that do not fit"};
    if (given_.groups == in && out == in) return convolved_apart(given_, make_);
    if (given_.groups == 1) sizes_.join(own_[1], filter_[1]);
    groups_ = sizes_.literal(given_.groups);
    channels_ = given_.groups == 1 ? own_[1] : filter_[1];
    each_ = given_.groups == 1 ? filter_[0]
                               : sizes_.derived(out / given_.groups, "{" + std::to_string(filter_[0]) + "} // " +
                                                                         std::to_string(given_.groups));
    for (std::size_t i = 0; i < count_; ++i)
      result_.push_back(make_.windowed_size(own_[2 + i], given_.axes[i], given_.out[i]));
    std::int64_t all = sizes_.number(own_[0]) * in;
    for (std::size_t i = 0; i < count_; ++i) all *= given_.axes[i].width * given_.out[i];
    constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
    if (count_ == 3 && given_.out[1] * given_.out[2] <= kMostColumns) return of_planes();
    // A product for each tap costs as much as some thirty copies of a row.
    constexpr std::int64_t kManyChannels = 32;
    const bool taps = count_ == 2 && sizes_.number(channels_) >= kManyChannels;
    return all <= kMostElements && !taps ? of_windows() : of_taps();
  }

 private:
  std::vector<SizeId> split_weight() const {
    std::vector<SizeId> split = {groups_, each_, channels_};
    split.insert(split.end(), filter_.begin() + 2, filter_.end());
    return split;
  }

  // Weights [G, O, C K..] and windows [N, O.., G, C K.., last O..]
  int of_windows() {
    const int windows = make_.windows(given_.x, given_.axes, given_.out, "0");  // [N, C, K.., O..]
    std::size_t together = 1;                                                   // axes of places that are the columns
    std::int64_t columns = given_.out.back();
    while (together < count_ && columns * given_.out[count_ - 1 - together] <= kMostColumns)
      columns *= given_.out[count_ - 1 - together++];
    const std::size_t apart = count_ - together;
    std::vector<SizeId> dims = {own_[0], groups_, channels_};
    std::vector<SizeId> depth = {channels_};  // widths as numbers: the weights are declared with all of them as one
    for (const WindowAxis& axis : given_.axes) depth.push_back(sizes_.literal(axis.width));
    dims.insert(dims.end(), depth.begin() + 1, depth.end());
    dims.insert(dims.end(), result_.begin(), result_.end());
    std::vector<int> order = {0};
    for (const int axis : axes_from(3 + count_, apart)) order.push_back(axis);
    for (const int axis : axes_from(1, 2 + count_)) order.push_back(axis);
    for (const int axis : axes_from(3 + count_ + apart, together)) order.push_back(axis);
    const SizeId deep = sizes_.product(depth),
                 wide = sizes_.product({result_.begin() + static_cast<std::ptrdiff_t>(apart), result_.end()});
    std::vector<SizeId> matrix = {own_[0]};
    matrix.insert(matrix.end(), result_.begin(), result_.begin() + static_cast<std::ptrdiff_t>(apart));
    const bool grouped = given_.groups > 1;
    if (grouped) matrix.push_back(groups_);
    matrix.push_back(deep), matrix.push_back(wide);
    const int right = make_.reshape(make_.permute(make_.reshape(windows, dims), order), matrix);
    const int left = make_.reshape(
        given_.weight, grouped ? std::vector<SizeId>{groups_, each_, deep} : std::vector<SizeId>{each_, deep});
    int made = make_.product(left, right);  // [N, first O.., G, O, last O..]
    std::vector<SizeId> parts = {own_[0]};
    parts.insert(parts.end(), result_.begin(), result_.begin() + static_cast<std::ptrdiff_t>(apart));
    parts.push_back(filter_[0]);
    parts.insert(parts.end(), result_.begin() + static_cast<std::ptrdiff_t>(apart), result_.end());
    made = make_.reshape(made, parts);
    std::vector<int> back = {0, static_cast<int>(1 + apart)};
    for (const int axis : axes_from(1, apart)) back.push_back(axis);
    for (const int axis : axes_from(2 + apart, together)) back.push_back(axis);
    return make_.permute(made, back);
  }

  // Windows of the last two of three axes; taps along the first.
  int of_planes() {
    const std::vector<WindowAxis>& axes = given_.axes;
    const std::int64_t needed = (given_.out[0] - 1) * axes[0].step + (axes[0].width - 1) * axes[0].apart + 1;
    const std::int64_t deep = std::max(sizes_.number(own_[2]) + 2 * axes[0].padding, needed);
    const int windows = make_.windows(given_.x, {{1, 1, axes[0].padding, 1}, axes[1], axes[2]},
                                      {deep, given_.out[1], given_.out[2]}, "0");
    const SizeId one = sizes_.literal(1), high = sizes_.literal(axes[1].width), wide = sizes_.literal(axes[2].width);
    const SizeId planes = make_.graph()[windows].dims[5], depth = sizes_.product({channels_, high, wide}),
                 columns = sizes_.product({result_[1], result_[2]});
    int rows = make_.reshape(windows, {own_[0], groups_, channels_, high, wide, planes, result_[1], result_[2]});
    rows =
        make_.reshape(make_.permute(rows, {0, 5, 1, 2, 3, 4, 6, 7}), {own_[0], planes, one, groups_, depth, columns});
    int weights = make_.permute(make_.reshape(given_.weight, split_weight()), {3, 0, 1, 2, 4, 5});
    weights = make_.reshape(weights, {filter_[2], one, groups_, each_, depth});
    const int made = make_.taps(weights, rows, {{axes[0].width, axes[0].step, 0, axes[0].apart}, {1, 1, 0, 1}},
                                {result_[0], columns});
    return make_.permute(make_.reshape(made, {own_[0], result_[0], filter_[0], result_[1], result_[2]}),
                         {0, 2, 1, 3, 4});
  }

  int of_taps() {
    std::vector<WindowAxis> padded;
    std::vector<std::int64_t> sizes_padded;
    for (std::size_t i = 0; i < count_; ++i) {
      const WindowAxis& axis = given_.axes[i];
      const std::int64_t step = i + 1 == count_ ? axis.step : 1;
      const std::int64_t needed = (given_.out[i] - 1) * axis.step + (axis.width - 1) * axis.apart + 1;
      padded.push_back({step, step, axis.padding, 1, true});
      sizes_padded.push_back((std::max(sizes_.number(own_[2 + i]) + 2 * axis.padding, needed) + step - 1) / step);
    }
    const int windows = make_.windows(given_.x, padded, sizes_padded, "0");  // [N, C, 1.., S, D.., W]
    const std::vector<SizeId> found = make_.graph()[windows].dims;
    std::vector<SizeId> apart = {own_[0], groups_, channels_, sizes_.literal(given_.axes.back().step)};
    apart.insert(apart.end(), found.end() - static_cast<std::ptrdiff_t>(count_), found.end());
    std::vector<int> order = {0};  // [N, G, C, S, D.., W] to [N, D.., S, G, C, W]
    for (const int axis : axes_from(4, count_ - 1)) order.push_back(axis);
    for (const int axis : {3, 1, 2, static_cast<int>(3 + count_)}) order.push_back(axis);
    const int rows = make_.permute(make_.reshape(windows, apart), order);
    std::vector<int> taps_first = axes_from(3, count_);
    for (const int axis : {0, 1, 2}) taps_first.push_back(axis);
    const int weights = make_.permute(make_.reshape(given_.weight, split_weight()), taps_first);
    const int made = make_.taps(weights, rows, given_.axes, result_);  // [N, O.., G, O, W]
    std::vector<int> back = {0, static_cast<int>(count_), static_cast<int>(count_) + 1};
    for (const int axis : axes_from(1, count_ - 1)) back.push_back(axis);
    back.push_back(static_cast<int>(count_) + 2);
    std::vector<SizeId> dims = {own_[0], filter_[0]};
    dims.insert(dims.end(), result_.begin(), result_.end());
    return make_.reshape(make_.permute(made, back), dims);
  }

  const Convolution& given_;
  NodeMaker& make_;
  Sizes& sizes_;
  const std::size_t count_;
  const std::vector<SizeId> filter_, own_;
  SizeId groups_ = 0, channels_ = 0, each_ = 0;
  std::vector<SizeId> result_;
};

// The weights [C, O / groups, K..] of a transposed convolution as those of one over the spread input.
int turned(const Convolution& given, NodeMaker& make) {
  int weight = given.weight;
  const std::size_t count = given.axes.size();
  for (std::size_t i = 0; i < count; ++i)
    if (given.axes[i].width > 1) weight = make.flip(weight, static_cast<int>(2 + i));
  Graph& graph = make.graph();
  std::vector<SizeId> dims = graph[weight].dims;
  const std::int64_t in = graph.sizes.number(dims[0]), groups = given.groups;
  if (groups == 1) {
    std::vector<int> order = make.all_axes(weight);
    std::swap(order[0], order[1]);
    return make.permute(weight, order);
  }
  // [groups, C / groups, O / groups, K..] to [groups, O / groups, C / groups, K..] to [O, C / groups, K..]
  const SizeId count_of_groups = graph.sizes.literal(groups);
  const SizeId each =
      graph.sizes.derived(in / groups, "{" + std::to_string(dims[0]) + "} // " + std::to_string(groups));
  std::vector<SizeId> split = {count_of_groups, each, dims[1]};
  split.insert(split.end(), dims.begin() + 2, dims.end());
  weight = make.reshape(weight, split);
  std::vector<int> order = make.all_axes(weight);
  std::swap(order[1], order[2]);
  weight = make.permute(weight, order);
  std::vector<SizeId> joined = {graph.sizes.product({count_of_groups, dims[1]}), split[1]};
  joined.insert(joined.end(), dims.begin() + 2, dims.end());
  return make.reshape(weight, joined);
}

}  // namespace

// convolution(x, weight, bias, stride, padding, dilation, transposed, output padding, groups)
int convolution(const LineReader& line, NodeMaker& make) {
  if (line.count() != 9) throw Unknown{"a convolution with other arguments"};
  Convolution given{
      .x = line.node(0), .weight = line.node(1), .axes = {}, .out = {}, .groups = line.number(8, "groups", 1)};
  const bool transposed = line.line().given[6] == "transposed";
  const std::size_t count = make.graph()[given.x].dims.size() - 2;
  if (make.rank(given.weight) != make.rank(given.x)) throw Unknown{"a convolution without a batch"};
  const auto steps = line.numbers(3, "stride"), paddings = line.numbers(4, "padding"),
             aparts = line.numbers(5, "dilation");
  given.out = last_of(line.shape(), count);
  for (std::size_t i = 0; i < count; ++i)
    given.axes.push_back(
        {make.graph().size(given.weight, 2 + i), at(steps, i, 1), at(paddings, i, 0), at(aparts, i, 1)});
  if (transposed) {
    given.weight = turned(given, make);
    std::vector<std::int64_t> spreads;
    for (WindowAxis& axis : given.axes) {
      spreads.push_back(axis.step);
      axis = {axis.width, 1, axis.apart * (axis.width - 1) - axis.padding, axis.apart};
    }
    given.x = make.spread(given.x, spreads);
  }
  int made = Convolved(given, make).node();
  if (line.has(2)) {
    int bias = line.node(2);
    for (std::size_t i = 0; i < count; ++i) bias = make.unsqueeze(bias, make.rank(bias));
    made = make.pointwise("$1 + $2", {made, bias});
  }
  return made;
}

}  // namespace kg::dataset::translation
