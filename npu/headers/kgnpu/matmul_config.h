#pragma once

#include <stdint.h>

#include <type_traits>

// The template and the switches of a Matmul object, as its class takes them. All templates give the same numbers; the
// switches that change how an object is used are read in matmul.h.

enum class CubeFormat : uint8_t { ND = 0, NZ, ZN, ZZ, NN, VECTOR, ND_ALIGN, SCALAR };
enum class LayoutMode : uint8_t { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode : uint8_t { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class BatchOutMode : uint8_t { SINGLE_BATCH = 0, MULTI_BATCH };
enum class IterateOrder : uint8_t { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType : uint8_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum class MatmulConfigMode : uint8_t { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

struct MatmulConfig {
  bool doNorm = true, doBasicBlock = false, doMultiDataLoad = false;
  uint32_t basicM = 0, basicN = 0, basicK = 0;
  bool intrinsicsCheck = false, isNBatch = false, enVecND2NZ = false, doSpecialBasicBlock = false;
  uint32_t doMTE2Preload = 0;
  uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
  uint32_t stepM = 0, stepN = 0, baseMN = 0, singleCoreMN = 0;
  bool enUnitFlag = true, isPerTensor = false, hasAntiQuantOffset = false, doIBShareNorm = false, doSpecialMDL = false;
  bool enableInit = true;
  BatchMode batchMode = BatchMode::NONE;
  bool enableEnd = true, enableGetTensorC = true, enableSetOrgShape = true, enableSetBias = true, enableSetTail = true;
  bool enableQuantVector = true, enableSetDefineData = true;
  // By page 0616 and the parameters of GetMMConfig; of the later ones only the names are published.
  IterateOrder iterateOrder = IterateOrder::UNDEF;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  bool enableUBReuse = true, enableL1CacheUB = false, isBiasBatch = true, enableDoubleCache = false;
  bool enableReuse = true, isPartialOutput = false, isA2B2Shared = false, isEnableChannelSplit = false;
  bool enableMixDualMaster = false, enableKdimReorderLoad = false;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};

// Groups of switches for GetMMConfig (page 0627).
struct MatmulShapeParams {
  uint32_t singleCoreM, singleCoreN, singleCoreK, basicM, basicN, basicK;
};
struct MatmulQuantParams {
  bool isPerTensor, hasAntiQuantOffset;
};
struct MatmulBatchParams {
  bool isNBatch = false;
  BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1;
  bool isBiasBatch = true;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
  bool intrinsicsLimit = false, enVecND2NZ = false, enableDoubleCache = false, enableL1CacheUB = false;
  uint32_t doMTE2Preload = 0;
  IterateOrder iterateOrder = IterateOrder::UNDEF;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  bool enableReuse = true, enableUBReuse = true, isPartialOutput = false, isA2B2Shared = false;
  bool isEnableChannelSplit = false, enableKdimReorderLoad = false;
};

constexpr MatmulConfig kg_config_of(MatmulConfigMode mode) {
  MatmulConfig config;
  config.doNorm = mode == MatmulConfigMode::CONFIG_NORM;
  config.doMultiDataLoad = mode == MatmulConfigMode::CONFIG_MDL;
  config.doSpecialMDL = mode == MatmulConfigMode::CONFIG_SPECIALMDL;
  config.doIBShareNorm = mode == MatmulConfigMode::CONFIG_IBSHARE;
  return config;
}
constexpr MatmulConfig CFG_NORM = kg_config_of(MatmulConfigMode::CONFIG_NORM);
constexpr MatmulConfig CFG_MDL = kg_config_of(MatmulConfigMode::CONFIG_MDL);
constexpr MatmulConfig CFG_IBSHARE_NORM = kg_config_of(MatmulConfigMode::CONFIG_IBSHARE);
constexpr MatmulConfig MM_CFG_BB = CFG_NORM;

constexpr MatmulConfig GetNormalConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                       const bool isVecND2NZ = false,
                                       const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                       const bool isMsgReuse = true,
                                       const IterateOrder iterateOrder = IterateOrder::UNDEF,
                                       const ScheduleType scheduleType = ScheduleType::INNER_PRODUCT,
                                       const bool enUnitFlag = true, const bool enableMixDualMaster = false,
                                       const BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH) {
  static_cast<void>(isMsgReuse);
  MatmulConfig config = CFG_NORM;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.enVecND2NZ = isVecND2NZ;
  config.batchMode = bmmMode;
  config.iterateOrder = iterateOrder;
  config.scheduleType = scheduleType;
  config.enUnitFlag = enUnitFlag;
  config.enableMixDualMaster = enableMixDualMaster;
  config.bmmOutMode = bmmOutMode;
  return config;
}
constexpr MatmulConfig GetIBShareNormConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                            const bool isVecND2NZ = false,
                                            const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            const bool isDoubleCache = false, const bool enUnitFlag = true) {
  MatmulConfig config = CFG_IBSHARE_NORM;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.enVecND2NZ = isVecND2NZ;
  config.batchMode = bmmMode;
  config.enableDoubleCache = isDoubleCache;
  config.enUnitFlag = enUnitFlag;
  return config;
}
constexpr MatmulConfig GetMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                    const uint32_t doMTE2Preload = 0, const bool isVecND2NZ = false,
                                    bool isPerTensor = false, bool hasAntiQuantOffset = false,
                                    const bool enUnitFlag = false, const bool isMsgReuse = true,
                                    const bool enableUBReuse = true, const bool enableL1CacheUB = false,
                                    const bool enableMixDualMaster = false, const bool enableKdimReorderLoad = false) {
  static_cast<void>(isMsgReuse);
  MatmulConfig config = CFG_MDL;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.doMTE2Preload = doMTE2Preload;
  config.enVecND2NZ = isVecND2NZ;
  config.isPerTensor = isPerTensor;
  config.hasAntiQuantOffset = hasAntiQuantOffset;
  config.enUnitFlag = enUnitFlag;
  config.enableUBReuse = enableUBReuse;
  config.enableL1CacheUB = enableL1CacheUB;
  config.enableMixDualMaster = enableMixDualMaster;
  config.enableKdimReorderLoad = enableKdimReorderLoad;
  return config;
}
constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                           const uint32_t doMTE2Preload = 0, const bool isVecND2NZ = false,
                                           bool isPerTensor = false, bool hasAntiQuantOffset = false) {
  MatmulConfig config =
      GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ, isPerTensor, hasAntiQuantOffset);
  config.doMultiDataLoad = false;
  config.doSpecialMDL = true;
  return config;
}
// For blocks of the same size.
constexpr MatmulConfig GetBasicConfig(const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
                                      const bool intrinsicsLimit = false, const bool batchLoop = false,
                                      const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig config;
  config.doNorm = false;
  config.doBasicBlock = true;
  config.basicM = basicM;
  config.basicN = basicN;
  config.basicK = basicK;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.batchMode = bmmMode;
  return config;
}
constexpr MatmulConfig GetSpecialBasicConfig(const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
                                             const uint32_t singleCoreM, const uint32_t singleCoreN,
                                             const uint32_t singleCoreK, const uint32_t stepM, const uint32_t stepN,
                                             const bool intrinsicsLimit = false, const bool batchLoop = false,
                                             const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig config = GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
  config.doBasicBlock = false;
  config.doSpecialBasicBlock = true;
  config.singleCoreM = singleCoreM;
  config.singleCoreN = singleCoreN;
  config.singleCoreK = singleCoreK;
  config.stepM = stepM;
  config.stepN = stepN;
  return config;
}

