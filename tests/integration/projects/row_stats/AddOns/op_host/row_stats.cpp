#include "../op_kernel/row_stats_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
  if (shape.GetDimNum() != 2 || shape.GetDim(1) > 4096) return ge::GRAPH_FAILED;
  RowStatsTiling* tiling = context->GetTilingData<RowStatsTiling>();
  tiling->rows = shape.GetDim(0);
  tiling->columns = shape[1];
  context->SetBlockDim(1);
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  size_t* sizes = context->GetWorkspaceSizes(1);
  sizes[0] = platform.GetLibApiWorkSpaceSize() + shape.GetShapeSize() * sizeof(float);
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
// Sum and largest value of each row, by way of the workspace.
class RowStats : public OpDef {
 public:
  explicit RowStats(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT}).FormatList({ge::FORMAT_ND});
    this->Output("total").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT}).FormatList({ge::FORMAT_ND});
    this->Output("largest").ParamType(REQUIRED).Follow("x").FormatList({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(RowStats);
}  // namespace ops
