#include <algorithm>

#include "dataset/translation/writer.h"

namespace kg::dataset::translation {

namespace {

// A row along an axis that is not the last: every n-th element of the whole block, if that is small.
Value across(Writer& in, int id, const Index& given, const Index& index) {
  const Storage& storage = in.storage.at(id);
  const std::size_t at = static_cast<std::size_t>(range_of(index) - index.data());
  const Entry& row = index[at];
  const std::vector<SizeId> block(storage.dims.begin() + static_cast<std::ptrdiff_t>(at), storage.dims.end());
  const std::vector<SizeId> inner(block.begin() + 1, block.end());
  // Where more is computed, only for a few elements next to each other: coordinates, corners of boxes, complex numbers.
  constexpr std::int64_t kFewElements = 8;
  constexpr std::int64_t kLongestBlock = kLongestRow / 2;  // it lies in UB beside what is taken of it
  if ((!in.moves && in.graph.count(inner) > kFewElements) || row.kind != Entry::Kind::kRow || !row.whole ||
      row.axes != 1 || in.graph.count(block) > kLongestBlock || in.graph[id].type != "float")
    throw Unfit{};
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i].axes != 1) throw Unfit{};
  const Index in_front(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(at));
  const std::string key = "block " + std::to_string(id) + "[" + text_of(in_front) + "]";
  Block& outer = in.place_of(in_front);
  auto& known = outer.known[key];
  if (known.text.empty())
    known =
        in.named(outer, storage.name + "x",
                 "load " + storage.name + "[" + (in_front.empty() ? "" : text_of(in_front) + ", ") + ":]", Kind::kTile);
  std::string from;
  for (std::size_t i = at + 1; i < index.size(); ++i)
    from = plus(times(from, in.graph.sizes.factor(storage.dims[i])), index[i].text);
  if (from.empty()) from = "0";
  const std::string step = in_brackets(in.product_text(inner)), span = "(" + row.length + " - 1) * " + step + " + 1";
  return in.named(in.place_of(given), "v",
                  known.text + "[" + from + ":" + plus(from == "0" ? "" : from, span) + ":" + step + "]", Kind::kTile);
}

}  // namespace

Value load(Writer& in, int id, const Index& given, const std::string& pad) {
  const Node& node = in.graph[id];
  const Storage& storage = in.storage.at(id);
  // Past the end of a row is padding only where rows are rows in memory.
  if (!pad.empty() && in.graph.sizes.number(storage.dims.back()) != in.graph.sizes.number(node.dims.back()))
    throw Wanted{id, node.dims};
  Index index = storage.dims == node.dims ? given : through_view(given, node.dims, storage.dims, in.graph.sizes);
  const Entry* range = range_of(index);
  if (!drop_single_axes(index, storage.dims, in.graph.sizes)) return across(in, id, given, index);
  Block& block = in.place_of(given);
  const std::string like = node.kind == Node::Kind::kInput ? storage.name + "_" : storage.name + "x";
  Value made = in.named(block, like, "load " + storage.name + "[" + text_of(index) + "]" + pad,
                        range != nullptr ? Kind::kTile : Kind::kNumber);
  if (node.type == "bool") {
    if (range == nullptr) return {.text = made.text + " != 0", .kind = Kind::kMask, .condition = true};
    return in.named(block, "m", made.text + " != 0", Kind::kMask);
  }
  made.integer = node.type.find("int") != std::string::npos;
  return made;
}

Value slice(Writer& in, const Node& node, const Index& index) {
  const std::size_t at = entry_at(index, node.axis);
  Index moved = index;
  Entry& entry = moved[at];
  const auto behind = [&](const std::string& text) {
    return node.first.empty() ? plus(text, node.from) : plus(text, in.graph.sizes.filled(node.first));
  };
  if (!entry.is_range()) {
    entry.text = behind(node.step == 1 ? entry.text : times(entry.text, std::to_string(node.step)));
    return in.value(node.of[0], moved);
  }
  if (node.step == 1) {
    entry.text = behind(entry.text);
    entry.whole = false;
    return in.value(node.of[0], moved);
  }
  if (entry.kind != Entry::Kind::kRow || !entry.whole) throw Unfit{};
  const std::string step = std::to_string(node.step),
                    span = step + " * " + in_brackets(entry.length) + " - " + std::to_string(node.step - 1);
  entry = {.kind = Entry::Kind::kRow, .text = std::to_string(node.from), .length = span, .whole = false};
  const Value of = in.value(node.of[0], moved);
  if (of.kind != Kind::kTile) return of;
  return in.named(in.place_of(index), node.name.empty() ? "v" : node.name, of.text + "[0:" + span + ":" + step + "]",
                  Kind::kTile);
}

