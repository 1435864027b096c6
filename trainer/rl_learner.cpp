#include "trainer/rl_learner.h"

#include <cmath>

#include "policy/files/policy_version.h"
#include "trainer/sampling.h"

namespace kg::trainer {
namespace {

// The model that the run began with. Under adapters that is the base, whose weights are there already.
std::unique_ptr<policy::Transformer> reference_of(const policy::LoadedModel& loaded, const RunRequest& request,
                                                  const Trainable& trainable) {
  if (trainable.has_adapters())
    return std::make_unique<policy::Transformer>(loaded.config, trainable.model().parameters());
  std::vector<policy::NamedTensor> copy = loaded.weights;
  for (policy::NamedTensor& weight : copy)
    weight.tensor = weight.tensor.to(request.device, request.dtype == "bfloat16" ? at::kBFloat16 : at::kFloat);
  return std::make_unique<policy::Transformer>(loaded.config, std::move(copy));
}

}  // namespace

RlLearner::RlLearner(const RlOptions& options, const RunRequest& request, const policy::LoadedModel& loaded,
                     const Replicas& replicas)
    : options_(options),
      objective_(objective_of(options)),
      replicas_(replicas),
      trainable_(loaded.config, loaded.weights, request.dtype,
                 {.adamw = {.weight_decay = options.weight_decay},
                  .lora = lora_options(options),
                  .lora_seed = options.seed,
                  .recompute_layers = options.recompute_layers,
                  .replicas = &replicas,
                  .device = request.device}),
      base_checksum_(trainable_.has_adapters() ? policy::tensors_checksum(loaded.weights) : ""),
      reference_(options.kl_weight > 0 ? reference_of(loaded, request, trainable_) : nullptr),
      schedule_{.peak = options.learning_rate,
                .warmup_steps = std::llround(options.warmup * static_cast<double>(options.steps)),
                .total_steps = options.steps,
                .decay = options.decay} {}

RlBatch RlLearner::batch_of(const std::vector<rollout::FinishedWork>& groups, std::uint64_t weights_version) const {
  // Means over tokens or answers are over the groups that were kept (DAPO), the constant's over all answers.
  const bool refills = objective_.most_groups > options_.groups_per_step;
  return make_batch(groups,
                    {.rule = objective_.advantage,
                     .token_limit = options_.max_new_tokens,
                     .overlong_buffer = objective_.overlong_buffer,
                     .mask_truncated = objective_.mask_truncated,
                     .drop_groups_without_signal = refills && objective_.aggregation != Aggregation::kConstant},
                    weights_version, trainable_.model().config().vocabulary);
}

UpdateResult RlLearner::update(RlBatch batch, double rate) {
  return update_policy(trainable_, reference_.get(), std::move(batch),
                       {.loss = objective_.loss,
                        .rows = {.aggregation = objective_.aggregation,
                                 .token_limit = options_.max_new_tokens,
                                 .row_tokens = options_.row_tokens},
                        .rule = objective_.advantage,
                        .gradient_steps = options_.gradient_steps,
                        .learning_rate = rate,
                        .clip_norm = options_.clip_norm,
                        .sampling = sampling_of(options_),
                        .replicas = &replicas_});
}

}  // namespace kg::trainer
