#include <algorithm>

#include "dataset/translation/writer.h"

namespace kg::dataset::translation {

namespace {

// The source of a view that only adds or drops axes of one element; else the view itself.
int without_single_axes(Writer& in, int id) {
  const Node& node = in.graph[id];
  if (in.is_stored(id) || node.kind != Node::Kind::kReshape || !in.is_stored(node.of[0])) return id;
  const auto long_ones = [&](int of) {
    std::vector<std::int64_t> made;
    for (const SizeId size : in.graph[of].dims)
      if (in.graph.sizes.number(size) != 1) made.push_back(in.graph.sizes.number(size));
    return made;
  };
  return long_ones(id) == long_ones(node.of[0]) ? node.of[0] : id;
}

// A place of a window in what it is a window of.
struct Reached {
  Index index;                                              // an empty number: one of `guards`
  std::vector<std::pair<std::string, std::string>> guards;  // place that may be outside, size
  std::string pad, stride;
};

// Along one axis; `tap` and `at` are the place in the window and of the window.
void reach(Writer& in, const Node& node, std::size_t i, const Entry& tap, Entry at, Reached& made) {
  const WindowAxis& axis = node.window[i];
  const int of = node.of[0];
  const std::size_t count = node.window.size(), lead = in.graph[of].dims.size() - count;
  const SizeId size = in.graph[of].dims[lead + i], out_size = node.dims[lead + count + i];
  const std::int64_t out = in.graph.sizes.number(out_size), all = in.graph.sizes.number(size);
  const std::int64_t last = (out - 1) * axis.step + (axis.width - 1) * axis.apart - axis.padding;
  const std::int64_t over = std::max<std::int64_t>(last - (all - 1), 0);
  const bool outside = axis.padding > 0 || over > 0 || (axis.up && axis.step > 1);
  if (tap.is_range()) throw Unfit{};
  const std::string shift = plus(times(tap.text, std::to_string(axis.apart)), -axis.padding);
  if (!at.is_range()) {
    at.text = plus(times(at.text, std::to_string(axis.step)), shift);
    if (outside) made.guards.emplace_back(at.text.empty() ? "0" : at.text, in.text(size));
    if (outside) at.text = "";
  } else {
    constexpr std::int64_t kMostOutside = 8;
    if (std::max(axis.padding, over) > kMostOutside) throw Unfit{};
    if (outside) made.pad = " pad " + node.text;
    if (axis.step != 1) {
      if (at.kind != Entry::Kind::kRow || !at.whole || all > kLongestRow) throw Unfit{};
      made.stride = std::to_string(axis.step);
      at.length = plus(times(in.text(out_size), made.stride), 1 - axis.step);
    }
    at.text = plus(at.text, shift == "0" ? "" : shift);
    if (axis.step != 1 || axis.padding > 0 || out != all || axis.width > 1) at.whole = false;
  }
  made.index.push_back(at);
}

// Loops of one turn for each guard, or of none where the place is outside.
std::vector<std::string> open_guards(Writer& in, Reached& reached, std::vector<Block*>& blocks) {
  std::vector<std::string> variables;
  for (Entry& at : reached.index) {
    if (at.is_range() || !at.text.empty()) continue;
    const auto& [first, size] = reached.guards.at(variables.size());
    const std::string q = in.variable("q");
    blocks.push_back(&blocks.back()->open(
        "for " + q + " in range(max(" + first + ", 0), min(" + plus(first, 1) + ", " + size + ")):", {}));
    in.bound[q] = blocks.back();
    variables.push_back(q);
    at.text = q;
  }
  return variables;
}

}  // namespace

Value window(Writer& in, int id, const Index& index) {
  const Node& node = in.graph[id];
  const int of = node.of[0], source = without_single_axes(in, of);
  if (!in.is_stored(source)) throw Wanted{of, in.graph[of].dims};
  const std::size_t count = node.window.size(), lead = in.graph[of].dims.size() - count;
  const auto entry = [&](std::size_t axis) { return index.at(entry_at(index, static_cast<int>(axis))); };
  Reached reached;
  for (std::size_t i = 0; i < lead; ++i) reached.index.push_back(entry(i));
  for (std::size_t i = 0; i < count; ++i) reach(in, node, i, entry(lead + i), entry(lead + count + i), reached);
  const auto loaded = [&] {
    const Index& at = reached.index;
    const Value made =
        load(in, source, source == of ? at : through_view(at, in.graph[of].dims, in.graph[source].dims, in.graph.sizes),
             reached.pad);
    return reached.stride.empty() ? made.text : made.text + "[0:" + range_of(at)->length + ":" + reached.stride + "]";
  };
  Block& block = in.place_of(index);
  const Kind kind = range_of(reached.index) != nullptr ? Kind::kTile : Kind::kNumber;
  if (reached.guards.empty()) {
    const std::string text = loaded();
    return reached.stride.empty() ? Value{.text = text, .kind = kind} : in.named(block, "v", text, kind);
  }
  const std::string empty = kind == Kind::kTile ? "full(" + in.length_of(index) + ", " + node.text + ")"
                            : node.text == "0"  ? "0.0"
                                                : node.text;
  const Value made = in.named(block, "w", empty, kind);
  std::vector<Block*> blocks = {&block};
  const std::vector<std::string> variables = open_guards(in, reached, blocks);
  Block* const outer = in.current;
  in.current = blocks.back();
  const std::string text = loaded();
  in.current = outer;
  blocks.back()->write(made.text + " = " + text);
  in.release(variables);
  close_inside(blocks);
  return made;
}

}  // namespace kg::dataset::translation
