#ifndef GEMM_BLOCK_MMAD_HPP
#define GEMM_BLOCK_MMAD_HPP

#include "base.hpp"

namespace gemm {
namespace Block {

template <uint32_t STAGES_>
struct Pingpong {
  using ArchTag = Arch::AtlasA2;
  static constexpr uint32_t STAGES = STAGES_;
};

template <class Element_, class Layout_>
struct GemmType {
  using Element = Element_;
  using Layout = Layout_;
};

template <class DispatchPolicy, class L1TileShape, class L0TileShape, class AType, class BType, class CType>
struct BlockMmad {
  static_assert(sizeof(DispatchPolicy) == 0, "no BlockMmad for this policy");
};

// One tile of C by panels of K: two stages in L1, two in L0A and L0B.
template <uint32_t STAGES, class L1TileShape_, class L0TileShape_, class AType, class BType, class CType>
struct BlockMmad<Pingpong<STAGES>, L1TileShape_, L0TileShape_, AType, BType, CType> {
  using L1TileShape = L1TileShape_;
  using L0TileShape = L0TileShape_;
  using ElementA = typename AType::Element;
  using ElementB = typename BType::Element;
  using ElementC = typename CType::Element;
  using ElementAccumulator = float;
  static constexpr uint32_t C0 = 32 / sizeof(ElementA);
  static constexpr uint32_t L1A_TILE_SIZE = L1TileShape::M * L1TileShape::K * sizeof(ElementA);
  static constexpr uint32_t L1B_TILE_SIZE = L1TileShape::N * L1TileShape::K * sizeof(ElementB);
  static constexpr uint32_t L0A_PINGPONG = Arch::AtlasA2::L0A_SIZE / STAGES;
  static constexpr uint32_t L0B_PINGPONG = Arch::AtlasA2::L0B_SIZE / STAGES;
  static_assert((L1A_TILE_SIZE + L1B_TILE_SIZE) * STAGES <= Arch::AtlasA2::L1_SIZE, "L1TileShape exceeds L1");
  static_assert(L0TileShape::M * L0TileShape::K * sizeof(ElementA) <= L0A_PINGPONG, "L0TileShape exceeds L0A");
  static_assert(L1TileShape::M * L1TileShape::N * sizeof(ElementAccumulator) <= Arch::AtlasA2::L0C_SIZE, "exceeds L0C");

  GEMM_DEVICE BlockMmad(Arch::Resource<Arch::AtlasA2>& resource, uint32_t l1BufAddrStart = 0) {
    const uint32_t l1BOffset = l1BufAddrStart + L1A_TILE_SIZE * STAGES;
    for (uint32_t i = 0; i < STAGES; i++) {
      l1ATensorList[i] = resource.l1Buf.template GetBufferByByte<ElementA>(l1BufAddrStart + L1A_TILE_SIZE * i);
      l1BTensorList[i] = resource.l1Buf.template GetBufferByByte<ElementB>(l1BOffset + L1B_TILE_SIZE * i);
      l0ATensorList[i] = resource.l0ABuf.template GetBufferByByte<ElementA>(L0A_PINGPONG * i);
      l0BTensorList[i] = resource.l0BBuf.template GetBufferByByte<ElementB>(L0B_PINGPONG * i);
      l1AEventList[i] = i;
      l1BEventList[i] = i + STAGES;
      l0AEventList[i] = i;
      l0BEventList[i] = i + STAGES;
      AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(l1AEventList[i]);
      AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(l1BEventList[i]);
      AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(l0AEventList[i]);
      AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(l0BEventList[i]);
    }
    l0CTensor = resource.l0CBuf.template GetBufferByByte<ElementAccumulator>(0);
    AscendC::SetFlag<AscendC::HardEvent::FIX_M>(EVENT_ID0);
  }

  GEMM_DEVICE ~BlockMmad() {
    for (uint32_t i = 0; i < STAGES; i++) {
      AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(l1AEventList[i]);
      AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(l1BEventList[i]);
      AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(l0AEventList[i]);
      AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(l0BEventList[i]);
    }
    AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(EVENT_ID0);
  }

