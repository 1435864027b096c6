#include "dsl/row_names.h"

#include "dsl/build_expr.h"
#include "dsl/walk.h"

namespace kg::dsl {

void note_names(const std::map<std::string, int>& rows, Statement& statement, Atom& atom) {
  const auto note = [&](Statement& each) {
    for_each_own(each, [&](const ExprPtr& part) {
      if (part->kind == Expr::Kind::kLoad) atom.loaded.insert(part->text);
      if (part->kind != Expr::Kind::kName) return;
      const auto row = rows.find(part->text);
      if (row != rows.end())
        atom.rows[part->text] = row->second;
      else
        atom.reads.insert(part->text);
    });
  };
  note(statement);
  for_each_statement(statement.body, note);
  for_each_statement(statement.otherwise, note);
}

void keep_numbers(RowCutting& cutting, const std::map<std::string, int>& rows, Atom& atom, std::vector<Atom>& atoms) {
  std::map<std::string, std::string> kept;
  const auto keep = [&](Statement& each) {
    for_each_own(each, [&](ExprPtr& part) {
      if (part->kind != Expr::Kind::kName || rows.contains(part->text)) return;
      const auto count = cutting.assigned.find(part->text);
      if (count == cutting.assigned.end() || count->second < 2 || cutting.is_row(part->type)) return;
      if (!kept.contains(part->text)) {
        const std::string name = cutting.fresh(part->text + "_");
        Atom copy{.kind = Atom::Kind::kNumber};
        copy.statement = assignment(part->line, name, name_expr(part->line, part->text, part->type));
        copy.statement.type = part->type;
        copy.sets.insert(name);
        copy.reads.insert(part->text);
        cutting.assigned[name] = 1;
        atoms.push_back(std::move(copy));
        kept[part->text] = name;
      }
      part = name_expr(part->line, kept[part->text], part->type);
    });
  };
  if (atom.at) {
    Statement at = assignment(atom.statement.line, "", atom.at);
    keep(at);
    atom.at = at.value;
  }
  keep(atom.statement);
  for_each_statement(atom.statement.body, keep);
  for_each_statement(atom.statement.otherwise, keep);
}

}  // namespace kg::dsl
