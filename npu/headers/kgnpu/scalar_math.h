#pragma once

#include <type_traits>

// Arithmetic of the scalar unit that the device compiler has built in. Found by unqualified names from anywhere, yet
// not members of the global namespace: a kernel may be called sqrt, and its launcher then asks for ::sqrt.

namespace kgnpu_scalar {

template <typename T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, __fp16>;
// The result type of min(a, b) for two types: that of a ? b : c.
template <typename A, typename B>
using Common = std::enable_if_t<is_number<A> && is_number<B>, std::decay_t<decltype(true ? A() : B())>>;

inline float sqrt(float value) { return __builtin_sqrtf(value); }
// With two types each, so that a kernel's own min(T, T) is a better match and not ambiguous.
template <typename A, typename B>
constexpr Common<A, B> min(A a, B b) {
  return static_cast<Common<A, B>>(b) < static_cast<Common<A, B>>(a) ? static_cast<Common<A, B>>(b)
                                                                     : static_cast<Common<A, B>>(a);
}
template <typename A, typename B>
constexpr Common<A, B> max(A a, B b) {
  return static_cast<Common<A, B>>(a) < static_cast<Common<A, B>>(b) ? static_cast<Common<A, B>>(b)
                                                                     : static_cast<Common<A, B>>(a);
}
template <typename A, typename = std::enable_if_t<is_number<A>>>
constexpr A abs(A value) {
  if constexpr (std::is_same_v<A, float>)
    return __builtin_fabsf(value);
  else
    return value < A(0) ? static_cast<A>(-value) : value;
}

// One bit of a number.
constexpr unsigned long sbitset0(unsigned long value, long bit) { return value & ~(1ul << bit); }
constexpr unsigned long sbitset1(unsigned long value, long bit) { return value | 1ul << bit; }

}  // namespace kgnpu_scalar

using namespace kgnpu_scalar;
