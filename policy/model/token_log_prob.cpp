#include "policy/model/token_log_prob.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "base/check.h"
#include "policy/model/head_logits.h"
#include "policy/model/train_kernels.h"

namespace kg::policy {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// The rows of one chunk: the distribution over all tokens and the log-probability of the target.
struct Chunk {
  at::Tensor hidden;    // (n, C)
  at::Tensor targets;   // (n, 1)
  at::Tensor weights;   // (n, V) fp32: probabilities times `sum`
  at::Tensor sum;       // (n, 1) fp32
  at::Tensor log_prob;  // (n) fp32
  at::Tensor entropy;   // (n) fp32
};

// On a CPU in one pass: logits to weights, with their sum, the log of the sum and the entropy.
void softmax_rows(Chunk& chunk, double scale) {
  const std::int64_t rows = chunk.weights.size(0), vocabulary = chunk.weights.size(1);
  const at::Tensor target_logit = chunk.weights.gather(1, chunk.targets).squeeze(1).mul(scale);  // (n)
  chunk.sum = at::empty({rows, 1}, chunk.weights.options());                                     // (n, 1)
  chunk.entropy = at::empty({rows}, chunk.weights.options());                                    // (n)
  const at::Tensor log_sum = at::empty({rows}, chunk.weights.options());                         // (n)
  float* weights = chunk.weights.mutable_data_ptr<float>();
  float *sums = chunk.sum.mutable_data_ptr<float>(), *log_sums = log_sum.mutable_data_ptr<float>(),
        *entropies = chunk.entropy.mutable_data_ptr<float>();
  at::parallel_for(0, rows, /*grain_size=*/1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const SoftmaxRow row = softmax_row(weights + i * vocabulary, vocabulary, static_cast<float>(scale));
      sums[i] = row.sum;
      log_sums[i] = row.log_sum;
      entropies[i] = row.log_sum - row.mean;
    }
  });
  chunk.log_prob = target_logit.sub_(log_sum);  // (n)
}

// The same by ATen's operations, on any device.
void softmax_by_operations(Chunk& chunk, double scale) {
  chunk.weights.mul_(scale);
  chunk.weights.sub_(chunk.weights.amax(1, /*keepdim=*/true));                              // (n, V)
  const at::Tensor target_logit = chunk.weights.gather(1, chunk.targets).squeeze(1);        // (n)
  const at::Tensor logits = chunk.weights;                                                  // (n, V)
  chunk.weights = logits.exp();                                                             // (n, V)
  chunk.sum = chunk.weights.sum(1, /*keepdim=*/true);                                       // (n, 1)
  const at::Tensor log_sum = chunk.sum.log().squeeze(1);                                    // (n)
  chunk.log_prob = target_logit.sub(log_sum);                                               // (n)
  chunk.entropy = log_sum.sub(chunk.weights.mul(logits).sum(1).div(chunk.sum.squeeze(1)));  // (n)
}

// hidden (N, C), head (V, C), targets (N): rows [begin, end).
Chunk evaluate(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
               const TokenLogProbOptions& options, std::int64_t begin, std::int64_t end) {
  Chunk chunk;
  chunk.hidden = hidden.narrow(0, begin, end - begin);                 // (n, C)
  chunk.targets = targets.narrow(0, begin, end - begin).unsqueeze(1);  // (n, 1)
  chunk.weights = head_logits(chunk.hidden, head);                     // (n, V)
  const double scale = 1.0 / options.temperature;
  if (chunk.weights.is_cpu())
    softmax_rows(chunk, scale);
  else
    softmax_by_operations(chunk, scale);
  return chunk;
}

// Where the gradients of hidden and head grow, chunk by chunk. Either may be unwanted (undefined).
class GradientSum {
 public:
  GradientSum(const at::Tensor& hidden, const at::Tensor& head, bool of_hidden, bool of_head, double temperature)
      : head_(head), temperature_(temperature) {
    if (of_hidden) hidden_gradient_ = at::empty(hidden.sizes(), hidden.options());            // (N, C)
    if (of_head) head_gradient_ = at::zeros(head.sizes(), head.options().dtype(at::kFloat));  // (V, C)
  }
  // `upstream` (n): d loss / d log_prob. Uses up the chunk's weights.
  void add(Chunk& chunk, const at::Tensor& upstream, std::int64_t begin) {
    // d log_prob[target] / d logits = (one_hot(target) - probabilities) / temperature
    const at::Tensor weight = upstream.to(at::kFloat).div(temperature_).unsqueeze(1);  // (n, 1)
    at::Tensor gradient = chunk.weights.mul_(weight.div(chunk.sum).neg());             // (n, V)
    gradient.scatter_add_(1, chunk.targets, weight);                                   // (n, V)
    gradient = gradient.to(head_.scalar_type());
    if (hidden_gradient_.defined()) {
      at::Tensor rows = hidden_gradient_.narrow(0, begin, chunk.hidden.size(0));  // (n, C)
      at::mm_out(rows, gradient, head_);                                          // (n, V) (V, C) -> (n, C)
    }
    if (!head_gradient_.defined()) return;
    if (head_.scalar_type() == at::kFloat)
      head_gradient_.addmm_(gradient.t(), chunk.hidden);  // (V, n) (n, C) -> (V, C)
    else
      head_gradient_.add_(at::mm(gradient.t(), chunk.hidden));  // (V, C), summed in fp32
  }
  at::Tensor hidden_gradient() const { return hidden_gradient_; }
  at::Tensor head_gradient() const {
    return head_gradient_.defined() ? head_gradient_.to(head_.scalar_type()) : head_gradient_;
  }

