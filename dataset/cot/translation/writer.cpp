#include "dataset/cot/translation/writer.h"

#include <algorithm>

#include "dataset/cot/translation/node_maker.h"

namespace kg::dataset::cot::translation {

using modules::Kind;

std::string Writer::fresh(const std::string& like) {
  for (int i = 0;; ++i)
    if (const std::string name =
            i == 0 ? like : like + static_cast<char>('a' + i % 26) + (i > 25 ? std::to_string(i / 26) : "");
        taken_.insert(name).second)
      return name;
}

// Loop variables end with their loops, so that another may have the name.
std::string Writer::variable(const std::string& like) {
  std::string name = like;
  for (char more = 'a'; bound_.contains(name) || taken_.contains(name); ++more) name = like + more;
  return name;
}

void Writer::release(const std::vector<std::string>& variables) {
  for (const std::string& one : variables) bound_.erase(one);
}

Block& Writer::place_of(const Index& index) {
  Block* deepest = home_;
  for (const std::string& word : words_of(index))
    if (const auto found = bound_.find(word); found != bound_.end() && found->second->depth() > deepest->depth())
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
    if (graph_.sizes.number(size) == 1) continue;
    only = made.empty() ? graph_.sizes.text(size) : "";
    made += (made.empty() ? "" : " * ") + graph_.sizes.factor(size);
  }
  return made.empty() ? "1" : only.empty() ? made : only;
}

std::string Writer::length_of(const Index& index) const {
  const Entry* range = range_of(index);
  if (range == nullptr) return "1";
  return range->kind == Entry::Kind::kTiles ? "len(" + range->loop + ")" : range->length;
}

std::string Writer::as_number_or_tile(Block& block, const Value& value, const Index& index) {
  if (value.condition) {
    const std::string name = fresh("v");
    block.write(name + " = 0.0");
    block.write("if " + value.text + ":");
    block.write("  " + name + " = 1.0");
    return name;
  }
  (void)index;
  return value.kind == Kind::kMask ? "where(" + value.text + ", 1, 0)" : value.text;
}

Value Writer::value(int id, const Index& index) {
  const Node& node = graph_[id];
  if (node.kind == Node::Kind::kNumber) return {.text = node.text};
  const std::string key = std::to_string(id) + "[" + text_of(index) + "]";
  for (const Block* block = current_; block != nullptr; block = block->outer())
    if (const auto found = block->known.find(key); found != block->known.end()) return found->second;
  if (is_stored(id)) {
    const Value made = load(id, index);
    return place_of(index).known[key] = made;
  }
  const int of = node.of.empty() ? -1 : node.of[0];
  switch (node.kind) {
    case Node::Kind::kPermute: {
      Index moved(index.size());
      int axis = 0;
      for (const Entry& entry : index) {
        const int to = node.axes[static_cast<std::size_t>(axis)];
        for (int i = 1; i < entry.axes; ++i)  // several as one stay where they are
          if (to != axis || node.axes[static_cast<std::size_t>(axis + i)] != axis + i) throw Unfit{};
        if (to >= static_cast<int>(moved.size())) throw Unfit{};
        moved[static_cast<std::size_t>(to)] = entry;
        axis += entry.axes;
      }
      return value(of, moved);
    }
    case Node::Kind::kSelect: {
      Index moved = index;
      int axis = 0;
      std::size_t at = 0;
      while (at < index.size() && axis < node.axis) axis += index[at++].axes;
      if (axis != node.axis) throw Unfit{};
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(at), {.text = std::to_string(node.from)});
      return value(of, moved);
    }
    case Node::Kind::kReshape:
      return value(of, through_view(index, node.dims, graph_[of].dims, graph_.sizes));
    case Node::Kind::kExpand:
      return value(of, aligned(index, node.dims, graph_[of].dims, graph_.sizes));
    default:
      break;
  }
  Value made;
  switch (node.kind) {
    case Node::Kind::kSlice:
      made = slice(node, index);
      break;
    case Node::Kind::kFlip:
      made = flip(node, index);
      break;
    case Node::Kind::kCounter:
      made = counter(node, index);
      break;
    case Node::Kind::kPointwise:
      made = pointwise(node, index);
      break;
    case Node::Kind::kReduce:
      made = reduction(id, index);
      break;
    case Node::Kind::kPlace:
      made = place(id, index);
      break;
    case Node::Kind::kScan:
      made = scan(id, index);
      break;
    case Node::Kind::kPick:
      made = pick(id, index);
      break;
    case Node::Kind::kGather:
      made = gather(id, index);
      break;
    case Node::Kind::kWindow:
      made = window(id, index);
      break;
    default:
      throw Wanted{id, node.dims};
  }
  return place_of(index).known[key] = made;
}

