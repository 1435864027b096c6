#include "policy/layers.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>

#include <cmath>
#include <optional>

#include "policy/fused_layers.h"

namespace kg::policy {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  if (can_fuse(x)) return fused_rms_norm(x, weight, epsilon);
  const at::Tensor wide = x.to(at::kFloat);                                                // (T, C)
  const at::Tensor scale = wide.square().mean(-1, /*keepdim=*/true).add(epsilon).rsqrt();  // (T, 1)
  return wide.mul(scale).to(x.scalar_type()).mul(weight);
}

Rotation rotation_of(const at::Tensor& positions, std::int64_t head_size, double base) {
  const auto options = positions.options().dtype(at::kFloat);
  const at::Tensor frequency =
      at::arange(0, head_size, 2, options).div(static_cast<double>(head_size)).mul(std::log(base)).neg().exp();
  const at::Tensor angle = positions.to(at::kFloat).unsqueeze(1).mul(frequency);  // (T, D/2)
  return {angle.cos(), angle.sin()};
}

at::Tensor rotate(const at::Tensor& x, const Rotation& rotation) {
  if (can_fuse(x)) return fused_rotate(x, rotation);
  const at::Tensor cosine = rotation.cosine.unsqueeze(1), sine = rotation.sine.unsqueeze(1);  // (T, 1, D/2)
  const std::vector<at::Tensor> half = x.to(at::kFloat).chunk(2, -1);
  const at::Tensor first = half[0].mul(cosine).sub(half[1].mul(sine)),
                   second = half[1].mul(cosine).add(half[0].mul(sine));
  return at::cat({first, second}, -1).to(x.scalar_type());
}

at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) {
  return can_fuse(gate) ? fused_swiglu(gate, up) : at::silu(gate).mul(up);
}

at::Tensor causal_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const std::vector<std::int64_t>& ends) {
  const auto heads_first = [](const at::Tensor& x, std::int64_t begin, std::int64_t end) {
    return x.narrow(0, begin, end - begin).transpose(0, 1).unsqueeze(0);  // (1, H, T', D)
  };
  const bool grouped = query.size(1) != key.size(1);
  std::vector<at::Tensor> documents;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    const at::Tensor attended = at::scaled_dot_product_attention(
        heads_first(query, begin, end), heads_first(key, begin, end), heads_first(value, begin, end),
        /*attn_mask=*/std::nullopt,
        /*dropout_p=*/0.0, /*is_causal=*/true, /*scale=*/std::nullopt, /*enable_gqa=*/grouped);
    documents.push_back(attended.squeeze(0).transpose(0, 1));  // (T', H, D)
    begin = end;
  }
  return documents.size() == 1 ? documents.front() : at::cat(documents, 0);
}

}  // namespace kg::policy
