#pragma once

#include <stdint.h>

#include <type_traits>

#include "kgnpu/abi.h"
#include "kgnpu/number.h"

// The device language on top of C++17: qualifiers, address spaces, number types.

// A kernel compiles as clang's device-side CUDA for the host's processor. The device compiler is built the same way, so
// a function without __aicore__ is a host function, which no device function may call, and host variables cannot be
// accessed. The headers count as both sides (see kernel_operator.h).
#ifdef __CUDA__
#define __aicore__ __attribute__((device))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))  // also used by clang's own headers
#else
#define __aicore__
#define __host__
#endif
// A kernel of vector cores, of cube cores, of groups of both. The launch finds it by its section.
#ifdef __CUDA__
#define __vector__ __aicore__ __attribute__((section(".text.kgnpu_cores_0_1")))
#define __cube__ __aicore__ __attribute__((section(".text.kgnpu_cores_1_0")))
#define __mix__(cubes, vectors) __aicore__ __attribute__((section(".text.kgnpu_cores_" #cubes "_" #vectors)))
#else
#define __vector__ __aicore__
#define __cube__ __aicore__
#define __mix__(cubes, vectors) __aicore__
#endif
#define __schedmode__(mode)                         // a launch has the device for itself
#define __global__ __attribute__((used, noinline))  // task_type.h asks what is a kernel's own
#define __host_aicore__ __aicore__
// A variable at namespace scope that each core has for itself, as long as it runs.
#ifdef __CUDA__
#define __BLOCK_LOCAL__ __aicore__ __attribute__((section("kgnpu_block_local")))
#else
#define __BLOCK_LOCAL__
#endif
#define __inout_pipe__(...)
#define __forceinline__ inline __attribute__((always_inline))
// Address spaces below 256 are plain addresses on x86; clang only keeps the pointer types distinct.
#define __gm__ __attribute__((address_space(1)))
#define __ubuf__ __attribute__((address_space(2)))
#define __cbuf__ __attribute__((address_space(3)))
#define __ca__ __attribute__((address_space(4)))
#define __cb__ __attribute__((address_space(5)))
#define __cc__ __attribute__((address_space(6)))
#define __fbuf__ __attribute__((address_space(7)))
#define __biasbuf__ __attribute__((address_space(8)))
#define __CCE_AICORE__ 220
#define __NPU_ARCH__ 2201
#define GM_ADDR __gm__ uint8_t*
// Stored where the launch finds them before any core starts.
#define KG_TASK_TYPE(key, has_key, type)      \
  static const ::kgnpu::TaskType kg_task_type \
      __attribute__((used, section("kgnpu_tasks"))) = {static_cast<int64_t>(key), has_key, static_cast<int32_t>(type)}
#define KERNEL_TASK_TYPE_DEFAULT(type) \
  do {                                 \
    KG_TASK_TYPE(0, 0, type);          \
  } while (false)
#define KERNEL_TASK_TYPE(key, type) \
  do {                              \
    KG_TASK_TYPE(key, 1, type);     \
  } while (false)
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

// A number type of the language, as on the device: conversions, promotions and overloads are the compiler's. Each
// operation rounds to half (requested by compile_flags()).
using half = __fp16;

// DTYPE_X for complex tensors; nothing computes with it, and a kernel may define a complex64 of its
// own.
struct __complex64 {
  float real, imag;
};

// The compiler for the device takes a cast from bfloat16_t to float, but cannot make code of it: it is an error where
// it stays in the program, and none behind a return.
__attribute__((error("no instruction converts bfloat16_t to float; use ToFloat"))) float kg_cast_of_bfloat16();

// On the device only ToFloat and ToBfloat16 convert it, and it has no arithmetic. A class: clang has no such scalar.
struct bfloat16_t {
  uint16_t kg_bits;

  bfloat16_t() = default;
  constexpr bfloat16_t(const bfloat16_t&) = default;
  // The literal 0, which templates over data types use as a padding or initial value.
  constexpr bfloat16_t(decltype(nullptr)) : kg_bits(0) {}
  // Explicit: bfloat16_t(x) or static_cast<bfloat16_t>(x), to nearest even. The page of the scalar Cast to float
  // (atlasascendc_api_07_0022) writes `(bfloat16_t)1`.
  template <typename F,
            typename = std::enable_if_t<std::is_same_v<F, float> || std::is_same_v<F, half> || std::is_integral_v<F>>>
  constexpr explicit bfloat16_t(F value) : kg_bits(::kgnpu::bfloat16_bits(static_cast<float>(value))) {}
  explicit operator float() const { return kg_cast_of_bfloat16(); }
  bfloat16_t& operator=(const bfloat16_t&) = default;
  // Templates, because clang counts a copy from another address space as a copy constructor, and the type would not be
  // trivial.
  template <int = 0>
  bfloat16_t(const __gm__ bfloat16_t& other) : kg_bits(other.kg_bits) {}
  template <int = 0>
  bfloat16_t(const __ubuf__ bfloat16_t& other) : kg_bits(other.kg_bits) {}
  static constexpr bfloat16_t kg_from_bits(uint16_t bits) { return bfloat16_t(bits, 0); }

