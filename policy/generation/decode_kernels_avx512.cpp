#include <immintrin.h>

#include "policy/generation/decode_kernels_sets.h"

#define KG_LANES 16
#define KG_PANEL_VECTORS 3
#define KG_PANEL_ROWS 8

namespace kg::policy {
namespace {
inline __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m512 all(float v) { return _mm512_set1_ps(v); }
}  // namespace
#include "policy/generation/decode_kernels_body.h"

const DecodeKernels& avx512_kernels() {
  static constexpr DecodeKernels kKernels{
      "avx512", kPanel,  multiply_panel, multiply_panel_bfloat16, multiply_panel_int8, attend, rms_norm,
      swiglu,   maximum, exponentials,   exponential_sums};
  return kKernels;
}

}  // namespace kg::policy
