#include "register/op_def_registry.h"
#include "swi_glu_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const gert::Shape shape = context->GetInputShape(0)->GetStorageShape();
  const int64_t* attribute = context->GetAttrs()->GetInt(0);
  const int64_t rank = shape.GetDimNum(), dim = *attribute < 0 ? *attribute + rank : *attribute;
  if (dim < 0 || dim >= rank || shape.GetDim(dim) % 2 != 0) return ge::GRAPH_FAILED;
  uint32_t outer = 1, run = 1;
  for (int64_t i = 0; i < rank; ++i) (i < dim ? outer : run) *= shape.GetDim(i);
  context->SetBlockDim(platform.GetCoreNumAiv());
  SwiGluTilingData tiling;
  tiling.set_outer(outer);
  tiling.set_run(run / 2);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class SwiGlu : public OpDef {
 public:
  explicit SwiGlu(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("dim").AttrType(OPTIONAL).Int(-1);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(SwiGlu);
}  // namespace ops
