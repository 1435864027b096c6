#include <cstring>

#include "mse_loss_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint32_t size = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  const char* reduction = context->GetAttrs()->GetStr(0);
  const float factor = strcmp(reduction, "mean") == 0 ? 1.0f / size : 1.0f;
  context->SetTilingKey(strcmp(reduction, "none") == 0 ? 1 : 0);
  context->SetBlockDim(platform.GetCoreNumAiv());
  MseLossTilingData tiling;
  tiling.set_size(size);
  tiling.set_factor(factor);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = platform.GetLibApiWorkSpaceSize() + 48 * 32;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class MseLoss : public OpDef {
 public:
  explicit MseLoss(const char* name) : OpDef(name) {
    this->Input("predict")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("label")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("reduction").AttrType(OPTIONAL).String("mean");
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(MseLoss);
}  // namespace ops
