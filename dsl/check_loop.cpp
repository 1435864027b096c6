#include "dsl/check_loop.h"

#include <algorithm>
#include <utility>

#include "dsl/check_cube.h"
#include "dsl/check_expression.h"
#include "dsl/check_linear.h"
#include "dsl/check_statement.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kMostIndex = std::int64_t{1} << 40;

// For tiles(n) without a size.
std::int64_t open_size(Checking& in, const std::string& range) {
  const auto role = in.cube.on ? in.cube.roles.find(range) : in.cube.roles.end();
  if (role == in.cube.roles.end()) {
    in.checked.free_tile = true;
    in.checked.free_places.insert(in.place);
    const auto own = in.sizes.places.find(in.place);
    return own == in.sizes.places.end() ? in.sizes.tile : own->second;
  }
  const std::size_t loop = in.checked.gemm_loops.size() - 1;
  const GemmSizes sizes = loop < in.sizes.gemm.size() ? in.sizes.gemm[loop] : GemmSizes{};
  return role->second == 'm' ? sizes.m : role->second == 'n' ? sizes.n : sizes.k;
}

// Information about a range of a loop with gemm for choosing sizes.
void note_size(Checking& in, const LoopItem& item, std::int64_t total, std::int64_t size) {
  const auto role = in.cube.roles.find(item.name);
  if (role == in.cube.roles.end()) return;
  GemmLoop& loop = in.checked.gemm_loops.back();
  const char which = role->second;
  (which == 'm' ? loop.m : which == 'n' ? loop.n : loop.k) |= !item.tile;
  (which == 'm' ? loop.m_total : which == 'n' ? loop.n_total : loop.k_total) = total;
  (which == 'm' ? loop.fixed.m : which == 'n' ? loop.fixed.n : loop.fixed.k) = size;
}

}  // namespace

Variable loop_variable(Checking& in, LoopItem& item, const Statement& statement) {
  const std::string text = "for " + item.name;
  Variable made{.line = statement.line, .fixed = true};
  if (check_expression(in.seen, *item.hi).kind != Type::Kind::kInt)
    refuse(*item.hi, "the end of a loop is a whole number");
  const Linear high = linear(in.seen, *item.hi);
  if (!item.tiles) {
    made.type.kind = Type::Kind::kInt;
    Linear low;
    if (item.lo) {
      if (check_expression(in.seen, *item.lo).kind != Type::Kind::kInt)
        refuse(*item.lo, "the start of a loop is a whole number");
      low = linear(in.seen, *item.lo);
    }
    if (high.is_constant() && low.is_constant())
      made.bounds = Bounds{low.constant, std::max(low.constant, high.constant - 1)};
    if (statement.parallel && (!high.is_constant() || high.constant < 1))
      refuse(*item.hi, "the length cut over the cores must be a constant of at least 1");
    if (in.cube.on && !(high.is_constant() && low.is_constant() && low.constant < high.constant))
      refuse(*item.hi, "a loop of the cube cores has constant ends and at least one turn");
    item.total = high.constant;
    return made;
  }
  made.type.kind = Type::Kind::kRange;
  if (!high.is_constant() || high.constant < 1 || high.constant > kMostIndex)
    refuse(*item.hi, "tiles cuts a constant length of at least 1");
  item.total = high.constant;
  std::int64_t size = item.tile ? constant_value(in.seen, *item.tile, "a tile size") : open_size(in, item.name);
  if (size < 1 || size > 65536)
    throw Refusal(statement.line, text, "a tile has 1 to 65536 elements, not " + std::to_string(size));
  size = std::min(size, high.constant);
  if (in.cube.on) note_size(in, item, high.constant, size);
  made.tile = size;
  made.bounds = Bounds{0, high.constant};
  if (high.constant % size == 0)
    made.type.length = {.constant = size};
  else
    made.type.length = {.factor = 1, .range = item.name};
  item.open = !item.tile;
  item.tile = std::make_shared<Expr>(
      Expr{.kind = Expr::Kind::kNumber, .line = statement.line, .number = static_cast<double>(size), .integer = true});
  item.tile->type.kind = Type::Kind::kInt;
  return made;
}

void check_body(Checking& in, Statement& statement, const std::vector<Variable>& variables) {
  in.seen.scope.open();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string& name = statement.items[i].name;
    require_new(in, name, statement.line, "for " + statement.items[0].name, "a loop's variable");
    in.seen.scope.add(name, variables[i]);
  }
  check_block(in, statement.body);
  in.seen.scope.close();
}

void check_loop(Checking& in, Statement& statement) {
  const std::string text = "for " + statement.items[0].name;
  if (statement.parallel && !in.seen.top_level)
    throw Refusal(
        statement.line, text,
        "cores(...) cuts the work of the whole kernel, so such a loop cannot be inside another loop or condition");
  if (in.seen.top_level && statement.parallel && has_cube_work(statement.body)) return check_cube_loop(in, statement);
  std::vector<Variable> variables;
  for (LoopItem& item : statement.items) {
    variables.push_back(loop_variable(in, item, statement));
    if (in.cube.on && !item.tiles) in.checked.gemm_loops.back().inner *= variables.back().bounds->count();
  }
  const bool top = std::exchange(in.seen.top_level, false);
  check_body(in, statement, variables);
  in.seen.top_level = top;
}

void check_tile_size(Checking& in, Statement& statement) {
  const std::string text = "tile " + statement.name;
  if (!in.seen.top_level) throw Refusal(statement.line, text, "a tile size is named outside of loops and conditions");
  require_free(in, statement.name, statement.line);
  std::int64_t size = in.sizes.tile;
  if (statement.value)
    size = constant_value(in.seen, *statement.value, "a tile size");
  else
    in.checked.free_tile = in.checked.free_name = true;
  if (size < 1 || size > 65536)
    throw Refusal(statement.line, text, "a tile has 1 to 65536 elements, not " + std::to_string(size));
  add_constant(in, statement.name, size);
  in.checked.extents[statement.name] = size;
}

void check_launch(Checking& in, Statement& statement) {
  if (!in.seen.top_level || &statement != &in.checked.program.body.front())
    throw Refusal(statement.line, "launch", "launch is the first statement of a kernel");
  const std::int64_t cores = constant_value(in.seen, *statement.value, "the number of cores");
  if (cores < 1 || cores > kMostCores)
    throw Refusal(statement.line, "launch",
                  "a kernel runs on 1 to " + std::to_string(kMostCores) + " cores, not " + std::to_string(cores));
  if (in.checked.groups > 0) {
    // A block of such a kernel is a cube core with its two vector cores.
    in.checked.groups = static_cast<int>(std::min<std::int64_t>(cores, in.checked.groups));
    in.checked.cores = 2 * in.checked.groups;
  }
  in.checked.cores =
      static_cast<int>(std::min<std::int64_t>(in.checked.groups > 0 ? kMostCores : cores, in.checked.cores));
  add_constant(in, "num_programs", in.checked.cores);
}

}  // namespace kg::dsl
