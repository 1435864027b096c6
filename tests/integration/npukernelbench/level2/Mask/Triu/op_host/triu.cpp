#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "triu_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const gert::Shape shape = context->GetInputShape(0)->GetStorageShape();
  const int32_t rows = shape.GetDim(0), columns = shape.GetDim(1);
  const int64_t* diagonal = context->GetAttrs()->GetAttrPointer<int64_t>(0);
  const ge::DataType type = context->GetInputDesc(0)->GetDataType();
  if (type != ge::DT_FLOAT16 && type != ge::DT_FLOAT) return ge::GRAPH_FAILED;
  context->SetTilingKey(type == ge::DT_FLOAT16 ? 1 : 2);
  context->SetBlockDim(platform.GetCoreNumAiv());
  TriuTilingData tiling;
  tiling.set_rows(rows);
  tiling.set_columns(columns);
  tiling.set_diagonal(static_cast<int32_t>(*diagonal));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Triu : public OpDef {
 public:
  explicit Triu(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("diagonal").AttrType(OPTIONAL).Int(0);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Triu);
}  // namespace ops
