#include "trainer/rl_objective.h"

#include <cmath>

#include "base/error.h"

namespace kg::trainer {
namespace {

// A negative option stands for the algorithm's own value.
double chosen(double option, double own) { return option < 0 ? own : option; }

void refuse_contradictions(const RlOptions& options, const RlObjective& objective) {
  const PolicyLossOptions& loss = objective.loss;
  if (loss.kl_in_loss() && loss.kl_estimator == KlEstimator::k1)
    throw Error("the gradient of k1 in the loss has mean 0, so that it regularises nothing", "--kl-estimator k1",
                "k2 or k3 in the loss, or --kl-in-reward");
  if (loss.kl_in_reward && loss.kl_weight == 0)
    throw Error("a divergence in the reward needs a weight", "--kl-in-reward", "--kl-weight 0.01, for instance");
  if (loss.dual_clip > 0 && loss.dual_clip <= 1)
    throw Error("the bound for negative advantages is " + std::to_string(loss.dual_clip), "--dual-clip",
                "above 1, for instance 3, or 0 for none");
  if (loss.mask_low > 1 || loss.mask_high < 1)
    throw Error("the mask leaves out ratios of 1", "--mask-low, --mask-high", "a range around 1: 0.5 and 5");
  if (objective.most_groups > options.groups_per_step && options.order == "curriculum")
    throw Error("a curriculum chooses tasks by pass rate, a refill draws any", "--order curriculum with --refill",
                "--refill 1, or --order shuffled");
}

}  // namespace

RlObjective objective_of(const RlOptions& options) {
  const Algorithm& algorithm = find_algorithm(options.algorithm);
  RlObjective objective{
      .advantage = algorithm.advantage,
      .aggregation = options.aggregation == "auto" ? algorithm.aggregation : aggregation_from_name(options.aggregation),
      .loss = {.surrogate = algorithm.surrogate,
               .ratio = algorithm.ratio,
               .clip_low = chosen(options.clip_low, algorithm.clip_low),
               .clip_high = chosen(options.clip_high, algorithm.clip_high),
               .dual_clip = options.dual_clip,
               .correction = options.importance_cap == 0 ? Correction::kNone : correction_from_name(options.correction),
               .importance_cap = options.importance_cap,
               .mask_low = options.mask_low,
               .mask_high = options.mask_high,
               .sequence_limit = options.sequence_limit,
               .kl_weight = options.kl_weight,
               .kl_estimator = kl_estimator_from_name(options.kl_estimator),
               .kl_in_reward = options.kl_in_reward},
      .most_groups = std::llround(chosen(options.refill, options.order == "curriculum" ? 1 : algorithm.refill) *
                                  static_cast<double>(options.groups_per_step)),
      .overlong_buffer = options.overlong_buffer < 0
                             ? std::llround(algorithm.overlong_share * static_cast<double>(options.max_new_tokens))
                             : options.overlong_buffer,
      .mask_truncated = options.mask_truncated};
  refuse_contradictions(options, objective);
  return objective;
}

}  // namespace kg::trainer