  GEMM_DEVICE void operator()(AscendC::GlobalTensor<ElementA> const& gmA, layout::RowMajor const& layoutA,
                              AscendC::GlobalTensor<ElementB> const& gmB, layout::RowMajor const& layoutB,
                              AscendC::GlobalTensor<ElementC> const& gmC, layout::RowMajor const& layoutC,
                              GemmCoord const& actualShape) {
    const uint32_t mRound = RoundUp<16>(actualShape.m());
    const uint32_t nRound = RoundUp<16>(actualShape.n());
    const uint32_t kTileCount = CeilDiv(actualShape.k(), L1TileShape::K);
    AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(EVENT_ID0);
    for (uint32_t kLoopIdx = 0; kLoopIdx < kTileCount; kLoopIdx++) {
      const uint32_t kActual =
          (kLoopIdx < kTileCount - 1) ? L1TileShape::K : (actualShape.k() - kLoopIdx * L1TileShape::K);
      const uint32_t kRound = RoundUp<16>(kActual);
      const uint32_t stage = l1ListId;
      AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(l1AEventList[stage]);
      CopyGmToL1(l1ATensorList[stage], gmA[layoutA.GetOffset(0, kLoopIdx * L1TileShape::K)], actualShape.m(), kActual,
                 layoutA.columns, mRound);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(l1AEventList[stage]);
      AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(l1BEventList[stage]);
      CopyGmToL1(l1BTensorList[stage], gmB[layoutB.GetOffset(kLoopIdx * L1TileShape::K, 0)], kActual, actualShape.n(),
                 layoutB.columns, kRound);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(l1BEventList[stage]);

      AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(l1AEventList[stage]);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(l1BEventList[stage]);
      for (uint32_t kPart = 0; kPart < kRound; kPart += L0TileShape::K) {
        const uint32_t kPartRound = kRound - kPart < L0TileShape::K ? kRound - kPart : L0TileShape::K;
        const uint32_t kPartActual = kActual - kPart < kPartRound ? kActual - kPart : kPartRound;
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(l0AEventList[l0ListId]);
        CopyL1ToL0A(l0ATensorList[l0ListId], l1ATensorList[stage][kPart * mRound], mRound, kPartRound);
        AscendC::WaitFlag<AscendC::HardEvent::M_MTE1>(l0BEventList[l0ListId]);
        CopyL1ToL0B(l0BTensorList[l0ListId], l1BTensorList[stage][kPart * C0], kPartRound, nRound, kRound);
        AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(EVENT_ID0);

        AscendC::MmadParams mmadParams;
        mmadParams.m = actualShape.m() == 1 ? 16 : actualShape.m();
        mmadParams.n = actualShape.n();
        mmadParams.k = kPartActual;
        mmadParams.unitFlag = 0;
        mmadParams.cmatrixInitVal = (kLoopIdx == 0) && (kPart == 0);
        AscendC::Mmad(l0CTensor, l0ATensorList[l0ListId], l0BTensorList[l0ListId], mmadParams);
        constexpr uint32_t PIPE_M_BARRIER_THRESHOLD = 10;
        if ((mmadParams.m / 16) * (mmadParams.n / 16) < PIPE_M_BARRIER_THRESHOLD) {
          AscendC::PipeBarrier<PIPE_M>();
        }
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(l0AEventList[l0ListId]);
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(l0BEventList[l0ListId]);
        l0ListId = (l0ListId + 1) % STAGES;
      }
      AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(l1AEventList[stage]);
      AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(l1BEventList[stage]);
      l1ListId = (l1ListId + 1) % STAGES;
    }
    AscendC::SetFlag<AscendC::HardEvent::M_FIX>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(EVENT_ID0);
    AscendC::FixpipeParamsV220 intriParams;
    intriParams.nSize = actualShape.n();
    intriParams.mSize = actualShape.m();
    intriParams.srcStride = mRound;
    intriParams.dstStride = layoutC.columns;
    intriParams.quantPre = QuantMode_t::F322F16;
    intriParams.reluEn = false;
    intriParams.unitFlag = 0;
    AscendC::Fixpipe<ElementC, ElementAccumulator, AscendC::CFG_ROW_MAJOR>(gmC, l0CTensor, intriParams);
    AscendC::SetFlag<AscendC::HardEvent::FIX_M>(EVENT_ID0);
  }

 private:
  template <class Element>
  GEMM_DEVICE void CopyGmToL1(AscendC::LocalTensor<Element> const& dst, AscendC::GlobalTensor<Element> const& src,
                              uint32_t rows, uint32_t columns, uint32_t stride, uint32_t rowsRound) {
    AscendC::Nd2NzParams intriParams;
    intriParams.ndNum = 1;
    intriParams.dValue = columns;
    intriParams.srcNdMatrixStride = 0;
    intriParams.dstNzC0Stride = rowsRound;
    intriParams.dstNzMatrixStride = 0;
    intriParams.nValue = rows;
    intriParams.srcDValue = stride;
    intriParams.dstNzNStride = 1;
    AscendC::DataCopy(dst, src, intriParams);
  }

  GEMM_DEVICE void CopyL1ToL0A(AscendC::LocalTensor<ElementA> dst, AscendC::LocalTensor<ElementA> src, uint32_t mRound,
                               uint32_t kRound) {
    AscendC::LoadData2DParams loadDataParams;
    loadDataParams.startIndex = 0;
    loadDataParams.repeatTimes = static_cast<uint16_t>(kRound / C0);
    loadDataParams.srcStride = mRound / 16;
    loadDataParams.sid = 0;
    loadDataParams.dstGap = 0;
    loadDataParams.ifTranspose = false;
    loadDataParams.addrMode = 0;
    for (uint32_t i = 0; i < mRound / 16; i++) {
      AscendC::LoadData(dst[i * kRound * 16], src[i * 16 * C0], loadDataParams);
    }
  }

  GEMM_DEVICE void CopyL1ToL0B(AscendC::LocalTensor<ElementB> dst, AscendC::LocalTensor<ElementB> src, uint32_t kRound,
                               uint32_t nRound, uint32_t kStride) {
    AscendC::LoadData2DParams loadDataParams;
    loadDataParams.startIndex = 0;
    loadDataParams.repeatTimes = static_cast<uint16_t>(nRound / C0);
    loadDataParams.srcStride = kStride / 16;
    loadDataParams.sid = 0;
    loadDataParams.dstGap = 0;
    loadDataParams.ifTranspose = true;
    loadDataParams.addrMode = 0;
    for (uint32_t i = 0; i < kRound / 16; i++) {
      AscendC::LoadData(dst[i * nRound * 16], src[i * 16 * C0], loadDataParams);
    }
  }

  AscendC::LocalTensor<ElementA> l1ATensorList[STAGES];
  AscendC::LocalTensor<ElementB> l1BTensorList[STAGES];
  AscendC::LocalTensor<ElementA> l0ATensorList[STAGES];
  AscendC::LocalTensor<ElementB> l0BTensorList[STAGES];
  AscendC::LocalTensor<ElementAccumulator> l0CTensor;
  int32_t l1AEventList[STAGES];
  int32_t l1BEventList[STAGES];
  int32_t l0AEventList[STAGES];
  int32_t l0BEventList[STAGES];
  uint32_t l1ListId{0};
  uint32_t l0ListId{0};
};
}  // namespace Block
}  // namespace gemm

#endif
