#pragma once

#include "abi.h"  // beside this file: kernels and the runtime have other include paths

// One product of the Matmul object: C (m, n) = A (m, k) * B (k, n) + bias.

namespace kgnpu {

// How an operand is stored in memory: the values of CubeFormat, and L0C's columns of 16.
enum class MatrixFormat : uint8_t { kNd, kNz, kZn, kZz, kNn, kVector, kNdAlign, kScalar, kInL0c };

struct MatrixPlace {
  uint64_t gm = 0;               // 0: in `local`, or absent if that is null too
  uint64_t value = 0;            // kScalar: the bits of every element
  const Local* local = nullptr;  // UB or L1
  Type type = Type::kNone;
  MatrixFormat format = MatrixFormat::kNd;
  uint8_t transposed = 0;  // stored transposed
  int64_t rows = 0;        // size of the whole matrix as stored
  int64_t columns = 0;
  int64_t row = 0;  // position of the part in the matrix as used (not as stored)
  int64_t column = 0;
};

// A product is computed and written at once, or by Iterate and by GetTensorC; in between the runtime keeps it.
enum class MatmulStage : uint8_t { kWhole, kProduct, kResult };

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
  uint64_t object = 0;  // tells objects apart
  MatmulStage stage = MatmulStage::kWhole;
  uint8_t partial = 0;      // adds to the product that is kept
  uint8_t registered = 0;   // its number in REGIST_MATMUL_OBJ, from 1
  uint8_t initialised = 0;  // by REGIST_MATMUL_OBJ or Init
  uint8_t copies = 0;       // which of A, B (bits 0 and 1) its callbacks copy; and what these are told

  int32_t base_k = 0;
  uint64_t user_info = 0, self_data = 0;
  int32_t line = 0;
};

// What a cube core reads of a call that it serves.
struct MatmulWork {
  int32_t served = 0;  // 0: no vector core of the group is left
  int64_t m = 0, n = 0, k = 0;
  int32_t base_m = 0, base_n = 0, base_k = 0;
  uint64_t a = 0, b = 0;            // GM addresses
  int64_t a_row = 0, b_column = 0;  // of the first block, from those
  uint64_t user_info = 0, self_data = 0;
  MatmulStage stage = MatmulStage::kWhole;
};

// A part of the product of a call that is served, in elements from the call's own: A (m, k) and B (k, n) add to block
// (m, n) of C.
struct MatmulBlock {
  int64_t row = 0, column = 0, inner = 0, m = 0, n = 0, k = 0;
  int32_t line = 0;
};
// Where a block of C belongs; the parameters of DataCopyOut follow from it.
struct MatmulPlaceOut {
  uint64_t gm = 0;
  int64_t row_elements = 0;  // from row to row of C
  uint64_t scale = 0;
};

}  // namespace kgnpu

extern "C" {
void kgnpu_matmul(const kgnpu::MatmulCall* call);
void kgnpu_matmul_wait(int line);
// The object runs on the cube core itself (ASCENDC_CUBE_ONLY), not on behalf of vector cores.
void kgnpu_matmul_on_cube();
// This cube core is at the registration of its vector cores' objects.
void kgnpu_matmul_serves(int line);
// Objects with callbacks. post() gives a product to the group's cube core and waits; 1 where the caller is that core
// and has to do it. The cube core receive()s calls, asks for room in L1 for each copy of A (0) or B (1), multiplies
// what lies there, and gives blocks to DataCopyOut or writes them itself; then done().
int kgnpu_matmul_post(const kgnpu::MatmulCall* call);
void kgnpu_matmul_receive(kgnpu::MatmulWork* work);
void kgnpu_matmul_room(int operand, kgnpu::Local* tensor);
void kgnpu_matmul_block(const kgnpu::MatmulBlock* block);
void kgnpu_matmul_in_l0c(const kgnpu::MatmulBlock* block, kgnpu::Local* tensor, kgnpu::MatmulPlaceOut* place);
void kgnpu_matmul_write(const kgnpu::MatmulBlock* block);
void kgnpu_matmul_done();
}
