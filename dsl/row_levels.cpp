#include "dsl/row_levels.h"

#include <algorithm>

#include "dsl/copy_program.h"
#include "dsl/walk.h"

namespace kg::dsl {
namespace {

class Numbering {
 public:
  Numbering(std::vector<Atom>& atoms, std::size_t first) : atoms_(atoms), first_(first) {}

  int run(const Overwritten& overwritten) {
    for (std::size_t i = 0; i < atoms_.size(); ++i) number(i);
    delay_stores(overwritten);
    int passes = 0;
    for (std::size_t i = first_; i < atoms_.size(); ++i)
      if (atoms_[i].kind != Atom::Kind::kNumber) passes = std::max(passes, atoms_[i].level + 1);
    return passes;
  }

 private:
  int of(const std::map<std::string, int>& levels, const std::string& name) const {
    const auto found = levels.find(name);
    return found == levels.end() ? -1 : found->second;
  }

  // The first pass in which a row with these operands can be computed.
  int pass_of(const std::set<std::string>& numbers, const std::map<std::string, int>& rows) const {
    int level = 0;
    for (const std::string& name : numbers) level = std::max(level, of(known_, name) + 1);
    for (const auto& [name, atom] : rows) level = std::max(level, atoms_[static_cast<std::size_t>(atom)].level);
    return level;
  }

  void number(std::size_t i) {
    Atom& atom = atoms_[i];
    if (i < first_ && atom.kind != Atom::Kind::kRow) return;
    if (atom.kind == Atom::Kind::kNumber) {
      // A number, or an atom with effects, keeps its place after what it depends on and after what it would change.
      int level = -1;
      for (const std::string& name : atom.reads) level = std::max(level, of(known_, name));
      for (const std::string& name : atom.sets) level = std::max({level, of(known_, name), of(read_, name)});
      for (const std::string& name : atom.loaded) level = std::max(level, of(stored_, name));
      for (const std::string& name : atom.stored) level = std::max(level, of(stored_, name));
      // Rows inside it are computed from numbers known at that point.
      for (const auto& [name, row] : atom.rows)
        level = std::max(level, atoms_[static_cast<std::size_t>(row)].level - 1);
      atom.level = level;
    } else {
      atom.level = pass_of(atom.reads, atom.rows);
      if (atom.kind == Atom::Kind::kReduction && (joins_maximum(i) || joins_mean(i)))
        atom.level = atoms_[static_cast<std::size_t>(atom.joins)].level;
      for (const std::string& name : atom.stored) atom.level = std::max(atom.level, of(stored_, name));
    }
    for (const std::string& name : atom.sets)
      if (atom.kind != Atom::Kind::kRow) known_[name] = atom.level;
    if (atom.kind == Atom::Kind::kNumber)
      for (const std::string& name : atom.reads) read_[name] = std::max(of(read_, name), atom.level);
    for (const std::string& name : atom.stored) stored_[name] = std::max(of(stored_, name), atom.level);
    if (atom.kind == Atom::Kind::kReduction) reductions_[atom.statement.name] = static_cast<int>(i);
    if (atom.kind == Atom::Kind::kNumber)
      for (const std::string& name : atom.sets) reductions_.erase(name);
    const bool alias = atom.kind == Atom::Kind::kNumber && atom.statement.kind == Statement::Kind::kAssign &&
                       atom.statement.value && atom.statement.value->kind == Expr::Kind::kName;
    if (!alias) return;
    if (const auto found = reductions_.find(atom.statement.value->text); found != reductions_.end())
      reductions_[atom.statement.name] = found->second;
  }

  // An input that is written over is loaded in no pass after that.
  void delay_stores(const Overwritten& overwritten) {
    for (std::size_t i = first_; i < atoms_.size(); ++i)
      for (const std::string& name : atoms_[i].stored) {
        const auto input = overwritten.find(name);
        if (input == overwritten.end() || atoms_[i].kind == Atom::Kind::kNumber) continue;
        for (std::size_t k = first_; k < atoms_.size(); ++k)
          if (atoms_[k].kind != Atom::Kind::kNumber && atoms_[k].kind != Atom::Kind::kRow && loads(k, input->second))
            atoms_[i].level = std::max(atoms_[i].level, atoms_[k].level);
      }
  }

  bool loads(std::size_t i, const std::string& tensor) const {
    if (atoms_[i].loaded.contains(tensor)) return true;
    for (const auto& [name, row] : atoms_[i].rows)
      if (static_cast<std::size_t>(row) != i && loads(static_cast<std::size_t>(row), tensor)) return true;
    return false;
  }

  // The expression as text, with the names of rows replaced by their definitions; `from` says which rows.
  std::string text(const ExprPtr& expr, const std::map<std::string, int>& from) const {
    ExprPtr made = copied(expr);
    for_each(made, [&](ExprPtr& part) {
      if (part->kind != Expr::Kind::kName) return;
      const auto found = from.find(part->text);
      if (found == from.end()) return;
      const Atom& atom = atoms_[static_cast<std::size_t>(found->second)];
      part->text = atom.compound || atom.scan ? "row " + std::to_string(found->second)
                                              : "(" + text(atom.statement.value, atom.visible) + ")";
    });
    return text_of(*made);
  }

