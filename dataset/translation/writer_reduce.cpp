#include <algorithm>

#include "dataset/translation/node_maker.h"
#include "dataset/translation/walk.h"

namespace kg::dataset::translation {

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
void check_once(Writer& in, int node, const Block& place, const Index& index) {
  const std::set<std::string> words = words_of(index);
  for (const Entry& entry : index)
    if (entry.text.find(" // ") != std::string::npos || entry.text.find(" % ") != std::string::npos)
      throw Wanted{node, in.graph[node].dims};
  for (const Block* block = &place; block != nullptr; block = block->outer())
    for (const std::string& variable : block->variables())
      if (!words.contains(variable)) throw Recompute{node, words};
}

// One number of all elements, by all cores together.
Value of_all(Writer& in, int id) {
  if (const auto known = in.totals.find(id); known != in.totals.end()) return known->second;
  const Node& node = in.graph[id];
  if (node.op == "prod") throw Wanted{id, node.dims};
  const std::string sum = in.fresh("s");
  in.top->write(sum + " = " + begin_of(node.op));
  Block* const outer = in.current;
  in.current = in.top.get();
  walk(in, node.of[0],
       {.before = nullptr,
        .at =
            [&](Block& block, const Value& value, const Index& index) {
              const std::string part = in.as_number_or_tile(block, value);
              const bool tile = value.kind == Kind::kTile || (value.kind == Kind::kMask && !value.condition);
              if (range_of(index) != nullptr && !tile && node.op == "sum")
                block.write(joined(node.op, sum, in_brackets(part) + " * " + in.length_of(index)));
              else
                block.write(joined(node.op, sum, tile ? of_tile(node.op, part) : part));
            }},
       {});
  in.current = outer;
  return in.totals[id] = in.named(*in.top, node.name.empty() ? "v" : node.name, of_cores(node.op, sum), Kind::kNumber);
}

namespace {

// Loops over the axes that are gone, around a row of those at the end.
struct Loops {
  Index inside;  // index of the reduced element, or row of elements
  std::vector<Block*> blocks;
  std::vector<std::string> variables;
  bool has_row = false;
};

// The number of axes at the end that form one row.
int row_axes(const Writer& in, const Node& node, const Index& index) {
  const int of = node.of[0];
  const std::vector<SizeId>& dims = in.graph[of].dims;
  const std::set<int> gone(node.axes.begin(), node.axes.end());
  const int rank = static_cast<int>(dims.size());
  int row = 0;
  while (row < rank &&
         (gone.contains(rank - 1 - row) || in.graph.size(of, static_cast<std::size_t>(rank - 1 - row)) == 1))
    ++row;
  if (range_of(index) != nullptr) return row > 0 ? -row : 0;
  while (row > 0 && !can_be_flat(in, of, row)) --row;
  return row;
}

bool has_loops(const Writer& in, const Node& node, int rank) {
  return std::any_of(node.axes.begin(), node.axes.end(), [&](int axis) {
    return axis < rank && in.graph.size(node.of[0], static_cast<std::size_t>(axis)) != 1;
  });
}

Loops loops_over(Writer& in, const Node& node, const Index& index, Block& block, int row) {
  const std::vector<SizeId>& dims = in.graph[node.of[0]].dims;
  const std::vector<SizeId> row_dims(dims.end() - row, dims.end());
  const std::set<int> gone(node.axes.begin(), node.axes.end());
  Loops made{.inside = {}, .blocks = {&block}, .variables = {}, .has_row = in.graph.count(row_dims) > 1};
  std::size_t next = 0;
  for (int axis = 0; axis < static_cast<int>(dims.size());) {
    const SizeId size = dims[static_cast<std::size_t>(axis)];
    if (made.has_row && axis == static_cast<int>(dims.size()) - row) {
      made.inside.push_back({.kind = Entry::Kind::kRow, .text = "", .length = in.product_text(row_dims), .axes = row});
      break;
    }
    if (!gone.contains(axis)) {
      const Entry& entry = index.at(next++);
      for (int i = 0; i < entry.axes; ++i)
        if (gone.contains(axis + i)) throw Unfit{};
      made.inside.push_back(entry);
      axis += entry.axes;
      continue;
    }
    ++axis;
    made.inside.emplace_back();
    if (in.graph.sizes.number(size) == 1) continue;
    const std::string j = in.variable("j");
    made.blocks.push_back(&made.blocks.back()->open("for " + j + " in range(" + in.text(size) + "):", {j}));
    in.bound[j] = made.blocks.back();
    made.variables.push_back(j);
    made.inside.back().text = j;
  }
  return made;
}

// The value that one turn of the loops adds.
std::string part_of(Writer& in, const Node& node, const Value& value, const Loops& loops) {
  Block& block = *loops.blocks.back();
  const std::string part = in.as_number_or_tile(block, value);
  if (!loops.has_row) return part;
  const bool is_tile = value.kind == Kind::kTile || (value.kind == Kind::kMask && !value.condition);
  const std::string& length = range_of(loops.inside)->length;
  if (!is_tile && node.op != "amax" && node.op != "amin") {
    if (node.op == "prod") throw Unfit{};
    return in_brackets(part) + " * " + in_brackets(length);
  }
  if (is_tile && node.op == "prod") {
    const Value products = in.named(block, "v", "cumprod(" + part + ")", Kind::kTile);
    return products.text + "[" + plus(length, -1) + "]";
  }
  return is_tile ? of_tile(node.op, part) : part;
}

}  // namespace

Value reduction(Writer& in, int id, const Index& index) {
  const Node& node = in.graph[id];
  const std::vector<SizeId>& dims = in.graph[node.of[0]].dims;
  Block& block = in.place_of(index);
  if (&block == in.top.get() && in.graph.count(node.dims) > 1) {  // numbers of a row, the same for all loops
    if (id == in.writing) throw Unfit{};
    throw Wanted{id, node.dims};
  }
  if (&block == in.top.get() && in.graph.count(dims) > 1) return of_all(in, id);
  check_once(in, id, block, index);
  int row = row_axes(in, node, index);
  if (row < 0 && id != in.writing) throw Wanted{id, node.dims};  // numbers of rows, as a tile
  row = std::max(row, 0);
  const bool tile = range_of(index) != nullptr;
  const bool row_is_long = in.graph.count({dims.end() - row, dims.end()}) > 1;
  // Rows that do not lie in memory as they are would be read an element at a time.
  constexpr std::int64_t kLongForElements = 64;
  if (!tile && !row_is_long && !in.is_stored(node.of[0]) && node.axes.back() + 1 == static_cast<int>(dims.size()) &&
      in.graph.sizes.number(dims.back()) >= kLongForElements)
    throw Wanted{node.of[0], dims};
  const bool sums = has_loops(in, node, static_cast<int>(dims.size()) - (row_is_long ? row : 0));
  const std::string sum = sums ? in.fresh("s") : "";
  if (sums) block.write(sum + " = " + (tile ? begin_of(node.op, in.length_of(index)) : begin_of(node.op)));
  Loops loops = loops_over(in, node, index, block, row);
  Block* const outer = in.current;
  in.current = loops.blocks.back();
  const Value value = in.value(node.of[0], loops.inside);
  const std::string part = part_of(in, node, value, loops);
  Value made{.text = sum, .kind = tile ? Kind::kTile : Kind::kNumber};
  if (sums)
    loops.blocks.back()->write(joined(node.op, sum, part));
  else
    made =
        in.named(block, node.name.empty() ? "v" : node.name, part, loops.has_row || !tile ? Kind::kNumber : value.kind);
  in.current = outer;
  in.release(loops.variables);
  close_inside(loops.blocks);
  return made;
}

Value place(Writer& in, int id, const Index& index) {
  const Node& node = in.graph[id];
  const int of = node.of[0];
  const std::size_t rank = in.graph[of].dims.size();
  Block& block = in.place_of(index);
  if (&block == in.top.get()) throw Wanted{id, node.dims};
  check_once(in, id, block, index);
  const std::string size = in.text(in.graph[of].dims[static_cast<std::size_t>(node.axis)]);
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
  Block* const outer = in.current;
  const std::string most = node.op == "amax" ? "max(" : "min(";
  if (range_of(index) == nullptr && node.axis + 1 == static_cast<int>(rank)) {
    inside[at] = {.kind = Entry::Kind::kRow, .text = "", .length = size};
    in.current = &block;
    const Value row = in.value(of, inside);
    in.current = outer;
    const Value best = in.named(block, "v", most + row.text + ")", Kind::kNumber);
    return in.named(block, node.name.empty() ? "v" : node.name,
                    "min(where(" + row.text + " == " + best.text + ", float(arange(" + size + ")), " + size + "))",
                    Kind::kNumber);
  }
  const bool tile = range_of(index) != nullptr;
  const std::string best = in.fresh("s"), found = in.fresh("p"), j = in.variable("j");
  block.write(best + " = " + (tile ? begin_of(node.op, in.length_of(index)) : begin_of(node.op)));
  block.write(found + " = " + (tile ? "zeros(" + in.length_of(index) + ")" : "0.0"));
  Block& inner = block.open("for " + j + " in range(" + size + "):", {j});
  in.bound[j] = &inner;
  inside[at] = {.text = j};
  in.current = &inner;
  const Value one = in.value(of, inside);
  in.current = outer;
  const std::string better = one.text + (node.op == "amax" ? " > " : " < ") + best;
  if (tile) {
    inner.write(found + " = where(" + better + ", " + j + ", " + found + ")");
    inner.write(joined(node.op, best, one.text));
  } else {
    inner.write("if " + better + ":");
    inner.write("  " + found + " = " + j);
    inner.write("  " + best + " = " + one.text);
  }
  in.release({j});
  block.close(inner);
  return {.text = found, .kind = tile ? Kind::kTile : Kind::kNumber};
}

Value scan(Writer& in, int id, const Index& index) {
  const Node& node = in.graph[id];
  const Entry* range = range_of(index);
  if (node.axis + 1 != static_cast<int>(node.dims.size())) throw Wanted{id, node.dims};
  if (range == nullptr) throw Wanted{id, node.dims};
  if (range->kind != Entry::Kind::kRow || !range->whole || range->axes != 1) throw Unfit{};
  const Value row = in.value(node.of[0], index);
  if (row.kind != Kind::kTile && row.kind != Kind::kMask) throw Unfit{};
  const std::string text = row.kind == Kind::kMask ? "where(" + row.text + ", 1, 0)"
                           : row.integer           ? "float(" + row.text + ")"
                                                   : row.text;
  return in.named(in.place_of(index), node.name.empty() ? "v" : node.name, node.op + "(" + text + ")", Kind::kTile);
}

}  // namespace kg::dataset::translation
