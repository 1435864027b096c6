#include "add_custom_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubSize = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
  const gert::StorageShape* shape = context->GetInputShape(0);
  if (shape == nullptr) return ge::GRAPH_FAILED;
  const uint32_t totalLength = shape->GetOriginShape().GetShapeSize();
  const uint32_t coreNum = platform.GetCoreNumAiv();
  const uint32_t blockLength = totalLength / coreNum;
  // Three queues of two buffers of half; the largest power of two that fits and divides a core's share.
  uint32_t tileLength = 16;
  while (tileLength * 2 * sizeof(uint16_t) * 6 <= ubSize && blockLength % (tileLength * 2) == 0) tileLength *= 2;
  context->SetBlockDim(coreNum);
  AddCustomTilingData tiling;
  tiling.set_blockLength(blockLength);
  tiling.set_tileLength(tileLength);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class AddCustom : public OpDef {
 public:
  explicit AddCustom(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Input("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->Output("z")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(AddCustom);
}  // namespace ops
