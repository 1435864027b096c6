#include "../op_kernel/template_scale_key.h"
#include "register/op_def_registry.h"
#include "template_scale_tiling.h"
#include "tiling/tiling_templates_registry.h"

namespace optiling {
// The steps that both ways share.
class ScaleTiling : public TilingBaseClass {
 public:
  using TilingBaseClass::TilingBaseClass;

 protected:
  ge::graphStatus GetPlatformInfo() override { return ge::GRAPH_SUCCESS; }
  ge::graphStatus GetShapeAttrsInfo() override {
    total_ = context_->GetInputShape(0)->GetStorageShape().GetShapeSize();
    type_ = context_->GetInputDesc(0)->GetDataType();
    times_ = *context_->GetAttrs()->GetInt(0);
    negate_ = *context_->GetAttrs()->GetBool(1);
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus DoOpTiling() override {
    data_.set_total(total_);
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus DoLibApiTiling() override { return ge::GRAPH_SUCCESS; }
  ge::graphStatus GetWorkspaceSize() override { return ge::GRAPH_SUCCESS; }
  uint64_t GetTilingKey() const override { return GET_TPL_TILING_KEY(type_, times_, negate_); }
  ge::graphStatus PostTiling() override {
    context_->SetBlockDim(1);
    context_->GetWorkspaceSizes(1)[0] = 0;
    data_.SaveToBuffer(context_->GetRawTilingData()->GetData(), context_->GetRawTilingData()->GetCapacity());
    context_->GetRawTilingData()->SetDataSize(data_.GetDataSize());
    return ge::GRAPH_SUCCESS;
  }

  TemplateScaleTilingData data_;
  int64_t total_ = 0, times_ = 0;
  ge::DataType type_ = ge::DT_UNDEFINED;
  bool negate_ = false;
};

class ScaleOfNothing : public ScaleTiling {
 public:
  using ScaleTiling::ScaleTiling;

 protected:
  bool IsCapable() override { return total_ == 0; }
  ge::graphStatus DoOpTiling() override { return ge::GRAPH_FAILED; }
};

class ScaleOfSome : public ScaleTiling {
 public:
  using ScaleTiling::ScaleTiling;

 protected:
  bool IsCapable() override { return total_ > 0; }
};
REGISTER_TILING_TEMPLATE("TemplateScale", ScaleOfSome, 20);
REGISTER_TILING_TEMPLATE("TemplateScale", ScaleOfNothing, 10);

static ge::graphStatus Tiling(gert::TilingContext* context) {
  return TilingRegistry::GetInstance().DoTilingImpl(context);
}
}  // namespace optiling

namespace ops {
class TemplateScale : public OpDef {
 public:
  explicit TemplateScale(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("times").AttrType(REQUIRED).Int();
    this->Attr("negate").AttrType(OPTIONAL).Bool(false);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};
OP_ADD(TemplateScale);
}  // namespace ops