 private:
  constexpr bfloat16_t(uint16_t bits, int) : kg_bits(bits) {}
};

// Half a byte, -8 to 7: an element of tensors and of Cast, never a number of the scalar unit. It has a class of a byte,
// so sizeof gives 1, while a tensor holds two in a byte, the first in the low four bits.
struct int4b_t {
 private:
  uint8_t kg_pair;
};
namespace AscendC {
using ::int4b_t;
}

using float16_t = half;
using float32_t = float;

static_assert(std::is_trivially_copyable_v<bfloat16_t>, "");

namespace kgnpu {

template <typename T>
struct TypeOf {
  static constexpr Type value = Type::kNone;
};
template <>
struct TypeOf<float> {
  static constexpr Type value = Type::kFloat;
};
template <>
struct TypeOf<half> {
  static constexpr Type value = Type::kHalf;
};
template <>
struct TypeOf<bfloat16_t> {
  static constexpr Type value = Type::kBfloat16;
};
template <>
struct TypeOf<int8_t> {
  static constexpr Type value = Type::kInt8;
};
template <>
struct TypeOf<uint8_t> {
  static constexpr Type value = Type::kUint8;
};
template <>
struct TypeOf<int16_t> {
  static constexpr Type value = Type::kInt16;
};
template <>
struct TypeOf<uint16_t> {
  static constexpr Type value = Type::kUint16;
};
template <>
struct TypeOf<int32_t> {
  static constexpr Type value = Type::kInt32;
};
template <>
struct TypeOf<uint32_t> {
  static constexpr Type value = Type::kUint32;
};
template <>
struct TypeOf<int64_t> {
  static constexpr Type value = Type::kInt64;
};
template <>
struct TypeOf<uint64_t> {
  static constexpr Type value = Type::kUint64;
};
template <>
struct TypeOf<bool> {
  static constexpr Type value = Type::kBool;
};

template <>
struct TypeOf<int4b_t> {
  static constexpr Type value = Type::kInt4;
};

// A tensor's elements and bytes.
template <typename T>
inline constexpr uint64_t elements_in_byte = std::is_same_v<T, int4b_t> ? 2 : 1;
template <typename T>
constexpr uint64_t bytes_of(uint64_t elements) {
  return (elements * sizeof(T) + elements_in_byte<T> - 1) / elements_in_byte<T>;
}
template <typename T>
constexpr uint64_t elements_of(uint64_t bytes) {
  return bytes / sizeof(T) * elements_in_byte<T>;
}
// A scalar of the type exists.
template <typename T>
inline constexpr bool has_scalar = !std::is_same_v<T, int4b_t>;

template <typename T, typename... Allowed>
inline constexpr bool is_one_of = (std::is_same_v<T, Allowed> || ...);

// The bits of a scalar, low bytes first, upper bytes zero.
template <typename T>
constexpr uint64_t bits_of(const T& value) {
  static_assert(TypeOf<T>::value != Type::kNone, "a tensor of this type does not exist on the device");
  if constexpr (sizeof(T) == 1)
    return __builtin_bit_cast(uint8_t, value);
  else if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(uint16_t, value);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(uint32_t, value);
  else
    return __builtin_bit_cast(uint64_t, value);
}

template <typename T>
constexpr T value_of(uint64_t bits) {
  if constexpr (sizeof(T) == 1)
    return __builtin_bit_cast(T, static_cast<uint8_t>(bits));
  else if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(T, static_cast<uint16_t>(bits));
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, static_cast<uint32_t>(bits));
  else
    return __builtin_bit_cast(T, bits);
}

}  // namespace kgnpu

// Appended to the parameters of every call that can fault. It has its own type, so that a surplus argument of the user
// is not taken for a line. The second parameter prevents taking the function's address, and makes it the preferred
// overload: the toolchain adds the same function with only the published parameters (published_forms.h).
#define KG_WHERE                                    \
  ::kgnpu::Where kg_where = ::kgnpu::Where::here(), \
                 const void *const kg_call __attribute__((pass_object_size(0))) = nullptr
// The data types that a call accepts: as text in the message, and in clang's note with the type found.
#define KG_TAKES(call, T, ...)                      \
  static_assert(::kgnpu::is_one_of<T, __VA_ARGS__>, \
                call " does not take this data type on this device; it takes: " #__VA_ARGS__)
