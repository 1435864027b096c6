#include "dsl/flatten_loop.h"

#include <algorithm>

#include "dsl/constant.h"
#include "dsl/flatten_scalar.h"
#include "dsl/flatten_statement.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {

void flatten_loop(Flattening& flat, const Statement& statement) {
  const LoopItem& item = statement.items[0];
  const std::string variable = cpp_name(item.name);
  const Text last = scalar_of(flat, *item.hi);
  const std::string begin = item.lo ? scalar_of(flat, *item.lo).text : "0", end = wrapped(last, kCompare + 1);
  const auto low = item.lo ? constant_of(*item.lo, flat.form.checked.extents) : std::optional<std::int64_t>(0);
  const auto high = constant_of(*item.hi, flat.form.checked.extents);
  Flattening::Name made;
  Step& head = flat.step(Step::Kind::kFor, statement.line);
  head.name = variable;
  head.begin = begin;
  head.end = end;
  head.trips = low && high ? static_cast<double>(std::max<std::int64_t>(0, *high - *low)) : 4;
  if (item.tiles) {
    made.longest = static_cast<std::int64_t>(item.tile->number);
    made.total = item.total;
    made.dynamic = made.total % made.longest != 0;
    head.stride = std::to_string(made.longest);
    head.trips = static_cast<double>(ceil_div(made.total, made.longest));
  }
  flat.scopes.emplace_back();
  flat.scopes.back()[item.name] = made;
  if (made.dynamic) {
    const std::string rest = wrapped(last, kSum) + " - " + variable, size = std::to_string(made.longest);
    flat.define(statement.line, variable + "Len", flat.form.index64 ? "const int64_t" : "const int32_t",
                rest + " < " + size + " ? " + rest + " : " + size);
  }
  flatten_block(flat, statement.body);
  flat.scopes.pop_back();
  flat.close(statement.line);
}

void flatten_parallel_loop(Flattening& flat, const Statement& statement) {
  const std::string integer = flat.form.index64 ? "int64_t" : "int32_t";
  const bool single = statement.items.size() == 1;
  std::int64_t total = 1;
  std::vector<std::int64_t> counts;
  flat.scopes.emplace_back();
  for (const LoopItem& item : statement.items) {
    Flattening::Name made{.total = item.total};
    if (item.tiles) {
      made.longest = static_cast<std::int64_t>(item.tile->number);
      made.dynamic = made.total % made.longest != 0;
    }
    counts.push_back(item.tiles ? ceil_div(made.total, made.longest) : made.total);
    total *= counts.back();
    flat.scopes.back()[item.name] = made;
  }
  const std::int64_t each = ceil_div(total, flat.cores);
  // A single dimension is walked by its own index; a grid by the number of the piece.
  const LoopItem& only = statement.items[0];
  const std::string variable = single ? cpp_name(only.name) : flat.fresh("piece");
  const std::int64_t stride = single && only.tiles ? flat.scopes.back()[only.name].longest : 1;
  const std::int64_t span = each * stride, end = single ? flat.scopes.back()[only.name].total : total;
  const std::string first = flat.fresh(variable + "Begin"), last = flat.fresh(variable + "End");
  const std::string end_text = single ? scalar_of(flat, *only.hi).text : std::to_string(end);
  flat.define(statement.line, first, "const " + integer,
              span == 1 ? "GetBlockIdx()" : "GetBlockIdx() * " + std::to_string(span));
  const std::string sum = first + " + " + std::to_string(span);
  const bool even = span * flat.cores == end;
  flat.define(statement.line, last, "const " + integer,
              even ? sum : sum + " < " + end_text + " ? " + sum + " : " + end_text);
  Step& head = flat.step(Step::Kind::kFor, statement.line);
  head.name = variable;
  head.begin = first;
  head.end = last;
  if (stride != 1) head.stride = std::to_string(stride);
  head.trips = static_cast<double>(std::min(each, total));
  if (!single) {
    // The last index runs fastest.
    std::int64_t below = 1;
    for (std::size_t i = statement.items.size(); i-- > 0;) {
      const LoopItem& item = statement.items[i];
      std::string index = below == 1 ? variable : variable + " / " + std::to_string(below);
      if (i > 0) index = (below == 1 ? index : "(" + index + ")") + " % " + std::to_string(counts[i]);
      if (item.tiles) index = "(" + index + ") * " + std::to_string(flat.scopes.back()[item.name].longest);
      flat.define(statement.line, cpp_name(item.name), "const " + integer, index);
      below *= counts[i];
    }
  }
  for (const LoopItem& item : statement.items) {
    const Flattening::Name& made = flat.scopes.back()[item.name];
    if (!made.dynamic) continue;
    const std::string start = cpp_name(item.name), size = std::to_string(made.longest);
    const std::string rest = (single ? last : wrapped(scalar_of(flat, *item.hi), kSum)) + " - " + start;
    flat.define(statement.line, start + "Len", "const " + integer, rest + " < " + size + " ? " + rest + " : " + size);
  }
  flatten_block(flat, statement.body);
  flat.scopes.pop_back();
  flat.close(statement.line);
}

}  // namespace kg::dsl
