#include "trainer/trainable.h"

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <fstream>
#include <map>

#include "base/error.h"
#include "policy/model/memory.h"
#include "trainer/gradient.h"

namespace kg::trainer {
namespace {

constexpr std::size_t kIdleMemory = std::size_t{3} << 30;  // memory that the next step's activations will need again

bool cpu_has_bfloat16() {
  // x86: AVX512_BF16 or AMX; Arm: the bf16 feature. /proc names them alike on both.
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("flags", 0) != 0 && line.rfind("Features", 0) != 0) continue;
    line += ' ';
    return line.find(" avx512_bf16 ") != std::string::npos || line.find(" amx_bf16 ") != std::string::npos ||
           line.find(" bf16 ") != std::string::npos;
  }
  return false;
}

}  // namespace

std::string resolve_dtype(const std::string& dtype, at::Device device) {
  if (dtype != "auto") return dtype;
  return !device.is_cpu() || cpu_has_bfloat16() ? "bfloat16" : "float32";
}

policy::LoraOptions lora_options(const AdapterOptions& options) {
  policy::LoraOptions lora{.rank = options.lora_rank, .alpha = options.lora_alpha};
  if (options.lora_rank == 0 && !options.lora_targets.empty())
    throw Error("--lora-targets names projections for adapters, and --lora-rank 0 means none", "--lora-targets",
                "add --lora-rank 16, or leave out --lora-targets");
  if (!options.lora_targets.empty()) lora.targets = options.lora_targets;
  return lora;
}

Trainable::Trainable(const policy::ModelConfig& config, const std::vector<policy::NamedTensor>& weights,
                     const std::string& dtype, const TrainableOptions& options)
    : separate_copy_(dtype == "bfloat16"),
      replicas_(options.replicas != nullptr && !options.replicas->alone() ? options.replicas : nullptr) {
  const at::ScalarType type = separate_copy_ ? at::kBFloat16 : at::kFloat;
  if (replicas_ != nullptr && !options.device.is_cpu())
    throw Error("learners that train together can only run on CPUs", "--device",
                "unset WORLD_SIZE, or use --device cpu");
  const bool has_adapters = options.lora.rank > 0;
  // Masters of what is trained, by name, and what is computed with.
  std::map<std::string, at::Tensor> masters;
  const auto train = [&](const policy::NamedTensor& weight) {
    const at::Tensor master =
        weight.tensor.detach().to(options.device, at::kFloat, /*non_blocking=*/false, /*copy=*/true).contiguous();
    masters[weight.name] = master;
    const at::Tensor copy = separate_copy_ ? master.to(type) : master;
    return policy::NamedTensor{weight.name, copy.set_requires_grad(true)};
  };
  std::vector<policy::NamedTensor> compute;
  for (const policy::NamedTensor& weight : weights)
    compute.push_back(has_adapters ? policy::NamedTensor{weight.name, weight.tensor.detach().to(options.device, type)}
                                   : train(weight));
  policy::LoraAdapters adapters;
  if (has_adapters) {
    adapters = policy::new_adapters(options.lora, config, options.lora_seed);
    for (policy::NamedTensor& adapter : adapters.tensors) adapter = train(adapter);
  }
  model_ = std::make_unique<policy::Transformer>(config, std::move(compute), std::move(adapters));
  model_->recompute_layers(options.recompute_layers);
  for (const policy::NamedTensor& parameter : has_adapters ? model_->adapters().tensors : model_->parameters()) {
    masters_.push_back({parameter.name, masters.at(parameter.name)});
    trained_.push_back(parameter.tensor);
    if (separate_copy_) sums_.emplace_back();
  }
  std::vector<policy::NamedTensor> own = masters_;
  if (replicas_ != nullptr) {
    own.clear();
    std::vector<at::Tensor> tensors;
    for (const policy::NamedTensor& master : masters_) tensors.push_back(master.tensor);
    owner_ = owners(tensors, replicas_->size());
    for (std::size_t i = 0; i < masters_.size(); ++i)
      if (owner_[i] == replicas_->rank()) own.push_back(masters_[i]);
  }
  optimizer_ = std::make_unique<AdamW>(own, options.adamw);
}