Value flip(Writer& in, const Node& node, const Index& index) {
  const std::size_t at = entry_at(index, node.axis);
  const Entry& entry = index[at];
  if (!entry.is_range()) {
    Index moved = index;
    moved[at].text =
        in.graph.sizes.factor(node.dims[static_cast<std::size_t>(node.axis)]) + " - 1 - " + in_brackets(entry.text);
    return in.value(node.of[0], moved);
  }
  if (entry.kind != Entry::Kind::kRow || !entry.whole) throw Unfit{};
  const Value of = in.value(node.of[0], index);
  return of.kind == Kind::kTile
             ? in.named(in.place_of(index), node.name.empty() ? "v" : node.name, "flip(" + of.text + ")", Kind::kTile)
             : of;
}

std::string subscript(Writer& in, Block& block, const Value& value) {
  if (value.kind != Kind::kNumber) throw Unfit{};
  if (value.integer && value.text.find(' ') == std::string::npos) {
    in.bound.try_emplace(value.text, &block);
    return value.text;
  }
  const std::string name = in.fresh("k");
  block.write(name + " = " + (value.integer ? value.text : "int32(" + value.text + ")"));
  in.bound[name] = &block;
  return name;
}

namespace {

// Elements of a row that UB holds beside short tiles. Those of a longer one are loaded one by one.
constexpr std::int64_t kLongestGathered = 1 << 15;

Entry row_to_gather(Writer& in, SizeId size) {
  if (in.graph.sizes.number(size) > kLongestGathered) throw Unfit{};
  return {.kind = Entry::Kind::kRow, .text = "", .length = in.text(size)};
}

// Elements of a row at the places given by a tile.
Value gathered(Writer& in, const Node& node, const Value& row, const Value& places, const Index& index) {
  const std::string whole = places.integer ? places.text : "int32(" + places.text + ")";
  return in.named(in.place_of(index), node.name.empty() ? "v" : node.name, "gather(" + row.text + ", " + whole + ")",
                  Kind::kTile);
}

}  // namespace

Value pick(Writer& in, int id, const Index& index) {
  const Node& node = in.graph[id];
  const Node& places = in.graph[node.of[1]];
  Index in_front, at, behind;
  int axis = 0;
  const int end = node.axis + static_cast<int>(places.dims.size());
  for (const Entry& entry : index) {
    if (axis < node.axis && axis + entry.axes > node.axis) throw Unfit{};
    if (axis >= node.axis && axis < end && axis + entry.axes > end) throw Unfit{};
    (axis < node.axis ? in_front : axis < end ? at : behind).push_back(entry);
    axis += entry.axes;
  }
  const Value place = in.value(node.of[1], at);
  Index source = in_front;
  if (place.kind == Kind::kNumber) {
    source.push_back({.text = subscript(in, in.place_of(at), place)});
    source.insert(source.end(), behind.begin(), behind.end());
    return in.value(node.of[0], source);
  }
  if (place.kind != Kind::kTile || !behind.empty()) throw Unfit{};
  source.push_back(row_to_gather(in, in.graph[node.of[0]].dims.back()));
  const Value row = in.value(node.of[0], source);
  return gathered(in, node, row, place, index);
}

Value gather(Writer& in, int id, const Index& index) {
  const Node& node = in.graph[id];
  const std::size_t at = entry_at(index, node.axis);
  const Value place = in.value(node.of[1], index);
  Index source = index;
  if (place.kind == Kind::kNumber) {
    source[at] = {.text = subscript(in, in.place_of(index), place)};
    return in.value(node.of[0], source);
  }
  if (!index[at].is_range() || place.kind != Kind::kTile) throw Unfit{};
  source[at] = row_to_gather(in, in.graph[node.of[0]].dims[static_cast<std::size_t>(node.axis)]);
  const Value row = in.value(node.of[0], source);
  return gathered(in, node, row, place, index);
}

}  // namespace kg::dataset::translation
