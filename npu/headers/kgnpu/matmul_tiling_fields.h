#pragma once

// The tiling of a Matmul object as passed from the host to the kernel: 50 words, in this order on both sides.
#define KG_MATMUL_TILING_FIELDS(field)                                                                               \
  field(usedCoreNum) field(M) field(N) field(Ka) field(Kb) field(singleCoreM) field(singleCoreN) field(singleCoreK)  \
      field(baseM) field(baseN) field(baseK) field(depthA1) field(depthB1) field(stepM) field(stepN) field(isBias)   \
          field(transLength) field(iterateOrder) field(shareMode) field(shareL1Size) field(shareL0CSize)             \
              field(shareUbSize) field(batchM) field(batchN) field(singleBatchM) field(singleBatchN) field(stepKa)   \
                  field(stepKb) field(depthAL1CacheUB) field(depthBL1CacheUB) field(dbL0A) field(dbL0B) field(dbL0C) \
                      field(ALayoutInfoB) field(ALayoutInfoS) field(ALayoutInfoN) field(ALayoutInfoG)                \
                          field(ALayoutInfoD) field(BLayoutInfoB) field(BLayoutInfoS) field(BLayoutInfoN)            \
                              field(BLayoutInfoG) field(BLayoutInfoD) field(CLayoutInfoB) field(CLayoutInfoS1)       \
                                  field(CLayoutInfoN) field(CLayoutInfoG) field(CLayoutInfoS2) field(BatchNum)       \
                                      field(mxTypePara)
