#include "dsl/row_atoms.h"

#include "dsl/build_expr.h"
#include "dsl/copy_program.h"
#include "dsl/functions.h"
#include "dsl/refusal.h"
#include "dsl/row_names.h"
#include "dsl/types.h"
#include "dsl/walk.h"

namespace kg::dsl {

std::string RowCutting::fresh(const std::string& stem) {
  std::string name = stem;
  for (int number = 2; !names.insert(name).second; ++number) name = stem + std::to_string(number);
  return name;
}

namespace {

class Collector {
 public:
  Collector(RowCutting& cutting, const std::vector<Atom>& inherited, const CutInner& inner)
      : cutting_(cutting), atoms_(inherited), inner_(inner) {
    for (std::size_t i = 0; i < atoms_.size(); ++i)
      for (const std::string& name : atoms_[i].sets) rows_[name] = static_cast<int>(i);
  }

  std::vector<Atom> run(std::vector<Statement> body) {
    for (Statement& statement : body) collect(statement);
    return std::move(atoms_);
  }

 private:
  void collect(Statement& statement) {
    const bool block = statement.kind == Statement::Kind::kFor || statement.kind == Statement::Kind::kIf;
    if (block && changes_rows(statement)) return compound(statement);
    if (block) return inner_block(statement);
    for_each_index(statement);
    if (statement.value) extract(statement.value);
    const bool assigns = statement.kind == Statement::Kind::kAssign || statement.kind == Statement::Kind::kBuffer;
    if (assigns && cutting_.is_row(statement.type)) return row(statement);
    if (statement.kind == Statement::Kind::kStore &&
        (cutting_.is_row(statement.value->type) || is_long_place(statement)))
      return store(statement);
    Atom atom{.kind = Atom::Kind::kNumber};
    if (assigns) atom.sets.insert(statement.name);
    if (statement.kind == Statement::Kind::kStore) atom.stored.insert(statement.name);
    atom.statement = std::move(statement);
    add(std::move(atom));
  }

  bool is_long_place(const Statement& store) const {
    return !store.region.element && store.region.length.factor == 0 &&
           store.region.length.constant >= cutting_.shortest;
  }

  void for_each_index(Statement& statement) {
    for (Index& index : statement.indices)
      for (ExprPtr* part : {&index.at, &index.to, &index.step})
        if (*part) extract(*part);
  }

  void row(Statement& statement) {
    Atom atom{.kind = Atom::Kind::kRow, .length = statement.type.length.constant};
    if (statement.value->type.is_scalar()) statement.value = filled(statement);
    statement.kind = Statement::Kind::kAssign;
    atom.scan = is_scan(*statement.value);
    atom.sets.insert(statement.name);
    atom.statement = std::move(statement);
    add(std::move(atom));
  }

  // A number that fills a row.
  static ExprPtr filled(const Statement& statement) {
    const int line = statement.line;
    const ExprPtr length = whole_expr(line, statement.type.length.constant);
    ExprPtr made = call_expr(line, "full", {length, statement.value});
    made->type = tile_type(proto::FLOAT32, statement.type.length);
    const proto::DType dtype = statement.type.dtype;
    if (dtype == proto::FLOAT32) return made;
    made = call_expr(line, dtype == proto::FLOAT16 ? "half" : dtype == proto::INT16 ? "int16" : "int32", {made});
    made->type = statement.type;
    return made;
  }

  // load x[r, :]
  static bool is_whole_load(const Expr& expr) {
    return expr.kind == Expr::Kind::kLoad && !expr.pad && expr.indices.size() == expr.region.vector + 1 &&
           expr.indices.back().slice && !expr.indices.back().at && !expr.indices.back().to;
  }

  static bool is_scan(const Expr& expr) {
    return expr.kind == Expr::Kind::kCall && (expr.text == "cumsum" || expr.text == "cumprod");
  }

  void store(Statement& statement) {
    Atom atom{.kind = Atom::Kind::kStore, .length = statement.region.length.constant};
    atom.stored.insert(statement.name);
    atom.statement = std::move(statement);
    add(std::move(atom));
  }

