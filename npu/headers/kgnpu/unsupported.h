#pragma once

#include "kgnpu/tensor.h"

// Calls of the device that the emulator lacks: a use is refused with the call's name instead of a message about
// an unknown identifier.

namespace AscendC {
namespace kg_detail {
template <typename...>
constexpr bool never = false;
}

#define KG_UNSUPPORTED(Name)                                                                             \
  template <typename... Types, typename... Arguments>                                                    \
  inline void Name(Arguments&&...) {                                                                     \
    static_assert(kg_detail::never<Arguments...>, #Name " is not yet supported by the emulated device"); \
  }                                                                                                      \
  template <typename T, bool flag, bool... flags, typename... Arguments>                                 \
  inline void Name(Arguments&&...) {                                                                     \
    static_assert(kg_detail::never<Arguments...>, #Name " is not yet supported by the emulated device"); \
  }
KG_UNSUPPORTED(SoftmaxFlashV3)
#undef KG_UNSUPPORTED

// Calls of other chips.
template <typename... Arguments>
inline void Scatter(Arguments&&...) {
  static_assert(kg_detail::never<Arguments...>, "Scatter does not exist on this device (Atlas A2)");
}

}  // namespace AscendC
