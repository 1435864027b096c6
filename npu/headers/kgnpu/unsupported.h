#pragma once

#include "kgnpu/cube_params.h"
#include "kgnpu/data_copy.h"

// Calls of the device that the emulator lacks: a use is refused with the call's name instead of a message about
// an unknown identifier.

namespace AscendC {
namespace kg_detail {
template <typename...>
constexpr bool never = false;
}

#define KG_REFUSED(Name, why)                                            \
  template <typename... Types, typename... Arguments>                    \
  inline void Name(Arguments&&...) {                                     \
    static_assert(kg_detail::never<Arguments...>, #Name " " why);        \
  }                                                                      \
  template <typename T, bool flag, bool... flags, typename... Arguments> \
  inline void Name(Arguments&&...) {                                     \
    static_assert(kg_detail::never<Arguments...>, #Name " " why);        \
  }

#define KG_UNSUPPORTED(Name) KG_REFUSED(Name, "is not yet supported by the emulated device")
KG_UNSUPPORTED(BilinearInterpolation)
KG_UNSUPPORTED(CheckLocalMemoryIA)
KG_UNSUPPORTED(LoadDataWithSparse)
KG_UNSUPPORTED(LoadImageToLocal)
KG_UNSUPPORTED(MmadWithSparse)
KG_UNSUPPORTED(ReduceXorSum)
KG_UNSUPPORTED(SetAippFunctions)
KG_UNSUPPORTED(TransData)
#undef KG_UNSUPPORTED

// Calls of other chips.
#define KG_OTHER_CHIP(Name) KG_REFUSED(Name, "does not exist on this device (Atlas A2)")
KG_OTHER_CHIP(Conv2D)
KG_OTHER_CHIP(Gemm)
KG_OTHER_CHIP(LoadDataUnzip)
KG_OTHER_CHIP(LoadUnzipIndex)
KG_OTHER_CHIP(Scatter)
KG_OTHER_CHIP(SetFixPipeAddr)
KG_OTHER_CHIP(SetFixPipeClipRelu)
KG_OTHER_CHIP(VectorPadding)
#undef KG_OTHER_CHIP
#undef KG_REFUSED

// UB to L1, which the library does through GM and the other core.
#define KG_NO_COPY_TO_L1(Name)                                                                                       \
  static_assert(kg_detail::never<T>, Name                                                                            \
                " from UB to L1 (TSCM) is not yet supported by the emulated device: copy to a workspace in GM, and " \
                "from there with Nd2NzParams on the cube core")
template <typename T>
inline void DataCopyPad(const LocalTensor<T>&, const LocalTensor<T>&, const DataCopyParams&, const Nd2NzParams&) {
  KG_NO_COPY_TO_L1("DataCopyPad");
}
template <typename T>
inline void DataCopyPad(const LocalTensor<T>&, const LocalTensor<T>&, const DataCopyExtParams&, const Nd2NzParams&) {
  KG_NO_COPY_TO_L1("DataCopyPad");
}
template <typename T>
inline void DataCopy(const LocalTensor<T>&, const LocalTensor<T>&, const Nd2NzParams&) {
  KG_NO_COPY_TO_L1("DataCopy");
}
#undef KG_NO_COPY_TO_L1

template <typename T>
inline T ReadGmByPassDCache(__gm__ T*) {
  static_assert(kg_detail::never<T>,
                "ReadGmByPassDCache does not exist on this device (Atlas A2), whose scalar unit reads GM through its "
                "data cache: call DataCacheCleanAndInvalid on the line, then GetValue; or copy with DataCopyPad");
}
template <typename T>
inline void WriteGmByPassDCache(__gm__ T*, T) {
  static_assert(kg_detail::never<T>,
                "WriteGmByPassDCache does not exist on this device (Atlas A2), whose scalar unit writes GM through its "
                "data cache: give each core lines of 64 bytes of its own, SetValue and DataCacheCleanAndInvalid; or "
                "write with DataCopyPad");
}

}  // namespace AscendC
