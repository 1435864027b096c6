#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "policy/model.h"
#include "trainer/adamw.h"

namespace kg::trainer {

// fp32 if the CPU lacks bf16 instructions (where bf16 products are emulated and 100 times slower), bf16 if it has them.
std::string resolve_dtype(const std::string& dtype);  // "auto", "float32", "bfloat16" to one of the last two

// What became of an optimiser step.
struct StepOutcome {
  double gradient_norm = 0;
  std::string skipped;  // not empty: nothing was changed, and why
};

// A model being trained: fp32 master weights, the copy that is computed with (the masters themselves if it is fp32
// too), and fp32 gradient sums over the micro-batches of a step.
class Trainable {
 public:
  Trainable(const policy::ModelConfig& config, const std::vector<policy::NamedTensor>& weights,
            const std::string& dtype, const AdamWOptions& options);

  const policy::Transformer& model() const { return *model_; }
  const std::vector<policy::NamedTensor>& masters() const { return masters_; }
  AdamW& optimizer() { return *optimizer_; }
  const AdamW& optimizer() const { return *optimizer_; }

  // Back-propagates a micro-batch's share of the step's loss and adds to the gradient sums.
  void accumulate(const at::Tensor& loss);
  // Clips and applies the gradient sums, then zeroes them. Gradients that are not finite change nothing.
  StepOutcome step(double learning_rate, double clip_norm);
  void discard_gradients();
  // After master weights were written from outside (resume).
  void refresh();

 private:
  std::vector<policy::NamedTensor> masters_;  // in the order of the model's parameters
  std::vector<at::Tensor> sums_;              // fp32; empty where the compute copy is fp32 and holds its own gradient
  bool separate_copy_ = false;
  std::unique_ptr<policy::Transformer> model_;
  std::unique_ptr<AdamW> optimizer_;
};

}  // namespace kg::trainer
