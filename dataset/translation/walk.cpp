#include "dataset/translation/walk.h"

#include <algorithm>

#include "dataset/translation/node_maker.h"

namespace kg::dataset::translation {

namespace {

struct Walk {
  int suffix = 0;        // axes that are one range
  std::set<int> header;  // axes of the loop over cores
  bool alone = false;
  int last = -1;
};

}  // namespace

int single_axes(const Writer& in, int node) {
  const std::vector<SizeId>& dims = in.graph[node].dims;
  int count = 0;
  while (count < static_cast<int>(dims.size()) &&
         in.graph.sizes.number(dims[dims.size() - 1 - static_cast<std::size_t>(count)]) == 1)
    ++count;
  return count;
}

// Whether the last `axes` axes can be walked over as one, of the tensor and of all that it is computed of.
bool can_be_flat(const Writer& in, int id, int axes) {
  const Node& node = in.graph[id];
  const int rank = static_cast<int>(node.dims.size());
  const bool one_axis = axes <= single_axes(in, id) + 1;
  if (axes > rank) return false;
  if (in.is_stored(id)) return one_axis || in.storage.at(id).dims == node.dims;
  const auto long_ones = [&](int other, int count) {
    const auto& dims = in.graph[other].dims;
    return in.graph.count(
        {dims.end() - std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(dims.size())), dims.end()});
  };
  const int of = node.of.empty() ? -1 : node.of[0], in_front = rank - axes;
  switch (node.kind) {
    case Node::Kind::kPointwise:
    case Node::Kind::kExpand:
      return std::all_of(node.of.begin(), node.of.end(), [&](int operand) {
        const int own = static_cast<int>(in.graph[operand].dims.size());
        if (long_ones(operand, axes) == 1) return true;
        if (own < axes) return false;
        for (int i = 1; i <= axes; ++i)
          if (in.graph.size(operand, static_cast<std::size_t>(own - i)) !=
              in.graph.size(id, static_cast<std::size_t>(rank - i)))
            return false;
        return can_be_flat(in, operand, axes);
      });
    case Node::Kind::kReshape:
      for (int i = 1; i <= static_cast<int>(in.graph[of].dims.size()); ++i)
        if (long_ones(of, i) == long_ones(id, axes)) return can_be_flat(in, of, i);
      return one_axis;
    case Node::Kind::kPermute:
      for (int i = in_front; i < rank; ++i)
        if (node.axes[static_cast<std::size_t>(i)] != i) return false;
      return can_be_flat(in, of, axes);
    case Node::Kind::kSlice:
    case Node::Kind::kFlip:
      return (one_axis || node.axis < in_front) && can_be_flat(in, of, axes);
    case Node::Kind::kSelect:
      return node.axis <= in_front && can_be_flat(in, of, axes);
    case Node::Kind::kPick:
      return one_axis ||
             (node.axis + static_cast<int>(in.graph[node.of[1]].dims.size()) <= in_front && can_be_flat(in, of, axes));
    case Node::Kind::kReduce: {
      const int of_rank = static_cast<int>(in.graph[of].dims.size());
      return std::all_of(node.axes.begin(), node.axes.end(), [&](int axis) { return axis < of_rank - axes; }) &&
             can_be_flat(in, of, axes);
    }
    case Node::Kind::kWindow:  // not along the places in a window
      return one_axis && axes <= static_cast<int>(node.window.size()) &&
             (node.window.back().step == 1 || in.graph.size(of, in.graph[of].dims.size() - 1) <= kLongestRow);
    case Node::Kind::kNumber:
    case Node::Kind::kInput:
      return true;
    default:
      return one_axis;
  }
}

int longest_suffix(const Writer& in, int node) {
  int axes = static_cast<int>(in.graph[node].dims.size());
  while (axes > 0 && !can_be_flat(in, node, axes)) --axes;
  return axes;
}

// The loop over cores, where there are axes for it.
void open_cores(Writer& in, const std::string& names, const std::string& cuts,
                const std::vector<std::string>& variables, bool alone, bool wanted, std::vector<Block*>& blocks) {
  if (!names.empty()) {
    blocks.push_back(&in.top->open("for " + names + " in cores(" + cuts + "):", variables));
  } else if (alone) {
    blocks.push_back(&in.top->open("for r in cores(1):", {}));
    in.home = blocks.back();
  } else if (wanted) {
    throw Unfit{};
  }
}