Value Writer::load(int id, const Index& given, const std::string& pad) {
  const Node& node = graph_[id];
  const Storage& storage = storage_.at(id);
  Index index = storage.dims == node.dims ? given : through_view(given, node.dims, storage.dims, graph_.sizes);
  const Entry* range = range_of(index);
  if (range != nullptr) {  // behind a range everything else is taken along
    std::size_t at = static_cast<std::size_t>(range - index.data());
    std::size_t axis = 0;
    for (std::size_t i = 0; i <= at; ++i) axis += static_cast<std::size_t>(index[i].axes);
    for (std::size_t i = axis; i < storage.dims.size(); ++i)
      if (graph_.sizes.number(storage.dims[i]) != 1) return across(id, given, index);
    index.resize(at + 1);
  }
  Block& block = place_of(given);
  const std::string like = node.kind == Node::Kind::kInput ? storage.name + "_" : storage.name + "x";
  Value made = named(block, like, "load " + storage.name + "[" + text_of(index) + "]" + pad,
                     range != nullptr ? Kind::kTile : Kind::kNumber);
  if (node.type == "bool") {
    if (range == nullptr) return {.text = made.text + " != 0", .kind = Kind::kMask, .condition = true};
    return named(block, "m", made.text + " != 0", Kind::kMask);
  }
  made.integer = node.type.find("int") != std::string::npos;
  return made;
}

// A row along an axis that is not the last: every so-manyth element of all that lies there, where that is little.
Value Writer::across(int id, const Index& given, const Index& index) {
  const Storage& storage = storage_.at(id);
  const std::size_t at = static_cast<std::size_t>(range_of(index) - index.data());
  const Entry& row = index[at];
  const std::vector<SizeId> block(storage.dims.begin() + static_cast<std::ptrdiff_t>(at), storage.dims.end());
  const std::vector<SizeId> inner(block.begin() + 1, block.end());
  if (row.kind != Entry::Kind::kRow || !row.whole || row.axes != 1 || graph_.count(block) > kLongestRow ||
      graph_[id].type != "float")
    throw Unfit{};
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i].axes != 1) throw Unfit{};
  const Index in_front(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(at));
  const std::string key = "block " + std::to_string(id) + "[" + text_of(in_front) + "]";
  Block& outer = place_of(in_front);
  auto& known = outer.known[key];
  if (known.text.empty())
    known =
        named(outer, storage.name + "x",
              "load " + storage.name + "[" + (in_front.empty() ? "" : text_of(in_front) + ", ") + ":]", Kind::kTile);
  std::string from;
  for (std::size_t i = at + 1; i < index.size(); ++i)
    from = plus(times(from, graph_.sizes.factor(storage.dims[i])), index[i].text);
  if (from.empty()) from = "0";
  const std::string step = in_brackets(product_text(inner)), span = "(" + row.length + " - 1) * " + step + " + 1";
  return named(place_of(given), "v",
               known.text + "[" + from + ":" + plus(from == "0" ? "" : from, span) + ":" + step + "]", Kind::kTile);
}

Value Writer::slice(const Node& node, const Index& index) {
  const std::size_t at = entry_at(index, node.axis);
  Index moved = index;
  Entry& entry = moved[at];
  if (!entry.is_range()) {
    entry.text = plus(node.step == 1 ? entry.text : times(entry.text, std::to_string(node.step)), node.from);
    return value(node.of[0], moved);
  }
  if (node.step == 1) {
    entry.text = plus(entry.text, node.from);
    entry.whole = false;
    return value(node.of[0], moved);
  }
  if (entry.kind != Entry::Kind::kRow || !entry.whole) throw Unfit{};
  const std::string step = std::to_string(node.step),
                    span = step + " * " + in_brackets(entry.length) + " - " + std::to_string(node.step - 1);
  entry = {.kind = Entry::Kind::kRow, .text = std::to_string(node.from), .length = span, .whole = false};
  const Value of = value(node.of[0], moved);
  if (of.kind != Kind::kTile) return of;
  return named(place_of(index), node.name.empty() ? "v" : node.name, of.text + "[0:" + span + ":" + step + "]",
               Kind::kTile);
}