constexpr void kg_set(MatmulConfig& config, const MatmulShapeParams& shape) {
  config.singleCoreM = shape.singleCoreM;
  config.singleCoreN = shape.singleCoreN;
  config.singleCoreK = shape.singleCoreK;
  config.basicM = shape.basicM;
  config.basicN = shape.basicN;
  config.basicK = shape.basicK;
}
constexpr void kg_set(MatmulConfig& config, const MatmulQuantParams& quant) {
  config.isPerTensor = quant.isPerTensor;
  config.hasAntiQuantOffset = quant.hasAntiQuantOffset;
}
constexpr void kg_set(MatmulConfig& config, const MatmulBatchParams& batch) {
  config.isNBatch = batch.isNBatch;
  config.batchMode = batch.batchMode;
  config.isBiasBatch = batch.isBiasBatch;
  config.bmmOutMode = batch.bmmOutMode;
}
constexpr void kg_set(MatmulConfig& config, const MatmulFuncParams& func) {
  config.intrinsicsCheck = func.intrinsicsLimit;
  config.enVecND2NZ = func.enVecND2NZ;
  config.enableDoubleCache = func.enableDoubleCache;
  config.enableL1CacheUB = func.enableL1CacheUB;
  config.doMTE2Preload = func.doMTE2Preload;
  config.iterateOrder = func.iterateOrder;
  config.scheduleType = func.scheduleType;
  config.enableReuse = func.enableReuse;
  config.enableUBReuse = func.enableUBReuse;
  config.isPartialOutput = func.isPartialOutput;
  config.isA2B2Shared = func.isA2B2Shared;
  config.isEnableChannelSplit = func.isEnableChannelSplit;
  config.enableKdimReorderLoad = func.enableKdimReorderLoad;
}
// The groups come in any order.
template <MatmulConfigMode configMode, typename... ArgTypes>
inline constexpr MatmulConfig GetMMConfig(ArgTypes&&... args) {
  MatmulConfig config = kg_config_of(configMode);
  (kg_set(config, args), ...);
  return config;
}
