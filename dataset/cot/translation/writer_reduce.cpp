#include <algorithm>

#include "dataset/cot/translation/node_maker.h"
#include "dataset/cot/translation/writer.h"

namespace kg::dataset::cot::translation {

using modules::Kind;

namespace {

std::string begin_of(const std::string& how) {
  return how == "sum" ? "0" : how == "prod" ? "1" : how == "amax" ? "-inf" : "inf";
}

std::string begin_of(const std::string& how, const std::string& length) {
  return how == "sum" ? "zeros(" + length + ")" : "full(" + length + ", " + begin_of(how) + ")";
}

std::string joined(const std::string& how, const std::string& sum, const std::string& with) {
  if (how == "sum") return sum + " += " + with;
  if (how == "prod") return sum + " *= " + with;
  return sum + " = " + (how == "amax" ? "max(" : "min(") + sum + ", " + with + ")";
}

std::string of_tile(const std::string& how, const std::string& tile) {
  return (how == "sum" ? "sum(" : how == "amax" ? "max(" : "min(") + tile + ")";
}

std::string of_cores(const std::string& how, const std::string& number) {
  return (how == "sum" ? "all_sum(" : how == "amax" ? "all_max(" : "all_min(") + number + ")";
}

}  // namespace

// A number is computed in the innermost loop that it changes with: were there others around it, then again in each of
// their turns. Several places have the same one where the index is divided.
void Writer::check_once(int node, const Block& place, const Index& index) const {
  const std::set<std::string> words = words_of(index);
  for (const Entry& entry : index)
    if (entry.text.find(" // ") != std::string::npos) throw Wanted{node, graph_[node].dims};
  for (const Block* block = &place; block != nullptr; block = block->outer())
    for (const std::string& variable : block->variables())
      if (!words.contains(variable)) throw Recompute{node, words};
}

Value Writer::reduction(int id, const Index& index) {
  const Node& node = graph_[id];
  const int of = node.of[0];
  const std::vector<SizeId>& dims = graph_[of].dims;
  const std::set<int> gone(node.axes.begin(), node.axes.end());
  Block& block = place_of(index);
  if (&block == root_.get() && graph_.count(dims) > 1) return of_all(id);
  check_once(id, block, index);
  int row = 0;  // axes at the end that are summed up as one row
  while (row < static_cast<int>(dims.size()) &&
         (gone.contains(static_cast<int>(dims.size()) - 1 - row) ||
          graph_.sizes.number(dims[dims.size() - 1 - static_cast<std::size_t>(row)]) == 1))
    ++row;
  if (range_of(index) != nullptr && row > 0 && id != writing)
    throw Wanted{id, node.dims};  // numbers of rows, as a tile
  if (range_of(index) != nullptr) row = 0;
  const int single = single_axes(of);
  while (row > 0 && !can_be_flat(of, row)) --row;
  if (row <= single && row > 0) row = std::min(row, single);
  const std::vector<SizeId> row_dims(dims.end() - row, dims.end());
  const bool has_row = graph_.count(row_dims) > 1;
  Index inside;
  std::vector<Block*> blocks = {&block};
  std::vector<std::string> variables;
  std::size_t next = 0;
  const std::string name_like = node.name.empty() ? "v" : node.name;
  const bool tile = range_of(index) != nullptr;
  bool loops = false;
  for (int axis = 0; axis < static_cast<int>(dims.size()) - (has_row ? row : 0); ++axis)
    loops = loops || (gone.contains(axis) && graph_.size(of, static_cast<std::size_t>(axis)) != 1);
  std::string sum;
  if (loops) {
    sum = fresh("s");
    block.write(sum + " = " + (tile ? begin_of(node.op, length_of(index)) : begin_of(node.op)));
  }
  for (int axis = 0; axis < static_cast<int>(dims.size());) {
    const SizeId size = dims[static_cast<std::size_t>(axis)];
    if (has_row && axis == static_cast<int>(dims.size()) - row) {
      inside.push_back({.kind = Entry::Kind::kRow, .text = "", .length = product_text(row_dims), .axes = row});
      break;
    }
    if (!gone.contains(axis)) {
      const Entry& entry = index.at(next++);
      for (int i = 0; i < entry.axes; ++i)
        if (gone.contains(axis + i)) throw Unfit{};
      inside.push_back(entry);
      axis += entry.axes;
      continue;
    }
    ++axis;
    if (graph_.sizes.number(size) == 1) {
      inside.push_back({});
      continue;
    }
    const std::string j = variable("j");
    blocks.push_back(&blocks.back()->open("for " + j + " in range(" + text(size) + "):", {j}));
    bind(j, *blocks.back());
    variables.push_back(j);
    inside.push_back({.text = j});
  }
  Block* const outer = current_;
  current_ = blocks.back();
  Value of_value = value(of, inside);
  Block& innermost = *blocks.back();
  const std::string part = as_number_or_tile(innermost, of_value, inside);
  std::string reduced = part;
  if (has_row) {
    const bool is_tile = of_value.kind == Kind::kTile || (of_value.kind == Kind::kMask && !of_value.condition);
    if (!is_tile && node.op != "amax" && node.op != "amin") {
      if (node.op == "prod") throw Unfit{};
      reduced = in_brackets(part) + " * " + in_brackets(range_of(inside)->length);
    } else if (is_tile && node.op == "prod") {
      const Value products = named(innermost, "v", "cumprod(" + part + ")", Kind::kTile);
      reduced = products.text + "[" + plus(range_of(inside)->length, -1) + "]";
    } else if (is_tile) {
      reduced = of_tile(node.op, part);
    }
  }
  Value made;
  if (loops) {
    innermost.write(joined(node.op, sum, reduced));
    made = {.text = sum, .kind = tile ? Kind::kTile : Kind::kNumber};
  } else {
    made = named(block, name_like, reduced, has_row || !tile ? Kind::kNumber : of_value.kind);
  }
  current_ = outer;
  release(variables);
  for (std::size_t i = blocks.size() - 1; i > 0; --i) blocks[i - 1]->close(*blocks[i]);
  return made;
}

// One number of all elements, by all cores together.
Value Writer::of_all(int id) {
  if (const auto known = totals_.find(id); known != totals_.end()) return known->second;
  const Node& node = graph_[id];
  if (node.op == "prod") throw Wanted{id, node.dims};
  const std::string sum = fresh("s");
  root_->write(sum + " = " + begin_of(node.op));
  Block* const outer = current_;
  current_ = root_.get();
  walk(node.of[0],
       {.before = nullptr,
        .at =
            [&](Block& block, const Value& value, const Index& index) {
              const std::string part = as_number_or_tile(block, value, index);
              const bool tile = value.kind == Kind::kTile || (value.kind == Kind::kMask && !value.condition);
              if (range_of(index) != nullptr && !tile && node.op == "sum")
                block.write(joined(node.op, sum, in_brackets(part) + " * " + length_of(index)));
              else
                block.write(joined(node.op, sum, tile ? of_tile(node.op, part) : part));
            }},
       {});
  current_ = outer;
  return totals_[id] = named(*root_, node.name.empty() ? "v" : node.name, of_cores(node.op, sum), Kind::kNumber);
}

Value Writer::place(int id, const Index& index) {
  const Node& node = graph_[id];
  const int of = node.of[0];
  const std::size_t rank = graph_[of].dims.size();
  Block& block = place_of(index);
  if (&block == root_.get()) throw Wanted{id, node.dims};
  check_once(id, block, index);
  const std::string size = text(graph_[of].dims[static_cast<std::size_t>(node.axis)]);
  Index inside;
  std::size_t next = 0;
  for (int axis = 0; axis < static_cast<int>(rank);) {
    if (axis == node.axis) {
      inside.emplace_back();
      ++axis;
    } else {
      inside.push_back(index.at(next++));
      if (axis < node.axis && axis + inside.back().axes > node.axis) throw Unfit{};
      axis += inside.back().axes;
    }
  }
  const std::size_t at = entry_at(inside, node.axis);
  Block* const outer = current_;
  const std::string most = node.op == "amax" ? "max(" : "min(";
  if (range_of(index) == nullptr && node.axis + 1 == static_cast<int>(rank)) {
    inside[at] = {.kind = Entry::Kind::kRow, .text = "", .length = size};
    current_ = &block;
    const Value row = value(of, inside);
    current_ = outer;
    const Value best = named(block, "v", most + row.text + ")", Kind::kNumber);
    return named(block, node.name.empty() ? "v" : node.name,
                 "min(where(" + row.text + " == " + best.text + ", float(arange(" + size + ")), " + size + "))",
                 Kind::kNumber);
  }
  const bool tile = range_of(index) != nullptr;
  const std::string best = fresh("s"), found = fresh("p"), j = variable("j");
  block.write(best + " = " + (tile ? begin_of(node.op, length_of(index)) : begin_of(node.op)));
  block.write(found + " = " + (tile ? "zeros(" + length_of(index) + ")" : "0.0"));
  Block& inner = block.open("for " + j + " in range(" + size + "):", {j});
  bind(j, inner);
  inside[at] = {.text = j};
  current_ = &inner;
  const Value one = value(of, inside);
  current_ = outer;
  const std::string better = one.text + (node.op == "amax" ? " > " : " < ") + best;
  if (tile) {
    inner.write(found + " = where(" + better + ", " + j + ", " + found + ")");
    inner.write(joined(node.op, best, one.text));
  } else {
    inner.write("if " + better + ":");
    inner.write("  " + found + " = " + j);
    inner.write("  " + best + " = " + one.text);
  }
  release({j});
  block.close(inner);
  return {.text = found, .kind = tile ? Kind::kTile : Kind::kNumber};
}

Value Writer::scan(int id, const Index& index) {
  const Node& node = graph_[id];
  const Entry* range = range_of(index);
  if (node.axis + 1 != static_cast<int>(node.dims.size())) throw Wanted{id, node.dims};
  if (range == nullptr) throw Wanted{id, node.dims};
  if (range->kind != Entry::Kind::kRow || !range->whole || range->axes != 1) throw Unfit{};
  const Value row = value(node.of[0], index);
  if (row.kind != Kind::kTile && row.kind != Kind::kMask) throw Unfit{};
  const std::string text = row.kind == Kind::kMask ? "where(" + row.text + ", 1, 0)"
                           : row.integer           ? "float(" + row.text + ")"
                                                   : row.text;
  return named(place_of(index), node.name.empty() ? "v" : node.name, node.op + "(" + text + ")", Kind::kTile);
}

}  // namespace kg::dataset::cot::translation
