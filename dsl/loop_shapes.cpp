#include "dsl/loop_shapes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dsl/batch_rows.h"
#include "dsl/copy_program.h"
#include "dsl/estimate.h"
#include "dsl/form_part.h"
#include "dsl/initialise.h"
#include "dsl/inner_loop.h"
#include "dsl/refusal.h"

namespace kg::dsl {
namespace {

// A larger batch makes the first turn wait: what it gains must be more than the estimate's error.
constexpr double kWorthwhile = 0.995;

// How many rows the loop at a step copies at once.
struct Batch {
  std::size_t loop;  // counted from the block's first step
  std::int64_t rows;
};

struct Batches {
  std::vector<Batch> chosen;  // from the last loop to the first, so that earlier steps stay put
  double cycles;
};

// None: UB does not hold it.
std::optional<Batches> best_batches(const Part& part) {
  Form form = part.form;
  const std::optional<Estimate> alone = estimate_placed(form);
  if (!alone) return std::nullopt;
  Batches best{.chosen = {}, .cycles = alone->cycles};
  for (std::size_t loop = form.steps.size(); loop-- > part.before;) {
    if (form.steps[loop].kind != Step::Kind::kFor) continue;
    std::optional<Form> better;
    for (const std::int64_t rows : {2, 4, 8, 16, 32}) {
      Form tried = form;
      if (!batch_rows(tried, loop, rows)) break;
      const std::optional<Estimate> here = estimate_placed(tried);
      if (!here) break;
      if (here->cycles >= kWorthwhile * best.cycles) continue;
      if (better) best.chosen.pop_back();
      best.chosen.push_back({loop - part.before, rows});
      best.cycles = here->cycles;
      better = std::move(tried);
    }
    if (better) form = std::move(*better);
  }
  return best;
}

bool fits(const Form& form) { return estimate_placed(form).has_value(); }

// With the best batches of each block, or with those for which UB has room.
Form batched(const Form& form, const std::vector<Part>& parts, const std::vector<std::optional<Batches>>& best) {
  std::vector<Batch> batches;
  for (std::size_t i = parts.size(); i-- > 0;)
    for (const Batch& batch : best[i]->chosen) batches.push_back({parts[i].begin + batch.loop, batch.rows});
  Form all = form;
  for (const Batch& batch : batches) batch_rows(all, batch.loop, batch.rows);
  if (batches.empty() || fits(all)) return all;
  Form some = form;
  for (const Batch& batch : batches) {
    Form more = some;
    if (batch_rows(more, batch.loop, batch.rows) && fits(more)) some = std::move(more);
  }
  return some;
}

std::vector<std::optional<Batches>> judged(const std::vector<Part>& parts) {
  std::vector<std::optional<Batches>> best;
  for (const Part& part : parts) best.push_back(best_batches(part));
  return best;
}

// By their place in the program, loops with an axis inside.
using Variants = std::map<std::size_t, Statement>;

Program with(const Program& program, const Variants& variants) {
  Program made = program;
  for (const auto& [place, loop] : variants) made.body[place] = loop;
  return made;
}

// The form with all of the variants but those that are refused, which are dropped.
std::optional<Form> form_with(const Program& program, Variants& variants,
                              const std::function<Form(const Program&)>& form_of) {
  while (!variants.empty()) try {
      return form_of(with(program, variants));
    } catch (const Refusal& refusal) {
      const std::size_t before = variants.size();
      std::erase_if(variants, [&](const auto& each) { return holds(each.second, refusal.line()); });
      if (variants.size() == before) return std::nullopt;
    }
  return std::nullopt;
}

}  // namespace

Form with_shaped_loops(const Program& program, Form form, const std::function<Form(const Program&)>& form_of) {
  const Checked& checked = form.checked;
  const std::vector<Part> parts = parts_of(form);
  std::vector<std::optional<Batches>> best = judged(parts);
  if (!std::all_of(best.begin(), best.end(), [](const auto& each) { return each.has_value(); })) return form;
  const Form as_it_is = batched(form, parts, best);
  if (program.body.size() != checked.program.body.size()) return as_it_is;
  Variants variants;
  for (const Part& part : parts)
    if (auto other = with_inner_loop(program.body[part.place], checked.program.body[part.place], checked.cores))
      variants.emplace(part.place, std::move(*other));
  const std::optional<Form> other = form_with(program, variants, form_of);
  if (!other) return as_it_is;
  const std::vector<Part> others = parts_of(*other);
  if (others.size() != parts.size()) return as_it_is;
  const std::vector<std::optional<Batches>> after = judged(others);
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (after[i] && after[i]->cycles < kWorthwhile * best[i]->cycles)
      best[i] = after[i];
    else
      variants.erase(others[i].place);
  }
  const std::size_t count = variants.size();
  const std::optional<Form> chosen = form_with(program, variants, form_of);
  if (!chosen || variants.size() != count) return as_it_is;
  Form made = batched(*chosen, parts_of(*chosen), best);
  return fits(made) ? made : as_it_is;
}

}  // namespace kg::dsl
