#include <algorithm>
#include <utility>

#include "dsl/checker.h"
#include "dsl/constant.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kMostIndex = std::int64_t{1} << 40;

}  // namespace

void Checker::loop(Statement& statement) {
  const std::string text = "for " + statement.items[0].name;
  if (statement.parallel && !expressions_.top_level)
    throw Refusal(statement.line, text,
                  "cores(...) cuts the work of the whole kernel, so such a loop stands in no other loop or condition");
  if (expressions_.top_level && statement.parallel && has_cube_work(statement.body)) return cube_loop(statement);
  std::vector<Variable> variables;
  for (LoopItem& item : statement.items) variables.push_back(loop_variable(item, statement));
  const bool top = std::exchange(expressions_.top_level, false);
  walk(statement, variables);
  expressions_.top_level = top;
}

// The body, with the loop's variables.
void Checker::walk(Statement& statement, const std::vector<Variable>& variables) {
  scope_.open();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string& name = statement.items[i].name;
    require_new(name, statement.line, "for " + statement.items[0].name, "a loop's variable");
    scope_.add(name, variables[i]);
  }
  block(statement.body);
  scope_.close();
}

Variable Checker::loop_variable(LoopItem& item, const Statement& statement) {
  const std::string text = "for " + item.name;
  Variable made{.line = statement.line, .fixed = true};
  if (expressions_.check(*item.hi).kind != Type::Kind::kInt) refuse(*item.hi, "the end of a loop is a whole number");
  const Linear high = expressions_.linear(*item.hi);
  if (!item.tiles) {
    made.type.kind = Type::Kind::kInt;
    Linear low;
    if (item.lo) {
      if (expressions_.check(*item.lo).kind != Type::Kind::kInt)
        refuse(*item.lo, "the begin of a loop is a whole number");
      low = expressions_.linear(*item.lo);
    }
    if (high.is_constant() && low.is_constant())
      made.bounds = Bounds{low.constant, std::max(low.constant, high.constant - 1)};
    if (statement.parallel && (!high.is_constant() || high.constant < 1))
      refuse(*item.hi, "what is cut over the cores is a constant of at least 1");
    if (on_cube_ && !(high.is_constant() && low.is_constant() && low.constant < high.constant))
      refuse(*item.hi, "a loop of the cube cores has constant ends and at least one turn");
    item.total = high.constant;
    return made;
  }
  made.type.kind = Type::Kind::kRange;
  if (!high.is_constant() || high.constant < 1 || high.constant > kMostIndex)
    refuse(*item.hi, "tiles cuts a constant length of at least 1");
  item.total = high.constant;
  std::int64_t size = item.tile ? expressions_.constant(*item.tile, "a tile size") : open_size(item.name);
  if (size < 1 || size > 65536)
    throw Refusal(statement.line, text, "a tile has 1 to 65536 elements, not " + std::to_string(size));
  size = std::min(size, high.constant);
  if (on_cube_) note_size(item, high.constant, size);
  made.tile = size;
  made.bounds = Bounds{0, high.constant};
  if (high.constant % size == 0)
    made.type.length = {.constant = size};
  else
    made.type.length = {.factor = 1, .range = item.name};
  item.tile = std::make_shared<Expr>(
      Expr{.kind = Expr::Kind::kNumber, .line = statement.line, .number = static_cast<double>(size), .integer = true});
  item.tile->type.kind = Type::Kind::kInt;
  return made;
}

// Of tiles(n) without a size.
std::int64_t Checker::open_size(const std::string& range) {
  const auto role = on_cube_ ? roles_.find(range) : roles_.end();
  if (role == roles_.end()) {
    checked_.free_tile = true;
    return sizes_.tile;
  }
  return role->second == 'm' ? sizes_.m : role->second == 'n' ? sizes_.n : sizes_.k;
}

// What the choice of sizes has to know of a range of a loop with gemm.
void Checker::note_size(const LoopItem& item, std::int64_t total, std::int64_t size) {
  const auto role = roles_.find(item.name);
  if (role == roles_.end()) return;
  OpenGemm& open = checked_.open_gemm;
  const char which = role->second;
  (which == 'm' ? open.m : which == 'n' ? open.n : open.k) |= !item.tile;
  (which == 'm' ? open.m_total : which == 'n' ? open.n_total : open.k_total) = total;
  (which == 'm' ? open.m_size : which == 'n' ? open.n_size : open.k_size) = size;
}

void Checker::tile_size(Statement& statement) {
  const std::string text = "tile " + statement.name;
  if (!expressions_.top_level)
    throw Refusal(statement.line, text, "a tile size is named outside of loops and conditions");
  require_free(statement.name, statement.line);
  std::int64_t size = sizes_.tile;
  if (statement.value)
    size = expressions_.constant(*statement.value, "a tile size");
  else
    checked_.free_tile = true;
  if (size < 1 || size > 65536)
    throw Refusal(statement.line, text, "a tile has 1 to 65536 elements, not " + std::to_string(size));
  constant_name(statement.name, size);
  checked_.extents[statement.name] = size;
}

void Checker::launch(Statement& statement) {
  if (!expressions_.top_level || &statement != &checked_.program.body.front())
    throw Refusal(statement.line, "launch", "launch is the first statement of a kernel");
  const std::int64_t cores = expressions_.constant(*statement.value, "the number of cores");
  if (cores < 1 || cores > kMostCores)
    throw Refusal(statement.line, "launch", "a kernel runs on 1 to 48 cores, not " + std::to_string(cores));
  if (checked_.groups > 0) {
    // A block of such a kernel is a cube core with its two vector cores.
    checked_.groups = static_cast<int>(std::min<std::int64_t>(cores, checked_.groups));
    checked_.cores = 2 * checked_.groups;
  }
  checked_.cores = static_cast<int>(std::min<std::int64_t>(checked_.groups > 0 ? kMostCores : cores, checked_.cores));
  constant_name("num_programs", checked_.cores);
}

}  // namespace kg::dsl
