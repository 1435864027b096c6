#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "policy/model/model.h"
#include "trainer/adamw.h"
#include "trainer/adapter_options.h"
#include "trainer/replicas.h"

namespace kg::trainer {

// Resolves "auto", "float32", "bfloat16" to one of the last two. Auto is bf16, but fp32 on a CPU without bf16
// instructions, where bf16 products are emulated and 100 times slower.
std::string resolve_dtype(const std::string& dtype, at::Device device = at::kCPU);

policy::LoraOptions lora_options(const AdapterOptions& options);

// The outcome of an optimiser step.
struct StepOutcome {
  double gradient_norm = 0;
  std::string skipped;  // not empty: nothing was changed, for this reason
};

// What part of a model is trained, and how its activations are kept.
struct TrainableOptions {
  AdamWOptions adamw;
  policy::LoraOptions lora;  // rank 0: all weights are trained
  std::uint64_t lora_seed = 0;
  bool recompute_layers = false;       // less memory, a third more work
  const Replicas* replicas = nullptr;  // processes that train together, on CPUs; outlives this. Null: only this one
  at::Device device = at::kCPU;        // where masters, copies, gradients and the optimiser's state are
};

// A model in training: fp32 master weights, the copy used for computing (the masters themselves if it is fp32
// too), and gradient sums over the micro-batches of a step, fp32 if there is more than one. If several processes
// train together, each keeps the optimiser's state of a share of the weights (ZeRO stage 1, arXiv 1910.02054) and
// distributes that share. With low-rank adapters, masters, sums and optimiser are those of the adapters, and the
// model's own weights stay as they are.
class Trainable {
 public:
  Trainable(const policy::ModelConfig& config, const std::vector<policy::NamedTensor>& weights,
            const std::string& dtype, const TrainableOptions& options);

  const policy::Transformer& model() const { return *model_; }
  // The trained tensors, fp32.
  const std::vector<policy::NamedTensor>& masters() const { return masters_; }
  // All weights of the model in their current state, fp32, with adapters merged.
  std::vector<policy::NamedTensor> weights() const;
  bool has_adapters() const { return !model_->adapters().tensors.empty(); }
  policy::LoraAdapters adapters() const;  // fp32
  std::int64_t optimizer_steps() const { return optimizer_->steps(); }
  // The optimiser's state of all weights, named as in AdamW; all processes must call it together, the first gets it.
  std::vector<policy::NamedTensor> moments() const;
  void restore_moments(const std::vector<policy::NamedTensor>& moments, std::int64_t steps);

  // Back-propagates a micro-batch's share of the step's loss and adds to the gradient sums.
  void accumulate(const at::Tensor& loss);
  // Clips and applies the gradient sums, then forgets them. Gradients that are not finite change nothing.
  StepOutcome step(double learning_rate, double clip_norm);
  void discard_gradients();
  // Call it after master weights were written from outside (resume).
  void refresh();

 private:
  std::vector<policy::NamedTensor> masters_;  // in the order of the model's parameters
  std::vector<at::Tensor> trained_;           // the tensors used for computing; the masters themselves in fp32
  // For a bf16 copy: undefined before the first micro-batch, the gradient itself after one, fp32 after more. Empty if
  // the copy is fp32 and holds its own gradient.
  std::vector<at::Tensor> sums_;
  bool separate_copy_ = false;
  const Replicas* replicas_ = nullptr;
  std::vector<int> owner_;  // for each master, the process that takes its steps
  std::unique_ptr<policy::Transformer> model_;
  std::unique_ptr<AdamW> optimizer_;
};

}  // namespace kg::trainer
