#include "dsl/check.h"

#include <algorithm>

#include "dsl/check_cube.h"
#include "dsl/check_in_place.h"
#include "dsl/check_statement.h"
#include "dsl/checking.h"
#include "dsl/resolve.h"

namespace kg::dsl {
namespace {

void count_assignments(Checking& in, const std::vector<Statement>& body) {
  for (const Statement& statement : body) {
    if (statement.kind == Statement::Kind::kAssign) ++in.assignments[statement.name];
    count_assignments(in, statement.body);
    count_assignments(in, statement.otherwise);
  }
}

void choose_cores(Checking& in) {
  in.checked.blocks = in.checked.launched;
  if (!has_cube_work(in.checked.program.body)) return;
  // Anything that is not a loop with gemm, and more than a declaration, needs vector cores.
  for (const Statement& statement : in.checked.program.body)
    in.checked.mixed |= !has_cube_work(statement.body) && statement.kind != Statement::Kind::kScratch &&
                        statement.kind != Statement::Kind::kBarrier && statement.kind != Statement::Kind::kLaunch &&
                        statement.kind != Statement::Kind::kTileSize;
  in.checked.groups = in.checked.blocks = std::min(in.checked.launched, kMostGroups);
  in.checked.cores = in.checked.launched = 2 * in.checked.blocks;
}

// Checks all statements, and what only the whole program shows.
void check_program(Checking& in) {
  choose_cores(in);
  for (const auto& [name, value] : in.checked.extents)
    in.seen.scope.add(name, {.type = {.kind = Type::Kind::kInt}, .fixed = true, .linear = Linear{.constant = value}});
  add_constant(in, "num_programs", in.checked.cores);
  in.seen.scope.add("program_id",
                    {.type = {.kind = Type::Kind::kInt}, .fixed = true, .bounds = Bounds{0, in.checked.cores - 1}});
  std::set<std::string> names;
  for (const Parameter& parameter : in.checked.program.parameters)
    if (!names.insert(parameter.name).second || in.seen.scope.find(parameter.name) != nullptr)
      throw Refusal(parameter.line, parameter.name, "a parameter needs a name of its own");
  count_assignments(in, in.checked.program.body);
  in.seen.scope.open();
  for (; in.place < in.checked.program.body.size(); ++in.place) check_statement(in, in.checked.program.body[in.place]);
  in.seen.scope.close();
  check_in_place(in.checked.program);
  bool stores = false;
  for (const Parameter& parameter : in.checked.program.parameters)
    if (parameter.output && in.stored.contains(parameter.name))
      stores = true;
    else if (parameter.output)
      throw Refusal(parameter.line, parameter.name, "this output is never stored to");
  if (!stores) throw Refusal(1, "kernel " + in.checked.program.name, "a kernel stores to its outputs");
}

}  // namespace

Checked check(const Program& program, const Bindings& bindings, const TileSizes& sizes, std::int64_t longest_tile) {
  std::set<std::string> numbers;
  for (;;) {
    Checked checked;
    checked.program = resolved(program, bindings);
    checked.extents = bind(checked.program, bindings);
    checked.cores = checked.launched = std::min(std::max(bindings.cores, 1), kMostCores);
    checked.sizes = sizes;
    Checking in(checked, numbers, sizes);
    in.seen.longest_tile = longest_tile;
    try {
      check_program(in);
    } catch (const Refusal&) {
      if (in.more_numbers.empty()) throw;
    }
    if (in.more_numbers.empty()) return checked;
    numbers.merge(in.more_numbers);
  }
}

}  // namespace kg::dsl
