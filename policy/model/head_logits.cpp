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

std::uint16_t* bits(const at::Tensor& x) { return elements(x.mutable_data_ptr<c10::BFloat16>()); }

// hidden (N, C), head (V, C), both bf16 and contiguous, C even.
at::Tensor wide_logits(const at::Tensor& hidden, const at::Tensor& head) {
  const std::int64_t rows = hidden.size(0), width = hidden.size(1), vocabulary = head.size(0);
  const at::Tensor logits = at::empty({rows, vocabulary}, at::kFloat);  // (N, V)
  const c10::BFloat16 *from = hidden.const_data_ptr<c10::BFloat16>(), *weights = head.const_data_ptr<c10::BFloat16>();
  float* to = logits.mutable_data_ptr<float>();
  const std::int64_t blocks = (vocabulary + kBlock - 1) / kBlock;
  std::atomic<std::int64_t> next{0};
  at::parallel_for(0, std::min<std::int64_t>(at::get_num_threads(), blocks), /*grain_size=*/1,
                   [&](std::int64_t, std::int64_t) {
                     const at::Tensor space = at::empty({width, kBlock}, at::kBFloat16);  // pairs: (C/2, block, 2)
                     c10::BFloat16* const pairs = space.mutable_data_ptr<c10::BFloat16>();
                     for (std::int64_t i = next++; i < blocks; i = next++) {
                       const std::int64_t first = i * kBlock, count = std::min(kBlock, vocabulary - first);
                       transpose_words(weights + first * width, count, width / 2, pairs);
                       tile_product({.m = rows, .n = count, .k = width, .a_stride = width, .c_stride = vocabulary},
                                    from, pairs, to + first, /*add=*/false);
                     }
                     end_tile_products();
                   });
  return logits;
}

}  // namespace

at::Tensor head_logits(const at::Tensor& hidden, const at::Tensor& head) {
  const bool wide = hidden.is_cpu() && hidden.scalar_type() == at::kBFloat16 && head.scalar_type() == at::kBFloat16 &&
                    hidden.size(1) % 2 == 0 && bfloat16_products();
  if (hidden.is_cuda() && hidden.scalar_type() == at::kBFloat16) return at::mm(hidden, head.t(), at::kFloat);
  return wide ? wide_logits(hidden.contiguous(), head.contiguous())
              : at::mm(hidden, head.t()).to(at::kFloat);  // (N, C) (C, V) -> (N, V)
}

void add_head_gradient(const at::Tensor& gradient, const at::Tensor& hidden, const at::Tensor& sum, bool add) {
  const std::int64_t rows = gradient.size(0), vocabulary = gradient.size(1), width = hidden.size(1);
  KG_CHECK_EQ(rows % 2, 0);
  const at::Tensor filled = at::constant_pad_nd(hidden, {0, 0, 0, rows - hidden.size(0)}).contiguous();  // (N, C)
  const at::Tensor pairs = at::empty_like(filled);                                                       // (N/2, C, 2)
  pair_rows(bits(filled), rows, width, bits(pairs));
  const std::int64_t blocks = (vocabulary + kGradientBlock - 1) / kGradientBlock;
  std::atomic<std::int64_t> next{0};
  at::parallel_for(
      0, std::min<std::int64_t>(at::get_num_threads(), blocks), /*grain_size=*/1, [&](std::int64_t, std::int64_t) {
        const at::Tensor across = at::empty({kGradientBlock, rows}, at::kBFloat16);
        for (std::int64_t i = next++; i < blocks; i = next++) {
          const std::int64_t first = i * kGradientBlock, count = std::min(kGradientBlock, vocabulary - first);
          transpose_halves(bits(gradient) + first, rows, count, vocabulary, bits(across));
          tile_product({.m = count, .n = width, .k = rows, .a_stride = rows, .c_stride = width},
                       across.const_data_ptr<c10::BFloat16>(), pairs.const_data_ptr<c10::BFloat16>(),
                       sum.mutable_data_ptr<float>() + first * width, add);
        }
        end_tile_products();
      });
}

}  // namespace kg::policy
