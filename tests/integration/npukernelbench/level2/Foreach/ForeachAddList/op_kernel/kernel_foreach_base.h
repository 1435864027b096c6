#ifndef KERNEL_FOREACH_BASE_H
#define KERNEL_FOREACH_BASE_H

#include "kernel_operator.h"

namespace Common {
namespace OpKernel {
using namespace AscendC;

constexpr uint8_t BUFFER_NUM = 2;
constexpr uint8_t BYTE_PER_BLOCK = 32;

// Which part of which tensors this core works on.
template <typename T>
class KernelForeachBase {
 protected:
  __aicore__ inline KernelForeachBase() {}

  template <typename Tiling>
  __aicore__ inline void Init(const Tiling* tilingData) {
    blockIdx = GetBlockIdx();
    inputsTensorUbSize = tilingData->inputsTensorUbSize;
    tensorDataCountList = tilingData->tensorDataCountList;
    tensorStart = tilingData->tensorStartList[blockIdx];
    tensorEnd = tilingData->tensorEndList[blockIdx];
    tensorStartOffset = tilingData->tensorStartOffsetList[blockIdx];
    tensorEndOffset = tilingData->tensorEndOffsetList[blockIdx];
    maxDataCount = inputsTensorUbSize / sizeof(T);
  }

  // The descriptor's first word is the offset of the addresses.
  __aicore__ inline __gm__ T* GetTensorAddr(uint16_t index, GM_ADDR tensorPtr) {
    __gm__ uint64_t* dataAddr = reinterpret_cast<__gm__ uint64_t*>(tensorPtr);
    uint64_t tensorPtrOffset = *dataAddr;
    __gm__ uint64_t* retPtr = dataAddr + (tensorPtrOffset >> 3);
    return reinterpret_cast<__gm__ T*>(*(retPtr + index));
  }

  template <typename T1, typename T2>
  __aicore__ inline T1 CeilA2B(T1 a, T2 b) {
    return (a + b - 1) / b;
  }

  int64_t blockIdx = 0;
  uint64_t inputsTensorUbSize = 0;
  const int64_t* tensorDataCountList = nullptr;
  uint16_t tensorStart = {0};
  uint16_t tensorEnd = {0};
  int64_t tensorStartOffset = {0};
  int64_t tensorEndOffset = {0};
  uint32_t maxDataCount = {0};
};
}  // namespace OpKernel
}  // namespace Common

#endif
