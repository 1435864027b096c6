#include "policy/model/head_logits.h"

#include <ATen/Parallel.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "policy/model/attention_kernels.h"
#include "policy/model/element_type.h"
#include "policy/model/tile_product.h"

namespace kg::policy {
namespace {

// Rows of the head in one product.
constexpr std::int64_t kBlock = 256, kGradientBlock = 128;

// x (rows, columns), `stride` elements from row to row -> its transpose; `space` holds as much.
void transpose_block(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t stride, float* space,
                     float* y) {
  for (std::int64_t i = 0; i < rows; ++i) std::copy_n(x + i * stride, columns, space + i * columns);
  transpose_words(space, rows, columns, y);
}
void transpose_block(const c10::BFloat16* x, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                     c10::BFloat16*, c10::BFloat16* y) {
  transpose_halves(elements(x), rows, columns, stride, elements(y));
}

// x (rows, columns) as the right side of a product.
at::Tensor right_side(const at::Tensor& x, float) { return x; }
at::Tensor right_side(const at::Tensor& x, c10::BFloat16) {
  const at::Tensor pairs = at::empty_like(x);  // (rows/2, columns, 2)
  pair_rows(elements(x.const_data_ptr<c10::BFloat16>()), x.size(0), x.size(1),
            elements(pairs.mutable_data_ptr<c10::BFloat16>()));
  return pairs;
}

// Runs `work(next)` in each thread, which takes blocks from next() until there are no more: -1.
template <typename Work>
void for_blocks(std::int64_t blocks, Work work) {
  std::atomic<std::int64_t> taken{0};
  const auto next = [&] {
    const std::int64_t i = taken++;
    return i < blocks ? i : -1;
  };
  at::parallel_for(0, std::min<std::int64_t>(at::get_num_threads(), blocks), /*grain_size=*/1,
                   [&](std::int64_t, std::int64_t) {
                     work(next);
                     end_tile_products();
                   });
}

// hidden (N, C), head (V, C), both of T and contiguous, C even.
template <typename T>
at::Tensor wide_logits(const at::Tensor& hidden, const at::Tensor& head) {
  const std::int64_t rows = hidden.size(0), width = hidden.size(1), vocabulary = head.size(0);
  const at::Tensor logits = at::empty({rows, vocabulary}, at::kFloat);  // (N, V)
  const T *from = hidden.const_data_ptr<T>(), *weights = head.const_data_ptr<T>();
  float* to = logits.mutable_data_ptr<float>();
  for_blocks((vocabulary + kBlock - 1) / kBlock, [&](auto next) {
    const at::Tensor space = at::empty({width, kBlock}, hidden.options());  // for bf16 in pairs: (C/2, block, 2)
    T* const across = space.mutable_data_ptr<T>();
    for (std::int64_t i = next(); i >= 0; i = next()) {
      const std::int64_t first = i * kBlock, count = std::min(kBlock, vocabulary - first);
      const std::int64_t words = width * static_cast<std::int64_t>(sizeof(T)) / 4;
      transpose_words(weights + first * width, count, words, across);
      tile_product({.m = rows, .n = count, .k = width, .a_stride = width, .c_stride = vocabulary}, from, across,
                   to + first, /*add=*/false);
    }
  });
  return logits;
}

template <typename T>
void add_products(const at::Tensor& gradient, const at::Tensor& hidden, const at::Tensor& sum, bool add) {
  const std::int64_t rows = gradient.size(0), vocabulary = gradient.size(1), width = hidden.size(1);
  const at::Tensor right = right_side(hidden, T());
  const T *from = gradient.const_data_ptr<T>(), *states = right.const_data_ptr<T>();
  float* const to = sum.mutable_data_ptr<float>();
  for_blocks((vocabulary + kGradientBlock - 1) / kGradientBlock, [&](auto next) {
    const at::Tensor across = at::empty({kGradientBlock, rows}, gradient.options()), space = at::empty_like(across);
    for (std::int64_t i = next(); i >= 0; i = next()) {
      const std::int64_t first = i * kGradientBlock, count = std::min(kGradientBlock, vocabulary - first);
      transpose_block(from + first, rows, count, vocabulary, space.mutable_data_ptr<T>(), across.mutable_data_ptr<T>());
      tile_product({.m = count, .n = width, .k = rows, .a_stride = rows, .c_stride = width}, across.const_data_ptr<T>(),
                   states, to + first * width, add);
    }
  });
}

}  // namespace

bool has_head_products(const at::Tensor& hidden, const at::Tensor& head) {
  if (!hidden.is_cpu() || hidden.scalar_type() != head.scalar_type() || hidden.size(1) % 2 != 0) return false;
  return hidden.scalar_type() == at::kFloat ? float_products()
                                            : hidden.scalar_type() == at::kBFloat16 && bfloat16_products();
}

at::Tensor head_logits(const at::Tensor& hidden, const at::Tensor& head) {
  if (hidden.is_cuda() && hidden.scalar_type() == at::kBFloat16) return at::mm(hidden, head.t(), at::kFloat);
  if (!has_head_products(hidden, head)) return at::mm(hidden, head.t()).to(at::kFloat);  // (N, C) (C, V) -> (N, V)
  return hidden.scalar_type() == at::kFloat ? wide_logits<float>(hidden.contiguous(), head.contiguous())
                                            : wide_logits<c10::BFloat16>(hidden.contiguous(), head.contiguous());
}

void add_head_gradient(const at::Tensor& gradient, const at::Tensor& hidden, const at::Tensor& sum, bool add) {
  const std::int64_t more = gradient.size(0) - hidden.size(0);
  const at::Tensor states = more == 0 ? hidden.contiguous() : at::constant_pad_nd(hidden, {0, 0, 0, more});  // (N', C)
  if (gradient.scalar_type() == at::kFloat) return add_products<float>(gradient, states, sum, add);
  KG_CHECK_EQ(gradient.size(0) % 2, 0);
  add_products<c10::BFloat16>(gradient, states, sum, add);
}

}  // namespace kg::policy
