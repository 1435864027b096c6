#include "dsl/row_passes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dsl/build_expr.h"
#include "dsl/copy_program.h"
#include "dsl/refusal.h"
#include "dsl/row_tile.h"

namespace kg::dsl {
namespace {

constexpr double kLowest = -3.4028234e38;  // lowest float: a running maximum that is not infinite

// An atom of a row, and whether its tile is the one at the loop's place or the one as far from the other end.
using Part = std::pair<std::size_t, bool>;

// One loop over the tiles of rows of one length.
class Pass {
 public:
  Pass(RowCutting& cutting, const std::vector<Atom>& atoms, std::int64_t length)
      : cutting_(cutting), atoms_(atoms), tile_{cutting, cutting.fresh("t"), length} {}

  // A reduction or store, with the rows that it reads.
  void add(std::size_t root) {
    for (const bool mirrored : {false, true}) {
      std::set<Part> parts = parts_;
      if (!collect(root, mirrored, parts)) continue;
      parts_ = std::move(parts);
      return;
    }
    const Statement& statement = atoms_[root].statement;
    throw Refusal(
        statement.line, statement.value ? text_of(*statement.value) : statement.name,
        "its scans run along the row in both directions, and the row does not fit into UB; store one of them to a "
        "scratch tensor first");
  }

  std::vector<Statement> take(int line) {
    for (const Part& part : parts_) write(part);
    Statement loop{.kind = Statement::Kind::kFor, .line = line};
    LoopItem item{.name = tile_.range, .hi = whole_expr(line, tile_.length), .tiles = true};
    loop.items.push_back(std::move(item));
    loop.body = std::move(body_);
    before_.push_back(std::move(loop));
    std::move(after_.begin(), after_.end(), std::back_inserter(before_));
    return std::move(before_);
  }

 private:
  // False: a scan would run against the loop.
  bool collect(std::size_t index, bool mirrored, std::set<Part>& parts) const {
    const Atom& atom = atoms_[index];
    if (mirrored && (atom.scan || atom.compound || atom.joins >= 0 || has_joined(index))) return false;
    if (!parts.insert({index, mirrored}).second) return true;
    bool fits = true;
    const auto read = [&](const std::string& name, bool turned) {
      const auto found = atom.rows.find(name);
      if (found != atom.rows.end() && static_cast<std::size_t>(found->second) != index)
        fits = fits && collect(static_cast<std::size_t>(found->second), turned, parts);
    };
    if (atom.compound || atom.joins >= 0) {
      for (const auto& [name, row] : atom.rows) read(name, false);
      return fits;
    }
    for_each_row(cutting_, atom.statement.value, mirrored, read);
    return fits;
  }

  bool has_joined(std::size_t index) const {
    return std::any_of(atoms_.begin(), atoms_.end(),
                       [&](const Atom& atom) { return atom.joins == static_cast<int>(index); });
  }

  ExprPtr name(const std::string& text) const { return name_expr(line_, text); }
  ExprPtr number(double value) const { return number_expr(line_, value, /*integer=*/false); }
  ExprPtr binary(const char* op, ExprPtr a, ExprPtr b) const {
    return binary_expr(line_, op, std::move(a), std::move(b));
  }
  ExprPtr call(const char* function, std::vector<ExprPtr> args) const {
    return call_expr(line_, function, std::move(args));
  }
  ExprPtr tile_length() const { return call("len", {name(tile_.range)}); }
  ExprPtr tile_start() const { return call("start", {name(tile_.range)}); }
  void begin(const std::string& variable, ExprPtr value) {
    before_.push_back(assignment(line_, variable, std::move(value)));
  }
  void set(const std::string& variable, ExprPtr value) {
    body_.push_back(assignment(line_, variable, std::move(value)));
  }
  ExprPtr held(const char* stem, ExprPtr value) {
    const std::string made = cutting_.fresh(stem);
    set(made, std::move(value));
    return name(made);
  }

