#ifndef APPLY_ADAM_W_V2_BASE_H
#define APPLY_ADAM_W_V2_BASE_H
#include "kernel_operator.h"

namespace ApplyAdamWV2 {
using namespace AscendC;
constexpr int32_t BLOCK_SIZE = 32;
constexpr int32_t BUFFER_NUM = 1;

// pow(base, n) for whole n, as the scalar unit can.
__aicore__ inline float PowS(float base, int64_t n) {
  float result = 1.0f;
  while (n > 0) {
    if (n & 1) {
      result *= base;
    }
    base *= base;
    n >>= 1;
  }
  return result;
}

template <typename T>
__aicore__ inline void CopyAny(const LocalTensor<T>& dst, const GlobalTensor<T>& src, int64_t count) {
  DataCopyExtParams copyParams{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
  DataCopyPadExtParams<T> padParams{false, 0, 0, 0};
  DataCopyPad(dst, src, copyParams, padParams);
}
template <typename T>
__aicore__ inline void CopyAny(const GlobalTensor<T>& dst, const LocalTensor<T>& src, int64_t count) {
  DataCopyExtParams copyParams{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
  DataCopyPad(dst, src, copyParams);
}
}  // namespace ApplyAdamWV2
#endif
