#include "dsl/flatten.h"

#include "dsl/flatten_statement.h"
#include "dsl/flattening.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {
namespace {

void find_gathers(Flattening& flat, const Expr& expr) {
  for (const ExprPtr& arg : expr.args) find_gathers(flat, *arg);
  if (expr.kind == Expr::Kind::kCall && expr.text == "gather" && expr.args[1]->kind == Expr::Kind::kName)
    flat.gathered_by.insert(expr.args[1]->text);
}

void count_changes(Flattening& flat, const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    if (statement.kind == Statement::Kind::kAssign) ++flat.changes[statement.name];
    if (statement.kind == Statement::Kind::kBuffer) flat.changes[statement.name] += 2;
    if (statement.value) find_gathers(flat, *statement.value);
    count_changes(flat, statement.body);
    count_changes(flat, statement.otherwise);
  }
}

// Numbers keep their names; a tile of the same name gets another.
void reserve_names(Flattening& flat, const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    const bool number = statement.type.kind == Type::Kind::kInt || statement.type.kind == Type::Kind::kFloat ||
                        statement.type.kind == Type::Kind::kBool;
    if (statement.kind == Statement::Kind::kAssign && number) flat.used_names[cpp_name(statement.name)] = 1;
    for (const LoopItem& item : statement.items) flat.used_names[cpp_name(item.name)] = 1;
    reserve_names(flat, statement.body);
    reserve_names(flat, statement.otherwise);
  }
}

}  // namespace

void flatten(Form& form) {
  Flattening flat(form);
  for (const Parameter& parameter : form.checked.program.parameters) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : parameter.shape) elements *= extent;
    form.index64 |= elements > INT32_MAX;
  }
  count_changes(flat, form.checked.program.body);
  for (const auto& [name, value] : form.checked.extents) flat.used_names[cpp_name(name)] = 1;
  for (const char* name : {"l0a", "l0b", "work"}) flat.used_names[name] = 1;  // names of the kernel's own buffers
  reserve_names(flat, form.checked.program.body);
  flatten_block(flat, form.checked.program.body);
}

}  // namespace kg::dsl