void try_walk(Writer& in, int id, const Sink& sink, const Walk& how) {
  const std::vector<SizeId>& dims = in.graph[id].dims;
  const int rank = static_cast<int>(dims.size()), lead = rank - how.suffix;
  const std::vector<SizeId> suffix_dims(dims.begin() + lead, dims.end());
  const bool ranged = in.graph.count(suffix_dims) > 1;
  std::vector<Block*> blocks = {in.top.get()};
  std::vector<std::string> variables;
  Index index;
  std::string names, cuts;
  const auto in_header = [&](const std::string& name, const std::string& cut) {
    names += (names.empty() ? "" : ", ") + name, cuts += (cuts.empty() ? "" : ", ") + cut;
    variables.push_back(name);
  };
  std::vector<int> inside;
  for (int axis = 0; axis < (ranged ? lead : rank); ++axis) {
    const SizeId size = dims[static_cast<std::size_t>(axis)];
    index.emplace_back();
    if (in.graph.sizes.number(size) == 1) continue;
    const std::string name = "i" + std::to_string(axis);
    if (in.taken.contains(name)) throw Unfit{};
    index.back().text = name;
    if (how.header.contains(axis))
      in_header(name, in.text(size));
    else
      inside.push_back(axis);
  }
  if (ranged) {
    Entry entry{.kind = Entry::Kind::kRow, .text = "", .length = in.product_text(suffix_dims), .axes = how.suffix};
    if (how.header.contains(rank - 1)) {
      if (in.taken.contains("t")) throw Unfit{};
      entry.kind = Entry::Kind::kTiles;
      entry.loop = "t";
      in_header("t", "tiles(" + entry.length + ")");
    }
    index.push_back(entry);
  }
  open_cores(in, names, cuts, variables, how.alone, !inside.empty() || ranged, blocks);
  const std::map<std::string, Block*> around = in.bound;  // enclosing loops may already use the names
  for (const std::string& one : variables) in.bound[one] = blocks.back();
  if (sink.before) sink.before(*blocks.back(), index);
  for (const int axis : inside) {
    const std::string name = "i" + std::to_string(axis);
    blocks.push_back(&blocks.back()->open(
        "for " + name + " in range(" + in.text(dims[static_cast<std::size_t>(axis)]) + "):", {name}));
    in.bound[name] = blocks.back();
    variables.push_back(name);
  }
  Block* const outer = in.current;
  in.current = blocks.back();
  const Value made = in.value(id, index);
  sink.at(*blocks.back(), made, index);
  in.current = outer;
  in.home = in.top.get();
  in.bound = around;
  close_inside(blocks);
}

bool attempt(Writer& in, int node, const Sink& sink, Walk how) {
  // Removes everything that a failed walk has written.
  const std::size_t length = in.top->length();
  const std::map<std::string, Value> known = in.top->known;
  const std::size_t names = in.made_names.size();
  const std::map<int, Value> totals = in.totals;
  const std::map<std::string, Block*> bound = in.bound;
  Block *const home = in.home, *const current = in.current;
  const auto back = [&] {
    in.top->cut(length);
    in.forget_names(names);
    in.top->known = known, in.totals = totals, in.bound = bound, in.home = home, in.current = current;
  };
  for (int tries = 0;; ++tries) {
    try {
      try_walk(in, node, sink, how);
      return true;
    } catch (const Unfit&) {
      back();
      return false;
    } catch (const Recompute& again) {
      back();
      if (tries > 0 || how.last >= 0) throw Wanted{again.node, in.graph[again.node].dims};
      // Over cores go the loops that it changes with, the others are inside.
      const int rank = static_cast<int>(in.graph[node].dims.size());
      for (auto axis = how.header.begin(); axis != how.header.end();) {
        const std::string name = *axis >= rank - how.suffix ? "t" : "i" + std::to_string(*axis);
        axis = again.words.contains(name) ? std::next(axis) : how.header.erase(axis);
      }
      if (how.header.empty()) return false;
    } catch (...) {
      back();
      throw;
    }
  }
}

void walk(Writer& in, int node, const Sink& sink, const Manner& manner) {
  const bool alone = manner.alone;
  const int last = manner.last;
  const int rank = static_cast<int>(in.graph[node].dims.size()), one = std::min(single_axes(in, node) + 1, rank);
  const auto header_of = [&](int axes) {
    std::set<int> header;
    for (int i = 0; i < axes; ++i)
      if (i != last) header.insert(i);
    return header;
  };
  std::vector<Walk> ways;
  const int longest = longest_suffix(in, node);
  const bool free = last < 0 || last < rank - one;
  if (free && longest > one && last < rank - longest) ways.push_back({longest, header_of(rank), alone, last});
  if (free) ways.push_back({one, header_of(rank), alone, last});
  if (last < 0) ways.push_back({one, header_of(rank - one), alone, last});
  if (manner.by_element || rank == 0) ways.push_back({0, header_of(rank), alone, last});
  for (const Walk& way : ways)
    if (attempt(in, node, sink, way)) return;
  throw Unfit{};
}

}  // namespace kg::dataset::translation