  // A loop or condition that sets rows of this block. Its statements are those of every tile.
  void compound(Statement& statement) {
    Atom atom{.kind = Atom::Kind::kRow, .compound = true};
    std::vector<Statement> one;
    one.push_back(std::move(statement));
    for_each_statement(one, [&](Statement& each) {
      const bool assigns = each.kind == Statement::Kind::kAssign || each.kind == Statement::Kind::kBuffer;
      if (assigns && cutting_.is_row(each.type)) {
        if (rows_.contains(each.name)) {
          atom.sets.insert(each.name);
          atom.rows[each.name] = rows_.at(each.name);
        }
        atom.length = each.type.length.constant;
      } else if (assigns && cutting_.assigned[each.name] > 1) {
        refuse_whole(each.line, each.name, "a number that changes in a loop that changes a row");
      }
      if (each.kind == Statement::Kind::kStore) {
        atom.stores = true;
        atom.stored.insert(each.name);
      }
      for_each_own(each, [&](const ExprPtr& part) {
        if (part->args.empty() || !cutting_.is_row(part->args[0]->type)) return;
        const Function* function =
            part->kind == Expr::Kind::kCall ? find_function(part->text, part->args.size()) : nullptr;
        static const std::set<std::string> kWhole = {"len", "flip", "gather", "cumsum", "cumprod"};
        const bool whole = part->kind == Expr::Kind::kElement || kWhole.contains(part->text) ||
                           (function != nullptr && function->kind == Function::Kind::kReduce);
        if (whole) refuse_whole(part->line, text_of(*part), "what needs a whole row, in a loop that changes the row,");
      });
    });
    atom.statement = std::move(one[0]);
    add(std::move(atom));
  }

  void inner_block(Statement& statement) {
    Atom atom{.kind = Atom::Kind::kNumber};
    for_each_index(statement);
    if (statement.kind == Statement::Kind::kIf) extract(statement.value);
    std::vector<Statement> one;
    one.push_back(statement);
    note_names(rows_, one[0], atom);
    for_each_statement(one, [&](Statement& each) {
      const bool assigns = each.kind == Statement::Kind::kAssign || each.kind == Statement::Kind::kBuffer;
      if (assigns && !cutting_.is_row(each.type)) atom.sets.insert(each.name);
      if (each.kind == Statement::Kind::kStore) atom.stored.insert(each.name);
    });
    statement.body = inner_(std::move(statement.body), visible_rows());
    statement.otherwise = inner_(std::move(statement.otherwise), visible_rows());
    atom.statement = std::move(statement);
    atom.visible = rows_;
    atoms_.push_back(std::move(atom));
  }

  // The atoms of rows, without what other blocks have no use for.
  std::vector<Atom> visible_rows() const {
    std::vector<Atom> made = atoms_;
    for (Atom& atom : made)
      if (atom.kind != Atom::Kind::kRow) atom = Atom{.kind = Atom::Kind::kNumber, .reads = {}, .level = -2};
    return made;
  }

  // It changes a row that was set outside of it.
  bool changes_rows(Statement& statement) const {
    bool changes = false;
    const auto look = [&](Statement& each) {
      const bool assigns = each.kind == Statement::Kind::kAssign || each.kind == Statement::Kind::kBuffer;
      changes |= assigns && cutting_.is_row(each.type) && rows_.contains(each.name);
    };
    for_each_statement(statement.body, look);
    for_each_statement(statement.otherwise, look);
    return changes;
  }

  // Extracts from an expression what is known only after a pass over a row.
  void extract(ExprPtr& expr) {
    if (!expr) return;
    const bool of_row = !expr->args.empty() && cutting_.is_row(expr->args[0]->type);
    if (expr->kind == Expr::Kind::kElement && of_row && expr->indices[0].slice) return part_of_load(expr);
    for (ExprPtr& arg : expr->args) extract(arg);
    for (Index& index : expr->indices)
      for (ExprPtr* part : {&index.at, &index.to, &index.step}) extract(*part);
    extract(expr->pad);
    if (!of_row) return;
    if (expr->kind == Expr::Kind::kElement) return pick(expr);
    if (expr->kind != Expr::Kind::kCall) return;
    const Function* function = find_function(expr->text, expr->args.size());
    if (function != nullptr && function->kind == Function::Kind::kReduce) return reduce(expr);
    if (expr->text == "len") {
      expr = whole_expr(expr->line, expr->args[0]->type.length.constant);
      expr->type = scalar_type(Type::Kind::kInt);
    } else if (expr->text == "gather") {
      refuse_whole(expr->line, text_of(*expr), "the tile that gather takes its elements from");
    } else if (is_scan(*expr)) {
      scan(expr);
    }
  }

