#pragma once

#include "register/tilingdata_base.h"

// Tiling data of the high-level library, field by field as the kernel's headers declare them.

// As BEGIN_TILING_DATA_DEF; the structure is not generated for the kernel, which has it already.
#define KG_BEGIN_LIBRARY_TILING(class_name)              \
  class class_name : public ::optiling::TilingDef {      \
   public:                                               \
    class_name() : ::optiling::TilingDef(#class_name) {} \
    bool kg_is_library() const override { return true; }

#define KG_SOFTMAX_TILING(class_name)              \
  KG_BEGIN_LIBRARY_TILING(class_name)              \
  TILING_DATA_FIELD_DEF(uint32_t, srcM);           \
  TILING_DATA_FIELD_DEF(uint32_t, srcK);           \
  TILING_DATA_FIELD_DEF(uint32_t, srcSize);        \
  TILING_DATA_FIELD_DEF(uint32_t, outMaxM);        \
  TILING_DATA_FIELD_DEF(uint32_t, outMaxK);        \
  TILING_DATA_FIELD_DEF(uint32_t, outMaxSize);     \
  TILING_DATA_FIELD_DEF(uint32_t, splitM);         \
  TILING_DATA_FIELD_DEF(uint32_t, splitK);         \
  TILING_DATA_FIELD_DEF(uint32_t, splitSize);      \
  TILING_DATA_FIELD_DEF(uint32_t, reduceM);        \
  TILING_DATA_FIELD_DEF(uint32_t, reduceK);        \
  TILING_DATA_FIELD_DEF(uint32_t, reduceSize);     \
  TILING_DATA_FIELD_DEF(uint32_t, rangeM);         \
  TILING_DATA_FIELD_DEF(uint32_t, tailM);          \
  TILING_DATA_FIELD_DEF(uint32_t, tailSplitSize);  \
  TILING_DATA_FIELD_DEF(uint32_t, tailReduceSize); \
  END_TILING_DATA_DEF

namespace optiling {

KG_SOFTMAX_TILING(SoftMaxTiling);
KG_SOFTMAX_TILING(LogSoftMaxTiling);

KG_BEGIN_LIBRARY_TILING(LayerNormTiling)
TILING_DATA_FIELD_DEF(uint32_t, bLength);
TILING_DATA_FIELD_DEF(uint32_t, sLength);
TILING_DATA_FIELD_DEF(uint32_t, hLength);
TILING_DATA_FIELD_DEF(uint32_t, originalHLength);
TILING_DATA_FIELD_DEF(uint32_t, inputXSize);
TILING_DATA_FIELD_DEF(uint32_t, meanVarSize);
TILING_DATA_FIELD_DEF(uint32_t, numberOfTmpBuf);
TILING_DATA_FIELD_DEF(uint32_t, meanTmpTensorPos);
TILING_DATA_FIELD_DEF(uint32_t, meanTmpTensorSize);
TILING_DATA_FIELD_DEF(uint32_t, varianceTmpTensorPos);
TILING_DATA_FIELD_DEF(uint32_t, varianceTmpTensorSize);
TILING_DATA_FIELD_DEF(uint32_t, tmpBufSize);
TILING_DATA_FIELD_DEF(uint32_t, oneTmpSize);
TILING_DATA_FIELD_DEF(uint32_t, firstTmpStartPos);
TILING_DATA_FIELD_DEF(uint32_t, secondTmpStartPos);
TILING_DATA_FIELD_DEF(uint32_t, thirdTmpStartPos);
TILING_DATA_FIELD_DEF(uint32_t, loopRound);
TILING_DATA_FIELD_DEF(uint32_t, inputRoundSize);
TILING_DATA_FIELD_DEF(uint32_t, inputTailSize);
TILING_DATA_FIELD_DEF(uint32_t, inputTailPos);
TILING_DATA_FIELD_DEF(uint32_t, meanVarRoundSize);
TILING_DATA_FIELD_DEF(uint32_t, meanVarTailSize);
TILING_DATA_FIELD_DEF(uint32_t, meanVarTailPos);
TILING_DATA_FIELD_DEF(uint32_t, bshCurLength);
TILING_DATA_FIELD_DEF(uint32_t, bsCurLength);
TILING_DATA_FIELD_DEF(float, lastDimValueBack);
END_TILING_DATA_DEF;

#define KG_SHAPE_TILING(class_name)                 \
  KG_BEGIN_LIBRARY_TILING(class_name)               \
  TILING_DATA_FIELD_DEF(uint32_t, bLength);         \
  TILING_DATA_FIELD_DEF(uint32_t, sLength);         \
  TILING_DATA_FIELD_DEF(uint32_t, hLength);         \
  TILING_DATA_FIELD_DEF(uint32_t, originalHLength); \
  END_TILING_DATA_DEF

KG_SHAPE_TILING(LayerNormGradTiling);
KG_SHAPE_TILING(LayerNormGradBetaTiling);

}  // namespace optiling
