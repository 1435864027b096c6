#pragma once

#include <stdint.h>

// Tiling structures of the high-level library, in the global namespace as in the device's kernel_tiling.h. The host
// side fills them; here the calls read the shape only, since how the work is cut changes no number.

struct SoftMaxTiling {
  uint32_t srcM = 0, srcK = 0, srcSize = 0;
  uint32_t outMaxM = 0, outMaxK = 0, outMaxSize = 0;
  uint32_t splitM = 0, splitK = 0, splitSize = 0;
  uint32_t reduceM = 0, reduceK = 0, reduceSize = 0;
  uint32_t rangeM = 0, tailM = 0, tailSplitSize = 0, tailReduceSize = 0;
};
struct LogSoftMaxTiling {
  uint32_t srcM = 0, srcK = 0, srcSize = 0;
  uint32_t outMaxM = 0, outMaxK = 0, outMaxSize = 0;
  uint32_t splitM = 0, splitK = 0, splitSize = 0;
  uint32_t reduceM = 0, reduceK = 0, reduceSize = 0;
  uint32_t rangeM = 0, tailM = 0, tailSplitSize = 0, tailReduceSize = 0;
};
struct LayerNormTiling {
  uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
  uint32_t inputXSize = 0, meanVarSize = 0, numberOfTmpBuf = 0;
  uint32_t meanTmpTensorPos = 0, meanTmpTensorSize = 0, varianceTmpTensorPos = 0, varianceTmpTensorSize = 0;
  uint32_t tmpBufSize = 0, oneTmpSize = 0, firstTmpStartPos = 0, secondTmpStartPos = 0, thirdTmpStartPos = 0;
  uint32_t loopRound = 0, inputRoundSize = 0, inputTailSize = 0, inputTailPos = 0;
  uint32_t meanVarRoundSize = 0, meanVarTailSize = 0, meanVarTailPos = 0, bshCurLength = 0, bsCurLength = 0;
  float lastDimValueBack = 0;
};
struct LayerNormSeparateTiling {
  uint32_t aLength = 0, rLength = 0, halfAddRepeatTimes = 0, rHeadLength = 0;
  float k2Rec = 0, k2RRec = 0;
  uint32_t inputXSize = 0, meanVarSize = 0, numberOfTmpBuf = 0, varianceTmpTensorPos = 0, varianceTmpTensorSize = 0;
  uint32_t tmpBufSize = 0, oneTmpSize = 0, firstTmpStartPos = 0, secondTmpStartPos = 0, thirdTmpStartPos = 0;
  uint32_t loopRound = 0, inputRoundSize = 0, inputTailSize = 0, inputTailPos = 0;
  uint32_t meanVarRoundSize = 0, meanVarTailSize = 0, meanVarTailPos = 0, arCurLength = 0, aCurLength = 0;
  float rValueBack = 0;
};
struct RmsNormTiling {
  uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
  float reciprocalOfHLength = 0;
  uint32_t mainBshLength = 0, mainBsLength = 0, mainBsLengthAlign = 0;
  uint32_t loopRound = 0, inputTailPos = 0, tailBshLength = 0, tailBsLength = 0;
};
struct DeepNormTiling {
  uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
  uint32_t inputXSize = 0, meanVarSize = 0, numberOfTmpBuf = 0;
  uint32_t meanTmpTensorPos = 0, meanTmpTensorSize = 0, varianceTmpTensorPos = 0, varianceTmpTensorSize = 0;
  uint32_t tmpBufSize = 0, oneTmpSize = 0, firstTmpStartPos = 0, secondTmpStartPos = 0, thirdTmpStartPos = 0;
  uint32_t loopRound = 0, inputRoundSize = 0, inputTailSize = 0, inputTailPos = 0;
  uint32_t meanVarRoundSize = 0, meanVarTailSize = 0, meanVarTailPos = 0, bshCurLength = 0, bsCurLength = 0;
  float lastDimValueBack = 0;
};
struct LayerNormGradTiling {  // the shape; the device's own cutting follows there
  uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
};
struct LayerNormGradBetaTiling {
  uint32_t bLength = 0, sLength = 0, hLength = 0, originalHLength = 0;
};
struct GroupNormTiling {
  uint32_t n = 0, c = 0, hw = 0, g = 0, d = 0;
  uint32_t hwAlignSize = 0, dhwAlignSize = 0, inputXSize = 0, meanVarSize = 0, numberOfTmpBuf = 0;
  uint32_t meanTmpTensorPos = 0, meanTmpTensorSize = 0, varianceTmpTensorPos = 0, varianceTmpTensorSize = 0;
  uint32_t tmpBufSize = 0, oneTmpSize = 0, firstTmpStartPos = 0, secondTmpStartPos = 0, thirdTmpStartPos = 0;
  uint32_t loopRound = 0, inputRoundSize = 0, inputTailSize = 0, inputTailPos = 0;
  uint32_t meanVarRoundSize = 0, meanVarTailSize = 0, meanVarTailPos = 0, bshCurLength = 0, bsCurLength = 0;
  float factor = 0;
  bool smallShape = false;
};
struct TopkTiling {  // the device's own cutting; no field says anything here
  int32_t tmpLocalSize = 0, allDataSize = 0, innerDataSize = 0, sortRepeat = 0, mrgSortRepeat = 0;
  int32_t kAlignFourBytes = 0, kAlignTwoBytes = 0, maskOffset = 0;
  int32_t maskVreducev2FourBytes = 0, maskVreducev2TwoBytes = 0;
  int32_t mrgSortSrc1offset = 0, mrgSortSrc2offset = 0, mrgSortSrc3offset = 0, mrgSortTwoQueueSrc1Offset = 0;
  int32_t mrgFourQueueTailPara1 = 0, mrgFourQueueTailPara2 = 0, srcIndexOffset = 0, copyUbToUbBlockCount = 0;
  int32_t topkMrgSrc1MaskSizeOffset = 0, topkNSmallSrcIndexOffset = 0;
  uint32_t vreduceValMask0 = 0, vreduceValMask1 = 0, vreduceIdxMask0 = 0, vreduceIdxMask1 = 0;
  uint16_t vreducehalfValMask0 = 0, vreducehalfValMask1 = 0, vreducehalfValMask2 = 0, vreducehalfValMask3 = 0;
  uint16_t vreducehalfValMask4 = 0, vreducehalfValMask5 = 0, vreducehalfValMask6 = 0, vreducehalfValMask7 = 0;
};
