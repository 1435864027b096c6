#include "policy/model/token_log_prob.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "base/check.h"
#include "policy/model/cuda_kernels.h"
#include "policy/model/element_type.h"
#include "policy/model/head_logits.h"
#include "policy/model/train_kernels.h"

namespace kg::policy {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// Limits of logits held at once: suited to a CPU's caches, and large enough to keep a card busy.
constexpr std::int64_t kLogitBytes = std::int64_t{96} << 20, kDeviceLogitBytes = std::int64_t{1} << 30;

// The rows of one chunk: the distribution over all tokens and the log-probability of the target.
struct Chunk {
  at::Tensor hidden;    // (n, C)
  at::Tensor targets;   // (n, 1)
  at::Tensor logits;    // (n, V) fp32; divided by the temperature but on a CPU
  at::Tensor highest;   // (n) fp32, on a CPU
  at::Tensor sum;       // (n) fp32, on a CPU: of exp((logit - highest) / temperature)
  at::Tensor log_sum;   // (n) fp32
  at::Tensor log_prob;  // (n) fp32
  at::Tensor entropy;   // (n) fp32
};

// On a CPU in one pass over logits that stay as the product left them.
void softmax_rows(Chunk& chunk, double scale) {
  const std::int64_t rows = chunk.logits.size(0), vocabulary = chunk.logits.size(1);
  for (at::Tensor* column : {&chunk.highest, &chunk.sum, &chunk.log_sum, &chunk.entropy})
    *column = at::empty({rows}, chunk.logits.options());  // (n)
  const float* logits = chunk.logits.const_data_ptr<float>();
  float *highest = chunk.highest.mutable_data_ptr<float>(), *sum = chunk.sum.mutable_data_ptr<float>(),
        *log_sum = chunk.log_sum.mutable_data_ptr<float>(), *entropy = chunk.entropy.mutable_data_ptr<float>();
  at::parallel_for(0, rows, /*grain_size=*/1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const SoftmaxRow row = softmax_row(logits + i * vocabulary, vocabulary, static_cast<float>(scale));
      highest[i] = row.highest;
      sum[i] = row.sum;
      log_sum[i] = row.log_sum;
      entropy[i] = row.log_sum - row.mean;
    }
  });
  const at::Tensor target_logit = chunk.logits.gather(1, chunk.targets).squeeze(1);  // (n)
  chunk.log_prob = target_logit.mul(scale).sub_(chunk.log_sum);                      // (n)
}

// The same by ATen's operations, on any device.
void softmax_by_operations(Chunk& chunk, double scale, bool entropy) {
  chunk.logits.mul_(scale);                                                              // (n, V)
  chunk.log_sum = chunk.logits.logsumexp(1);                                             // (n)
  chunk.log_prob = chunk.logits.gather(1, chunk.targets).squeeze(1).sub(chunk.log_sum);  // (n)
  if (!entropy) return;
  const at::Tensor probabilities = chunk.logits.sub(chunk.log_sum.unsqueeze(1)).exp_();  // (n, V)
  chunk.entropy = chunk.log_sum.sub(probabilities.mul_(chunk.logits).sum(1));            // (n)
}

// hidden (N, C), head (V, C), targets (N): rows [begin, end).
Chunk evaluate(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
               const TokenLogProbOptions& options, std::int64_t begin, std::int64_t end) {
  Chunk chunk;
  chunk.hidden = hidden.narrow(0, begin, end - begin);                 // (n, C)
  chunk.targets = targets.narrow(0, begin, end - begin).unsqueeze(1);  // (n, 1)
  chunk.logits = head_logits(chunk.hidden, head);                      // (n, V)
  if (options.narrow) options.narrow(chunk.logits, begin);
  const double scale = 1.0 / options.temperature;
  if (chunk.logits.is_cpu()) {
    softmax_rows(chunk, scale);
  } else if (chunk.logits.is_cuda()) {
    const CudaSoftmaxRows rows = cuda_softmax_rows(chunk.logits, chunk.targets.contiguous(), scale);
    chunk.log_sum = rows.log_sum;
    chunk.log_prob = rows.log_prob;
    chunk.entropy = rows.entropy;
  } else {
    softmax_by_operations(chunk, scale, options.entropy);
  }
  return chunk;
}

