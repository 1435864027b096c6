#include "dsl/tiling.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "dsl/batch_rows.h"
#include "dsl/constant.h"
#include "dsl/cut_rows.h"
#include "dsl/estimate.h"
#include "dsl/flatten.h"
#include "dsl/initialise.h"
#include "dsl/inner_loop.h"
#include "dsl/refusal.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kTileUnit = 128;  // in elements: whole lines of GM for float
constexpr std::int64_t kLargestTile = 16384, kFirstTile = 1024;

bool mentions(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !is_word(text[at - 1])) && (at + name.size() == text.size() || !is_word(text[at + name.size()])))
      return true;
  return false;
}

bool may_go_before(const Step& copy, const Step& earlier) {
  switch (earlier.kind) {
    case Step::Kind::kCopyOut:
      return copy.copy.tensor != kWorkspace && copy.copy.tensor != earlier.copy.tensor;
    case Step::Kind::kVector:
      return copy.copy.tensor != kWorkspace;
    case Step::Kind::kScalar:
      for (const std::string& text : {copy.copy.offset, copy.copy.count, copy.copy.start, copy.copy.pad})
        if (mentions(text, earlier.name)) return false;
      return earlier.waits;  // definitions stay first
    default:
      return false;
  }
}

// Copies in move up to where the loop's turn begins, so that they are under way while the turn before computes.
void copy_in_early(std::vector<Step>& steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].kind != Step::Kind::kCopyIn) continue;
    for (std::size_t at = i; at > 0 && may_go_before(steps[at], steps[at - 1]); --at)
      std::swap(steps[at], steps[at - 1]);
  }
}

Form form_for(const Program& program, const Bindings& bindings, const TileSizes& sizes, bool compact) {
  Form form;
  form.checked = check(program, bindings, sizes);
  form.compact = compact;
  flatten(form);
  if (!compact) copy_in_early(form.steps);
  return form;
}

void collect_lengths(const std::vector<Statement>& body, const std::map<std::string, std::int64_t>& extents,
                     std::set<std::int64_t>& lengths) {
  for (const Statement& statement : body) {
    for (const LoopItem& item : statement.items)
      if (item.tiles)
        if (const auto length = constant_of(*item.hi, extents)) lengths.insert(*length);
    collect_lengths(statement.body, extents, lengths);
  }
}

// Sizes that cut the dimensions evenly over the cores into 1, 2, 3, ... pieces each.
std::set<std::int64_t> candidates(const Form& form) {
  std::set<std::int64_t> lengths, sizes;
  collect_lengths(form.checked.program.body, form.checked.extents, lengths);
  for (const std::int64_t length : lengths)
    for (const std::int64_t cores : {std::int64_t{form.checked.cores}, std::int64_t{1}})
      for (const std::int64_t pieces : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
        const std::int64_t size = align_up(ceil_div(length, cores * pieces), kTileUnit);
        if (size <= kLargestTile) sizes.insert(size);
      }
  for (const std::int64_t size :
       {kTileUnit, std::int64_t{512}, std::int64_t{2048}, std::int64_t{4096}, std::int64_t{8192}})
    sizes.insert(size);
  return sizes;
}

double cycles_of(Form form) {
  initialise(form);
  return estimated_cycles(form);
}

// A larger batch makes the first turn wait: what it gains must be more than the estimate's error.
constexpr double kWorthwhile = 0.995;

// Loops of short rows copy as many at once as pays, from the last loop to the first, so that earlier steps stay put.
Form with_batches(Form form) {
  if (form.compact) return form;
  double cycles = cycles_of(form);
  for (std::size_t loop = form.steps.size(); loop-- > 0;) {
    if (form.steps[loop].kind != Step::Kind::kFor) continue;
    Form best = form;
    for (const std::int64_t rows : {2, 4, 8, 16, 32}) {
      Form tried = form;
      if (!batch_rows(tried, loop, rows)) break;
      try {
        const double here = cycles_of(tried);
        if (here >= kWorthwhile * cycles) continue;
        cycles = here;
        best = std::move(tried);
      } catch (const Refusal&) {
        break;  // UB does not hold so many
      }
    }
    form = std::move(best);
  }
  return form;
}

// The compact form may be too large for UB without an estimate that found it.
Form with_fitting_tiles(Form form) {
  if (!form.compact) return form;
  Form tried = form;
  initialise(tried);
  return form;
}

// Loops over cores have their last axis inside where its rows, copied together, take less time.
Form with_inner_loops(Program program, const Bindings& bindings, const TileSizes& sizes, Form form) {
  if (form.compact) return form;
  const Checked checked = form.checked;
  Form best = with_batches(std::move(form));
  double cycles = cycles_of(best);
  for (std::size_t loop = 0; loop < program.body.size(); ++loop) {
    const std::optional<Program> other = with_inner_loop(program, checked, loop);
    if (!other) continue;
    try {
      Form tried = with_batches(form_for(*other, bindings, sizes, /*compact=*/false));
      const double here = cycles_of(tried);
      if (here >= kWorthwhile * cycles) continue;
      cycles = here;
      best = std::move(tried);
      program = *other;
    } catch (const Refusal&) {
      continue;  // UB does not hold so many
    }
  }
  return best;
}

// With the rows as in the program.
Form with_whole_rows(const Program& program, const Bindings& bindings, bool compact) {
  TileSizes sizes{.tile = kFirstTile};
  Form first = form_for(program, bindings, sizes, compact);
  if (choose_gemm_sizes(first.checked, sizes)) {
    first = form_for(program, bindings, sizes, compact);
  }
  if (!first.checked.free_tile) return with_inner_loops(program, bindings, sizes, first);
  std::optional<Form> best;
  double best_cycles = 0;
  std::int64_t best_size = 0;
  std::optional<Refusal> refused;
  for (const std::int64_t size : candidates(first)) {
    try {
      sizes.tile = size;
      Form form = form_for(program, bindings, sizes, compact);
      const double cycles = cycles_of(form);
      if (!best || cycles < best_cycles) {
        best = std::move(form);
        best_cycles = cycles;
        best_size = size;
      }
    } catch (const Refusal& refusal) {
      if (!refused) refused = refusal;
    }
  }
  if (!best) throw *refused;
  sizes.tile = best_size;
  return with_inner_loops(program, bindings, sizes, *best);
}

// The program checked with rows of any length; none if that is not what is wrong with it.
std::optional<Checked> with_any_rows(const Program& program, const Bindings& bindings) {
  try {
    return check(program, bindings, {.tile = kFirstTile}, kAnyTile);
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

}  // namespace

Form tile_program(const Program& program, const Bindings& bindings, bool compact) {
  std::optional<Refusal> refused;
  try {
    return with_fitting_tiles(with_whole_rows(program, bindings, compact));
  } catch (const Refusal& refusal) {
    refused = refusal;
  }
  const std::optional<Checked> checked = with_any_rows(program, bindings);
  if (!checked) throw *refused;
  // The longest rows first: what fits is not computed twice.
  for (const std::int64_t length : row_lengths(*checked)) {
    try {
      return with_fitting_tiles(with_whole_rows(cut_rows(*checked, length), bindings, compact));
    } catch (const Refusal& refusal) {
      refused = refusal;
    }
  }
  throw *refused;
}

}  // namespace kg::dsl
