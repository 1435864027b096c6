#include "matmul_bias_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

using namespace matmul_tiling;

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  auto shapeA = context->GetInputTensor(0)->GetOriginShape();
  auto shapeB = context->GetInputTensor(1)->GetOriginShape();
  int32_t M = shapeA.GetDim(0);
  int32_t N = shapeB.GetDim(1);
  int32_t K = shapeA.GetDim(1);
  auto ascendcPlatform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  MultiCoreMatmulTiling cubeTiling(ascendcPlatform);
  cubeTiling.SetDim(ascendcPlatform.GetCoreNumAiv());
  cubeTiling.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cubeTiling.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cubeTiling.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cubeTiling.SetBiasType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cubeTiling.SetShape(M, N, K);
  cubeTiling.SetOrgShape(M, N, K);
  cubeTiling.SetBias(true);
  cubeTiling.SetBufferSpace(-1, -1, -1);
  MatmulBiasTilingData tiling;
  if (cubeTiling.GetTiling(tiling.cubeTilingData) == -1) {
    return ge::GRAPH_FAILED;
  }
  uint64_t localMemSize;
  ascendcPlatform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, localMemSize);
  tiling.set_localMemSize(localMemSize);
  context->SetTilingKey(2);
  if (ascendcPlatform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P) {
    context->SetBlockDim(2);
    context->SetTilingKey(1);
  } else {
    // a mixed kernel counts groups of one cube core and two vector cores
    context->SetBlockDim((tiling.cubeTilingData.get_usedCoreNum() + 1) / 2);
  }
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t userWorkspaceSize = 0;
  size_t systemWorkspaceSize = static_cast<size_t>(ascendcPlatform.GetLibApiWorkSpaceSize());
  size_t* currentWorkspace = context->GetWorkspaceSizes(1);
  currentWorkspace[0] = userWorkspaceSize + systemWorkspaceSize;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class MatmulBias : public OpDef {
 public:
  explicit MatmulBias(const char* name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("b").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("bias").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("d").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910_93").AddConfig("ascend910b");
  }
};
OP_ADD(MatmulBias);
}  // namespace ops
