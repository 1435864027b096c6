#include "dsl/cut_rows.h"

#include <algorithm>
#include <functional>
#include <set>

#include "dsl/copy_program.h"
#include "dsl/refusal.h"
#include "dsl/row_levels.h"
#include "dsl/row_passes.h"
#include "dsl/walk.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kShortestRow = 512;  // elements: cutting what is shorter frees no room to speak of

// Removes check()'s annotations in the tree, which would confuse it.
void unchecked(std::vector<Statement>& body) {
  for_each_statement(body, [](Statement& statement) {
    statement.first = false;
    if (statement.kind == Statement::Kind::kAssign) statement.op.clear();  // the value holds the operation
    for (LoopItem& item : statement.items)
      if (item.open) {
        item.tile = nullptr;
        item.open = false;
      }
  });
}

std::vector<Statement> cut_block(RowCutting& cutting, std::vector<Statement> body, const std::vector<Atom>& inherited,
                                 const Overwritten& overwritten);

// Statements without a barrier between them. `rows` receives the rows that later statements can see.
std::vector<Statement> cut_part(RowCutting& cutting, std::vector<Statement> body, std::vector<Atom>& rows,
                                const Overwritten& overwritten) {
  const CutInner inner = [&](std::vector<Statement> block, const std::vector<Atom>& visible) {
    return cut_block(cutting, std::move(block), visible, overwritten);
  };
  const std::size_t first = rows.size();
  std::vector<Atom> atoms = row_atoms(cutting, std::move(body), rows, inner);
  const int passes = number_passes(atoms, first, overwritten);
  rows = atoms;
  for (Atom& atom : rows)
    if (atom.kind != Atom::Kind::kRow) atom = Atom{.kind = Atom::Kind::kNumber, .level = -2};
  return row_passes(cutting, atoms, first, passes);
}

bool touches_row(const RowCutting& cutting, std::vector<Statement>& body) {
  bool touches = false;
  for_each_statement(body, [&](Statement& statement) {
    touches |= cutting.is_row(statement.type) || (statement.value && cutting.is_row(statement.value->type));
    touches |= statement.kind == Statement::Kind::kStore && !statement.region.element &&
               statement.region.rows.constant == 0 && statement.region.length.factor == 0 &&
               statement.region.length.constant >= cutting.shortest;
    for_each_own(statement, [&](const ExprPtr& part) { touches |= cutting.is_row(part->type); });
  });
  return touches;
}

std::vector<Statement> cut_block(RowCutting& cutting, std::vector<Statement> body, const std::vector<Atom>& inherited,
                                 const Overwritten& overwritten) {
  if (!touches_row(cutting, body)) return body;
  std::vector<Statement> made, part;
  std::vector<Atom> rows = inherited;
  const auto flush = [&] {
    std::vector<Statement> cut = cut_part(cutting, std::move(part), rows, overwritten);
    std::move(cut.begin(), cut.end(), std::back_inserter(made));
    part.clear();
  };
  for (Statement& statement : body) {
    const bool cube = statement.kind == Statement::Kind::kFor && statement.cube;
    if (statement.kind != Statement::Kind::kBarrier && !cube) {
      part.push_back(std::move(statement));
      continue;
    }
    flush();
    made.push_back(std::move(statement));
  }
  flush();
  return made;
}

// A tile whose length is that of a tile range has the size that the program, or the compiler, gave it.
std::int64_t length_of_range(const Region& region, const std::vector<Index>& indices) {
  if (region.element || region.vector >= indices.size() || region.length.factor != 0) return 0;
  const Index& index = indices[region.vector];
  const bool range = (index.at && index.at->type.kind == Type::Kind::kRange) ||
                     (index.to && index.to->type.kind == Type::Kind::kRange);
  return range ? region.length.constant : 0;
}

}  // namespace

std::vector<std::int64_t> row_lengths(const Checked& checked) {
  std::set<std::int64_t, std::greater<>> lengths;
  const RowCutting any{.parameters = checked.program.parameters, .shortest = kShortestRow};
  std::vector<Statement> body = checked.program.body;
  std::int64_t longest_range = 0;
  for_each_statement(body, [&](Statement& statement) {
    if (statement.kind == Statement::Kind::kFor && statement.cube) return;
    if (any.is_row(statement.type)) lengths.insert(statement.type.length.constant);
    if (statement.kind == Statement::Kind::kStore)
      longest_range = std::max(longest_range, length_of_range(statement.region, statement.indices));
    for_each_own(statement, [&](const ExprPtr& part) {
      if (part->kind == Expr::Kind::kLoad)
        longest_range = std::max(longest_range, length_of_range(part->region, part->indices));
      if (any.is_row(part->type)) lengths.insert(part->type.length.constant);
    });
  });
  std::erase_if(lengths, [&](std::int64_t length) { return length <= longest_range; });
  return {lengths.begin(), lengths.end()};
}

Program cut_rows(const Checked& checked, std::int64_t shortest) {
  Program made = checked.program;
  made.body = copied(checked.program.body);
  unchecked(made.body);
  std::erase_if(made.parameters, [](const Parameter& parameter) { return parameter.scratch; });
  RowCutting cutting{.parameters = checked.program.parameters, .shortest = shortest, .names = names_of(made)};
  Overwritten overwritten;
  for (const Parameter& parameter : made.parameters)
    if (parameter.in_place || !parameter.lies_over.empty())
      overwritten[parameter.name] = parameter.in_place ? parameter.name : parameter.lies_over;
  for_each_statement(made.body, [&](Statement& statement) {
    if (statement.kind == Statement::Kind::kAssign || statement.kind == Statement::Kind::kBuffer)
      ++cutting.assigned[statement.name];
  });
  made.body = cut_block(cutting, std::move(made.body), {}, overwritten);
  return made;
}

}  // namespace kg::dsl
