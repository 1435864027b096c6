#include "trainer/adamw.h"

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <map>

#include "base/check.h"
#include "base/error.h"

namespace kg::trainer {

AdamW::AdamW(const std::vector<policy::NamedTensor>& masters, const AdamWOptions& options)
    : masters_(masters), options_(options) {
  for (const policy::NamedTensor& master : masters_) {
    first_.push_back(at::zeros_like(master.tensor, at::MemoryFormat::Contiguous));
    second_.push_back(at::zeros_like(master.tensor, at::MemoryFormat::Contiguous));
  }
}

void AdamW::step(const std::vector<at::Tensor>& gradients, double learning_rate) {
  KG_CHECK_EQ(gradients.size(), masters_.size());
  const at::NoGradGuard no_grad;
  ++steps_;
  for (const bool decays : {true, false}) {
    std::vector<at::Tensor> weights, grads, first, second, counts;
    for (std::size_t i = 0; i < masters_.size(); ++i) {
      if ((masters_[i].tensor.dim() > 1) != decays) continue;
      weights.push_back(masters_[i].tensor.detach());
      grads.push_back(gradients[i]);
      first.push_back(first_[i]);
      second.push_back(second_[i]);
      counts.push_back(at::full({}, static_cast<double>(steps_), masters_[i].tensor.options()));
    }
    if (weights.empty()) continue;
    at::_fused_adamw_(weights, grads, first, second, /*max_exp_avg_sqs=*/{}, counts, learning_rate, options_.beta1,
                      options_.beta2, decays ? options_.weight_decay : 0.0, options_.epsilon, /*amsgrad=*/false,
                      /*maximize=*/false);
  }
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
