#pragma once

#include "abi.h"  // beside this file: kernels and the runtime have other include paths

// One product of the Matmul object: C (m, n) = A (m, k) * B (k, n) + bias.

namespace kgnpu {

// How an operand is stored in memory. The values of CubeFormat.
enum class MatrixFormat : uint8_t { kNd, kNz, kZn, kZz, kNn, kVector, kNdAlign };

struct MatrixPlace {
  uint64_t gm = 0;               // 0: in `local`, or absent if that is null too
  const Local* local = nullptr;  // UB or L1
  Type type = Type::kNone;
  MatrixFormat format = MatrixFormat::kNd;
  uint8_t transposed = 0;  // stored transposed
  int64_t rows = 0;        // size of the whole matrix as stored
  int64_t columns = 0;
  int64_t row = 0;  // position of the part in the matrix as used (not as stored)
  int64_t column = 0;
};

struct MatmulCall {
  MatrixPlace a, b, c;
  MatrixPlace bias;  // one row
  int64_t m = 0, n = 0, k = 0;
  // What determines the time it takes: the base block, elements of K in a copy of A and of B to L1, and how many panels
  // (the rows or columns of a base block along the whole of K) L1 keeps.
  int32_t base_m = 0, base_n = 0, copied_ka = 0, copied_kb = 0, kept_a = 0, kept_b = 0;
  uint8_t atomic = 0;        // 0 none, 1 add, 2 max, 3 min
  uint8_t wait = 1;          // otherwise kgnpu_matmul_wait waits
  uint8_t quantisation = 0;  // QuantMode_t
  uint64_t scale = 0;
  uint64_t scales = 0;  // GM address, one 64-bit word per column
  int32_t line = 0;
};

}  // namespace kgnpu

extern "C" {
void kgnpu_matmul(const kgnpu::MatmulCall* call);
void kgnpu_matmul_wait(int line);
// The object runs on the cube core itself (ASCENDC_CUBE_ONLY), not on behalf of vector cores.
void kgnpu_matmul_on_cube();
}
