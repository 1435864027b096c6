#include "dsl/check_statement.h"

#include <utility>

#include "dsl/check_cube.h"
#include "dsl/check_expression.h"
#include "dsl/check_linear.h"
#include "dsl/check_loop.h"
#include "dsl/check_store.h"
#include "dsl/types.h"

namespace kg::dsl {
namespace {

// a op value, for a op= value.
ExprPtr operated(const Statement& statement) {
  auto name = std::make_shared<Expr>();
  name->kind = Expr::Kind::kName;
  name->line = statement.line;
  name->text = statement.name;
  auto made = std::make_shared<Expr>();
  made->kind = Expr::Kind::kBinary;
  made->line = statement.line;
  made->text = statement.op;
  made->args = {name, statement.value};
  return made;
}

bool fits(const Type& variable, const Type& value) {
  if (variable.kind == Type::Kind::kFloat && value.kind == Type::Kind::kInt) return true;
  if (variable.kind == Type::Kind::kTile && value.is_scalar()) return true;  // fills it
  return variable.kind == value.kind && variable.length == value.length &&
         (variable.kind != Type::Kind::kTile || variable.dtype == value.dtype);
}

void check_buffer(Checking& in, Statement& statement) {
  const std::string text = "ub " + statement.name;
  require_new(in, statement.name, statement.line, text, "a buffer");
  const proto::DType dtype = statement.type.dtype;
  if (dtype != proto::FLOAT32 && dtype != proto::FLOAT16 && dtype != proto::INT32 && dtype != proto::INT16)
    throw Refusal(statement.line, text,
                  "the type of a buffer is float, half, int32 or int16; the vector unit computes in no other");
  const std::int64_t length = constant_value(in.seen, *statement.extent, "a buffer's length");
  if (length < 1 || length > in.seen.longest_tile)
    throw Refusal(statement.line, text, "a buffer has 1 to 65536 elements, not " + std::to_string(length));
  statement.type.length = {.constant = length};
  if (!statement.value)
    throw Refusal(statement.line, text, "a buffer begins with a value, as in ub " + statement.name + ": float[C] = 0");
  const Type value = check_expression(in.seen, *statement.value);
  if (!fits(statement.type, value))
    throw Refusal(statement.line, text,
                  "the buffer is " + type_text(statement.type) + ", its first value " + type_text(value));
  in.seen.scope.add(statement.name, {.type = statement.type, .line = statement.line});
}

void check_inner(Checking& in, std::vector<Statement>& body) {
  const bool top = std::exchange(in.seen.top_level, false);
  in.seen.scope.open();
  check_block(in, body);
  in.seen.scope.close();
  in.seen.top_level = top;
}

}  // namespace

void check_statement(Checking& in, Statement& statement) {
  note_loads(in, statement);
  if (in.cube.on) return check_cube_statement(in, statement);
  switch (statement.kind) {
    case Statement::Kind::kAssign:
      return check_assignment(in, statement);
    case Statement::Kind::kStore:
      return check_store(in, statement);
    case Statement::Kind::kFor:
      return check_loop(in, statement);
    case Statement::Kind::kIf:
      if (check_expression(in.seen, *statement.value).kind != Type::Kind::kBool)
        refuse(*statement.value, "if takes a comparison of numbers; where(mask, a, b) chooses between tiles");
      check_inner(in, statement.body);
      check_inner(in, statement.otherwise);
      return;
    case Statement::Kind::kBuffer:
      return check_buffer(in, statement);
    case Statement::Kind::kTileSize:
      return check_tile_size(in, statement);
    case Statement::Kind::kLaunch:
      return check_launch(in, statement);
    case Statement::Kind::kBarrier:
      if (!in.seen.top_level)
        throw Refusal(statement.line, "barrier",
                      "every core must reach a barrier once, so it must be outside of loops and conditions");
      return pass_barrier(in);
    case Statement::Kind::kScratch:
      return check_scratch(in, statement);
    case Statement::Kind::kMatrix:
    case Statement::Kind::kProduct:
    case Statement::Kind::kGemm:
      throw Refusal(statement.line, statement.name,
                    "l1, l0c and gemm belong in a loop over cores(...) at the top of the kernel, which the cube cores "
                    "walk");
  }
}

void check_block(Checking& in, std::vector<Statement>& body) {
  for (Statement& statement : body) check_statement(in, statement);
}

void check_assignment(Checking& in, Statement& statement) {
  require_free(in, statement.name, statement.line);
  if (!statement.op.empty()) {
    if (in.seen.scope.find(statement.name) == nullptr)
      throw Refusal(statement.line, statement.name + " " + statement.op + "= ...",
                    statement.name + " is not set before; begin with " + statement.name + " = 0.0 or a buffer");
    statement.value = operated(statement);
  }
  Type type = check_expression(in.seen, *statement.value);
  if (type.kind == Type::Kind::kRange) refuse(*statement.value, "a tile range cannot be kept in a variable");
  if (type.kind == Type::Kind::kInt && in.numbers.contains(statement.name)) type.kind = Type::Kind::kFloat;
  Variable* found = in.seen.scope.find(statement.name);
  if (found == nullptr) {
    Variable made{.type = type, .line = statement.line};
    if (type.kind == Type::Kind::kInt && in.assignments[statement.name] == 1)
      made.linear = linear(in.seen, *statement.value);
    in.seen.scope.add(statement.name, made);
    statement.first = true;
  } else if (found->type.kind == Type::Kind::kInt && type.kind == Type::Kind::kFloat) {
    in.more_numbers.insert(statement.name);
    found->type = type;
  } else if (!fits(found->type, type)) {
    throw Refusal(statement.line, statement.name + " = " + text_of(*statement.value),
                  statement.name + " is " + type_text(found->type) + " since line " + std::to_string(found->line) +
                      " and cannot become " + type_text(type));
  } else {
    type = found->type;
  }
  statement.type = type;
}

}  // namespace kg::dsl
