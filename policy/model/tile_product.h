#pragma once

#include <c10/util/BFloat16.h>

#include <cstdint>

namespace kg::policy {

// Products of small matrices inside a parallel loop, with sums in fp32: c (m x n) = a (m x k) b (k x n), added to what
// c holds if `add`. By oneDNN's batch-reduce product, which is compiled for this CPU and these sizes when it is first
// called, where oneDNN has it, else by at::mm. `a` has `a_stride` elements and c `c_stride` from row to row, b is
// packed.
struct TileShape {
  std::int64_t m, n, k, a_stride, c_stride;
};
void tile_product(const TileShape& shape, const float* a, const float* b, float* c, bool add);
// b in rows of pairs, as pair_rows writes them; k even. Only where bfloat16_products().
void tile_product(const TileShape& shape, const c10::BFloat16* a, const c10::BFloat16* b, float* c, bool add);

// Whether oneDNN has the product of fp32, and that of bf16 with sums in fp32, on this CPU.
bool float_products();
bool bfloat16_products();

// To be called by a thread after its last product: gives the CPU's matrix unit back.
void end_tile_products();

}  // namespace kg::policy