// d loss / d logits in the head's type; uses up the logits. `upstream` (n): d loss / d log_prob. In bf16 on a CPU the
// rows are made an even number by one of zeros.
// d log_prob[target] / d logits = (one_hot(target) - probabilities) / temperature
at::Tensor logit_gradient(Chunk& chunk, const at::Tensor& upstream, double temperature, at::ScalarType type) {
  const at::Tensor weights = upstream.to(at::kFloat).div(temperature).contiguous();  // (n)
  if (chunk.logits.is_cuda() && (type == at::kFloat || type == at::kBFloat16)) {
    const at::Tensor gradient = type == at::kFloat ? chunk.logits : at::empty_like(chunk.logits, type);  // (n, V)
    cuda_logit_gradient(chunk.logits, chunk.targets.contiguous(), chunk.log_sum, weights, 1.0 / temperature, gradient);
    return gradient;
  }
  if (!chunk.logits.is_cpu() || (type != at::kFloat && type != at::kBFloat16)) {
    if (chunk.logits.is_cpu()) chunk.logits.div_(temperature);
    at::Tensor gradient = chunk.logits.sub_(chunk.log_sum.unsqueeze(1)).exp_();  // (n, V)
    gradient.mul_(weights.neg().unsqueeze(1));
    return gradient.scatter_add_(1, chunk.targets, weights.unsqueeze(1)).to(type);
  }
  const std::int64_t rows = chunk.logits.size(0), vocabulary = chunk.logits.size(1);
  at::Tensor gradient = chunk.logits;  // (n, V), in bf16 (n + n % 2, V)
  if (type != at::kFloat) gradient = at::empty({rows + rows % 2, vocabulary}, gradient.options().dtype(type));
  gradient.narrow(0, rows, gradient.size(0) - rows).zero_();
  const at::Tensor targets = chunk.targets.contiguous();
  const float *logits = chunk.logits.const_data_ptr<float>(), *weight = weights.const_data_ptr<float>(),
              *highest = chunk.highest.const_data_ptr<float>(), *sum = chunk.sum.const_data_ptr<float>();
  const std::int64_t* target = targets.const_data_ptr<std::int64_t>();
  const auto scale = static_cast<float>(1.0 / temperature);
  for_type_of(gradient, [&](auto element) {
    using T = decltype(element);
    T* gradients = gradient.mutable_data_ptr<T>();
    at::parallel_for(0, rows, /*grain_size=*/1, [&](std::int64_t begin, std::int64_t end) {
      Row<T> to(vocabulary);
      for (std::int64_t i = begin; i < end; ++i) {
        float* const row = to.target(gradients + i * vocabulary);
        weigh_row(logits + i * vocabulary, vocabulary, scale, highest[i], -weight[i] / sum[i], row);
        row[target[i]] += weight[i];
        to.write(gradients + i * vocabulary);
      }
    });
  });
  return gradient;
}

// The gradients of hidden and head, summed up chunk by chunk. Either may be unneeded (undefined).
class GradientSum {
 public:
  GradientSum(const at::Tensor& hidden, const at::Tensor& head, bool of_hidden, bool of_head, double temperature)
      : head_(head), of_head_(of_head), temperature_(temperature) {
    if (of_hidden) hidden_gradient_ = at::empty(hidden.sizes(), hidden.options());  // (N, C)
  }
  // `upstream` (n): d loss / d log_prob. Uses up the chunk's logits.
  void add(Chunk& chunk, const at::Tensor& upstream, std::int64_t begin) {
    const at::Tensor filled = logit_gradient(chunk, upstream, temperature_, head_.scalar_type());  // (n or n + 1, V)
    const at::Tensor gradient = filled.narrow(0, 0, chunk.hidden.size(0));                         // (n, V)
    if (hidden_gradient_.defined()) {
      at::Tensor rows = hidden_gradient_.narrow(0, begin, chunk.hidden.size(0));  // (n, C)
      at::mm_out(rows, gradient, head_);                                          // (n, V) (V, C) -> (n, C)
    }
    if (!of_head_) return;
    if (has_head_products(chunk.hidden, head_)) {
      const bool begun = head_gradient_.defined();
      if (!begun) head_gradient_ = at::empty(head_.sizes(), head_.options().dtype(at::kFloat));
      add_head_gradient(filled, chunk.hidden, head_gradient_, begun);
    } else if (!head_gradient_.defined()) {
      head_gradient_ = at::mm(gradient.t(), chunk.hidden);  // (V, n) (n, C) -> (V, C)
    } else if (head_.scalar_type() == at::kFloat) {
      head_gradient_.addmm_(gradient.t(), chunk.hidden);
    } else {  // several chunks: summed in fp32
      head_gradient_ = head_gradient_.to(at::kFloat);
      head_gradient_.add_(at::mm(gradient.t(), chunk.hidden));
    }
  }
  at::Tensor hidden_gradient() const { return hidden_gradient_; }
  at::Tensor head_gradient() const {
    if (!of_head_) return {};
    return head_gradient_.defined() ? head_gradient_.to(head_.scalar_type()) : at::zeros_like(head_);
  }

