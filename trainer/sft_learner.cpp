#include "trainer/sft_learner.h"

#include <ATen/TensorOperators.h>

#include <cmath>

#include "base/clock.h"
#include "dataset/store/dataset.h"
#include "trainer/answer_loss.h"
#include "trainer/packing.h"

namespace kg::trainer {
namespace {

double estimated_gigabytes(const policy::LoadedModel& model, const SftOptions& options, const std::string& dtype) {
  double count = 0;
  for (const policy::NamedTensor& weight : model.weights) count += static_cast<double>(weight.tensor.numel());
  const double element = dtype == "bfloat16" ? 2 : 4;
  // Masters, two moments and gradients in fp32, a compute copy with gradients in bf16; with adapters, which are
  // small, only the base. About 12 activations of the width and 5 of the FFN per layer and token are kept for the
  // backward pass.
  const double state = count * (options.lora_rank > 0 ? element : 16 + (element == 2 ? 4 : 0));
  const double kept = static_cast<double>(options.sequence_length * model.config.layers) *
                      static_cast<double>(12 * model.config.width + 5 * model.config.ffn_width) * element;
  return (state + kept) / 1e9;
}

SftData load_data(const SftOptions& options, const fs::path& path, const policy::LoadedModel& model) {
  return load_sft_data(*dataset::Dataset::open(path, dataset::OpenMode::kRead), model,
                       {.split = options.split,
                        .kind = options.kind,
                        .style = options.style,
                        .prompt_form = options.prompt_form,
                        .judge_version = options.judge_version,
                        .language = options.language,
                        .longest = options.sequence_length});
}

}  // namespace

SftLearner::SftLearner(const SftOptions& options, const RunRequest& request, const Replicas& replicas)
    : options_(options),
      replicas_(replicas),
      loaded_(policy::load_model(request.model)),
      data_(load_data(options, request.data, loaded_)),
      plan_(make_plan(options, data_)),
      gigabytes_(estimated_gigabytes(loaded_, options, request.dtype)),
      trainable_(loaded_.config, loaded_.weights, request.dtype,
                 {.adamw = {.weight_decay = options.weight_decay},
                  .lora = lora_options(options),
                  .lora_seed = options.seed,
                  .recompute_layers = options.recompute_layers,
                  .replicas = &replicas,
                  .device = request.device}),
      schedule_{.peak = options.learning_rate,
                .warmup_steps = std::llround(options.warmup * static_cast<double>(plan_.steps)),
                .total_steps = plan_.steps,
                .decay = options.decay,
                .final_ratio = options.final_learning_rate},
      order_(data_.lengths, options.seed) {
  loaded_.weights.clear();
}

nlohmann::json SftLearner::description() const {
  return {{"steps", plan_.steps},
          {"tokens", plan_.tokens},
          {"samples", data_.documents.size()},
          {"samples_left_out", data_.left_out},
          {"judge_version", data_.judge_version},
          {"data_tokens", data_.tokens},
          {"memory_gigabytes", gigabytes_}};
}

std::vector<std::size_t> SftLearner::next_documents(DataPosition& position) {
  return order_.next(options_.batch_tokens, position, plan_.end_epoch);
}

SftStep SftLearner::step(const std::vector<std::size_t>& documents, double rate) {
  SftStep result;
  double answers = 0;
  for (const std::size_t document : documents) {
    result.tokens += data_.lengths[document];
    answers += static_cast<double>(data_.lengths[document] - data_.documents[document].prompt_length);
  }
  const auto rows = pack_rows(documents, data_.lengths, options_.sequence_length);
  for (auto row_number = static_cast<std::size_t>(replicas_.rank()); row_number < rows.size();
       row_number += static_cast<std::size_t>(replicas_.size())) {
    std::vector<const Document*> pointers;
    for (const std::size_t document : rows[row_number]) pointers.push_back(&data_.documents[document]);
    const PackedRow row = assemble_row(pointers);
    // Divided by the answer tokens of the whole step, so that the rows of a step add up to its mean.
    const at::Tensor loss =
        answer_loss(trainable_.model(), row, plain_distribution(), /*kept=*/{},
                    [&](const at::Tensor& log_prob, std::int64_t) { return log_prob.sum() / -answers; });
    const double value = loss.item<double>();
    result.loss += value;
    if (!std::isfinite(value)) break;
    trainable_.accumulate(loss);
  }
  result.loss = replicas_.sum(std::vector<double>{result.loss}).front();
  if (!std::isfinite(result.loss)) {
    trainable_.discard_gradients();
    result.outcome.skipped = "the loss is not finite";
    return result;
  }
  result.outcome = trainable_.step(rate, options_.clip_norm);
  return result;
}

double SftLearner::tokens_per_second() {
  const double begin = monotonic_seconds();
  const SftStep probe = step({0}, /*rate=*/0.0);
  return static_cast<double>(probe.tokens) / (monotonic_seconds() - begin);
}

}  // namespace kg::trainer
