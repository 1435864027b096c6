#include "trainer/adamw.h"

#include <ATen/Parallel.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/error.h"
#include "policy/model/train_kernels.h"
#include "trainer/adamw_cuda.h"
#include "trainer/adamw_kernel.h"

namespace kg::trainer {

AdamW::AdamW(const std::vector<policy::NamedTensor>& masters, const AdamWOptions& options)
    : masters_(masters), options_(options) {
  for (const policy::NamedTensor& master : masters_) {
    first_.push_back(at::zeros_like(master.tensor, at::MemoryFormat::Contiguous));
    second_.push_back(at::zeros_like(master.tensor, at::MemoryFormat::Contiguous));
  }
}

void AdamW::step(const std::vector<at::Tensor>& gradients, double learning_rate, double gradient_scale,
                 const std::vector<at::Tensor>& copies) {
  KG_CHECK_EQ(gradients.size(), masters_.size());
  KG_CHECK(copies.empty() || copies.size() == masters_.size());
  const at::NoGradGuard no_grad;
  ++steps_;
  for (const bool decays : {true, false}) {
    const AdamWConstants c = constants(decays, learning_rate, gradient_scale);
    std::vector<at::Tensor> weights, grads, first, second, counts;  // weights without a loop of our own, all at once
    std::vector<std::size_t> taken;
    at::Tensor count;
    for (std::size_t i = 0; i < masters_.size(); ++i) {
      const at::Tensor& weight = masters_[i].tensor;
      if ((weight.dim() > 1) != decays) continue;
      if ((weight.is_cpu() || weight.is_cuda()) && weight.scalar_type() == at::kFloat && weight.is_contiguous()) {
        const at::Tensor gradient = gradients[i].contiguous(), copy = copies.empty() ? at::Tensor() : copies[i];
        if (weight.is_cpu())
          step_on_cpu(i, gradient, copy, c);
        else
          adamw_on_cuda(weight, first_[i], second_[i], gradient, copy, c);
        continue;
      }
      if (!count.defined()) count = at::full({}, static_cast<double>(steps_), weight.options());
      taken.push_back(i);
      weights.push_back(weight.detach());
      grads.push_back(gradients[i].to(weight.scalar_type()));
      first.push_back(first_[i]);
      second.push_back(second_[i]);
      counts.push_back(count);
    }
    if (weights.empty()) continue;
    if (gradient_scale != 1) grads = at::_foreach_mul(grads, gradient_scale);
    at::_fused_adamw_(weights, grads, first, second, /*max_exp_avg_sqs=*/{}, counts, learning_rate, options_.beta1,
                      options_.beta2, decays ? options_.weight_decay : 0.0, options_.epsilon, /*amsgrad=*/false,
                      /*maximize=*/false);
    if (copies.empty()) continue;
    std::vector<at::Tensor> narrow;
    for (const std::size_t i : taken) narrow.push_back(copies[i].detach());
    at::_foreach_copy_(narrow, weights);
  }
}

AdamWConstants AdamW::constants(bool decays, double learning_rate, double gradient_scale) const {
  const auto t = static_cast<double>(steps_);
  const double decay = decays ? options_.weight_decay : 0.0;
  return {.beta1 = static_cast<float>(options_.beta1),
          .beta2 = static_cast<float>(options_.beta2),
          .epsilon = static_cast<float>(options_.epsilon),
          .gradient_scale = static_cast<float>(gradient_scale),
          .keep = static_cast<float>(1 - learning_rate * decay),
          .step_size = static_cast<float>(learning_rate / (1 - std::pow(options_.beta1, t))),
          .root_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, t)))};
}

void AdamW::step_on_cpu(std::size_t i, const at::Tensor& gradient, const at::Tensor& copy,
                        const AdamWConstants& constants) {
  float *weights = masters_[i].tensor.mutable_data_ptr<float>(), *first = first_[i].mutable_data_ptr<float>(),
        *second = second_[i].mutable_data_ptr<float>();
  auto* narrow = copy.defined() ? reinterpret_cast<std::uint16_t*>(copy.mutable_data_ptr<at::BFloat16>()) : nullptr;
  constexpr std::int64_t kPiece = 1 << 12;  // in the nearest cache
  at::parallel_for(0, masters_[i].tensor.numel(), 16 * kPiece, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += kPiece) {
      const std::int64_t n = std::min(kPiece, end - at);
      if (gradient.scalar_type() == at::kFloat)
        adamw_run(weights + at, first + at, second + at, gradient.const_data_ptr<float>() + at, n, constants);
      else
        adamw_run(weights + at, first + at, second + at,
                  reinterpret_cast<const std::uint16_t*>(gradient.const_data_ptr<at::BFloat16>()) + at, n, constants);
      if (narrow != nullptr) policy::narrow_row(weights + at, n, narrow + at);
    }
  });
}

std::vector<policy::NamedTensor> AdamW::moments() const {
  std::vector<policy::NamedTensor> moments;
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    moments.push_back({"exp_avg." + masters_[i].name, first_[i]});
    moments.push_back({"exp_avg_sq." + masters_[i].name, second_[i]});
  }
  return moments;
}

void AdamW::restore(const std::vector<policy::NamedTensor>& moments, std::int64_t steps) {
  const at::NoGradGuard no_grad;
  std::map<std::string, at::Tensor> by_name;
  for (const policy::NamedTensor& moment : moments) by_name[moment.name] = moment.tensor;
  const auto restore_one = [&](const std::string& name, at::Tensor& into) {
    const auto found = by_name.find(name);
    if (found == by_name.end() || !found->second.sizes().equals(into.sizes()))
      throw Error("the optimiser's state lacks " + name + " in the shape of the model", "checkpoint",
                  "resume with the model that the run began with");
    into.copy_(found->second);
  };
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    restore_one("exp_avg." + masters_[i].name, first_[i]);
    restore_one("exp_avg_sq." + masters_[i].name, second_[i]);
  }
  steps_ = steps;
}

}  // namespace kg::trainer
