#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SoftmaxRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(uint32_t, tmpBytes);
TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SoftmaxRows, SoftmaxRowsTilingData)

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
  SoftmaxRowsTilingData tiling;
  tiling.set_rows(shape.GetDim(0));
  tiling.set_columns(shape.GetDim(1));
  const ge::Shape source({shape.GetDim(0), shape.GetDim(1)});
  const uint32_t space = AscendC::GetSoftMaxMinTmpSize(source, sizeof(float), false);
  tiling.set_tmpBytes(space);
  AscendC::SoftMaxTilingFunc(source, sizeof(float), space, tiling.softmax);
  context->SetBlockDim(1);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class SoftmaxRows : public OpDef {
 public:
  explicit SoftmaxRows(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(SoftmaxRows);
}  // namespace ops
