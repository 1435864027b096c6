#include "dsl/flatten.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "dsl/constant.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {

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
    if (statement.value) find_gathers(*statement.value);
    count_changes(statement.body);
    count_changes(statement.otherwise);
  }
}

void Flattener::find_gathers(const Expr& expr) {
  for (const ExprPtr& arg : expr.args) find_gathers(*arg);
  if (expr.kind == Expr::Kind::kCall && expr.text == "gather" && expr.args[1]->kind == Expr::Kind::kName)
    gathered_by_.insert(expr.args[1]->text);
}

// Numbers keep their names; a tile of the same name gets another.
void Flattener::reserve_names(const std::vector<Statement>& body) {
  for (const auto& [name, value] : form_.checked.extents) used_names_[cpp_name(name)] = 1;
  for (const char* name : {"l0a", "l0b", "work"}) used_names_[name] = 1;  // of the kernel's own buffers
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
  Step& made = steps_->emplace_back();
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
      if (statement.cube) {
        steps_ = &form_.cube;
        cores_ = form_.checked.groups;
      }
      statement.parallel ? parallel_loop(statement) : loop(statement);
      if (statement.cube) {
        steps_ = &form_.steps;
        cores_ = form_.checked.cores;
      }
      return;
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
      step(Step::Kind::kBarrier, statement.line).all = form_.checked.groups > 0;
      if (form_.checked.groups > 0) {
        form_.cube.push_back(form_.steps.back());
        if (!form_.checked.mixed) form_.steps.pop_back();
      }
      return;
    case Statement::Kind::kMatrix:
      return matrix(statement);
    case Statement::Kind::kProduct:
      return product(statement);
    case Statement::Kind::kGemm:
      return gemm(statement);
    case Statement::Kind::kScratch:
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
  const bool view = views_what_changes(*statement.value);
  const bool alias =
      statement.value->kind == Expr::Kind::kName && !fills && !changes && !name(statement.value->text).changes;
  if (!changes && !fills && !view && (alias || statement.value->kind != Expr::Kind::kName)) {
    held = tile(*statement.value);
    if (form_.tile(held).home == Tile::Home::kWork && form_.tile(held).view_of < 0 && !form_.tile(held).named) {
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
  Name& made = scopes_.back()[statement.name] = {.tile = held, .changes = changes};
  // Offsets in bytes, once for all that gather by these indices.
  if (type.is_tile() && type.dtype == proto::INT32 && !changes && gathered_by_.contains(statement.name))
    made.scaled = operation("Muls", type, {held}, {"4"}, statement.line, -1, /*in_place=*/false);
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
  if (statement.value->type.product) return store_product(statement);
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

}  // namespace kg::dsl
