#include "base/err_msg.h"
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "toolchain/slog.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AccumulateTilingData)
TILING_DATA_FIELD_DEF(uint32_t, length);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Accumulate, AccumulateTilingData)

// The number of elements is a value that the host reads.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::Tensor* count = context->GetRequiredInputTensor(2);
  if (count == nullptr || count->GetData<int64_t>() == nullptr) {
    DlogSub(static_cast<int>(OP), "Accumulate", DLOG_ERROR, "no value of %s", "count");
    REPORT_INNER_ERR_MSG("EZ9999", "no value of %s", "count");
    return ge::GRAPH_FAILED;
  }
  if (context->GetInputTensor(1)->GetData<float>() != nullptr) return ge::GRAPH_FAILED;  // lies on the device
  AccumulateTilingData tiling;
  tiling.set_length(count->GetData<int64_t>()[0]);
  context->SetBlockDim(1);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
// var += x for the first `count` elements
class Accumulate : public OpDef {
 public:
  explicit Accumulate(const char* name) : OpDef(name) {
    this->Input("var").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("count").ParamType(REQUIRED).ValueDepend(REQUIRED).DataType({ge::DT_INT64}).Format({ge::FORMAT_ND});
    this->Output("var").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910_93");
  }
};
OP_ADD(Accumulate);
}  // namespace ops