 private:
  at::Tensor head_;  // (V, C)
  bool of_head_;
  double temperature_;
  at::Tensor hidden_gradient_, head_gradient_;  // (N, C), (V, C)
};

// In as few chunks as hold at most that many rows, of nearly equal size; all but the last of multiples of 64 rows,
// which products like.
template <typename Visit>
void for_chunks(std::int64_t rows, const at::Tensor& head, const TokenLogProbOptions& options, Visit visit) {
  if (rows == 0) return;
  const std::int64_t row_bytes = head.size(0) * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t bytes = head.is_cpu() ? kLogitBytes : kDeviceLogitBytes;
  const std::int64_t most = options.chunk > 0 ? options.chunk : std::max<std::int64_t>(16, bytes / row_bytes);
  const std::int64_t chunks = (rows + most - 1) / most, even = (rows + chunks - 1) / chunks, up = (even + 63) / 64 * 64;
  const std::int64_t size = up <= most ? up : even;
  for (std::int64_t begin = 0; begin < rows; begin += size) visit(begin, std::min(rows, begin + size));
}

// The gradient is computed in backward(), from recomputed logits.
struct LogProbFunction : torch::autograd::Function<LogProbFunction> {
  static variable_list forward(AutogradContext* context, const Variable& hidden, const Variable& head,
                               const Variable& targets, const TokenLogProbOptions& options) {
    context->save_for_backward({hidden, head, targets});
    context->saved_data["temperature"] = options.temperature;
    context->saved_data["chunk"] = options.chunk;
    const std::int64_t rows = hidden.size(0);
    const at::Tensor log_prob = at::empty({rows}, hidden.options().dtype(at::kFloat));                  // (N)
    const at::Tensor entropy = options.entropy ? at::empty({rows}, log_prob.options()) : at::Tensor();  // (N)
    for_chunks(rows, head, options, [&](std::int64_t begin, std::int64_t end) {
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
    for_chunks(saved[0].size(0), saved[1], options, [&](std::int64_t begin, std::int64_t end) {
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
    for_chunks(hidden.size(0), head, options, [&](std::int64_t begin, std::int64_t end) {
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
      if (!gradient.defined() || (upstream[0].is_cpu() && upstream[0].item<double>() == 1)) return gradient;
      return gradient.mul(upstream[0].to(gradient.scalar_type()));
    };
    return {scaled("hidden"), scaled("head"), Variable(), Variable(), Variable(), Variable(), Variable()};
  }
};

void check_shapes(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
                  const TokenLogProbOptions& options) {
  KG_CHECK_EQ(hidden.dim(), 2);
  KG_CHECK_EQ(hidden.size(1), head.size(1));
  KG_CHECK_EQ(hidden.size(0), targets.numel());
  KG_CHECK_GE(options.chunk, 0);
  KG_CHECK_GT(options.temperature, 0);
  KG_CHECK(!options.narrow || !options.entropy);
}

}  // namespace

TokenLogProb token_log_prob(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
                            const TokenLogProbOptions& options) {
  check_shapes(hidden, head, targets, options);
  KG_CHECK(!options.narrow || !c10::GradMode::is_enabled());
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