  // The definition of a row's name, with the rows visible there.
  std::pair<ExprPtr, const std::map<std::string, int>*> definition(ExprPtr expr,
                                                                   const std::map<std::string, int>* from) const {
    while (expr->kind == Expr::Kind::kName) {
      const auto found = from->find(expr->text);
      if (found == from->end()) break;
      const Atom& atom = atoms_[static_cast<std::size_t>(found->second)];
      if (atom.compound || atom.scan) break;
      expr = atom.statement.value;
      from = &atom.visible;
    }
    return {expr, from};
  }

  // The rows that an expression names are still those that it meant where it stood.
  bool means_the_same(const ExprPtr& expr, const std::map<std::string, int>& there,
                      const std::map<std::string, int>& here) const {
    bool same = true;
    ExprPtr copy = expr;
    for_each(copy, [&](const ExprPtr& part) {
      if (part->kind != Expr::Kind::kName) return;
      const auto found = there.find(part->text);
      if (found == there.end()) return;
      const auto now = here.find(part->text);
      same = same && now != here.end() && now->second == found->second;
    });
    return same;
  }

  // `less - centre`, where centre is the reduction `function` of the same row: that reduction, or -1.
  int centred(const ExprPtr& difference, const std::map<std::string, int>& from, const std::string& function) const {
    if (difference->kind != Expr::Kind::kBinary || difference->text != "-" ||
        difference->args[1]->kind != Expr::Kind::kName)
      return -1;
    const auto found = reductions_.find(difference->args[1]->text);
    if (found == reductions_.end()) return -1;
    const Atom& centre = atoms_[static_cast<std::size_t>(found->second)];
    if (centre.function != function || centre.joins >= 0 ||
        text(centre.statement.value, centre.visible) != text(difference->args[0], from))
      return -1;
    return found->second;
  }

  // The operands of an expression that can be computed in the pass of `joined`.
  bool known_by(const ExprPtr& expr, const std::map<std::string, int>& from, int level) const {
    bool known = true;
    ExprPtr copy = expr;
    for_each(copy, [&](const ExprPtr& part) {
      if (part->kind != Expr::Kind::kName) return;
      const auto row = from.find(part->text);
      known = known && (row != from.end() ? atoms_[static_cast<std::size_t>(row->second)].level <= level
                                          : of(known_, part->text) < level);
    });
    return known;
  }

  // What a joined sum reads itself; its row is that of the reduction that it joins.
  static void take_operands(Atom& atom, ExprPtr factor) {
    atom.rows.clear();
    atom.reads.clear();
    for_each(factor, [&](const ExprPtr& each) {
      if (each->kind != Expr::Kind::kName) return;
      const auto row = atom.visible.find(each->text);
      if (row != atom.visible.end())
        atom.rows[each->text] = row->second;
      else
        atom.reads.insert(each->text);
    });
  }

  // sum(exp(row - max(row))), or that times other rows.
  bool joins_maximum(std::size_t i) {
    Atom& atom = atoms_[i];
    if (atom.function != "sum") return false;
    const auto [value, from] = definition(atom.statement.value, &atom.visible);
    ExprPtr power = value, factor;
    const auto* place = from;
    if (value->kind == Expr::Kind::kBinary && value->text == "*")
      for (std::size_t k = 0; k < 2; ++k) {
        const auto [side, there] = definition(value->args[k], from);
        if (side->kind != Expr::Kind::kCall || side->text != "exp" || factor) continue;
        power = side;
        place = there;
        factor = value->args[1 - k];
      }
    if (power->kind != Expr::Kind::kCall || power->text != "exp") return false;
    const auto [difference, inside] = definition(power->args[0], place);
    const int maximum = centred(difference, *inside, "max");
    if (maximum < 0) return false;
    if (factor && (!factor->type.is_tile() || !means_the_same(factor, *from, atom.visible) ||
                   !known_by(factor, atom.visible, atoms_[static_cast<std::size_t>(maximum)].level)))
      return false;
    atom.joins = maximum;
    atom.factor = factor;
    take_operands(atom, factor);
    return true;
  }

  // sum or mean of (row - mean(row)) squared.
  bool joins_mean(std::size_t i) {
    Atom& atom = atoms_[i];
    if (atom.function != "sum" && atom.function != "mean") return false;
    const auto [value, from] = definition(atom.statement.value, &atom.visible);
    const bool square = value->kind == Expr::Kind::kCall && value->text == "square";
    const bool power = value->kind == Expr::Kind::kBinary && value->text == "**" && value->args[1]->number == 2;
    const bool product = value->kind == Expr::Kind::kBinary && value->text == "*" && value->args[0]->type.is_tile() &&
                         value->args[1]->type.is_tile() && text(value->args[0], *from) == text(value->args[1], *from);
    if (!square && !power && !product) return false;
    const auto [difference, inside] = definition(value->args[0], from);
    const int mean = centred(difference, *inside, "mean");
    if (mean < 0) return false;
    for (const Atom& other : atoms_)
      if (other.joins == mean) return false;
    atom.joins = mean;
    take_operands(atom, nullptr);
    return true;
  }

  std::vector<Atom>& atoms_;
  std::size_t first_;
  std::map<std::string, int> known_, read_, stored_;  // numbers and tensors: the pass after which
  std::map<std::string, int> reductions_;             // the atom whose number a name has
};

}  // namespace

int number_passes(std::vector<Atom>& atoms, std::size_t first, const Overwritten& overwritten) {
  return Numbering(atoms, first).run(overwritten);
}

}  // namespace kg::dsl
