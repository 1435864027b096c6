#include "basic_matmul_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  BasicMatmulTilingData tiling;
  const gert::StorageShape* aShape = context->GetInputShape(0);
  const gert::StorageShape* bShape = context->GetInputShape(1);
  tiling.set_m(aShape->GetStorageShape().GetDim(0));
  tiling.set_k(aShape->GetStorageShape().GetDim(1));
  tiling.set_n(bShape->GetStorageShape().GetDim(1));
  context->SetBlockDim(platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic());
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t* currentWorkspace = context->GetWorkspaceSizes(1);
  currentWorkspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class BasicMatmul : public OpDef {
 public:
  explicit BasicMatmul(const char* name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("b").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("c").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910_93").AddConfig("ascend910b");
  }
};
OP_ADD(BasicMatmul);
}  // namespace ops
