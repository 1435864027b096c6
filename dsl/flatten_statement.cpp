#include "dsl/flatten_statement.h"

#include "dsl/flatten_call.h"
#include "dsl/flatten_copy.h"
#include "dsl/flatten_cube.h"
#include "dsl/flatten_loop.h"
#include "dsl/flatten_scalar.h"
#include "dsl/flatten_tile.h"
#include "dsl/flatten_vector.h"
#include "dsl/flatten_view.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {
namespace {

void flatten_inner(Flattening& flat, const std::vector<Statement>& body) {
  flat.scopes.emplace_back();
  flatten_block(flat, body);
  flat.scopes.pop_back();
}

void flatten_assignment(Flattening& flat, const Statement& statement) {
  const Type& type = statement.type;
  const bool first = statement.first || statement.kind == Statement::Kind::kBuffer;
  const bool changes = flat.changes[statement.name] > 1;
  if (type.kind != Type::Kind::kTile && type.kind != Type::Kind::kMask) {
    const std::string value = scalar_of(flat, *statement.value).text;
    const char* cpp = type.kind == Type::Kind::kFloat  ? "float"
                      : type.kind == Type::Kind::kBool ? "bool"
                      : flat.form.index64              ? "int64_t"
                                                       : "int32_t";
    flat.define(statement.line, cpp_name(statement.name), first ? cpp : "", value);
    if (first) flat.scopes.back()[statement.name] = {};
    return;
  }
  const bool fills = statement.value->type.is_scalar();
  if (!first) {
    const int into = flat.name(statement.name).tile;
    if (fills)
      filled(flat, type, argument(flat, *statement.value, type.dtype), statement.line, into);
    else
      tile_of(flat, *statement.value, into);
    return;
  }
  int held = -1;
  // A name for a value that never changes is the value itself.
  const bool view = views_what_changes(flat, *statement.value);
  const bool alias =
      statement.value->kind == Expr::Kind::kName && !fills && !changes && !flat.name(statement.value->text).changes;
  if (!changes && !fills && !view && (alias || statement.value->kind != Expr::Kind::kName)) {
    held = tile_of(flat, *statement.value);
    if (flat.form.tile(held).home == Tile::Home::kWork && flat.form.tile(held).view_of < 0 &&
        !flat.form.tile(held).named) {
      flat.form.tile(held).name = flat.fresh(cpp_name(statement.name));
      flat.form.tile(held).named = true;
    }
  } else {
    held = result_tile(flat, type, -1);
    flat.form.tile(held).name = flat.fresh(cpp_name(statement.name));
    flat.form.tile(held).named = true;
    if (fills)
      filled(flat, type, argument(flat, *statement.value, type.dtype), statement.line, held);
    else
      tile_of(flat, *statement.value, held);
  }
  Flattening::Name& made = flat.scopes.back()[statement.name] = {.tile = held, .changes = changes};
  // Offsets in bytes, once for all that gather by these indices.
  if (type.is_tile() && type.dtype == proto::INT32 && !changes && flat.gathered_by.contains(statement.name))
    made.scaled = operation(flat, "Muls", type, {held}, {"4"}, statement.line, -1, /*in_place=*/false);
}

void copy_out(Flattening& flat, const Statement& statement, int tile) {
  Copy copy = copy_of(flat, statement.region, statement.indices);
  copy.tile = tile;
  Step& made = flat.step(Step::Kind::kCopyOut, statement.line);
  made.sources = {tile};
  made.copy = copy;
}

// The type in which a tile of `dtype` is filled with a number: itself, or one that is converted to it.
proto::DType fillable(proto::DType dtype) {
  if (dtype == proto::INT64) return proto::INT32;
  return dtype == proto::INT8 || dtype == proto::UINT8 || dtype == proto::BOOL ? proto::FLOAT16 : dtype;
}

void store_number(Flattening& flat, const Statement& statement, int tensor) {
  const Parameter& to = flat.form.tensor(tensor);
  const Type type{.kind = Type::Kind::kTile,
                  .dtype = to.dtype,
                  .length = statement.region.element ? Length{.constant = 1} : statement.region.length};
  const int out = flat.new_tile(cpp_name(to.name) + "Out", to.dtype, type.length, Tile::Home::kOut);
  const Expr& value = *statement.value;
  const bool reduces = value.kind == Expr::Kind::kCall && value.args.size() == 1 && value.args[0]->type.is_tile() &&
                       (value.text == "sum" || value.text == "max" || value.text == "min") &&
                       statement.region.element && to.dtype == proto::FLOAT32;
  const proto::DType filled_as = fillable(to.dtype);
  if (reduces) {
    reduced(flat, value, out);
  } else if (filled_as != to.dtype) {
    Type wide = type;
    wide.dtype = filled_as;
    const int source = filled(flat, wide, argument(flat, value, filled_as), statement.line, -1);
    convert(flat, source, wide, to.dtype, statement.line, out);
  } else {
    filled(flat, type, argument(flat, value, to.dtype), statement.line, out);
  }
  copy_out(flat, statement, out);
}

void flatten_store(Flattening& flat, const Statement& statement) {
  const int tensor = statement.region.tensor;
  if (statement.value->type.product) return store_sums(flat, statement);
  if (statement.value->type.is_scalar()) return store_number(flat, statement, tensor);
  const Parameter& to = flat.form.tensor(tensor);
  const Type& type = statement.value->type;
  const bool computes = statement.value->kind == Expr::Kind::kBinary || statement.value->kind == Expr::Kind::kCall ||
                        statement.value->kind == Expr::Kind::kUnary;
  int source = -1;
  if (type.dtype != to.dtype || !computes) source = tile_of(flat, *statement.value);
  const int out = flat.new_tile(cpp_name(to.name) + "Out", to.dtype, type.length, Tile::Home::kOut);
  if (source < 0)
    tile_of(flat, *statement.value, out);
  else
    convert(flat, source, type, to.dtype, statement.line, out);
  copy_out(flat, statement, out);
}

void flatten_statement(Flattening& flat, const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::kAssign:
    case Statement::Kind::kBuffer:
      return flatten_assignment(flat, statement);
    case Statement::Kind::kStore:
      return flatten_store(flat, statement);
    case Statement::Kind::kFor:
      if (statement.cube) {
        flat.steps = &flat.form.cube;
        flat.cores = flat.form.checked.groups;
      }
      statement.parallel ? flatten_parallel_loop(flat, statement) : flatten_loop(flat, statement);
      if (statement.cube) {
        flat.steps = &flat.form.steps;
        flat.cores = flat.form.checked.cores;
      }
      return;
    case Statement::Kind::kIf: {
      const std::string condition = scalar_of(flat, *statement.value).text;
      flat.step(Step::Kind::kIf, statement.line).value = condition;
      flatten_inner(flat, statement.body);
      if (!statement.otherwise.empty()) {
        flat.step(Step::Kind::kElse, statement.line);
        flatten_inner(flat, statement.otherwise);
      }
      return flat.close(statement.line);
    }
    case Statement::Kind::kBarrier:
      flat.step(Step::Kind::kBarrier, statement.line).all = flat.form.checked.groups > 0;
      if (flat.form.checked.groups > 0) {
        flat.form.cube.push_back(flat.form.steps.back());
        if (!flat.form.checked.mixed) flat.form.steps.pop_back();
      }
      return;
    case Statement::Kind::kMatrix:
      return flatten_matrix(flat, statement);
    case Statement::Kind::kProduct:
      return flatten_sums(flat, statement);
    case Statement::Kind::kGemm:
      return flatten_gemm(flat, statement);
    case Statement::Kind::kScratch:
    case Statement::Kind::kTileSize:
    case Statement::Kind::kLaunch:
      return;  // known since check()
  }
}

}  // namespace

void flatten_block(Flattening& flat, const std::vector<Statement>& body) {
  for (const Statement& each : body) flatten_statement(flat, each);
}

}  // namespace kg::dsl