Value Writer::flip(const Node& node, const Index& index) {
  const std::size_t at = entry_at(index, node.axis);
  const Entry& entry = index[at];
  if (!entry.is_range()) {
    Index moved = index;
    moved[at].text =
        graph_.sizes.factor(node.dims[static_cast<std::size_t>(node.axis)]) + " - 1 - " + in_brackets(entry.text);
    return value(node.of[0], moved);
  }
  if (entry.kind != Entry::Kind::kRow || !entry.whole) throw Unfit{};
  const Value of = value(node.of[0], index);
  return of.kind == Kind::kTile
             ? named(place_of(index), node.name.empty() ? "v" : node.name, "flip(" + of.text + ")", Kind::kTile)
             : of;
}

Value Writer::counter(const Node& node, const Index& index) {
  (void)node;
  const Entry& entry = index.at(0);
  if (!entry.is_range()) return {.text = in_brackets(entry.text), .integer = true};
  const std::string first =
      entry.kind == Entry::Kind::kTiles ? plus("start(" + entry.loop + ")", entry.text) : entry.text;
  return named(place_of(index), "c", plus("float(arange(" + length_of(index) + "))", first), Kind::kTile);
}

Value Writer::pointwise(const Node& node, const Index& index) {
  std::vector<Value> of;
  std::vector<Kind> kinds;
  std::vector<std::string> given;
  bool conditions = true, integers = !node.of.empty();
  for (const int one : node.of) {
    of.push_back(value(one, aligned(index, node.dims, graph_[one].dims, graph_.sizes)));
    integers = integers && (of.back().integer || graph_[one].kind == Node::Kind::kNumber);
    conditions = conditions && of.back().kind != Kind::kTile && (of.back().kind != Kind::kMask || of.back().condition);
  }
  static const std::set<std::string> kept = {"add", "sub", "mul", "maximum", "minimum"};
  integers = integers && kept.contains(node.line.op) && node.line.keywords.empty();
  for (Value& one : of) {
    if (one.integer && one.kind == Kind::kTile && !integers) one.text = "float(" + one.text + ")";
    kinds.push_back(one.kind);
    given.push_back(one.text);
  }
  if ((node.line.op == "where" || node.text.starts_with("where(")) && of.size() == 3 && of[0].condition)
    return chosen(node, of, index);
  if (node.line.op == "masked_fill" && of.size() == 3 && of[1].condition)
    return chosen(node, {of[1], of[2], of[0]}, index);
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i].condition && !conditions) of[i] = as_mask(of[i], index), given[i] = of[i].text;
  std::string form = node.text;
  Kind kind = node.type == "bool" ? Kind::kMask : Kind::kNumber;
  if (form.empty()) {
    const auto known = modules::operator_form(node.line, kinds);
    if (!known || known->dsl.find("; ") != std::string::npos) throw Unknown{node.line.op};
    form = known->dsl;
    kind = known->kind == Kind::kMask ? Kind::kMask : Kind::kNumber;
  } else {
    for (std::size_t at; (at = form.find('{')) != std::string::npos;) {
      const std::size_t end = form.find('}', at);
      form.replace(at, end + 1 - at, graph_.sizes.factor(std::stoi(form.substr(at + 1, end - at - 1))));
    }
  }
  const std::string expression = modules::with_arguments(form, given);
  const bool tile = std::any_of(of.begin(), of.end(), [](const Value& one) {
    return one.kind == Kind::kTile || (one.kind == Kind::kMask && !one.condition);
  });
  if (kind == Kind::kMask && !tile) return {.text = "(" + expression + ")", .kind = Kind::kMask, .condition = true};
  if (kind != Kind::kMask && tile) kind = Kind::kTile;
  if (kind == Kind::kNumber && expression.starts_with("where(")) throw Unfit{};
  Value made = named(place_of(index), node.name.empty() ? "v" : node.name, expression, kind);
  made.integer = integers;
  return made;
}

