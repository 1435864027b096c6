#ifndef GEMM_BASE_HPP
#define GEMM_BASE_HPP

#include <kernel_operator.h>

#define GEMM_DEVICE __forceinline__[aicore]
#define GEMM_HOST_DEVICE __forceinline__[host, aicore]
#define GEMM_GLOBAL __global__[aicore]

namespace gemm {

template <typename T>
GEMM_HOST_DEVICE constexpr T CeilDiv(T dividend, T divisor) {
  return (dividend + divisor - 1) / divisor;
}
template <uint32_t ALIGN, typename T>
GEMM_HOST_DEVICE constexpr T RoundUp(T value) {
  static_assert(ALIGN != 0, "ALIGN must not be 0");
  return (value + ALIGN - 1) / ALIGN * ALIGN;
}

// A point or an extent.
template <int RANK_, class Index_ = uint32_t>
struct Coord {
  static const int RANK = RANK_;
  using Index = Index_;
  Index idx[RANK];

  GEMM_HOST_DEVICE constexpr explicit Coord(Index value = Index(0)) {
    for (int i = 0; i < RANK; ++i) {
      idx[i] = value;
    }
  }
  GEMM_HOST_DEVICE constexpr Coord(Index const (&idx_)[RANK]) {
    for (int i = 0; i < RANK; ++i) {
      idx[i] = idx_[i];
    }
  }
  GEMM_HOST_DEVICE Coord operator*(Coord const& b) const {
    Coord c;
    for (int i = 0; i < RANK; ++i) {
      c.idx[i] = idx[i] * b.idx[i];
    }
    return c;
  }
  GEMM_HOST_DEVICE Index& operator[](int dim) { return idx[dim]; }
  GEMM_HOST_DEVICE Index const& operator[](int dim) const { return idx[dim]; }
};

struct GemmCoord : public Coord<3, uint32_t> {
  using Base = Coord<3, uint32_t>;
  GEMM_HOST_DEVICE GemmCoord() {}
  GEMM_HOST_DEVICE constexpr GemmCoord(Coord<3, uint32_t> const& coord) : Base(coord) {}
  GEMM_HOST_DEVICE constexpr GemmCoord(uint32_t m, uint32_t n, uint32_t k) : Base({m, n, k}) {}
  GEMM_HOST_DEVICE constexpr uint32_t const& m() const { return idx[0]; }
  GEMM_HOST_DEVICE constexpr uint32_t const& n() const { return idx[1]; }
  GEMM_HOST_DEVICE constexpr uint32_t const& k() const { return idx[2]; }
};

template <uint32_t M_, uint32_t N_, uint32_t K_>
struct GemmShape {
  static constexpr uint32_t M = M_;
  static constexpr uint32_t N = N_;
  static constexpr uint32_t K = K_;
};

namespace layout {
struct RowMajor {
  uint32_t rows = 0;
  uint32_t columns = 0;
  GEMM_HOST_DEVICE RowMajor(uint32_t rows_ = 0, uint32_t columns_ = 0) : rows(rows_), columns(columns_) {}
  GEMM_HOST_DEVICE int64_t GetOffset(uint32_t row, uint32_t column) const {
    return static_cast<int64_t>(row) * columns + column;
  }
};
}  // namespace layout

namespace Arch {
struct AtlasA2 {
  static constexpr uint32_t L1_SIZE = 512 * 1024;
  static constexpr uint32_t L0A_SIZE = 64 * 1024;
  static constexpr uint32_t L0B_SIZE = 64 * 1024;
  static constexpr uint32_t L0C_SIZE = 128 * 1024;
};

// A whole memory as one tensor, to be cut by hand.
template <AscendC::TPosition POSITION, uint32_t SIZE>
struct LocalTensorBuffer {
  GEMM_DEVICE LocalTensorBuffer() {
    AscendC::TBuf<POSITION> tbuf;
    GetTPipePtr()->InitBuffer(tbuf, SIZE);
    tensor = tbuf.template Get<uint8_t>();
  }
  template <class Element = half>
  GEMM_DEVICE AscendC::LocalTensor<Element> GetBufferByByte(const uint32_t offset) const {
    return tensor[offset].template ReinterpretCast<Element>();
  }
  AscendC::LocalTensor<uint8_t> tensor;
};

template <class ArchTag>
struct Resource {
  AscendC::TPipe pipe;
  LocalTensorBuffer<AscendC::TPosition::A1, ArchTag::L1_SIZE> l1Buf;
  LocalTensorBuffer<AscendC::TPosition::A2, ArchTag::L0A_SIZE> l0ABuf;
  LocalTensorBuffer<AscendC::TPosition::B2, ArchTag::L0B_SIZE> l0BBuf;
  LocalTensorBuffer<AscendC::TPosition::CO1, ArchTag::L0C_SIZE> l0CBuf;
  GEMM_DEVICE Resource() {
    pipe.Destroy();  // flags are the kernel's own from here on
  }
};
}  // namespace Arch
}  // namespace gemm

#endif
