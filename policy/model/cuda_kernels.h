#pragma once

#include <ATen/core/Tensor.h>

namespace kg::policy {

// The loops of train_kernels.h on an NVIDIA card: one pass over memory each. Tensors are of fp32 or bf16, on one card,
// and contiguous unless stated otherwise. Throws Error if the kernels cannot be compiled or started
// (cuda_program.h).

// y (T, F) = silu(gate) * up; gate and up (T, F) have the same stride between rows, 1 within them: they may be parts of
// one tensor.
void cuda_swiglu(const at::Tensor& gate, const at::Tensor& up, const at::Tensor& y);
// dgate, dup with the strides of gate and up.
void cuda_swiglu_backward(const at::Tensor& dy, const at::Tensor& gate, const at::Tensor& up, const at::Tensor& dgate,
                          const at::Tensor& dup);

// x, y (T, H, D); cosine, sine (T, D/2) fp32: as rotate_row(), sign -1 rotates back.
void cuda_rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, float sign,
                 const at::Tensor& y);

// joined (T, (H + 2 K) D): the heads of query, key and value of each token. Sign 1: rotates query and key and splits
// joined into query (T, H, D), key, value (T, K, D); sign -1: rotates back and joins. D is a multiple of 16.
void cuda_split_heads(const at::Tensor& joined, const at::Tensor& cosine, const at::Tensor& sine, float sign,
                      const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

// Whether the two below support rows of this width: a multiple of 8 of at most 2048.
bool cuda_normalises(std::int64_t width);
// y = x / sqrt(mean(x^2) + epsilon) * weight, x (T, C); if `added` is defined, with x + added instead of x, which is
// stored in `sum`. Returns the factors 1 / sqrt(...), (T) fp32.
at::Tensor cuda_rms_norm(const at::Tensor& x, const at::Tensor& added, const at::Tensor& weight, double epsilon,
                         const at::Tensor& sum, const at::Tensor& y);
// dx (T, C), with dsum added if it is defined; returns dweight (C) in the type of the weight.
at::Tensor cuda_rms_norm_backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& factors, const at::Tensor& dsum, const at::Tensor& dx);

// For each row of softmax(scale * logits), logits (n, V) fp32, targets (n) int64: fp32 (n) each.
struct CudaSoftmaxRows {
  at::Tensor log_sum, log_prob, entropy;
};
CudaSoftmaxRows cuda_softmax_rows(const at::Tensor& logits, const at::Tensor& targets, double scale);

// gradient (n, V) = weights * (one_hot(target) - softmax(scale * logits)); weights, log_sum (n) fp32. It may be
// `logits`.
void cuda_logit_gradient(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& log_sum,
                         const at::Tensor& weights, double scale, const at::Tensor& gradient);

}  // namespace kg::policy
