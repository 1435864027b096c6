// Elementwise integer arithmetic, logic and shifts. Arithmetic wraps.

#include <type_traits>

#include "npu/calls/lanes.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

template <typename T>
struct Int {
  using U = std::make_unsigned_t<T>;
  struct Add {
    static T at(T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); }
  };
  struct Sub {
    static T at(T a, T b) { return static_cast<T>(static_cast<U>(a) - static_cast<U>(b)); }
  };
  // Through 64 bits: the product of two 16-bit values promoted to int may overflow it.
  struct Mul {
    static T at(T a, T b) { return static_cast<T>(static_cast<U>(std::uint64_t(U(a)) * std::uint64_t(U(b)))); }
  };
  struct Max {
    static T at(T a, T b) { return a > b ? a : b; }
  };
  struct Min {
    static T at(T a, T b) { return a < b ? a : b; }
  };
  struct Relu {
    static T at(T a) { return a > 0 ? a : T{0}; }
  };
  struct AddRelu {
    static T at(T a, T b) { return Relu::at(Add::at(a, b)); }
  };
  struct SubRelu {
    static T at(T a, T b) { return Relu::at(Sub::at(a, b)); }
  };
  struct And {
    static T at(T a, T b) { return static_cast<T>(a & b); }
  };
  struct Or {
    static T at(T a, T b) { return static_cast<T>(a | b); }
  };
  struct Not {
    static T at(T a) { return static_cast<T>(~a); }
  };
  struct ShiftLeft {  // a signed number keeps its sign bit
    static T at(T a, T by) {
      constexpr U kept = std::is_signed_v<T> ? U(U{1} << (8 * sizeof(T) - 1)) : U{0};
      const U moved = by < 0 || by >= T(8 * sizeof(T)) ? U{0} : static_cast<U>(static_cast<U>(a) << by);
      return static_cast<T>((static_cast<U>(a) & kept) | (moved & static_cast<U>(~kept)));
    }
  };
  struct ShiftRight {  // arithmetic for signed types
    static T at(T a, T by) {
      const int most = static_cast<int>(8 * sizeof(T)) - 1;
      if (by < 0 || static_cast<std::int64_t>(by) > most)
        return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
      return static_cast<T>(a >> by);
    }
  };
};

#define KG_INT(type, T)                                                                                             \
  {Op::kAdd, type, type, binary<T, Int<T>::Add>}, {Op::kSub, type, type, binary<T, Int<T>::Sub>},                   \
      {Op::kMul, type, type, binary<T, Int<T>::Mul>}, {Op::kMax, type, type, binary<T, Int<T>::Max>},               \
      {Op::kMin, type, type, binary<T, Int<T>::Min>}, {Op::kAdds, type, type, with_scalar<T, Int<T>::Add>},         \
      {Op::kMuls, type, type, with_scalar<T, Int<T>::Mul>}, {Op::kMaxs, type, type, with_scalar<T, Int<T>::Max>}, { \
    Op::kMins, type, type, with_scalar<T, Int<T>::Min>                                                              \
  }
#define KG_BITS(type, T)                                             \
  {Op::kShiftLeft, type, type, with_scalar<T, Int<T>::ShiftLeft>}, { \
    Op::kShiftRight, type, type, with_scalar<T, Int<T>::ShiftRight>  \
  }
#define KG_LOGIC(type, T)                                                                         \
  {Op::kAnd, type, type, binary<T, Int<T>::And>}, {Op::kOr, type, type, binary<T, Int<T>::Or>}, { \
    Op::kNot, type, type, unary<T, Int<T>::Not>                                                   \
  }

constexpr Elementwise kTable[] = {
    KG_INT(Type::kInt16, std::int16_t),
    KG_INT(Type::kInt32, std::int32_t),
    KG_BITS(Type::kInt16, std::int16_t),
    KG_BITS(Type::kUint16, std::uint16_t),
    KG_BITS(Type::kInt32, std::int32_t),
    KG_BITS(Type::kUint32, std::uint32_t),
    KG_LOGIC(Type::kInt16, std::int16_t),
    KG_LOGIC(Type::kUint16, std::uint16_t),
    KG_LOGIC(Type::kUint8, std::uint8_t),
    {Op::kRelu, Type::kInt32, Type::kInt32, unary<std::int32_t, Int<std::int32_t>::Relu>},
    {Op::kAddRelu, Type::kInt16, Type::kInt16, binary<std::int16_t, Int<std::int16_t>::AddRelu>},
    {Op::kSubRelu, Type::kInt16, Type::kInt16, binary<std::int16_t, Int<std::int16_t>::SubRelu>},
};

}  // namespace

std::span<const Elementwise> integer_table() { return kTable; }

}  // namespace kg::npu
