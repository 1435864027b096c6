#include "gemv_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const gert::Shape& shape = context->GetInputTensor(0)->GetStorageShape();
  const gert::RuntimeAttrs* attrs = context->GetAttrs();
  context->SetBlockDim(platform.GetCoreNumAiv());
  GemvTilingData tiling;
  tiling.set_m(shape.GetDim(0));
  tiling.set_n(shape.GetDim(1));
  tiling.set_alpha(*attrs->GetFloat(0));
  tiling.set_beta(*attrs->GetFloat(1));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Gemv : public OpDef {
 public:
  explicit Gemv(const char* name) : OpDef(name) {
    this->Input("a")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Input("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Attr("alpha").AttrType(REQUIRED).Float();
    this->Attr("beta").AttrType(REQUIRED).Float();
    this->Output("out")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Gemv);
}  // namespace ops
