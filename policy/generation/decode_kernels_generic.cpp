#include "policy/generation/decode_kernels_sets.h"

#define KG_LANES 4
#define KG_PANEL_VECTORS 2
#define KG_PANEL_ROWS 4

namespace kg::policy {
namespace {
typedef float Lanes __attribute__((vector_size(16), aligned(4), may_alias));
inline Lanes fused(Lanes a, Lanes b, Lanes c) { return a * b + c; }
inline Lanes all(float v) { return Lanes{v, v, v, v}; }
}  // namespace
#include "policy/generation/decode_kernels_body.h"

const DecodeKernels& generic_kernels() {
  static constexpr DecodeKernels kKernels{
      "generic", kPanel,  multiply_panel, multiply_panel_bfloat16, multiply_panel_int8, attend, rms_norm,
      swiglu,    maximum, exponentials,   exponential_sums};
  return kKernels;
}

}  // namespace kg::policy
