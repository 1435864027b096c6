#include <algorithm>
#include <cstdio>
#include <vector>

#include "foreach_add_list_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

#define OP_LOGE(nodeName, fmt, ...) std::printf("[%s] " fmt "\n", nodeName, ##__VA_ARGS__)
#define OPS_CHECK_NULL_WITH_CONTEXT(context, ptr)          \
  if ((ptr) == nullptr) {                                  \
    OP_LOGE((context)->GetNodeName(), "%s is null", #ptr); \
    return ge::GRAPH_FAILED;                               \
  }

namespace optiling {
constexpr uint64_t TILING_KEY_HALF = 1;
constexpr uint64_t TILING_KEY_FLOAT = 2;
constexpr uint64_t TILING_KEY_INT = 3;
constexpr uint64_t TILING_KEY_BF16 = 4;
constexpr uint32_t BYTE_BLOCK = 32;
constexpr uint32_t BYTE_REPEAT = 256;
constexpr int32_t INPUT_NUM = 3;  // x1, x2, y; two buffers each
constexpr uint64_t TILING_RESERVE = 1024;

struct ForeachCompileInfo {
  uint32_t coreNum = 0;
  uint64_t ubSizePlatForm = 0;
};

class ForeachAddListTiling {
 public:
  explicit ForeachAddListTiling(gert::TilingContext* context) : tilingContext(context) {}

  ge::graphStatus Init() {
    for (uint32_t i = 0; i < MAX_TENSOR_CONT; i++) {
      auto srcTensor = tilingContext->GetDynamicInputTensor(0, i);
      if (srcTensor == nullptr) {
        break;
      }
      auto srcDtype = srcTensor->GetDataType();
      if (dataType == ge::DT_UNDEFINED) {
        dataType = srcDtype;
        dataTypeSize = static_cast<uint32_t>(ge::GetSizeByDataType(dataType));
        elementsPerBlock = BYTE_BLOCK / dataTypeSize;
      } else if (srcDtype != dataType) {
        return ge::GRAPH_FAILED;
      }
      const gert::StorageShape* shape = tilingContext->GetDynamicInputShape(1, i);
      OPS_CHECK_NULL_WITH_CONTEXT(tilingContext, shape);
      if (shape->GetStorageShape() != srcTensor->GetStorageShape()) {
        OP_LOGE(tilingContext->GetNodeName(), "the shapes of tensor %u differ", i);
        return ge::GRAPH_FAILED;
      }
      tensorDataCountList[i] = srcTensor->GetShapeSize();
      if (tensorDataCountList[i] == 0) {
        isExistEmptyTensor = true;
      }
      totalBlockCount += CeilA2B(tensorDataCountList[i], static_cast<int64_t>(elementsPerBlock));
      totalTensorCount++;
    }
    return totalTensorCount == 0 ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
  }

  ge::graphStatus RunBigKernelTiling() {
    uint64_t ubSize = 0;
    uint32_t maxCoreNum = 0;
    auto compileInfo = static_cast<const ForeachCompileInfo*>(tilingContext->GetCompileInfo());
    if (compileInfo != nullptr) {
      maxCoreNum = compileInfo->coreNum;
      ubSize = compileInfo->ubSizePlatForm;
    }
    OPS_CHECK_NULL_WITH_CONTEXT(tilingContext, compileInfo);
    uint32_t needCoreNum = static_cast<uint32_t>(std::min<int64_t>(totalBlockCount, maxCoreNum));
    needCoreNum = std::max(needCoreNum, 1U);
    AssignDataToEachCore(needCoreNum);
    DivideUbMemory(ubSize);
    FillTilingData();
    tilingContext->SetTilingKey(GetTilingKeyVal());
    tilingContext->SetBlockDim(needCoreNum);
    size_t* workspaces = tilingContext->GetWorkspaceSizes(1);
    if (workspaces == nullptr) {
      return ge::GRAPH_FAILED;
    }
    workspaces[0] = WORK_SPACE_SIZE;
    return ge::GRAPH_SUCCESS;
  }

 private:
  static constexpr size_t WORK_SPACE_SIZE = 32;

  template <typename T1, typename T2>
  inline T1 CeilA2B(T1 a, T2 b) const {
    return b != 0 ? (a + b - 1) / b : a;
  }

  uint64_t GetTilingKeyVal() {
    switch (dataType) {
      case ge::DT_FLOAT16:
        return TILING_KEY_HALF;
      case ge::DT_FLOAT:
        return TILING_KEY_FLOAT;
      case ge::DT_INT32:
        return TILING_KEY_INT;
      case ge::DT_BF16:
        return TILING_KEY_BF16;
      default:
        return 0;
    }
  }

  // Blocks of 32 bytes are dealt out evenly; a core may begin and end inside a tensor.
  void AssignDataToEachCore(int64_t needCoreNum) {
    int64_t blockCount = totalBlockCount / needCoreNum;
    int64_t tempPerCoreCount = blockCount * elementsPerBlock;
    int64_t remainderCount = totalBlockCount % needCoreNum;
    uint16_t coreIndex = 0;
    int64_t dataCount = 0;
    int64_t curCmpCount = 0;
    int64_t cursorPos = 0;
    tensorStartList[coreIndex] = 0;
    tensorStartOffsetList[coreIndex] = 0;
    for (uint16_t i = 0; i < totalTensorCount; i++) {
      if (tensorDataCountList[i] == 0) {
        continue;
      }
      curCmpCount =
          remainderCount > 0 && coreIndex < remainderCount ? tempPerCoreCount + elementsPerBlock : tempPerCoreCount;
      int64_t tempRealCount = tensorDataCountList[i] - cursorPos;
      int64_t tempCount = CeilA2B(tempRealCount, elementsPerBlock) * elementsPerBlock;
      if (dataCount + tempCount < curCmpCount) {
        dataCount += tempCount;
        cursorPos = 0;
        continue;
      }
      tensorEndList[coreIndex] = i;
      cursorPos = cursorPos + curCmpCount - dataCount;
      tensorEndOffsetList[coreIndex] = cursorPos < tensorDataCountList[i] ? cursorPos - 1 : tensorDataCountList[i] - 1;
      dataCount = 0;
      coreIndex++;
      if (cursorPos < tensorDataCountList[i]) {
        tensorStartList[coreIndex] = i;
        tensorStartOffsetList[coreIndex] = cursorPos;
        --i;
      } else if (coreIndex < needCoreNum) {
        tensorStartList[coreIndex] = i + 1;
        tensorStartOffsetList[coreIndex] = 0;
        cursorPos = 0;
      }
    }
    if (dataCount != 0) {
      tensorEndList[coreIndex] = totalTensorCount - 1;
      tensorEndOffsetList[coreIndex] = tensorDataCountList[totalTensorCount - 1] - 1;
    }
  }

  void DivideUbMemory(uint64_t ubSizePlatForm) {
    uint64_t canUseUbSize = ubSizePlatForm - tilingData.GetDataSize() - TILING_RESERVE;
    uint64_t perBuffer = canUseUbSize / (INPUT_NUM * 2);
    if (dataType == ge::DT_BF16) {  // beside them both inputs in float
      perBuffer = canUseUbSize / (INPUT_NUM * 2 + 4);
    }
    inputsTensorUbSize = perBuffer / BYTE_REPEAT * BYTE_REPEAT;
  }

  void FillTilingData() {
    tilingData.set_inputsTensorUbSize(inputsTensorUbSize);
    tilingData.set_tensorDataCountList(tensorDataCountList);
    tilingData.set_tensorStartList(tensorStartList);
    tilingData.set_tensorEndList(tensorEndList);
    tilingData.set_tensorStartOffsetList(tensorStartOffsetList);
    tilingData.set_tensorEndOffsetList(tensorEndOffsetList);
    tilingData.SaveToBuffer(tilingContext->GetRawTilingData()->GetData(),
                            tilingContext->GetRawTilingData()->GetCapacity());
    tilingContext->GetRawTilingData()->SetDataSize(tilingData.GetDataSize());
  }

  ForeachCommonTilingData tilingData;
  gert::TilingContext* tilingContext = nullptr;
  ge::DataType dataType = ge::DT_UNDEFINED;
  uint64_t inputsTensorUbSize = 0;
  int64_t tensorDataCountList[MAX_TENSOR_CONT] = {0};
  uint16_t tensorStartList[MAX_CORE_CONT] = {0};
  uint16_t tensorEndList[MAX_CORE_CONT] = {0};
  int64_t tensorStartOffsetList[MAX_CORE_CONT] = {0};
  int64_t tensorEndOffsetList[MAX_CORE_CONT] = {0};
  int64_t totalBlockCount = 0;
  uint32_t dataTypeSize = 4;
  uint32_t elementsPerBlock = 0;
  uint16_t totalTensorCount = 0;
  bool isExistEmptyTensor = false;
};

static ge::graphStatus Tiling4ForeachAddList(gert::TilingContext* context) {
  ForeachAddListTiling tilingObject(context);
  if (tilingObject.Init() != ge::GRAPH_SUCCESS) {
    return ge::GRAPH_FAILED;
  }
  return tilingObject.RunBigKernelTiling();
}

static ge::graphStatus TilingPrepare4Foreach(gert::TilingParseContext* context) {
  auto compileInfo = context->GetCompiledInfo<ForeachCompileInfo>();
  OPS_CHECK_NULL_WITH_CONTEXT(context, compileInfo);
  auto platformInfo = context->GetPlatformInfo();
  OPS_CHECK_NULL_WITH_CONTEXT(context, platformInfo);
  auto ascendcPlatform = platform_ascendc::PlatformAscendC(platformInfo);
  compileInfo->coreNum = ascendcPlatform.GetCoreNumAiv();
  ascendcPlatform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, compileInfo->ubSizePlatForm);
  return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(ForeachAddList).Tiling(Tiling4ForeachAddList).TilingParse<ForeachCompileInfo>(TilingPrepare4Foreach);
}  // namespace optiling

namespace ops {
inline ge::DataType DtypeScalarToTensor2(ge::DataType dtype) { return dtype == ge::DT_BF16 ? ge::DT_FLOAT : dtype; }

class ForeachAddList : public OpDef {
 public:
  explicit ForeachAddList(const char* name) : OpDef(name) {
    std::vector<ge::DataType> tensor_dtype_list = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_BF16};
    std::vector<ge::Format> format_list(tensor_dtype_list.size(), ge::FORMAT_ND);
    std::vector<ge::DataType> scalar_dtype_list;
    std::for_each(tensor_dtype_list.cbegin(), tensor_dtype_list.cend(), [&scalar_dtype_list](ge::DataType dtype) {
      scalar_dtype_list.push_back(DtypeScalarToTensor2(dtype));
    });
    for (const char* input : {"x1", "x2"}) {
      this->Input(input)
          .ParamType(DYNAMIC)
          .DataType(tensor_dtype_list)
          .Format(format_list)
          .UnknownShapeFormat(format_list)
          .AutoContiguous();
    }
    this->Input("alpha")
        .ParamType(REQUIRED)
        .DataType(scalar_dtype_list)
        .Format(format_list)
        .UnknownShapeFormat(format_list);
    this->Output("y")
        .ParamType(DYNAMIC)
        .DataType(tensor_dtype_list)
        .Format(format_list)
        .UnknownShapeFormat(format_list)
        .AutoContiguous();
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(ForeachAddList);
}  // namespace ops
