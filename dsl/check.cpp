#include <algorithm>
#include <utility>

#include "dsl/checker.h"
#include "dsl/constant.h"
#include "dsl/copy_program.h"
#include "dsl/parser.h"

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

}  // namespace

void Checker::run() {
  choose_cores();
  for (const auto& [name, value] : checked_.extents)
    scope_.add(name, {.type = {.kind = Type::Kind::kInt}, .fixed = true, .linear = Linear{.constant = value}});
  constant_name("num_programs", checked_.cores);
  scope_.add("program_id",
             {.type = {.kind = Type::Kind::kInt}, .fixed = true, .bounds = Bounds{0, checked_.cores - 1}});
  std::set<std::string> seen;
  for (const Parameter& parameter : checked_.program.parameters)
    if (!seen.insert(parameter.name).second || scope_.find(parameter.name) != nullptr)
      throw Refusal(parameter.line, parameter.name, "a parameter has a name of its own");
  count_assignments(checked_.program.body);
  scope_.open();
  block(checked_.program.body);
  scope_.close();
  bool stores = false;
  for (const Parameter& parameter : checked_.program.parameters)
    if (parameter.output && stored_.contains(parameter.name))
      stores = true;
    else if (parameter.output)
      throw Refusal(parameter.line, parameter.name, "this output is never stored to");
  if (!stores) throw Refusal(1, "kernel " + checked_.program.name, "a kernel stores to its outputs");
}

void Checker::constant_name(const std::string& name, std::int64_t value) {
  scope_.add(name, {.type = {.kind = Type::Kind::kInt}, .fixed = true, .linear = Linear{.constant = value}});
}

void Checker::count_assignments(const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    if (statement.kind == Statement::Kind::kAssign) ++assignments_[statement.name];
    count_assignments(statement.body);
    count_assignments(statement.otherwise);
  }
}

void Checker::choose_cores() {
  checked_.blocks = checked_.launched;
  if (!has_cube_work(checked_.program.body)) return;
  // What is no loop with gemm, and more than a declaration, needs vector cores.
  for (const Statement& statement : checked_.program.body)
    checked_.mixed |= !has_cube_work(statement.body) && statement.kind != Statement::Kind::kScratch &&
                      statement.kind != Statement::Kind::kBarrier && statement.kind != Statement::Kind::kLaunch &&
                      statement.kind != Statement::Kind::kTileSize;
  checked_.groups = checked_.blocks = std::min(checked_.launched, kMostGroups);
  checked_.cores = checked_.launched = 2 * checked_.blocks;
}

void Checker::block(std::vector<Statement>& body) {
  for (Statement& statement : body) check(statement);
}

void Checker::inner(std::vector<Statement>& body) {
  const bool top = std::exchange(expressions_.top_level, false);
  scope_.open();
  block(body);
  scope_.close();
  expressions_.top_level = top;
}

void Checker::check(Statement& statement) {
  note_loads(statement);
  if (on_cube_) return cube_statement(statement);
  switch (statement.kind) {
    case Statement::Kind::kAssign:
      return assign(statement);
    case Statement::Kind::kStore:
      return store(statement);
    case Statement::Kind::kFor:
      return loop(statement);
    case Statement::Kind::kIf:
      if (expressions_.check(*statement.value).kind != Type::Kind::kBool)
        refuse(*statement.value, "if takes a comparison of numbers; where(mask, a, b) chooses between tiles");
      inner(statement.body);
      inner(statement.otherwise);
      return;
    case Statement::Kind::kBuffer:
      return buffer(statement);
    case Statement::Kind::kTileSize:
      return tile_size(statement);
    case Statement::Kind::kLaunch:
      return launch(statement);
    case Statement::Kind::kBarrier:
      if (!expressions_.top_level)
        throw Refusal(statement.line, "barrier",
                      "every core must reach a barrier once, so it stands outside of loops and conditions");
      return meet();
    case Statement::Kind::kScratch:
      return scratch(statement);
    case Statement::Kind::kMatrix:
    case Statement::Kind::kProduct:
    case Statement::Kind::kGemm:
      throw Refusal(statement.line, statement.name,
                    "l1, l0c and gemm stand in a loop over cores(...) at the top of the kernel, which the cube cores "
                    "walk");
  }
}

