#include "sandbox/dsl/flatten.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "sandbox/dsl/constant.h"
#include "sandbox/dsl/scalar_text.h"

namespace kg::sandbox::dsl {

void Flattener::run() {
  for (const Parameter& parameter : form_.checked.program.parameters) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : parameter.shape) elements *= extent;
    form_.index64 |= elements > INT32_MAX;
  }
  count_changes(form_.checked.program.body);
  reserve_names(form_.checked.program.body);
  block(form_.checked.program.body);
}

void Flattener::count_changes(const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    if (statement.kind == Statement::Kind::kAssign) ++changes_[statement.name];
    if (statement.kind == Statement::Kind::kBuffer) changes_[statement.name] += 2;
    count_changes(statement.body);
    count_changes(statement.otherwise);
  }
}

// Numbers keep their names; a tile of the same name gets another.
void Flattener::reserve_names(const std::vector<Statement>& body) {
  for (const auto& [name, value] : form_.checked.extents) used_names_[cpp_name(name)] = 1;
  for (const Statement& statement : body) {
    const bool number = statement.type.kind == Type::Kind::kInt || statement.type.kind == Type::Kind::kFloat ||
                        statement.type.kind == Type::Kind::kBool;
    if (statement.kind == Statement::Kind::kAssign && number) used_names_[cpp_name(statement.name)] = 1;
    for (const LoopItem& item : statement.items) used_names_[cpp_name(item.name)] = 1;
    reserve_names(statement.body);
    reserve_names(statement.otherwise);
  }
}

Step& Flattener::step(Step::Kind kind, int line) {
  Step& made = form_.steps.emplace_back();
  made.kind = kind;
  made.line = line;
  return made;
}

void Flattener::define(int line, const std::string& name, const std::string& type, const std::string& value,
                       std::vector<int> tiles) {
  Step& made = step(Step::Kind::kScalar, line);
  made.name = name;
  made.type = type;
  made.value = value;
  made.waits = !tiles.empty();
  made.sources = std::move(tiles);
}

void Flattener::block(const std::vector<Statement>& body) {
  for (const Statement& each : body) statement(each);
}

void Flattener::inner(const std::vector<Statement>& body) {
  scopes_.emplace_back();
  block(body);
  scopes_.pop_back();
}

void Flattener::close(int line) { step(Step::Kind::kEnd, line); }

const Flattener::Name& Flattener::name(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  KG_CHECK(!"a checked program uses known names");
  return scopes_[0].begin()->second;
}

void Flattener::statement(const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::kAssign:
    case Statement::Kind::kBuffer:
      return assign(statement);
    case Statement::Kind::kStore:
      return store(statement);
    case Statement::Kind::kFor:
      return statement.parallel ? parallel_loop(statement) : loop(statement);
    case Statement::Kind::kIf: {
      const std::string condition = scalar(*statement.value).text;
      step(Step::Kind::kIf, statement.line).value = condition;
      inner(statement.body);
      if (!statement.otherwise.empty()) {
        step(Step::Kind::kElse, statement.line);
        inner(statement.otherwise);
      }
      return close(statement.line);
    }
    case Statement::Kind::kBarrier:
      step(Step::Kind::kBarrier, statement.line);
      return;
    case Statement::Kind::kTileSize:
    case Statement::Kind::kLaunch:
      return;  // known since check()
  }
}

void Flattener::assign(const Statement& statement) {
  const Type& type = statement.type;
  const bool first = statement.first || statement.kind == Statement::Kind::kBuffer;
  const bool changes = changes_[statement.name] > 1;
  if (type.kind != Type::Kind::kTile && type.kind != Type::Kind::kMask) {
    const std::string value = scalar(*statement.value).text;
    const char* cpp = type.kind == Type::Kind::kFloat  ? "float"
                      : type.kind == Type::Kind::kBool ? "bool"
                      : form_.index64                  ? "int64_t"
                                                       : "int32_t";
    define(statement.line, cpp_name(statement.name), first ? cpp : "", value);
    if (first) scopes_.back()[statement.name] = {};
    return;
  }
  const bool fills = statement.value->type.is_scalar();
  if (!first) {
    const int into = name(statement.name).tile;
    if (fills)
      filled(type, argument(*statement.value, type.dtype), statement.line, into);
    else
      tile(*statement.value, into);
    return;
  }
  int held = -1;
  // A name for a value that nobody changes is the value itself.
  const bool alias =
      statement.value->kind == Expr::Kind::kName && !fills && !changes && !name(statement.value->text).changes;
  if (!changes && !fills && (alias || statement.value->kind != Expr::Kind::kName)) {
    held = tile(*statement.value);
    if (form_.tile(held).home == Tile::Home::kWork && !form_.tile(held).named) {
      form_.tile(held).name = fresh(cpp_name(statement.name));
      form_.tile(held).named = true;
    }
  } else {
    held = made(type, -1);
    form_.tile(held).name = fresh(cpp_name(statement.name));
    form_.tile(held).named = true;
    if (fills)
      filled(type, argument(*statement.value, type.dtype), statement.line, held);
    else
      tile(*statement.value, held);
  }
  scopes_.back()[statement.name] = {.tile = held, .changes = changes};
}

void Flattener::copy_out(const Statement& statement, int tile) {
  Copy copy = copy_of(statement.region, statement.indices);
  copy.tile = tile;
  Step& made = step(Step::Kind::kCopyOut, statement.line);
  made.sources = {tile};
  made.copy = copy;
}