 private:
  at::Tensor head_;  // (V, C)
  double temperature_;
  at::Tensor hidden_gradient_, head_gradient_;  // (N, C), (V, C) fp32
};

template <typename Visit>
void for_chunks(std::int64_t rows, std::int64_t chunk, Visit visit) {
  for (std::int64_t begin = 0; begin < rows; begin += chunk) visit(begin, std::min(rows, begin + chunk));
}

// The gradient is computed in backward(), from the logits computed anew.
struct LogProbFunction : torch::autograd::Function<LogProbFunction> {
  static variable_list forward(AutogradContext* context, const Variable& hidden, const Variable& head,
                               const Variable& targets, const TokenLogProbOptions& options) {
    context->save_for_backward({hidden, head, targets});
    context->saved_data["temperature"] = options.temperature;
    context->saved_data["chunk"] = options.chunk;
    const std::int64_t rows = hidden.size(0);
    const at::Tensor log_prob = at::empty({rows}, hidden.options().dtype(at::kFloat));                  // (N)
    const at::Tensor entropy = options.entropy ? at::empty({rows}, log_prob.options()) : at::Tensor();  // (N)
    for_chunks(rows, options.chunk, [&](std::int64_t begin, std::int64_t end) {
      const Chunk chunk = evaluate(hidden, head, targets, options, begin, end);
      log_prob.narrow(0, begin, end - begin).copy_(chunk.log_prob);
      if (options.entropy) entropy.narrow(0, begin, end - begin).copy_(chunk.entropy);
    });
    if (!options.entropy) return {log_prob};
    context->mark_non_differentiable({entropy});
    return {log_prob, entropy};
  }

  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const variable_list saved = context->get_saved_variables();
    const TokenLogProbOptions options{.temperature = context->saved_data["temperature"].toDouble(),
                                      .chunk = context->saved_data["chunk"].toInt()};
    GradientSum gradients(saved[0], saved[1], context->needs_input_grad(0), context->needs_input_grad(1),
                          options.temperature);
    for_chunks(saved[0].size(0), options.chunk, [&](std::int64_t begin, std::int64_t end) {
      Chunk chunk = evaluate(saved[0], saved[1], saved[2], options, begin, end);
      gradients.add(chunk, upstream[0].narrow(0, begin, end - begin), begin);
    });
    return {gradients.hidden_gradient(), gradients.head_gradient(), Variable(), Variable()};  // (N, C), (V, C)
  }
};

using LossOf = std::function<at::Tensor(const at::Tensor&, std::int64_t)>;

// The gradients for an upstream gradient of 1 are computed in forward(); backward() scales them.
struct LossFunction : torch::autograd::Function<LossFunction> {
  static Variable forward(AutogradContext* context, const Variable& hidden, const Variable& head,
                          const Variable& targets, const TokenLogProbOptions& options, const LossOf& loss_of,
                          bool of_hidden, bool of_head) {
    const at::Tensor loss = at::zeros({}, hidden.options().dtype(at::kFloat));  // ()
    GradientSum gradients(hidden, head, of_hidden, of_head, options.temperature);
    for_chunks(hidden.size(0), options.chunk, [&](std::int64_t begin, std::int64_t end) {
      Chunk chunk = evaluate(hidden, head, targets, options, begin, end);
      at::Tensor share, upstream;
      {
        const c10::AutoGradMode enable(of_hidden || of_head);
        const at::Tensor log_prob = chunk.log_prob.detach().requires_grad_(of_hidden || of_head);  // (n)
        share = loss_of(log_prob, begin);                                                          // ()
        KG_CHECK_EQ(share.numel(), 1);
        if (share.requires_grad()) upstream = torch::autograd::grad({share}, {log_prob}).front();  // (n)
      }
      loss.add_(share.detach());
      if (upstream.defined())
        gradients.add(chunk, upstream, begin);
      else if (of_hidden)
        gradients.hidden_gradient().narrow(0, begin, end - begin).zero_();
    });
    context->saved_data["hidden"] = gradients.hidden_gradient();  // (N, C)
    context->saved_data["head"] = gradients.head_gradient();      // (V, C)
    return loss;
  }

  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const auto scaled = [&](const char* name) {
      const at::Tensor gradient = context->saved_data[name].toTensor();
      return gradient.defined() ? gradient.mul(upstream[0].to(gradient.scalar_type())) : gradient;
    };
    return {scaled("hidden"), scaled("head"), Variable(), Variable(), Variable(), Variable(), Variable()};
  }
};

void check_shapes(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
                  const TokenLogProbOptions& options) {
  KG_CHECK_EQ(hidden.dim(), 2);
  KG_CHECK_EQ(hidden.size(1), head.size(1));
  KG_CHECK_EQ(hidden.size(0), targets.numel());
  KG_CHECK_GT(options.chunk, 0);
  KG_CHECK_GT(options.temperature, 0);
}

}  // namespace

TokenLogProb token_log_prob(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
                            const TokenLogProbOptions& options) {
  check_shapes(hidden, head, targets, options);
  const variable_list result = LogProbFunction::apply(hidden, head, targets, options);
  return {result[0], options.entropy ? result[1] : at::Tensor()};
}

at::Tensor token_loss(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
                      const TokenLogProbOptions& options, const LossOf& loss_of) {
  check_shapes(hidden, head, targets, options);
  const bool enabled = c10::GradMode::is_enabled();
  return LossFunction::apply(hidden, head, targets, options, loss_of, enabled && hidden.requires_grad(),
                             enabled && head.requires_grad());
}

}  // namespace kg::policy