// The same for every element of a tile.
Value Writer::as_mask(const Value& condition, const Index& index) {
  if (range_of(index) == nullptr) throw Unfit{};
  Block& block = place_of(index);
  const Value tile = named(block, "v", "zeros(" + length_of(index) + ")", Kind::kTile);
  block.write("if " + condition.text + ":");
  block.write("  " + tile.text + " = 1");
  return named(block, "m", tile.text + " > 0", Kind::kMask);
}

// One of two values by a comparison of numbers.
Value Writer::chosen(const Node& node, const std::vector<Value>& of, const Index& index) {
  Block& block = place_of(index);
  const std::string name = fresh(node.name.empty() ? "v" : node.name);
  const auto number = [](const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos ? text + ".0" : text;
  };
  const bool tile = of[1].kind == Kind::kTile || of[2].kind == Kind::kTile;
  if (tile) {
    block.write(name + " = zeros(" + length_of(index) + ")");
    block.write("if " + of[0].text + ":");
    block.write("  " + name + " = " + of[1].text);
    block.write("else:");
    block.write("  " + name + " = " + of[2].text);
    return {.text = name, .kind = Kind::kTile};
  }
  block.write(name + " = " + number(of[2].text));
  block.write("if " + of[0].text + ":");
  block.write("  " + name + " = " + number(of[1].text));
  return {.text = name};
}

std::string Writer::subscript(Block& block, const Value& value) {
  if (value.kind != Kind::kNumber) throw Unfit{};
  if (value.integer && value.text.find(' ') == std::string::npos) {
    bound_.try_emplace(value.text, &block);
    return value.text;
  }
  const std::string name = fresh("k");
  block.write(name + " = " + (value.integer ? value.text : "int32(" + value.text + ")"));
  bound_[name] = &block;
  return name;
}

Value Writer::pick(int id, const Index& index) {
  const Node& node = graph_[id];
  const Node& places = graph_[node.of[1]];
  Index in_front, at, behind;
  int axis = 0;
  const int end = node.axis + static_cast<int>(places.dims.size());
  for (const Entry& entry : index) {
    if (axis < node.axis && axis + entry.axes > node.axis) throw Unfit{};
    if (axis >= node.axis && axis < end && axis + entry.axes > end) throw Unfit{};
    (axis < node.axis ? in_front : axis < end ? at : behind).push_back(entry);
    axis += entry.axes;
  }
  const Value place = value(node.of[1], at);
  Index source = in_front;
  if (place.kind == Kind::kNumber) {
    source.push_back({.text = subscript(place_of(at), place)});
    source.insert(source.end(), behind.begin(), behind.end());
    return value(node.of[0], source);
  }
  if (place.kind != Kind::kTile || !behind.empty()) throw Unfit{};
  source.push_back({.kind = Entry::Kind::kRow, .text = "", .length = text(graph_[node.of[0]].dims.back())});
  const Value row = value(node.of[0], source);
  return named(place_of(index), node.name.empty() ? "v" : node.name,
               "gather(" + row.text + ", " + (place.integer ? place.text : "int32(" + place.text + ")") + ")",
               Kind::kTile);
}

Value Writer::gather(int id, const Index& index) {
  const Node& node = graph_[id];
  const std::size_t at = entry_at(index, node.axis);
  const Value place = value(node.of[1], index);
  Index source = index;
  if (place.kind == Kind::kNumber) {
    source[at] = {.text = subscript(place_of(index), place)};
    return value(node.of[0], source);
  }
  if (!index[at].is_range() || place.kind != Kind::kTile) throw Unfit{};
  source[at] = {.kind = Entry::Kind::kRow,
                .text = "",
                .length = text(graph_[node.of[0]].dims[static_cast<std::size_t>(node.axis)])};
  const Value row = value(node.of[0], source);
  return named(place_of(index), node.name.empty() ? "v" : node.name,
               "gather(" + row.text + ", " + (place.integer ? place.text : "int32(" + place.text + ")") + ")",
               Kind::kTile);
}

// What a view is of that has only more or fewer axes of one element; else itself.
int Writer::without_single_axes(int id) const {
  const Node& node = graph_[id];
  if (is_stored(id) || node.kind != Node::Kind::kReshape || !is_stored(node.of[0])) return id;
  const auto long_ones = [&](int of) {
    std::vector<std::int64_t> made;
    for (const SizeId size : graph_[of].dims)
      if (graph_.sizes.number(size) != 1) made.push_back(graph_.sizes.number(size));
    return made;
  };
  return long_ones(id) == long_ones(node.of[0]) ? node.of[0] : id;
}

