#include "trainer/trainable.h"

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <fstream>
#include <map>

#include "policy/memory.h"
#include "trainer/gradient.h"

namespace kg::trainer {
namespace {

constexpr std::size_t kIdleMemory = std::size_t{3} << 30;  // what the activations of a row need again in the next step

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

std::string resolve_dtype(const std::string& dtype) {
  if (dtype != "auto") return dtype;
  return cpu_has_bfloat16() ? "bfloat16" : "float32";
}

Trainable::Trainable(const policy::ModelConfig& config, const std::vector<policy::NamedTensor>& weights,
                     const std::string& dtype, const AdamWOptions& options)
    : separate_copy_(dtype == "bfloat16") {
  std::map<std::string, at::Tensor> masters;
  std::vector<policy::NamedTensor> compute;
  for (const policy::NamedTensor& weight : weights) {
    const at::Tensor master = weight.tensor.detach().to(at::kFloat).clone().contiguous();
    at::Tensor copy = separate_copy_ ? master.to(at::kBFloat16) : master;
    compute.push_back({weight.name, copy.set_requires_grad(true)});
    masters[weight.name] = master;
  }
  model_ = std::make_unique<policy::Transformer>(config, std::move(compute));
  for (const policy::NamedTensor& parameter : model_->parameters()) {  // the model has put them into its own order
    masters_.push_back({parameter.name, masters.at(parameter.name)});
    if (separate_copy_) sums_.push_back(at::zeros_like(masters_.back().tensor));
  }
  optimizer_ = std::make_unique<AdamW>(masters_, options);
}

void Trainable::accumulate(const at::Tensor& loss) {
  loss.backward();
  if (!separate_copy_) return;
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    at::Tensor& gradient = model_->parameters()[i].tensor.mutable_grad();
    if (gradient.defined()) sums_[i].add_(gradient);
    gradient.reset();
  }
}

StepOutcome Trainable::step(double learning_rate, double clip_norm) {
  std::vector<at::Tensor> gradients;
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    const at::Tensor& own = separate_copy_ ? sums_[i] : model_->parameters()[i].tensor.mutable_grad();
    gradients.push_back(own.defined() ? own : at::zeros_like(masters_[i].tensor));
  }
  StepOutcome outcome;
  outcome.gradient_norm = global_norm(gradients);
  if (!std::isfinite(outcome.gradient_norm)) {
    for (std::size_t i = 0; i < gradients.size() && outcome.skipped.empty(); ++i)
      if (!std::isfinite(global_norm({gradients[i]})))
        outcome.skipped = "the gradient of " + masters_[i].name + " is not finite";
    if (outcome.skipped.empty()) outcome.skipped = "the norm of the gradients is not finite";
  } else {
    clip_to_norm(gradients, outcome.gradient_norm, clip_norm);
    optimizer_->step(gradients, learning_rate);
    refresh();
  }
  discard_gradients();
  policy::release_freed_memory_beyond(kIdleMemory);
  return outcome;
}

void Trainable::discard_gradients() {
  const at::NoGradGuard no_grad;
  for (policy::NamedTensor& parameter : model_->parameters()) {
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    if (gradient.defined()) gradient.zero_();
  }
  for (at::Tensor& sum : sums_) sum.zero_();
}

void Trainable::refresh() {
  if (!separate_copy_) return;
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < masters_.size(); ++i) model_->parameters()[i].tensor.copy_(masters_[i].tensor);
}

}  // namespace kg::trainer
