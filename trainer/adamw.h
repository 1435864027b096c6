#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "policy/model/model.h"
#include "trainer/adamw_kernel.h"

namespace kg::trainer {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.0;  // decoupled; matrices only, never norms or other one-dimensional weights
};

// AdamW (arXiv 1711.05101) over master weights. Order and names of the weights are fixed at construction.
class AdamW {
 public:
  AdamW(const std::vector<policy::NamedTensor>& masters, const AdamWOptions& options);

  // One step in place, with the gradients times `gradient_scale`. gradients[i] belongs to masters[i] and is fp32 or
  // bf16. copies[i], if there are copies (bf16), becomes masters[i].
  void step(const std::vector<at::Tensor>& gradients, double learning_rate, double gradient_scale = 1,
            const std::vector<at::Tensor>& copies = {});

  // Moments named "exp_avg.<weight>" and "exp_avg_sq.<weight>", as stored in a checkpoint.
  std::vector<policy::NamedTensor> moments() const;
  // Throws Error if a moment is missing or has another shape.
  void restore(const std::vector<policy::NamedTensor>& moments, std::int64_t steps);
  std::int64_t steps() const { return steps_; }

 private:
  AdamWConstants constants(bool decays, double learning_rate, double gradient_scale) const;  // for the current step
  void step_on_cpu(std::size_t i, const at::Tensor& gradient, const at::Tensor& copy, const AdamWConstants& constants);

  std::vector<policy::NamedTensor> masters_;
  std::vector<at::Tensor> first_, second_;
  AdamWOptions options_;
  std::int64_t steps_ = 0;
};

}  // namespace kg::trainer
