#include <iostream>

#include "add_rms_norm_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {
constexpr uint32_t DTYPE_KEY_FP16 = 1;
constexpr uint32_t DTYPE_KEY_FP32 = 2;
constexpr uint32_t DTYPE_KEY_BF16 = 3;
constexpr uint32_t UB_FACTOR_B16 = 12288;
constexpr uint32_t UB_FACTOR_B32 = 10240;
constexpr uint32_t FLOAT_BLOCK = 8;

static void SetByDtype(ge::DataType dataType, uint32_t& dtypeKey, uint32_t& ubFactor) {
  switch (dataType) {
    case ge::DT_FLOAT16:
      dtypeKey = DTYPE_KEY_FP16;
      ubFactor = UB_FACTOR_B16;
      break;
    case ge::DT_BF16:
      dtypeKey = DTYPE_KEY_BF16;
      ubFactor = UB_FACTOR_B16;
      break;
    default:
      dtypeKey = DTYPE_KEY_FP32;
      ubFactor = UB_FACTOR_B32;
  }
}

static bool CheckInputOutputShape(const gert::TilingContext* context) {
  for (size_t i = 0; i < 3; i++) {
    if (context->GetInputShape(i) == nullptr) {
      std::cout << "AddRmsNorm: input " << i << " has no shape" << std::endl;
      return false;
    }
  }
  const gert::Shape& x1 = context->GetInputShape(0)->GetStorageShape();
  const gert::Shape& gamma = context->GetInputShape(2)->GetStorageShape();
  const size_t x1DimNum = x1.GetDimNum();
  const size_t gammaDimNum = gamma.GetDimNum();
  if (gammaDimNum > x1DimNum || x1 != context->GetInputShape(1)->GetStorageShape()) {
    std::cout << "AddRmsNorm: the shapes do not fit" << std::endl;
    return false;
  }
  for (uint32_t i = 0; i < gammaDimNum; i++) {
    if (gamma.GetDim(i) != x1.GetDim(x1DimNum - gammaDimNum + i)) {
      return false;
    }
  }
  return true;
}

static ge::graphStatus Tiling4AddRmsNorm(gert::TilingContext* context) {
  if (!CheckInputOutputShape(context)) {
    return ge::GRAPH_FAILED;
  }
  AddRMSNormTilingData tiling;
  auto ascendcPlatform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint32_t numCore = ascendcPlatform.GetCoreNumAiv();
  const gert::Shape x1Shape = context->GetInputShape(0)->GetStorageShape();
  const size_t gammaIndex = 2;
  const gert::Shape gammaShape = context->GetInputShape(gammaIndex)->GetStorageShape();
  const float* epsilon = context->GetAttrs()->GetFloat(0);

  uint32_t numCol = gammaShape.GetShapeSize();
  uint32_t numRow = x1Shape.GetShapeSize() / numCol;
  uint32_t blockFactor = (numRow + numCore - 1) / numCore;
  uint32_t useCoreNum = (numRow + blockFactor - 1) / blockFactor;
  context->SetBlockDim(useCoreNum);

  uint32_t dtypeKey = 0;
  uint32_t ubFactor = 0;
  SetByDtype(context->GetInputDesc(0)->GetDataType(), dtypeKey, ubFactor);
  if (numCol > ubFactor) {
    std::cout << "AddRmsNorm: rows of at most " << ubFactor << " elements" << std::endl;
    return ge::GRAPH_FAILED;
  }
  context->SetTilingKey(dtypeKey * 10);
  tiling.set_num_row(numRow);
  tiling.set_num_col(numCol);
  tiling.set_block_factor(blockFactor);
  tiling.set_row_factor(64);
  tiling.set_ub_factor((numCol + 15) / 16 * 16);
  tiling.set_epsilon(*epsilon);
  tiling.set_avg_factor(numCol == 0 ? 0 : 1.0f / numCol);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t* currentWorkspace = context->GetWorkspaceSizes(1);
  currentWorkspace[0] = 16 * 1024 * 1024 + 256;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
static ge::graphStatus InferShape4AddRmsNorm(gert::InferShapeContext* context) {
  const gert::Shape* x1_shape = context->GetInputShape(0);
  const gert::Shape* gamma_shape = context->GetInputShape(2);
  gert::Shape* y_shape = context->GetOutputShape(0);
  gert::Shape* rstd_shape = context->GetOutputShape(1);
  gert::Shape* x_shape = context->GetOutputShape(2);
  *y_shape = *x1_shape;
  *x_shape = *x1_shape;
  const size_t xDimNum = x1_shape->GetDimNum();
  const size_t gammaDimNum = gamma_shape->GetDimNum();
  rstd_shape->SetDimNum(xDimNum);
  for (size_t i = 0; i < xDimNum; i++) {
    rstd_shape->SetDim(i, i < xDimNum - gammaDimNum ? x1_shape->GetDim(i) : 1);
  }
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType4AddRmsNorm(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, ge::DT_FLOAT);
  context->SetOutputDataType(2, context->GetInputDataType(0));
  return ge::GRAPH_SUCCESS;
}
}  // namespace ops

namespace optiling {
struct AddRmsNormCompileInfo {};
static ge::graphStatus TilingPrepare4AddRmsNorm(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; }
IMPL_OP_OPTILING(AddRmsNorm).Tiling(Tiling4AddRmsNorm).TilingParse<AddRmsNormCompileInfo>(TilingPrepare4AddRmsNorm);
}  // namespace optiling

namespace ops {
IMPL_OP_INFERSHAPE(AddRmsNorm).InferShape(InferShape4AddRmsNorm).InferDataType(InferDataType4AddRmsNorm);

class AddRmsNorm : public OpDef {
 public:
  explicit AddRmsNorm(const char* name) : OpDef(name) {
    this->Input("x1")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("x2")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("gamma")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("rstd")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-6);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");

    OpAICoreConfig other;
    other.DynamicCompileStaticFlag(true).DynamicFormatFlag(true).DynamicRankSupportFlag(true).DynamicShapeSupportFlag(
        true);
    this->AICore().AddConfig("ascend310p", other);
  }
};
OP_ADD(AddRmsNorm);
}  // namespace ops
