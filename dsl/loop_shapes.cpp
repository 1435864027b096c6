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

// None: UB does not hold it.
std::optional<double> cycles_of(Form form) {
  try {
    initialise(form);
    return estimated_cycles(form);
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

// How many rows the loop at a step copies at once.
struct Batch {
  std::size_t loop;
  std::int64_t rows;
};

struct Batches {
  std::vector<Batch> chosen;  // from the last loop to the first, so that earlier steps stay put
  std::optional<double> cycles;
};

Batches best_batches(Form form) {
  Batches best{.chosen = {}, .cycles = cycles_of(form)};
  if (!best.cycles) return best;
  for (std::size_t loop = form.steps.size(); loop-- > 0;) {
    if (form.steps[loop].kind != Step::Kind::kFor) continue;
    std::optional<Form> better;
    for (const std::int64_t rows : {2, 4, 8, 16, 32}) {
      Form tried = form;
      if (!batch_rows(tried, loop, rows)) break;
      const std::optional<double> here = cycles_of(tried);
      if (!here) break;
      if (*here >= kWorthwhile * *best.cycles) continue;
      if (better) best.chosen.pop_back();
      best.chosen.push_back({loop, rows});
      best.cycles = here;
      better = std::move(tried);
    }
    if (better) form = std::move(*better);
  }
  return best;
}

bool fits(const Form& form) { return cycles_of(form).has_value(); }

// With all of the batches, or with those for which UB has room.
Form batched(const Form& form, const std::vector<Batch>& batches) {
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

// The form's blocks at the top, and what is best for each alone.
struct Judged {
  explicit Judged(const Form& form) : parts(parts_of(form)) {
    for (const Part& part : parts) best.push_back(best_batches(part.form));
  }

  // Of all blocks, with their places in the form.
  std::vector<Batch> batches() const {
    std::vector<Batch> all;
    for (std::size_t i = parts.size(); i-- > 0;)
      for (const Batch& batch : best[i].chosen) all.push_back({parts[i].in_whole(batch.loop), batch.rows});
    return all;
  }

  bool fits() const {
    return std::all_of(best.begin(), best.end(), [](const Batches& each) { return each.cycles.has_value(); });
  }

  std::vector<std::size_t> places() const {
    std::vector<std::size_t> all;
    for (const Part& part : parts) all.push_back(part.place);
    return all;
  }

  std::vector<Part> parts;
  std::vector<Batches> best;
};

// By their place in the program, loops with an axis inside.
using Variants = std::map<std::size_t, Statement>;

Program with(const Program& program, const Variants& variants) {
  Program made = program;
  made.body = copied(program.body);
  for (const auto& [place, loop] : variants) made.body[place] = copied(std::vector<Statement>{loop}).front();
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
  const Judged judged(form);
  if (!judged.fits()) return form;
  const Form as_it_is = batched(form, judged.batches());
  if (program.body.size() != checked.program.body.size()) return as_it_is;
  Variants variants;
  for (const std::size_t place : judged.places())
    if (auto other = with_inner_loop(program.body[place], checked.program.body[place], checked.cores))
      variants.emplace(place, std::move(*other));
  const std::optional<Form> other = form_with(program, variants, form_of);
  if (!other) return as_it_is;
  const Judged others(*other);
  if (others.places() != judged.places()) return as_it_is;
  for (std::size_t i = 0; i < others.best.size(); ++i) {
    const std::optional<double>& after = others.best[i].cycles;
    if (!after || *after >= kWorthwhile * *judged.best[i].cycles) variants.erase(others.parts[i].place);
  }
  const std::optional<Form> chosen = form_with(program, variants, form_of);
  if (!chosen) return as_it_is;
  Form made = batched(*chosen, Judged(*chosen).batches());
  return fits(made) ? made : as_it_is;
}

}  // namespace kg::dsl