// Where windows reach outside, a loop of no turn leaves what is there.
Value Writer::window(int id, const Index& index) {
  const Node& node = graph_[id];
  const int of = node.of[0], source = without_single_axes(of);
  if (!is_stored(source)) throw Wanted{of, graph_[of].dims};
  const std::size_t count = node.window.size(), lead = graph_[of].dims.size() - count;
  Index moved;
  for (std::size_t i = 0; i < lead; ++i) moved.push_back(index.at(entry_at(index, static_cast<int>(i))));
  std::vector<std::pair<std::string, std::string>> guards;  // place, size
  std::string pad, stride;
  const std::string size_of_tile = length_of(index);
  for (std::size_t i = 0; i < count; ++i) {
    const WindowAxis& axis = node.window[i];
    const Entry& tap = index.at(entry_at(index, static_cast<int>(lead + i)));
    Entry at = index.at(entry_at(index, static_cast<int>(lead + count + i)));
    const SizeId size = graph_[of].dims[lead + i];
    const std::int64_t out = graph_.sizes.number(node.dims[lead + count + i]), all = graph_.sizes.number(size);
    const std::int64_t over =
        std::max<std::int64_t>((out - 1) * axis.step + (axis.width - 1) * axis.apart - axis.padding - (all - 1), 0);
    const bool outside = axis.padding > 0 || over > 0;
    if (tap.is_range()) throw Unfit{};
    const std::string shift = plus(times(tap.text, std::to_string(axis.apart)), -axis.padding);
    if (!at.is_range()) {
      at.text = plus(times(at.text, std::to_string(axis.step)), shift);
      if (outside) guards.emplace_back(at.text.empty() ? "0" : at.text, text(size));
      if (outside) at.text = "";
    } else {
      constexpr std::int64_t kMostOutside = 8;
      if (std::max(axis.padding, over) > kMostOutside) throw Unfit{};
      if (outside) pad = " pad " + node.text;
      if (axis.step != 1) {
        if (at.kind != Entry::Kind::kRow || !at.whole || all > kLongestRow) throw Unfit{};
        stride = std::to_string(axis.step);
        at.length = plus(times(text(node.dims[lead + count + i]), stride), 1 - axis.step);
      }
      at.text = plus(at.text, shift == "0" ? "" : shift);
      if (axis.step != 1 || axis.padding > 0 || out != all || axis.width > 1) at.whole = false;
    }
    moved.push_back(at);
  }
  Block& block = place_of(index);
  if (guards.empty()) {
    Value made = load(
        source, source == of ? moved : through_view(moved, graph_[of].dims, graph_[source].dims, graph_.sizes), pad);
    if (!stride.empty())
      made = named(block, "v", made.text + "[0:" + range_of(moved)->length + ":" + stride + "]", Kind::kTile);
    return made;
  }
  const bool tile = range_of(moved) != nullptr;
  const std::string name = fresh("w");
  block.write(name + " = " +
              (tile               ? "full(" + size_of_tile + ", " + node.text + ")"
               : node.text == "0" ? "0.0"
                                  : node.text));
  std::vector<Block*> blocks = {&block};
  std::vector<std::string> variables;
  std::size_t guard = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Entry& at = moved[lead + i];
    if (at.is_range() || !at.text.empty()) continue;
    const auto& [first, size] = guards.at(guard++);
    const std::string q = variable("q");
    blocks.push_back(&blocks.back()->open(
        "for " + q + " in range(max(" + first + ", 0), min(" + plus(first, 1) + ", " + size + ")):", {}));
    bind(q, *blocks.back());
    variables.push_back(q);
    at.text = q;
  }
  Block* const outer = current_;
  current_ = blocks.back();
  Value made =
      load(source, source == of ? moved : through_view(moved, graph_[of].dims, graph_[source].dims, graph_.sizes), pad);
  current_ = outer;
  blocks.back()->write(name + " = " + made.text +
                       (stride.empty() ? "" : "[0:" + range_of(moved)->length + ":" + stride + "]"));
  release(variables);
  for (std::size_t i = blocks.size() - 1; i > 0; --i) blocks[i - 1]->close(*blocks[i]);
  return {.text = name, .kind = tile ? Kind::kTile : Kind::kNumber};
}

}  // namespace kg::dataset::cot::translation
