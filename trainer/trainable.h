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

// "auto", "float32", "bfloat16" to one of the last two. Auto is bf16, but fp32 on a CPU that lacks bf16 instructions,
// where bf16 products are emulated and 100 times slower.
std::string resolve_dtype(const std::string& dtype, at::Device device = at::kCPU);

policy::LoraOptions lora_options(const AdapterOptions& options);

// What became of an optimiser step.
struct StepOutcome {
  double gradient_norm = 0;
  std::string skipped;  // not empty: nothing was changed, and why
};

// What of a model is trained, and how its activations are kept.
struct TrainableOptions {
  AdamWOptions adamw;
  policy::LoraOptions lora;  // rank 0: all weights are trained
  std::uint64_t lora_seed = 0;
  bool recompute_layers = false;       // less memory, a third more work
  const Replicas* replicas = nullptr;  // that train together, on CPUs; outlives the trainable. Null: this process alone
  at::Device device = at::kCPU;        // where masters, copies, gradients and the optimiser's state lie
};

// A model being trained: fp32 master weights, the copy that is computed with (the masters themselves if it is fp32
// too), and gradient sums over the micro-batches of a step, fp32 where there is more than one. Of several processes
// that train together each keeps the optimiser's state of a share of the weights (ZeRO stage 1, arXiv 1910.02054) and
// sends that share round. With low-rank adapters, masters, sums and optimiser are those of the adapters, and the
// model's own weights stay as they are.
class Trainable {
 public:
  Trainable(const policy::ModelConfig& config, const std::vector<policy::NamedTensor>& weights,
            const std::string& dtype, const TrainableOptions& options);

  const policy::Transformer& model() const { return *model_; }
  // What is trained, fp32.
  const std::vector<policy::NamedTensor>& masters() const { return masters_; }
  // All weights of the model as trained so far, fp32, adapters worked in.
  std::vector<policy::NamedTensor> weights() const;
  bool has_adapters() const { return !model_->adapters().tensors.empty(); }
  policy::LoraAdapters adapters() const;  // fp32
  std::int64_t optimizer_steps() const { return optimizer_->steps(); }
  // The optimiser's state of all weights, as AdamW names it; all processes must ask together, the first gets it.
  std::vector<policy::NamedTensor> moments() const;
  void restore_moments(const std::vector<policy::NamedTensor>& moments, std::int64_t steps);

  // Back-propagates a micro-batch's share of the step's loss and adds to the gradient sums.
  void accumulate(const at::Tensor& loss);
  // Clips and applies the gradient sums, then forgets them. Gradients that are not finite change nothing.
  StepOutcome step(double learning_rate, double clip_norm);
  void discard_gradients();
  // After master weights were written from outside (resume).
  void refresh();

 private:
  std::vector<policy::NamedTensor> masters_;  // in the order of the model's parameters
  std::vector<at::Tensor> trained_;           // what is computed with; the masters themselves in fp32
  // Of a bf16 copy: undefined without a micro-batch, the gradient itself after one, fp32 after more. Empty where the
  // compute copy is fp32 and holds its own gradient.
  std::vector<at::Tensor> sums_;
  bool separate_copy_ = false;
  const Replicas* replicas_ = nullptr;
  std::vector<int> owner_;  // of each master, the process that takes its steps
  std::unique_ptr<policy::Transformer> model_;
  std::unique_ptr<AdamW> optimizer_;
};

}  // namespace kg::trainer
