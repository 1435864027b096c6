#include <immintrin.h>

#include "policy/generation/decode_kernels_sets.h"

#define KG_LANES 8
#define KG_PANEL_VECTORS 3
#define KG_PANEL_ROWS 4

namespace kg::policy {
namespace {
inline __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256 all(float v) { return _mm256_set1_ps(v); }
}  // namespace
#include "policy/generation/decode_kernels_body.h"

const DecodeKernels& avx2_kernels() {
  static constexpr DecodeKernels kKernels{
      "avx2", kPanel,  multiply_panel, multiply_panel_bfloat16, multiply_panel_int8, attend, rms_norm,
      swiglu, maximum, exponentials,   exponential_sums};
  return kKernels;
}

}  // namespace kg::policy