  void write(const Part& part) {
    const Atom& atom = atoms_[part.first];
    line_ = atom.statement.line;
    if (atom.kind == Atom::Kind::kReduction) {
      reduction(part);
    } else if (atom.scan) {
      scan(atom);
    } else if (atom.compound || atom.kind == Atom::Kind::kStore) {
      body_.push_back(in_tile(tile_, atom.statement, part.second));
    } else {
      // Every value has its own name: a value that is set once needs no copy.
      ExprPtr value = in_tile(tile_, atom.statement.value, part.second);
      tile_.names.erase({atom.statement.name, part.second});
      set(tile_name(tile_, atom.statement.name, part.second), std::move(value));
    }
  }

  void scan(const Atom& atom) {
    const bool sum = atom.statement.value->text == "cumsum";
    const std::string carry = cutting_.fresh("carry"), &made = atom.statement.name;
    begin(carry, number(sum ? 0 : 1));
    const std::string& scanned = tile_name(tile_, made, /*mirrored=*/false);
    set(scanned, binary(sum ? "+" : "*", in_tile(tile_, atom.statement.value, false), name(carry)));
    set(carry, element_expr(line_, name(scanned), binary("-", tile_length(), whole_expr(line_, 1))));
  }

  void reduction(const Part& part) {
    const auto [index, mirrored] = part;
    const Atom& atom = atoms_[index];
    const std::string& made = atom.statement.name;
    if (atom.function.empty()) return pick(atom, mirrored);
    if (atom.joins >= 0) {
      // A maximum waits for what the last of its sums multiplies with; a mean's sums are written with it.
      const auto centre = static_cast<std::size_t>(atom.joins);
      if (atoms_[centre].function == "max" && joined(centre).back() == index) maximum(centre);
      return;
    }
    if (has_joined(index) && atom.function == "max") {
      held_[index] = held("row", in_tile(tile_, atom.statement.value, false));
      return;
    }
    if (has_joined(index)) return mean(index);
    const ExprPtr row = in_tile(tile_, atom.statement.value, mirrored);
    if (atom.function == "max" || atom.function == "min") {
      begin(made, number(atom.function == "max" ? -HUGE_VAL : HUGE_VAL));
      return set(made, call(atom.function.c_str(), {name(made), call(atom.function.c_str(), {row})}));
    }
    const bool averages = atom.function == "mean";
    const std::string sum = averages ? cutting_.fresh("rowSum") : made;
    begin(sum, number(0));
    set(sum, binary("+", name(sum), call("sum", {row})));
    if (averages) after_.push_back(assignment(line_, made, binary("/", name(sum), whole_expr(line_, tile_.length))));
  }

  // The element `at`, in the tile that holds it.
  void pick(const Atom& atom, bool mirrored) {
    const std::string& made = atom.statement.name;
    const ExprPtr row = held("picked_from", in_tile(tile_, atom.statement.value, mirrored));
    const ExprPtr from = mirrored
                             ? binary("-", binary("-", whole_expr(line_, tile_.length), tile_start()), tile_length())
                             : tile_start();
    const ExprPtr at = held("place", binary("-", copied(atom.at), from));
    begin(made, number_expr(line_, 0, atom.statement.type.kind == Type::Kind::kInt));
    Statement test{.kind = Statement::Kind::kIf, .line = line_};
    test.value = binary("and", binary(">=", at, whole_expr(line_, 0)), binary("<", copied(at), tile_length()));
    test.body.push_back(assignment(line_, made, element_expr(line_, copied(row), copied(at))));
    body_.push_back(std::move(test));
  }

  std::vector<std::size_t> joined(std::size_t index) const {
    std::vector<std::size_t> made;
    for (std::size_t i = 0; i < atoms_.size(); ++i)
      if (atoms_[i].joins == static_cast<int>(index) && parts_.contains({i, false})) made.push_back(i);
    return made;
  }

  // Online: s is the sum of exp(x - m) for the largest m so far. A row that begins with -inf has none yet.
  void maximum(std::size_t index) {
    const std::string& most = atoms_[index].statement.name;
    const ExprPtr row = held_.at(index);
    begin(most, number(-HUGE_VAL));
    const ExprPtr larger = held("larger", call("max", {name(most), call("max", {row})}));
    const ExprPtr top = held("top", call("max", {larger, number(kLowest)}));
    const ExprPtr scale =
        held("scale", call("exp", {binary("-", call("max", {name(most), number(kLowest)}), copied(top))}));
    for (const std::size_t i : joined(index)) {
      const std::string& sum = atoms_[i].statement.name;
      begin(sum, number(0));
      ExprPtr powers = call("exp", {binary("-", copied(row), copied(top))});
      if (atoms_[i].factor) powers = binary("*", powers, in_tile(tile_, atoms_[i].factor, false));
      set(sum, binary("+", binary("*", name(sum), copied(scale)), call("sum", {powers})));
    }
    set(most, copied(larger));
  }