  void reduce(ExprPtr& expr) {
    static const std::map<std::string, const char*> stems = {
        {"sum", "rowSum"}, {"mean", "rowMean"}, {"max", "rowMax"}, {"min", "rowMin"}};
    Atom atom{.kind = Atom::Kind::kReduction, .function = expr->text};
    atom.length = expr->args[0]->type.length.constant;
    number_of(atom, expr, stems.at(expr->text), expr->args[0]);
  }

  void pick(ExprPtr& expr) {
    const ExprPtr base = definition(expr->args[0]);
    if (is_whole_load(*base)) {
      const ExprPtr load = copied(base);
      load->indices.back() = {.at = expr->indices[0].at};
      load->native = false;
      load->type = expr->type;
      expr = load;
      return;
    }
    Atom atom{.kind = Atom::Kind::kReduction};
    atom.length = expr->args[0]->type.length.constant;
    atom.at = expr->indices[0].at;
    number_of(atom, expr, "picked", expr->args[0]);
  }

  void number_of(Atom& atom, ExprPtr& expr, const std::string& stem, const ExprPtr& row) {
    atom.statement = assignment(expr->line, cutting_.fresh(stem), row);
    atom.statement.type = expr->type;
    atom.sets.insert(atom.statement.name);
    cutting_.assigned[atom.statement.name] = 1;
    expr = name_expr(expr->line, atom.statement.name, expr->type);
    add(std::move(atom));
  }

  void scan(ExprPtr& expr) {
    Atom atom{.kind = Atom::Kind::kRow, .length = expr->type.length.constant, .scan = true};
    atom.statement = assignment(expr->line, cutting_.fresh("scanned"), expr);
    atom.statement.type = expr->type;
    atom.sets.insert(atom.statement.name);
    expr = name_expr(expr->line, atom.statement.name, expr->type);
    add(std::move(atom));
  }

  // a[i:j] of a row that is loaded unchanged becomes a load of that part.
  void part_of_load(ExprPtr& expr) {
    const ExprPtr base = definition(expr->args[0]);
    const Index& index = expr->indices[0];
    if (!is_whole_load(*base) || index.step)
      refuse_whole(expr->line, text_of(*expr), "a tile of which a part is taken");
    const ExprPtr load = copied(base);
    load->indices.back() = index;
    load->type = expr->type;
    load->region.length = expr->type.length;
    expr = load;
  }

  // The meaning of a row's name.
  ExprPtr definition(const ExprPtr& expr) const {
    ExprPtr at = expr;
    while (at->kind == Expr::Kind::kName) {
      const auto found = rows_.find(at->text);
      if (found == rows_.end()) break;
      const Atom& atom = atoms_[static_cast<std::size_t>(found->second)];
      if (atom.compound || atom.scan || !atom.statement.value) break;
      at = atom.statement.value;
    }
    return at;
  }

  void add(Atom atom) {
    if (atom.kind != Atom::Kind::kNumber) keep_numbers(cutting_, rows_, atom, atoms_);
    note_names(rows_, atom.statement, atom);
    if (atom.at) {
      Statement at = assignment(atom.statement.line, "", atom.at);
      note_names(rows_, at, atom);
    }
    atom.visible = rows_;
    atoms_.push_back(std::move(atom));
    const Atom& added = atoms_.back();
    if (added.kind == Atom::Kind::kRow)
      for (const std::string& name : added.sets) rows_[name] = static_cast<int>(atoms_.size()) - 1;
  }

  [[noreturn]] void refuse_whole(int line, const std::string& text, const std::string& what) const {
    throw Refusal(line, text,
                  what + " must fit UB; here rows of " + std::to_string(cutting_.shortest) +
                      " elements and more do not, and are computed tile by tile");
  }

  RowCutting& cutting_;
  std::vector<Atom> atoms_;
  const CutInner& inner_;
  std::map<std::string, int> rows_;
};

}  // namespace

std::vector<Atom> row_atoms(RowCutting& cutting, std::vector<Statement> body, const std::vector<Atom>& inherited,
                            const CutInner& inner) {
  return Collector(cutting, inherited, inner).run(std::move(body));
}

}  // namespace kg::dsl
