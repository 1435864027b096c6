#include <algorithm>
#include <vector>

#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint16_t kMostTensors = 50;

BEGIN_TILING_DATA_DEF(ForeachMuladdTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tensors);
TILING_DATA_FIELD_DEF_ARR(int64_t, 50, counts);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ForeachMuladd, ForeachMuladdTilingData)

static ge::graphStatus Tiling4Foreach(gert::TilingContext* context) {
  ForeachMuladdTilingData tiling;
  int64_t counts[kMostTensors] = {};
  uint32_t number = 0;
  for (; number < kMostTensors; ++number) {
    const gert::Tensor* tensor = context->GetDynamicInputTensor(0, number);
    if (tensor == nullptr) break;
    if (tensor->GetDataType() != context->GetDynamicInputDesc(1, number)->GetDataType()) return ge::GRAPH_PARAM_INVALID;
    counts[number] = tensor->GetStorageShape().GetShapeSize();
  }
  if (number != context->GetIrInputInstanceInfo(0)->GetInstanceNum()) return ge::GRAPH_FAILED;
  if (number != context->GetComputeNodeOutputNum()) return ge::GRAPH_FAILED;
  tiling.set_tensors(number);
  tiling.set_counts(counts);
  context->SetBlockDim(std::min(number, platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv()));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
// y[i] = x1[i] * scalar + x2[i]
class ForeachMuladd : public OpDef {
 public:
  explicit ForeachMuladd(const char* name) : OpDef(name) {
    std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT};
    std::vector<ge::DataType> scalars;
    std::for_each(types.cbegin(), types.cend(), [&scalars](ge::DataType) { scalars.push_back(ge::DT_FLOAT); });
    std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
    this->Input("x1").ParamType(DYNAMIC).DataType(types).Format(formats).UnknownShapeFormat(formats).AutoContiguous();
    this->Input("x2").ParamType(DYNAMIC).DataType(types).Format(formats).UnknownShapeFormat(formats).AutoContiguous();
    this->Input("scalar").Scalar().ParamType(REQUIRED).DataType(scalars).Format(formats).UnknownShapeFormat(formats);
    this->Output("y").ParamType(DYNAMIC).DataType(types).Format(formats).UnknownShapeFormat(formats).AutoContiguous();
    this->AICore().SetTiling(optiling::Tiling4Foreach).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(ForeachMuladd);
}  // namespace ops
