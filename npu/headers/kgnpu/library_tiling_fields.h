#pragma once

// Fields of the high-level library's tiling structures, F(type, name): structures for the kernel, classes with setters
// for the host.

// clang-format off
#define KG_SOFTMAX_FIELDS(F) \
  F(uint32_t, srcM) F(uint32_t, srcK) F(uint32_t, srcSize) F(uint32_t, outMaxM) F(uint32_t, outMaxK) \
  F(uint32_t, outMaxSize) F(uint32_t, splitM) F(uint32_t, splitK) F(uint32_t, splitSize) F(uint32_t, reduceM) \
  F(uint32_t, reduceK) F(uint32_t, reduceSize) F(uint32_t, rangeM) F(uint32_t, tailM) \
  F(uint32_t, tailSplitSize) F(uint32_t, tailReduceSize)
#define KG_LAYER_NORM_FIELDS(F) \
  F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength) \
  F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf) F(uint32_t, meanTmpTensorPos) \
  F(uint32_t, meanTmpTensorSize) F(uint32_t, varianceTmpTensorPos) F(uint32_t, varianceTmpTensorSize) \
  F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) \
  F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize) \
  F(uint32_t, inputTailPos) F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) \
  F(uint32_t, meanVarTailPos) F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(float, lastDimValueBack)
#define KG_LAYER_NORM_SEPARATE_FIELDS(F) \
  F(uint32_t, aLength) F(uint32_t, rLength) F(uint32_t, halfAddRepeatTimes) F(uint32_t, rHeadLength) \
  F(float, k2Rec) F(float, k2RRec) F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf) \
  F(uint32_t, varianceTmpTensorPos) F(uint32_t, varianceTmpTensorSize) F(uint32_t, tmpBufSize) \
  F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) \
  F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize) \
  F(uint32_t, inputTailPos) F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) \
  F(uint32_t, meanVarTailPos) F(uint32_t, arCurLength) F(uint32_t, aCurLength) F(float, rValueBack)
#define KG_RMS_NORM_FIELDS(F) \
  F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength) \
  F(float, reciprocalOfHLength) F(uint32_t, mainBshLength) F(uint32_t, mainBsLength) \
  F(uint32_t, mainBsLengthAlign) F(uint32_t, loopRound) F(uint32_t, inputTailPos) F(uint32_t, tailBshLength) \
  F(uint32_t, tailBsLength)
// The shape; the device's own fields for splitting the work follow.
#define KG_SHAPE_FIELDS(F) F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength)
#define KG_GROUP_NORM_FIELDS(F) \
  F(uint32_t, n) F(uint32_t, c) F(uint32_t, hw) F(uint32_t, g) F(uint32_t, d) F(uint32_t, hwAlignSize) \
  F(uint32_t, dhwAlignSize) F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf) \
  F(uint32_t, meanTmpTensorPos) F(uint32_t, meanTmpTensorSize) F(uint32_t, varianceTmpTensorPos) \
  F(uint32_t, varianceTmpTensorSize) F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) \
  F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) F(uint32_t, thirdTmpStartPos) \
  F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize) F(uint32_t, inputTailPos) \
  F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) F(uint32_t, meanVarTailPos) \
  F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(float, factor) F(bool, smallShape)
// Here originalBLength is the first axis, meanVarSize the product of the others.
#define KG_BATCH_NORM_FIELDS(F) \
  F(uint32_t, originalBLength) F(uint32_t, meanVarSize) F(uint32_t, meanTmpTensorPos) \
  F(uint32_t, varianceTmpTensorPos) F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos) \
  F(uint32_t, secondTmpStartPos) F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputTailSize) \
  F(uint32_t, inputTailPos) F(uint32_t, meanVarTailSize) F(uint32_t, meanVarTailPos) F(uint32_t, bshCurLength) \
  F(uint32_t, shCurLength) F(float, firstDimValueBack) F(uint32_t, castHalfRepStride) F(uint32_t, shCurLengthBlockNum)