void Flattener::store_number(const Statement& statement, int tensor) {
  const Parameter& to = form_.tensor(tensor);
  const Type type{.kind = Type::Kind::kTile,
                  .dtype = to.dtype,
                  .length = statement.region.element ? Length{.constant = 1} : statement.region.length};
  const int out = new_tile(cpp_name(to.name) + "Out", to.dtype, type.length, Tile::Home::kOut);
  const Expr& value = *statement.value;
  const bool reduced = value.kind == Expr::Kind::kCall && value.args.size() == 1 && value.args[0]->type.is_tile() &&
                       (value.text == "sum" || value.text == "max" || value.text == "min") &&
                       statement.region.element && to.dtype == proto::FLOAT32;
  if (reduced)
    reduce(value, out);
  else
    filled(type, argument(value, to.dtype), statement.line, out);
  copy_out(statement, out);
}

void Flattener::store(const Statement& statement) {
  const int tensor = statement.region.tensor;
  if (statement.value->type.is_scalar()) return store_number(statement, tensor);
  const Parameter& to = form_.tensor(tensor);
  const Type& type = statement.value->type;
  const bool computes = statement.value->kind == Expr::Kind::kBinary || statement.value->kind == Expr::Kind::kCall ||
                        statement.value->kind == Expr::Kind::kUnary;
  int source = -1;
  if (type.dtype != to.dtype || !computes) source = tile(*statement.value);
  const int out = new_tile(cpp_name(to.name) + "Out", to.dtype, type.length, Tile::Home::kOut);
  if (source < 0)
    tile(*statement.value, out);
  else
    convert(source, type, to.dtype, statement.line, out);
  copy_out(statement, out);
}

void Flattener::loop(const Statement& statement) {
  const LoopItem& item = statement.items[0];
  const std::string variable = cpp_name(item.name);
  const Text last = scalar(*item.hi);
  const std::string begin = item.lo ? scalar(*item.lo).text : "0", end = wrapped(last, 4);
  const auto low = item.lo ? constant_of(*item.lo, form_.checked.extents) : std::optional<std::int64_t>(0);
  const auto high = constant_of(*item.hi, form_.checked.extents);
  Name made;
  Step& head = step(Step::Kind::kFor, statement.line);
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
  scopes_.emplace_back();
  scopes_.back()[item.name] = made;
  if (made.dynamic) {
    const std::string rest = wrapped(last, 5) + " - " + variable, size = std::to_string(made.longest);
    define(statement.line, variable + "Len", form_.index64 ? "const int64_t" : "const int32_t",
           rest + " < " + size + " ? " + rest + " : " + size);
  }
  block(statement.body);
  scopes_.pop_back();
  close(statement.line);
}

void Flattener::parallel_loop(const Statement& statement) {
  const std::string integer = form_.index64 ? "int64_t" : "int32_t";
  const bool single = statement.items.size() == 1;
  std::int64_t total = 1;
  std::vector<std::int64_t> counts;
  scopes_.emplace_back();
  for (const LoopItem& item : statement.items) {
    Name made{.total = item.total};
    if (item.tiles) {
      made.longest = static_cast<std::int64_t>(item.tile->number);
      made.dynamic = made.total % made.longest != 0;
    }
    counts.push_back(item.tiles ? ceil_div(made.total, made.longest) : made.total);
    total *= counts.back();
    scopes_.back()[item.name] = made;
  }
  const std::int64_t each = ceil_div(total, form_.checked.cores);
  // A single dimension is walked by its own index; a grid by the number of the piece.
  const LoopItem& only = statement.items[0];
  const std::string variable = single ? cpp_name(only.name) : fresh("piece");
  const std::int64_t stride = single && only.tiles ? scopes_.back()[only.name].longest : 1;
  const std::int64_t span = each * stride, end = single ? scopes_.back()[only.name].total : total;
  const std::string first = fresh(variable + "Begin"), last = fresh(variable + "End");
  const std::string end_text = single ? scalar(*only.hi).text : std::to_string(end);
  define(statement.line, first, "const " + integer,
         span == 1 ? "GetBlockIdx()" : "GetBlockIdx() * " + std::to_string(span));
  const std::string sum = first + " + " + std::to_string(span);
  const bool even = span * form_.checked.cores == end;
  define(statement.line, last, "const " + integer,
         even ? sum : sum + " < " + end_text + " ? " + sum + " : " + end_text);
  Step& head = step(Step::Kind::kFor, statement.line);
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
      if (item.tiles) index = "(" + index + ") * " + std::to_string(scopes_.back()[item.name].longest);
      define(statement.line, cpp_name(item.name), "const " + integer, index);
      below *= counts[i];
    }
  }
  for (const LoopItem& item : statement.items) {
    const Name& made = scopes_.back()[item.name];
    if (!made.dynamic) continue;
    const std::string start = cpp_name(item.name), size = std::to_string(made.longest);
    const std::string rest = (single ? last : wrapped(scalar(*item.hi), 5)) + " - " + start;
    define(statement.line, start + "Len", "const " + integer, rest + " < " + size + " ? " + rest + " : " + size);
  }
  block(statement.body);
  scopes_.pop_back();
  close(statement.line);
}

}  // namespace kg::sandbox::dsl
