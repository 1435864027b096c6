#include "trainer/adamw_cuda.h"

#include <string>

#include "base/check.h"
#include "policy/model/cuda_program.h"

namespace kg::trainer {
namespace {

constexpr const char* kSource = R"cuda(
struct Constants { float beta1, beta2, epsilon, gradient_scale, keep, step_size, root_scale; };

template <typename G>
__device__ void adamw(float* weights, float* first, float* second, const G* gradient, bf16* copy, i64 n, Constants c) {
  for (i64 i = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += static_cast<i64>(gridDim.x) * blockDim.x) {
    const float g = widened(gradient[i]) * c.gradient_scale;
    const float m = first[i] + (1.0f - c.beta1) * (g - first[i]), v = second[i] * c.beta2 + (1.0f - c.beta2) * g * g;
    const float w = weights[i] * c.keep - c.step_size * m / (sqrtf(v) * c.root_scale + c.epsilon);
    first[i] = m;
    second[i] = v;
    weights[i] = w;
    if (copy != nullptr) narrow(w, copy[i]);
  }
}

extern "C" __global__ void adamw_float32(float* w, float* m, float* v, const float* g, bf16* copy, i64 n, Constants c) {
  adamw(w, m, v, g, copy, n, c);
}
extern "C" __global__ void adamw_bfloat16(float* w, float* m, float* v, const bf16* g, bf16* copy, i64 n, Constants c) {
  adamw(w, m, v, g, copy, n, c);
}
)cuda";

}  // namespace

void adamw_on_cuda(const at::Tensor& weights, const at::Tensor& first, const at::Tensor& second,
                   const at::Tensor& gradient, const at::Tensor& copy, const AdamWConstants& constants) {
  for (const at::Tensor& x : {weights, first, second, gradient})
    KG_CHECK(x.is_contiguous() && x.numel() == weights.numel());
  KG_CHECK(!copy.defined() || (copy.is_contiguous() && copy.scalar_type() == at::kBFloat16));
  constexpr std::int64_t kThreads = 256, kMostBlocks = 1 << 20;
  const std::int64_t n = weights.numel();
  policy::CudaProgram::of(kSource, weights.device())
      .launch(gradient.scalar_type() == at::kFloat ? "adamw_float32" : "adamw_bfloat16",
              {.x = std::min(kMostBlocks, (n + kThreads - 1) / kThreads), .threads = kThreads}, weights.data_ptr(),
              first.data_ptr(), second.data_ptr(), gradient.data_ptr(), copy.defined() ? copy.data_ptr() : nullptr,
              static_cast<long long>(n), constants);
}

}  // namespace kg::trainer
