#ifndef APPLY_ADAM_W_V2_BASE_H
#define APPLY_ADAM_W_V2_BASE_H
#include "kernel_operator.h"

namespace ApplyAdamWV2 {
using namespace AscendC;
constexpr int32_t BLOCK_SIZE = 32;
constexpr int32_t BUFFER_NUM = 1;

// Numbers from 0 to 1 in units of 2^-62: the corrections need more digits than a float has, and double is not for the
// device.
constexpr uint64_t FIXED_ONE = 1ULL << 62;

__aicore__ inline uint64_t MulFixed(uint64_t a, uint64_t b) {
  const uint64_t low = 0xffffffffULL;
  const uint64_t cross = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);
  const uint64_t other = (a & low) * (b >> 32) + (cross & low);
  return ((a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32)) << 2 | (other & low) >> 30;
}

// 1 - base^n for n from 1.
__aicore__ inline uint64_t OneMinusPower(uint64_t base, int64_t n) {
  uint64_t power = FIXED_ONE;
  while (n > 0) {
    if (n & 1) {
      power = MulFixed(power, base);
    }
    base = MulFixed(base, base);
    n >>= 1;
  }
  return FIXED_ONE - power;
}

// a / b * 2^exponent as the nearest float; a up to 2^62, b from 1 to 2^62.
__aicore__ inline float Ratio(uint64_t a, uint64_t b, int64_t exponent) {
  if (a == 0) {
    return 0.0f;
  }
  while (b < FIXED_ONE) {
    b <<= 1;
    exponent++;
  }
  while (a < b) {
    a <<= 1;
    exponent--;
  }
  int32_t quotient = 0;
  for (int32_t i = 0; i < 27; i++) {
    quotient <<= 1;
    if (a >= b) {
      a -= b;
      quotient |= 1;
    }
    a <<= 1;
  }
  // More bits than a float holds, and the last says whether anything follows: it rounds as the exact quotient would.
  float result = static_cast<float>(quotient << 1 | (a != 0));
  for (exponent -= 27; exponent < 0; exponent++) {
    result *= 0.5f;
  }
  for (; exponent > 0; exponent--) {
    result *= 2.0f;
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