void Checker::require_free(const std::string& name, int line) {
  if (expressions_.parameter(name) >= 0)
    throw Refusal(line, name, name + " is a tensor in global memory; write it with store, or use another name");
  if (const Variable* found = scope_.find(name); found != nullptr && found->fixed)
    throw Refusal(line, name, name + " is an extent or a loop's variable and cannot be set");
}

void Checker::require_new(const std::string& name, int line, const std::string& text, const std::string& what) {
  require_free(name, line);
  if (scope_.find(name) != nullptr)
    throw Refusal(line, text, name + " is set already; " + what + " has a name of its own");
}

void Checker::assign(Statement& statement) {
  require_free(statement.name, statement.line);
  if (!statement.op.empty()) {
    if (scope_.find(statement.name) == nullptr)
      throw Refusal(statement.line, statement.name + " " + statement.op + "= ...",
                    statement.name + " is not set before; begin with " + statement.name + " = 0.0 or a buffer");
    statement.value = operated(statement);
  }
  Type type = expressions_.check(*statement.value);
  if (type.kind == Type::Kind::kRange) refuse(*statement.value, "a tile range cannot be kept in a variable");
  if (type.kind == Type::Kind::kInt && numbers_.contains(statement.name)) type.kind = Type::Kind::kFloat;
  Variable* found = scope_.find(statement.name);
  if (found == nullptr) {
    Variable made{.type = type, .line = statement.line};
    if (type.kind == Type::Kind::kInt && assignments_[statement.name] == 1)
      made.linear = expressions_.linear(*statement.value);
    scope_.add(statement.name, made);
    statement.first = true;
  } else if (found->type.kind == Type::Kind::kInt && type.kind == Type::Kind::kFloat) {
    throw Widen{statement.name};
  } else if (!fits(found->type, type)) {
    throw Refusal(statement.line, statement.name + " = " + text_of(*statement.value),
                  statement.name + " is " + type_text(found->type) + " since line " + std::to_string(found->line) +
                      " and cannot become " + type_text(type));
  } else {
    type = found->type;
  }
  statement.type = type;
}

bool Checker::fits(const Type& variable, const Type& value) {
  if (variable.kind == Type::Kind::kFloat && value.kind == Type::Kind::kInt) return true;
  if (variable.kind == Type::Kind::kTile && value.is_scalar()) return true;  // fills it
  return variable.kind == value.kind && variable.length == value.length &&
         (variable.kind != Type::Kind::kTile || variable.dtype == value.dtype);
}

void Checker::buffer(Statement& statement) {
  const std::string text = "ub " + statement.name;
  require_new(statement.name, statement.line, text, "a buffer");
  const proto::DType dtype = statement.type.dtype;
  if (dtype != proto::FLOAT32 && dtype != proto::FLOAT16 && dtype != proto::INT32 && dtype != proto::INT16)
    throw Refusal(statement.line, text,
                  "the type of a buffer is float, half, int32 or int16; the vector unit computes in no other");
  const std::int64_t length = expressions_.constant(*statement.extent, "a buffer's length");
  if (length < 1 || length > 65536)
    throw Refusal(statement.line, text, "a buffer has 1 to 65536 elements, not " + std::to_string(length));
  statement.type.length = {.constant = length};
  if (!statement.value)
    throw Refusal(statement.line, text, "a buffer begins with a value, as in ub " + statement.name + ": float[C] = 0");
  const Type value = expressions_.check(*statement.value);
  if (!fits(statement.type, value))
    throw Refusal(statement.line, text,
                  "the buffer is " + type_text(statement.type) + ", its first value " + type_text(value));
  scope_.add(statement.name, {.type = statement.type, .line = statement.line});
}

Checked check(const Program& program, const Bindings& bindings, const TileSizes& sizes) {
  std::set<std::string> numbers;
  for (;;) {
    Checked checked;
    checked.program = program;
    checked.program.body = copied(program.body);
    checked.extents = bind(checked.program, bindings);
    checked.cores = checked.launched = std::min(std::max(bindings.cores, 1), kMostCores);
    checked.sizes = sizes;
    try {
      Checker(checked, numbers, sizes).run();
      return checked;
    } catch (const Widen& widen) {
      numbers.insert(widen.name);
    }
  }
}

}  // namespace kg::dsl
