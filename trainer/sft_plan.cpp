#include "trainer/sft_plan.h"

#include <algorithm>
#include <cmath>

namespace kg::trainer {

SftPlan make_plan(const SftOptions& options, const SftData& data) {
  SftPlan plan;
  if (options.steps == 0 && options.tokens == 0) {
    plan.end_epoch = static_cast<std::uint64_t>(std::ceil(options.epochs));
    if (options.epochs < static_cast<double>(plan.end_epoch))  // part of an epoch is a number of tokens
      plan.tokens = static_cast<std::int64_t>(options.epochs * static_cast<double>(data.tokens));
  }
  const std::int64_t token_limit = options.steps > 0 ? 0 : std::max(plan.tokens, options.tokens);
  plan.tokens = 0;
  DocumentOrder order(data.lengths, options.seed);
  DataPosition position;
  while ((options.steps == 0 || plan.steps < options.steps) && (token_limit == 0 || plan.tokens < token_limit)) {
    const auto documents = order.next(options.batch_tokens, position, plan.end_epoch);
    if (documents.empty()) break;
    for (const std::size_t document : documents) plan.tokens += data.lengths[document];
    ++plan.steps;
  }
  return plan;
}

}  // namespace kg::trainer
