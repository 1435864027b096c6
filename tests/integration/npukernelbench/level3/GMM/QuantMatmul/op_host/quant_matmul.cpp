#include <algorithm>

#include "log/ops_log.h"
#include "quant_matmul_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_base.h"
#include "tiling/tiling_templates_registry.h"

namespace optiling {
constexpr uint32_t BASE_M = 128;
constexpr uint32_t BASE_N = 128;

// Of two ways the first that is capable is taken: one row of A is no matrix for it.
class QuantMatmulTiling : public TilingBaseClass {
 public:
  explicit QuantMatmulTiling(gert::TilingContext* context) : TilingBaseClass(context) {}

 protected:
  bool IsCapable() override { return m_ > 0 && n_ > 0 && k_ > 0; }
  ge::graphStatus GetPlatformInfo() override {
    auto platformInfo = context_->GetPlatformInfo();
    OP_TILING_CHECK(platformInfo == nullptr, VECTOR_INNER_ERR_REPORT_TILIING(context_->GetNodeName(), "no platform"),
                    return ge::GRAPH_FAILED);
    ascendcPlatform_ = std::make_unique<platform_ascendc::PlatformAscendC>(platformInfo);
    aicoreParams_.aicNum = ascendcPlatform_->GetCoreNumAic();
    ascendcPlatform_->GetCoreMemSize(platform_ascendc::CoreMemType::UB, aicoreParams_.ubSize);
    ascendcPlatform_->GetCoreMemSize(platform_ascendc::CoreMemType::L1, aicoreParams_.l1Size);
    ascendcPlatform_->GetCoreMemSize(platform_ascendc::CoreMemType::L0_C, aicoreParams_.l0cSize);
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus GetShapeAttrsInfo() override {
    auto aShape = context_->GetInputShape(0);
    auto bShape = context_->GetInputShape(1);
    OPS_CHECK_NULL_WITH_CONTEXT(context_, aShape);
    OPS_CHECK_NULL_WITH_CONTEXT(context_, bShape);
    m_ = aShape->GetStorageShape().GetDim(0);
    k_ = aShape->GetStorageShape().GetDim(1);
    n_ = bShape->GetStorageShape().GetDim(1);
    if (bShape->GetStorageShape().GetDim(0) != k_) {
      OP_LOGE(context_->GetNodeName(), "k of a is %ld, of b %ld", k_, bShape->GetStorageShape().GetDim(0));
      return ge::GRAPH_FAILED;
    }
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus DoOpTiling() override {
    const int64_t tiles = ((m_ + BASE_M - 1) / BASE_M) * ((n_ + BASE_N - 1) / BASE_N);
    blockDim_ = static_cast<uint32_t>(std::min<int64_t>(tiles, aicoreParams_.aicNum));
    tilingData_.shape.set_m(m_);
    tilingData_.shape.set_n(n_);
    tilingData_.shape.set_k(k_);
    tilingData_.set_baseM(BASE_M);
    tilingData_.set_baseN(BASE_N);
    tilingData_.set_rowsPerCopy(32);
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus DoLibApiTiling() override { return ge::GRAPH_SUCCESS; }
  uint64_t GetTilingKey() const override { return 1000; }
  ge::graphStatus GetWorkspaceSize() override {
    workspaceSize_ = static_cast<uint64_t>(blockDim_) * 2 * BASE_M * BASE_N * sizeof(int32_t) +
                     ascendcPlatform_->GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus PostTiling() override {
    context_->SetBlockDim(blockDim_);
    context_->SetScheduleMode(1);
    size_t* workspaces = context_->GetWorkspaceSizes(1);
    OPS_CHECK_NULL_WITH_CONTEXT(context_, workspaces);
    workspaces[0] = workspaceSize_;
    tilingData_.SaveToBuffer(context_->GetRawTilingData()->GetData(), context_->GetRawTilingData()->GetCapacity());
    context_->GetRawTilingData()->SetDataSize(tilingData_.GetDataSize());
    return ge::GRAPH_SUCCESS;
  }

 private:
  QuantMatmulTilingData tilingData_;
  int64_t m_ = 0;
  int64_t n_ = 0;
  int64_t k_ = 0;
};
REGISTER_TILING_TEMPLATE("QuantMatmul", QuantMatmulTiling, 1000);

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  OP_TILING_CHECK(context == nullptr, OP_LOGE("QuantMatmul", "no context"), return ge::GRAPH_FAILED);
  OP_LOGD(context->GetNodeName(), "tiling begins");
  return TilingRegistry::GetInstance().DoTilingImpl(context);
}
}  // namespace optiling

namespace ops {
class QuantMatmul : public OpDef {
 public:
  explicit QuantMatmul(const char* name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND});
    this->Input("b").ParamType(REQUIRED).DataType({ge::DT_INT8}).Format({ge::FORMAT_ND});
    this->Input("scale").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("per_token_scale").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Output("d").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910_93").AddConfig("ascend910b");
  }
};
OP_ADD(QuantMatmul);
}  // namespace ops