  // The mean so far and the squares around it, joined with those of the tile. The tile's are taken around the mean of
  // the tiles before, at first around the row's first element, so that both sums are under way at once.
  void mean(std::size_t index) {
    const std::string& mean = atoms_[index].statement.name;
    begin(mean, number(0));
    const ExprPtr row = held("row", in_tile(tile_, atoms_[index].statement.value, false));
    Statement first{.kind = Statement::Kind::kIf, .line = line_};
    first.value = binary("==", tile_start(), whole_expr(line_, 0));
    first.body.push_back(assignment(line_, mean, element_expr(line_, copied(row), whole_expr(line_, 0))));
    body_.push_back(std::move(first));
    const ExprPtr apart = held("apart", binary("-", copied(row), name(mean)));
    const ExprPtr total = held("total", call("sum", {apart}));
    std::vector<ExprPtr> squares;
    for (std::size_t i = 0; i < joined(index).size(); ++i)
      squares.push_back(held("squared", call("sum", {binary("*", copied(apart), copied(apart))})));
    const ExprPtr difference = held("difference", binary("/", copied(total), tile_length()));
    const ExprPtr share = held("share", binary("/", tile_length(), binary("+", tile_start(), tile_length())));
    std::size_t next = 0;
    for (const std::size_t i : joined(index)) {
      const bool averages = atoms_[i].function == "mean";
      const std::string sum = averages ? cutting_.fresh("squares") : atoms_[i].statement.name;
      begin(sum, number(0));
      const ExprPtr own = binary("-", squares[next++], binary("*", copied(total), copied(difference)));
      const ExprPtr between =
          binary("*", binary("*", copied(difference), copied(difference)), binary("*", tile_start(), copied(share)));
      set(sum, binary("+", binary("+", name(sum), own), between));
      if (averages)
        after_.push_back(
            assignment(line_, atoms_[i].statement.name, binary("/", name(sum), whole_expr(line_, tile_.length))));
    }
    set(mean, binary("+", name(mean), binary("*", copied(difference), copied(share))));
  }

  RowCutting& cutting_;
  const std::vector<Atom>& atoms_;
  RowTile tile_;
  int line_ = 0;
  std::set<Part> parts_;
  std::map<std::size_t, ExprPtr> held_;  // by the atom of a maximum: its row
  std::vector<Statement> before_, body_, after_;
};

}  // namespace

std::vector<Statement> row_passes(RowCutting& cutting, std::vector<Atom>& atoms, std::size_t first, int passes) {
  std::vector<Statement> made;
  for (int level = -1; level < passes; ++level) {
    std::vector<std::int64_t> lengths;
    const auto is_root = [&](std::size_t i) {
      const Atom& atom = atoms[i];
      return atom.level == level && (atom.kind == Atom::Kind::kReduction || atom.kind == Atom::Kind::kStore ||
                                     (atom.kind == Atom::Kind::kRow && atom.stores));
    };
    for (std::size_t i = first; i < atoms.size(); ++i)
      if (is_root(i) && std::find(lengths.begin(), lengths.end(), atoms[i].length) == lengths.end())
        lengths.push_back(atoms[i].length);
    for (const std::int64_t length : lengths) {
      Pass pass(cutting, atoms, length);
      int line = 0;
      for (std::size_t i = first; i < atoms.size(); ++i)
        if (is_root(i) && atoms[i].length == length) {
          pass.add(i);
          if (line == 0) line = atoms[i].statement.line;
        }
      std::vector<Statement> loop = pass.take(line);
      std::move(loop.begin(), loop.end(), std::back_inserter(made));
    }
    for (std::size_t i = first; i < atoms.size(); ++i)
      if (atoms[i].kind == Atom::Kind::kNumber && atoms[i].level == level)
        made.push_back(std::move(atoms[i].statement));
  }
  return made;
}

}  // namespace kg::dsl
