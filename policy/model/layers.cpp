#include "policy/model/layers.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tensor.h>

#include "policy/model/fused_layers.h"

namespace kg::policy {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  if (can_fuse(x)) return fused_rms_norm(x, weight, epsilon);
  const at::Tensor wide = x.to(at::kFloat);                                                // (T, C)
  const at::Tensor scale = wide.square().mean(-1, /*keepdim=*/true).add(epsilon).rsqrt();  // (T, 1)
  return wide.mul(scale).to(x.scalar_type()).mul(weight);                                  // (T, C)
}

NormedSum add_rms_norm(const at::Tensor& x, const at::Tensor& added, const at::Tensor& weight, double epsilon) {
  if (can_fuse(x) && added.scalar_type() == x.scalar_type()) return fused_add_rms_norm(x, added, weight, epsilon);
  const at::Tensor sum = x.add(added);  // (T, C)
  return {sum, rms_norm(sum, weight, epsilon)};
}

Rotation rotation_of(const at::Tensor& positions, const Rope& rope) {
  const at::Tensor frequencies = at::tensor(rope.frequencies).to(positions.device());  // (D/2)
  const at::Tensor angle = positions.to(at::kFloat).unsqueeze(1).mul(frequencies);     // (T, D/2)
  if (rope.magnitude == 1) return {angle.cos(), angle.sin()};                          // (T, D/2) each
  return {angle.cos().mul_(rope.magnitude), angle.sin().mul_(rope.magnitude)};
}

at::Tensor rotate(const at::Tensor& x, const Rotation& rotation) {
  if (can_fuse(x)) return fused_rotate(x, rotation);
  const at::Tensor cosine = rotation.cosine.unsqueeze(1), sine = rotation.sine.unsqueeze(1);  // (T, 1, D/2)
  const std::vector<at::Tensor> half = x.to(at::kFloat).chunk(2, -1);                         // (T, H, D/2) each
  const at::Tensor first = half[0].mul(cosine).sub(half[1].mul(sine));                        // (T, H, D/2)
  const at::Tensor second = half[1].mul(cosine).add(half[0].mul(sine));                       // (T, H, D/2)
  return at::cat({first, second}, -1).to(x.scalar_type());                                    // (T, H, D)
}

at::Tensor swiglu(const at::Tensor& gate, const at::Tensor& up) {
  return can_fuse(gate) ? fused_swiglu(gate, up) : at::silu(gate).mul(up);  // (T, F)
}

}  // namespace kg::policy
