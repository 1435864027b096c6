#pragma once

#include "kgnpu/tensor.h"

// LocalMemAllocator: allocates a core's memory piece by piece, for a kernel that does not use TPipe and orders its
// pipes itself.

namespace AscendC {

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
  static_assert(hard == Hardware::UB || hard == Hardware::L1 || hard == Hardware::L0A || hard == Hardware::L0B ||
                    hard == Hardware::L0C,
                "LocalMemAllocator takes Hardware::UB, L1, L0A, L0B, L0C here");
  static constexpr TPosition kg_position = hard == Hardware::UB    ? TPosition::VECCALC
                                           : hard == Hardware::L1  ? TPosition::A1
                                           : hard == Hardware::L0A ? TPosition::A2
                                           : hard == Hardware::L0B ? TPosition::B2
                                                                   : TPosition::CO1;

 public:
  uint32_t GetCurAddr() const { return kg_next; }
  template <TPosition pos, typename DataType, uint32_t tileSize>
  LocalTensor<DataType> Alloc(KG_WHERE) {
    return place<DataType>(pos, tileSize, kg_where);
  }
  template <typename DataType, uint32_t tileSize>
  LocalTensor<DataType> Alloc(KG_WHERE) {
    return place<DataType>(kg_position, tileSize, kg_where);
  }
  template <TPosition pos, typename DataType>
  LocalTensor<DataType> Alloc(uint32_t tileSize, KG_WHERE) {
    return place<DataType>(pos, tileSize, kg_where);
  }
  template <typename DataType>
  LocalTensor<DataType> Alloc(uint32_t tileSize, KG_WHERE) {
    return place<DataType>(kg_position, tileSize, kg_where);
  }

 private:
  template <typename T>
  LocalTensor<T> place(TPosition position, uint32_t elements, ::kgnpu::Where kg_where) {
    const LocalTensor<T> tensor(position, kg_next, elements, kg_where);
    kg_next += (static_cast<uint32_t>(::kgnpu::bytes_of<T>(elements)) + 31) / 32 * 32;
    return tensor;
  }

  uint32_t kg_next = 0;
};

}  // namespace AscendC
