#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "npu/calls/convert.h"
#include "npu/calls/elementwise.h"

// The loops used by the tables: a lane function over floats, doubles or integers becomes a RunFunction. half
// operands are widened in pieces, computed in float and rounded once (exact for +, -, *, /, sqrt: float has more than
// twice the digits).

namespace kg::npu {

inline constexpr std::size_t kPiece = 256;

template <typename T>
inline T scalar_of(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
inline float half_scalar(std::uint64_t bits) {
  const auto half = static_cast<std::uint16_t>(bits);
  float value;
  widen_half(&half, &value, 1);
  return value;
}

// The input of narrow_half: a lane that computes in double is rounded to half directly, in one step.
inline float to_narrow(float value) { return value; }
inline float to_narrow(double value) { return float_to_odd(value); }

// dst = f(a, b)
template <typename T, typename F>
void binary(const Run& run) {
  const T* a = static_cast<const T*>(run.a);
  const T* b = static_cast<const T*>(run.b);
  T* dst = static_cast<T*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = static_cast<T>(F::at(a[i], b[i]));
}
template <typename F>
void binary_half(const Run& run) {
  float a[kPiece], b[kPiece];
  for (std::size_t done = 0; done < run.n; done += kPiece) {
    const std::size_t n = std::min(kPiece, run.n - done);
    widen_half(static_cast<const std::uint16_t*>(run.a) + done, a, n);
    widen_half(static_cast<const std::uint16_t*>(run.b) + done, b, n);
    for (std::size_t i = 0; i < n; ++i) a[i] = to_narrow(F::at(a[i], b[i]));
    narrow_half(a, static_cast<std::uint16_t*>(run.dst) + done, n);
  }
}

// dst = f(a)
template <typename T, typename F>
void unary(const Run& run) {
  const T* a = static_cast<const T*>(run.a);
  T* dst = static_cast<T*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = static_cast<T>(F::at(a[i]));
}
template <typename F>
void unary_half(const Run& run) {
  float a[kPiece];
  for (std::size_t done = 0; done < run.n; done += kPiece) {
    const std::size_t n = std::min(kPiece, run.n - done);
    widen_half(static_cast<const std::uint16_t*>(run.a) + done, a, n);
    for (std::size_t i = 0; i < n; ++i) a[i] = to_narrow(F::at(a[i]));
    narrow_half(a, static_cast<std::uint16_t*>(run.dst) + done, n);
  }
}

// dst = f(a, scalar)
template <typename T, typename F>
void with_scalar(const Run& run) {
  const T* a = static_cast<const T*>(run.a);
  T* dst = static_cast<T*>(run.dst);
  const T scalar = scalar_of<T>(run.scalar);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = static_cast<T>(F::at(a[i], scalar));
}
template <typename F>
void with_scalar_half(const Run& run) {
  float a[kPiece];
  const float scalar = half_scalar(run.scalar);
  for (std::size_t done = 0; done < run.n; done += kPiece) {
    const std::size_t n = std::min(kPiece, run.n - done);
    widen_half(static_cast<const std::uint16_t*>(run.a) + done, a, n);
    for (std::size_t i = 0; i < n; ++i) a[i] = to_narrow(F::at(a[i], scalar));
    narrow_half(a, static_cast<std::uint16_t*>(run.dst) + done, n);
  }
}

}  // namespace kg::npu
