#include "dataset/translation/writer.h"

#include <algorithm>
#include <optional>

#include "dataset/translation/node_maker.h"

namespace kg::dataset::translation {

namespace {

// a, b, ..., z, a1, b1, ...
std::string ith_ending(int i) {
  return static_cast<char>('a' + i % 26) + (i > 25 ? std::to_string(i / 26) : std::string());
}

}  // namespace

std::string Writer::fresh(const std::string& like) {
  for (int& i = next[like];; ++i)
    if (const std::string name = i == 0 ? like : like + ith_ending(i); taken.insert(name).second) {
      made_names.push_back(name);
      return name;
    }
}

void Writer::forget_names(std::size_t count) {
  next.clear();
  for (; made_names.size() > count; made_names.pop_back()) taken.erase(made_names.back());
}

// Loop variables end with their loops, so that another may have the name.
std::string Writer::variable(const std::string& like) {
  std::string name = like;
  for (int i = 0; bound.contains(name) || taken.contains(name); ++i) name = like + ith_ending(i);
  return name;
}

void Writer::release(const std::vector<std::string>& variables) {
  for (const std::string& one : variables) bound.erase(one);
}

Block& Writer::place_of(const Index& index) {
  Block* deepest = home;
  for (const std::string& word : words_of(index))
    if (const auto found = bound.find(word); found != bound.end() && found->second->depth() > deepest->depth())
      deepest = found->second;
  return *deepest;
}

Value Writer::named(Block& block, const std::string& like, const std::string& expression, Kind kind) {
  const std::string name = fresh(like);
  block.write(name + " = " + expression);
  return {.text = name, .kind = kind};
}

std::string Writer::product_text(const std::vector<SizeId>& dims) const {
  std::string made, only;
  for (const SizeId size : dims) {
    if (graph.sizes.number(size) == 1) continue;
    only = made.empty() ? graph.sizes.text(size) : "";
    made += (made.empty() ? "" : " * ") + graph.sizes.factor(size);
  }
  return made.empty() ? "1" : only.empty() ? made : only;
}

std::string Writer::length_of(const Index& index) const {
  const Entry* range = range_of(index);
  if (range == nullptr) return "1";
  return range->kind == Entry::Kind::kTiles ? "len(" + range->loop + ")" : range->length;
}

std::string Writer::as_number_or_tile(Block& block, const Value& value) {
  if (value.condition) {
    const std::string name = fresh("v");
    block.write(name + " = 0.0");
    block.write("if " + value.text + ":");
    block.write("  " + name + " = 1.0");
    return name;
  }
  return value.kind == Kind::kMask ? "where(" + value.text + ", 1, 0)" : value.text;
}

namespace {

// The place of what a node is another view of. nullopt: it is not.
std::optional<Index> viewed(const Node& node, const Index& index, const Graph& graph) {
  if (node.kind == Node::Kind::kReshape) return through_view(index, node.dims, graph[node.of[0]].dims, graph.sizes);
  if (node.kind == Node::Kind::kExpand) return aligned(index, node.dims, graph[node.of[0]].dims, graph.sizes);
  int axis = 0;
  if (node.kind == Node::Kind::kPermute) {
    Index moved(index.size());
    for (const Entry& entry : index) {
      const int to = node.axes[static_cast<std::size_t>(axis)];
      for (int i = 1; i < entry.axes; ++i)  // several as one stay where they are
        if (to != axis || node.axes[static_cast<std::size_t>(axis + i)] != axis + i) throw Unfit{};
      if (to >= static_cast<int>(moved.size())) throw Unfit{};
      moved[static_cast<std::size_t>(to)] = entry;
      axis += entry.axes;
    }
    return moved;
  }
  if (node.kind != Node::Kind::kSelect) return std::nullopt;
  Index moved = index;
  std::size_t at = 0;
  while (at < index.size() && axis < node.axis) axis += index[at++].axes;
  if (axis != node.axis) throw Unfit{};
  moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(at), {.text = std::to_string(node.from)});
  return moved;
}

Value computed(Writer& in, int id, const Index& index) {
  const Node& node = in.graph[id];
  switch (node.kind) {
    case Node::Kind::kSlice:
      return slice(in, node, index);
    case Node::Kind::kFlip:
      return flip(in, node, index);
    case Node::Kind::kCounter:
      return counter(in, index);
    case Node::Kind::kPointwise:
      return pointwise(in, node, index);
    case Node::Kind::kReduce:
      return reduction(in, id, index);
    case Node::Kind::kPlace:
      return place(in, id, index);
    case Node::Kind::kScan:
      return scan(in, id, index);
    case Node::Kind::kPick:
      return pick(in, id, index);
    case Node::Kind::kGather:
      return gather(in, id, index);
    case Node::Kind::kWindow:
      return window(in, id, index);
    default:
      throw Wanted{id, node.dims};
  }
}

}  // namespace

Value Writer::value(int id, const Index& index) {
  const Node& node = graph[id];
  if (node.kind == Node::Kind::kNumber) return {.text = node.text};
  const std::string key = std::to_string(id) + "[" + text_of(index) + "]";
  for (const Block* block = current; block != nullptr; block = block->outer())
    if (const auto found = block->known.find(key); found != block->known.end()) return found->second;
  if (!is_stored(id))
    if (const auto moved = viewed(node, index, graph)) return value(node.of[0], *moved);
  const Value made = is_stored(id) ? load(*this, id, index) : computed(*this, id, index);
  return place_of(index).known[key] = made;
}

}  // namespace kg::dataset::translation
