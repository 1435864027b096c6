#pragma once

#include "kgnpu/tensor.h"

// What copies to GM do with the value that is there.

namespace AscendC {

template <typename T>
inline void SetAtomicAdd() {
  KG_TAKES("SetAtomicAdd", T, float, half, int16_t, int32_t, int8_t, bfloat16_t);
  kgnpu_atomic(1, static_cast<int>(::kgnpu::TypeOf<T>::value));
}
template <typename T>
inline void SetAtomicMax() {
  KG_TAKES("SetAtomicMax", T, float, half, int16_t, int32_t, int8_t, bfloat16_t);
  kgnpu_atomic(2, static_cast<int>(::kgnpu::TypeOf<T>::value));
}
template <typename T>
inline void SetAtomicMin() {
  KG_TAKES("SetAtomicMin", T, float, half, int16_t, int32_t, int8_t, bfloat16_t);
  kgnpu_atomic(3, static_cast<int>(::kgnpu::TypeOf<T>::value));
}
inline void SetAtomicNone() { kgnpu_atomic(0, 0); }
inline void DisableDmaAtomic() { SetAtomicNone(); }  // its name since CANN 9
template <typename T>
inline void SetAtomicType() {
  kgnpu_atomic(1, static_cast<int>(::kgnpu::TypeOf<T>::value));
}

enum class AtomicDtype {
  ATOMIC_NONE = 0,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16,
};
enum class AtomicOp { ATOMIC_SUM = 0 };

namespace kg_detail {
constexpr ::kgnpu::Type kAtomicTypes[] = {::kgnpu::Type::kNone,    ::kgnpu::Type::kFloat, ::kgnpu::Type::kHalf,
                                          ::kgnpu::Type::kInt16,   ::kgnpu::Type::kInt32, ::kgnpu::Type::kInt8,
                                          ::kgnpu::Type::kBfloat16};
}

template <AtomicDtype type, AtomicOp op>
inline void SetStoreAtomicConfig() {
  if constexpr (type == AtomicDtype::ATOMIC_NONE)
    SetAtomicNone();
  else
    kgnpu_atomic(1, static_cast<int>(kg_detail::kAtomicTypes[static_cast<int>(type)]));
}
inline void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp, KG_WHERE) {
  atomicType = 0;
  atomicOp = 0;
  const int mode = kgnpu_atomic_mode();
  if (mode > 1)
    kgnpu_assert_failed(
        "GetStoreAtomicConfig: the mode is that of SetAtomicMax or SetAtomicMin, whose number is not "
        "documented; call it after SetStoreAtomicConfig",
        kg_where.line);
  if (mode != 1) return;
  while (kg_detail::kAtomicTypes[atomicType] != static_cast<::kgnpu::Type>(kgnpu_atomic_type())) ++atomicType;
}

}  // namespace AscendC
