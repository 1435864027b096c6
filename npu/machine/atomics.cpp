#include "npu/machine/atomics.h"

#include <cstring>

#include "npu/headers/kgnpu/number.h"

namespace kg::npu {
namespace {

using kgnpu::Type;

// As in the vector calls: NaN in gives NaN out, and of equal operands (both zeros) the later one stays.
template <typename T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <typename T>
T smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

template <typename Bits, typename Value, typename Widen, typename Narrow>
void apply(int mode, std::uint8_t* target, const std::uint8_t* data, std::size_t bytes, Widen widen, Narrow narrow) {
  for (std::size_t i = 0; i + sizeof(Bits) <= bytes; i += sizeof(Bits)) {
    Bits old_bits, new_bits;
    std::memcpy(&old_bits, target + i, sizeof(Bits));
    std::memcpy(&new_bits, data + i, sizeof(Bits));
    const Value a = widen(old_bits), b = widen(new_bits);
    const Value result = mode == 1 ? static_cast<Value>(a + b) : mode == 2 ? larger(a, b) : smaller(a, b);
    const Bits bits = narrow(result);
    std::memcpy(target + i, &bits, sizeof(Bits));
  }
}

template <typename T>
void apply_plain(int mode, std::uint8_t* target, const std::uint8_t* data, std::size_t bytes) {
  const auto same = [](T value) { return value; };
  apply<T, T>(mode, target, data, bytes, same, same);
}

}  // namespace

void apply_atomic(int mode, Type type, std::uint8_t* target, const std::uint8_t* data, std::size_t bytes) {
  switch (type) {
    case Type::kFloat:
      return apply_plain<float>(mode, target, data, bytes);
    case Type::kHalf:
      return apply<std::uint16_t, float>(mode, target, data, bytes, kgnpu::half_value, kgnpu::half_bits);
    case Type::kBfloat16:
      return apply<std::uint16_t, float>(mode, target, data, bytes, kgnpu::bfloat16_value, kgnpu::bfloat16_bits);
    case Type::kInt8:
      return apply_plain<std::int8_t>(mode, target, data, bytes);
    case Type::kInt16:
      return apply_plain<std::int16_t>(mode, target, data, bytes);
    case Type::kInt32:
      return apply_plain<std::int32_t>(mode, target, data, bytes);
    default:
      return;  // the header lets no other type through
  }
}

}  // namespace kg::npu