// The device's own fields for splitting the work; they have no meaning here.
#define KG_TOP_K_FIELDS(F) \
  F(int32_t, tmpLocalSize) F(int32_t, allDataSize) F(int32_t, innerDataSize) F(uint32_t, sortRepeat) \
  F(int32_t, mrgSortRepeat) F(int32_t, kAlignFourBytes) F(int32_t, kAlignTwoBytes) F(int32_t, maskOffset) \
  F(int32_t, maskVreducev2FourBytes) F(int32_t, maskVreducev2TwoBytes) F(int32_t, mrgSortSrc1offset) \
  F(int32_t, mrgSortSrc2offset) F(int32_t, mrgSortSrc3offset) F(int32_t, mrgSortTwoQueueSrc1Offset) \
  F(int32_t, mrgFourQueueTailPara1) F(int32_t, mrgFourQueueTailPara2) F(int32_t, srcIndexOffset) \
  F(uint32_t, copyUbToUbBlockCount) F(int32_t, topkMrgSrc1MaskSizeOffset) F(int32_t, topkNSmallSrcIndexOffset) \
  F(uint32_t, vreduceValMask0) F(uint32_t, vreduceValMask1) F(uint32_t, vreduceIdxMask0) \
  F(uint32_t, vreduceIdxMask1) F(uint16_t, vreducehalfValMask0) F(uint16_t, vreducehalfValMask1) \
  F(uint16_t, vreducehalfValMask2) F(uint16_t, vreducehalfValMask3) F(uint16_t, vreducehalfValMask4) \
  F(uint16_t, vreducehalfValMask5) F(uint16_t, vreducehalfValMask6) F(uint16_t, vreducehalfValMask7)
// The shape, and how much of a row exists; the device's own fields for splitting the work follow.
#define KG_PAD_FIELDS(F) F(uint32_t, srcHeight) F(uint32_t, srcWidth) F(uint32_t, srcOriWidth)
// The shape; the device's own fields for splitting the work follow.
#define KG_UN_PAD_FIELDS(F) F(uint32_t, srcHeight) F(uint32_t, srcWidth)
// Without names on the device. Here the first four are the axes B, N, S and H / N.
#define KG_TRANSPOSE_FIELDS(F) \
  F(uint32_t, param0) F(uint32_t, param1) F(uint32_t, param2) F(uint32_t, param3) F(uint32_t, param4) \
  F(uint32_t, param5) F(uint32_t, param6) F(uint32_t, param7) F(uint32_t, param8) F(uint32_t, param9) \
  F(uint32_t, param10) F(uint32_t, param11) F(uint32_t, param12) F(uint32_t, param13) F(uint32_t, param14) \
  F(uint32_t, param15) F(uint32_t, param16) F(uint32_t, param17)

// Each structure with the list of its fields, F(name, fields).
#define KG_LIBRARY_TILINGS(F) \
  F(SoftMaxTiling, KG_SOFTMAX_FIELDS) F(LogSoftMaxTiling, KG_SOFTMAX_FIELDS) \
  F(LayerNormTiling, KG_LAYER_NORM_FIELDS) F(LayerNormSeparateTiling, KG_LAYER_NORM_SEPARATE_FIELDS) \
  F(RmsNormTiling, KG_RMS_NORM_FIELDS) F(DeepNormTiling, KG_LAYER_NORM_FIELDS) \
  F(LayerNormGradTiling, KG_SHAPE_FIELDS) F(LayerNormGradBetaTiling, KG_SHAPE_FIELDS) \
  F(BatchNormTiling, KG_BATCH_NORM_FIELDS) F(GroupNormTiling, KG_GROUP_NORM_FIELDS) F(TopkTiling, KG_TOP_K_FIELDS) F(PadTiling, KG_PAD_FIELDS) \
  F(UnPadTiling, KG_UN_PAD_FIELDS) F(ConfusionTransposeTiling, KG_TRANSPOSE_FIELDS)
// clang-format on
