#include "dsl/tiling.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "dsl/constant.h"
#include "dsl/copy_program.h"
#include "dsl/cut_rows.h"
#include "dsl/estimate.h"
#include "dsl/flatten.h"
#include "dsl/form_part.h"
#include "dsl/initialise.h"
#include "dsl/loop_shapes.h"
#include "dsl/refusal.h"
#include "npu/chip.h"

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

// Copies in move up to where the loop's turn begins, so that they are under way while the turn before computes: as many
// as have event ids. Later ones are begun where the program needs them, when the first have been used.
void copy_in_early(std::vector<Step>& steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].kind != Step::Kind::kCopyIn) continue;
    std::size_t place = i, before = 0;
    while (place > 0 && may_go_before(steps[i], steps[place - 1])) --place;
    while (before < place && steps[place - 1 - before].kind == Step::Kind::kCopyIn) ++before;
    if (before >= npu::chip::kEventIds) continue;
    const auto at = [&](std::size_t index) { return steps.begin() + static_cast<std::ptrdiff_t>(index); };
    std::rotate(at(place), at(i), at(i + 1));
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

// Sizes that cut these statements' dimensions evenly over the cores into 1, 2, 3, ... pieces each.
std::set<std::int64_t> candidates(const Form& form, const std::vector<Statement>& statements) {
  std::set<std::int64_t> lengths, sizes;
  collect_lengths(statements, form.checked.extents, lengths);
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

// Throws Refusal if UB has no room for it.
Form fitting(Form form) {
  Form tried = form;
  initialise(tried);
  return form;
}

Form shaped(const Program& program, const Bindings& bindings, const TileSizes& sizes, Form form) {
  if (form.compact) return form;
  return with_shaped_loops(program, std::move(form),
                           [&](const Program& other) { return form_for(other, bindings, sizes, /*compact=*/false); });
}

// The search for sizes that each loop takes for itself: all try their next size at the same time.
class SizesByLoop {
 public:
  SizesByLoop(const Program& program, const Bindings& bindings, const TileSizes& sizes, const Form& first)
      : program_(program), bindings_(bindings), sizes_(sizes) {
    for (const std::size_t place : first.checked.free_places) {
      const std::set<std::int64_t> all = candidates(first, {first.checked.program.body[place]});
      open_[place].assign(all.begin(), all.end());
      rounds_ = std::max(rounds_, all.size());
    }
  }

  // None: some loop fits UB with none of its sizes, or all do not fit together.
  std::optional<TileSizes> best() {
    for (std::size_t round = 0; round < rounds_; ++round)
      if (!judge(round)) return std::nullopt;
    // The queues of a loop lie beside the work buffer of another, so that all together may need more than each alone.
    for (const std::int64_t share : {100, 80, 60, 45, 30}) {
      const std::optional<TileSizes> found = within(kUbBudget * share / 100);
      if (found && fits(*found)) return found;
    }
    return std::nullopt;
  }

 private:
  struct Tried {
    std::int64_t size;
    Estimate estimate;
  };

  // The best sizes with which each loop alone takes at most so much of UB, or as little as it can.
  std::optional<TileSizes> within(std::int64_t bytes) const {
    TileSizes found = sizes_;
    for (const auto& [place, sizes] : open_) {
      const auto tried = tried_.find(place);
      if (tried == tried_.end()) return std::nullopt;
      const auto worse = [&](const Tried& one, const Tried& other) {
        const Estimate &a = one.estimate, &b = other.estimate;
        return std::max(a.ub_bytes, b.ub_bytes) > bytes ? a.ub_bytes > b.ub_bytes : a.cycles > b.cycles;
      };
      const Tried* best = &tried->second.front();
      for (const Tried& each : tried->second)
        if (worse(*best, each)) best = &each;
      found.places[place] = best->size;
    }
    found.tile = found.places.begin()->second;
    return found;
  }

  bool fits(const TileSizes& sizes) const {
    try {
      return estimate_placed(form_for(program_, bindings_, sizes, /*compact=*/false)).has_value();
    } catch (const Refusal&) {
      return false;
    }
  }

  bool judge(std::size_t round) {
    std::set<std::size_t> trying;
    for (const auto& [place, sizes] : open_) {
      settle(place);
      if (round >= sizes.size()) continue;
      trying.insert(place);
      sizes_.places[place] = sizes[round];
    }
    for (;;) try {
        const Form form = form_for(program_, bindings_, sizes_, /*compact=*/false);
        for (const Part& part : parts_of(form))
          if (trying.contains(part.place)) note(part);
        return true;
      } catch (const Refusal& refusal) {
        const auto refused = std::find_if(trying.begin(), trying.end(), [&](std::size_t place) {
          return holds(program_.body[place], refusal.line());
        });
        if (refused == trying.end()) return false;
        settle(*refused);
        trying.erase(refused);
      }
  }

  // Back to a size that is known.
  void settle(std::size_t place) {
    const auto known = tried_.find(place);
    sizes_.places[place] = known == tried_.end() ? kFirstTile : known->second.front().size;
  }

  void note(const Part& part) {
    if (const std::optional<Estimate> found = estimate_placed(part.form))
      tried_[part.place].push_back({sizes_.places.at(part.place), *found});
  }

  const Program& program_;
  const Bindings& bindings_;
  TileSizes sizes_;
  std::map<std::size_t, std::vector<std::int64_t>> open_;  // sizes to try, by the loop's place
  std::map<std::size_t, std::vector<Tried>> tried_;
  std::size_t rounds_ = 0;
};

// With the rows as in the program.
Form with_whole_rows(const Program& program, const Bindings& bindings, bool compact) {
  TileSizes sizes{.tile = kFirstTile};
  Form first = form_for(program, bindings, sizes, compact);
  if (choose_gemm_sizes(first.checked, sizes)) {
    first = form_for(program, bindings, sizes, compact);
  }
  const Checked& checked = first.checked;
  if (!checked.free_tile) return shaped(program, bindings, sizes, std::move(first));
  const bool alone = !checked.free_name && checked.free_places.size() > 1 && !compact &&
                     program.body.size() == checked.program.body.size();
  if (alone)
    if (const auto found = SizesByLoop(program, bindings, sizes, first).best())
      return shaped(program, bindings, *found, form_for(program, bindings, *found, compact));
  std::optional<Form> best;
  double best_cycles = 0;
  std::int64_t best_size = 0;
  std::optional<Refusal> refused;
  for (const std::int64_t size : candidates(first, first.checked.program.body)) {
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
  return shaped(program, bindings, sizes, std::move(*best));
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
    return fitting(with_whole_rows(program, bindings, compact));
  } catch (const Refusal& refusal) {
    refused = refusal;
  }
  const std::optional<Checked> checked = with_any_rows(program, bindings);
  if (!checked) throw *refused;
  // The longest rows first: what fits is not computed twice.
  for (const std::int64_t length : row_lengths(*checked)) {
    try {
      return fitting(with_whole_rows(cut_rows(*checked, length), bindings, compact));
    } catch (const Refusal& refusal) {
      refused = refusal;
    }
  }
  throw *refused;
}

}  // namespace kg::dsl
