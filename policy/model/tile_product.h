#pragma once

#include <c10/util/BFloat16.h>

#include <cstdint>

namespace kg::policy {

// Products of small matrices inside a parallel loop, with fp32 sums: c (m x n) = a (m x k) b (k x n), added to
// c if `add`. Uses oneDNN's batch-reduce product, which is compiled for this CPU and these sizes on first
// use, if oneDNN has it, else at::mm. `a` has `a_stride` elements and c `c_stride` from row to row, b is
// packed.
struct TileShape {
  std::int64_t m, n, k, a_stride, c_stride;
};
void tile_product(const TileShape& shape, const float* a, const float* b, float* c, bool add);
// b in rows of pairs, as written by pair_rows; k even. Only if bfloat16_products().
void tile_product(const TileShape& shape, const c10::BFloat16* a, const c10::BFloat16* b, float* c, bool add);

// Whether oneDNN has the fp32 product, and the bf16 product with fp32 sums, on this CPU.
bool float_products();
bool bfloat16_products();

// Call it from a thread after its last product: releases the CPU's matrix unit.
void end_tile_products();

}  // namespace kg::policy
