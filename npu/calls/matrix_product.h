#pragma once

#include <cstdint>
#include <vector>

namespace kg::npu {

// The arithmetic of Mmad on unpacked operands, blocked for this CPU.
//
// A is (m, k) by rows. B and C have columns of 16: b[n / 16][k][n % 16] and c[n / 16][row][n % 16] with `c_rows`
// rows in each column. The result is added to C. Floats: one fused multiply-add after the other in the order of k, so
// half and bfloat16_t values are exact and each addition rounds once. Integers: exact modulo 2^32.
void multiply_floats(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c,
                     std::int64_t c_rows);

// Neighbouring k are stored in pairs: a[row][k / 2][2], b[n / 16][k / 2][n % 16][2]; k is even (padded with zeros).
void multiply_integers(std::int64_t m, std::int64_t n, std::int64_t k, const std::int16_t* a, const std::int16_t* b,
                       std::int32_t* c, std::int64_t c_rows);

}  // namespace kg::npu