policy::LoraAdapters Trainable::adapters() const {
  return {.options = model_->adapters().options, .tensors = has_adapters() ? masters_ : decltype(masters_){}};
}

std::vector<policy::NamedTensor> Trainable::weights() const {
  return has_adapters() ? policy::merged(model_->parameters(), adapters()) : masters_;
}

std::vector<policy::NamedTensor> Trainable::moments() const {
  std::vector<policy::NamedTensor> own = optimizer_->moments();
  if (replicas_ == nullptr) return own;
  std::map<std::string, at::Tensor> by_name;
  for (const policy::NamedTensor& moment : own) by_name[moment.name] = moment.tensor;
  std::vector<policy::NamedTensor> all;
  for (std::size_t i = 0; i < masters_.size(); ++i)
    for (const char* prefix : {"exp_avg.", "exp_avg_sq."}) {
      const std::string name = prefix + masters_[i].name;
      const bool mine = owner_[i] == replicas_->rank();
      const at::Tensor moment = mine ? by_name.at(name) : at::zeros_like(masters_[i].tensor);
      replicas_->copy_from(owner_[i], moment);
      if (replicas_->first()) all.push_back({name, moment});
    }
  return all;
}

void Trainable::restore_moments(const std::vector<policy::NamedTensor>& moments, std::int64_t steps) {
  optimizer_->restore(moments, steps);
}

void Trainable::accumulate(const at::Tensor& loss) {
  loss.backward();
  if (!separate_copy_) return;
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    at::Tensor& gradient = trained_[i].mutable_grad();
    if (!gradient.defined()) continue;
    if (sums_[i].defined())
      sums_[i] = sums_[i].to(at::kFloat).add_(gradient);
    else
      sums_[i] = gradient;
    gradient.reset();
  }
}

StepOutcome Trainable::step(double learning_rate, double clip_norm) {
  std::vector<at::Tensor> gradients;
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    const at::Tensor& own = separate_copy_ ? sums_[i] : trained_[i].mutable_grad();
    gradients.push_back(own.defined() ? own : at::zeros_like(masters_[i].tensor));
    if (replicas_ != nullptr) gradients.back() = gradients.back().to(at::kFloat);  // summed over processes
  }
  if (replicas_ != nullptr) replicas_->sum(gradients);
  StepOutcome outcome;
  outcome.gradient_norm = global_norm(gradients);
  if (!std::isfinite(outcome.gradient_norm)) {
    for (std::size_t i = 0; i < gradients.size() && outcome.skipped.empty(); ++i)
      if (!std::isfinite(global_norm({gradients[i]})))
        outcome.skipped = "the gradient of " + masters_[i].name + " is not finite";
    if (outcome.skipped.empty()) outcome.skipped = "the norm of the gradients is not finite";
  } else {
    const double scale = clip_scale(outcome.gradient_norm, clip_norm);
    if (replicas_ == nullptr) {
      optimizer_->step(gradients, learning_rate, scale, separate_copy_ ? trained_ : std::vector<at::Tensor>{});
    } else {
      std::vector<at::Tensor> own;
      for (std::size_t i = 0; i < gradients.size(); ++i)
        if (owner_[i] == replicas_->rank()) own.push_back(gradients[i]);
      optimizer_->step(own, learning_rate, scale);
      for (std::size_t i = 0; i < masters_.size(); ++i) replicas_->copy_from(owner_[i], masters_[i].tensor);
      refresh();
    }
  }
  discard_gradients();
  policy::release_freed_memory_beyond(kIdleMemory);
  return outcome;
}

void Trainable::discard_gradients() {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& trained : trained_) {
    at::Tensor& gradient = trained.mutable_grad();
    if (gradient.defined()) gradient.zero_();
  }
  for (at::Tensor& sum : sums_) sum.reset();
}

void Trainable::refresh() {
  if (!separate_copy_) return;
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < masters_.size(); ++i) trained_[i].copy_(masters_[i].tensor);
}

}  // namespace kg::trainer
