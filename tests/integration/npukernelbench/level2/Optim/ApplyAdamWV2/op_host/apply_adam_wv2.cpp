#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "apply_adam_wv2_tiling.h"
#include "graph/utils/type_utils.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

#define OP_LOGE(nodeName, fmt, ...) std::printf("[%s] " fmt "\n", nodeName, ##__VA_ARGS__)
#define OP_CHECK(cond, log_func, return_expr) \
  if (cond) {                                 \
    log_func;                                 \
    return_expr;                              \
  }

namespace optiling {
static const int64_t WORKSPACE_SIZE = 16 * 1024 * 1024;
static const size_t INDEX_IN_MAX_GRAD_NORM = 5;
static const std::map<std::pair<ge::DataType, ge::DataType>, uint64_t> TILING_KEYS = {
    {{ge::DT_FLOAT, ge::DT_FLOAT}, 101},   {{ge::DT_FLOAT, ge::DT_INT64}, 102}, {{ge::DT_FLOAT16, ge::DT_FLOAT}, 103},
    {{ge::DT_FLOAT16, ge::DT_INT64}, 104}, {{ge::DT_BF16, ge::DT_FLOAT}, 105},  {{ge::DT_BF16, ge::DT_INT64}, 106}};

// Attributes arrive as float32, the caller wrote decimals: the shortest one that rounds to this float.
// 1 - 0.9f is three units off 0.1f.
static double AsWritten(float value) {
  for (int digits = 1; digits < 9; digits++) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.*g", digits, static_cast<double>(value));
    const double decimal = std::strtod(text, nullptr);
    if (static_cast<float>(decimal) == value) {
      return decimal;
    }
  }
  return value;
}

class ApplyAdamWV2Tiling {
 public:
  explicit ApplyAdamWV2Tiling(gert::TilingContext* context) : context_(context), nodeName_(context->GetNodeName()) {}

  ge::graphStatus RunTiling() {
    OP_CHECK(CheckInputs() != ge::GRAPH_SUCCESS, OP_LOGE(nodeName_, "the inputs do not fit"), return ge::GRAPH_FAILED);
    OP_CHECK(GetAttributes() != ge::GRAPH_SUCCESS, OP_LOGE(nodeName_, "the attributes do not fit"),
             return ge::GRAPH_FAILED);
    auto platform = platform_ascendc::PlatformAscendC(context_->GetPlatformInfo());
    const int64_t coreNum = platform.GetCoreNumAiv();
    uint64_t ubSize = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t total = context_->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const int64_t typeSize = ge::GetSizeByDataType(dtype_);
    // As stored: five tensors in, four out and one for rounding; as float: seven. Nine and nine are never fewer bytes.
    int64_t numPerLoop =
        static_cast<int64_t>(ubSize) / (9 * typeSize + 9 * static_cast<int64_t>(sizeof(float))) / 64 * 64;
    numPerLoop = std::min<int64_t>(numPerLoop, 2048);
    const int64_t loops = (total + numPerLoop - 1) / numPerLoop;
    const int64_t used = std::min(loops, coreNum);
    tilingData_.set_totalCoreNum(coreNum);
    tilingData_.set_usedCoreNum(used);
    tilingData_.set_numPerLoop(numPerLoop);
    tilingData_.set_loopNumPerCore(loops / used);
    tilingData_.set_handleExtraLoopCoreNum(loops % used);
    tilingData_.set_numLastLoop(total - (loops - 1) * numPerLoop);
    context_->SetBlockDim(used);
    const auto key = TILING_KEYS.find({dtype_, stepType_});
    OP_CHECK(key == TILING_KEYS.end(), OP_LOGE(nodeName_, "no kernel for %s", TypeText(dtype_).c_str()),
             return ge::GRAPH_FAILED);
    context_->SetTilingKey(key->second);
    tilingData_.SaveToBuffer(context_->GetRawTilingData()->GetData(), context_->GetRawTilingData()->GetCapacity());
    context_->GetRawTilingData()->SetDataSize(tilingData_.GetDataSize());
    size_t* workspaces = context_->GetWorkspaceSizes(1);
    workspaces[0] = WORKSPACE_SIZE;
    return ge::GRAPH_SUCCESS;
  }

 private:
  static std::string TypeText(ge::DataType dtype) {
    std::ostringstream text;
    text << ge::TypeUtils::DataTypeToSerialString(dtype);
    return text.str();
  }
  ge::graphStatus CheckInputs() {
    static const std::set<ge::DataType> types = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16};
    dtype_ = context_->GetInputDesc(0)->GetDataType();
    if (types.count(dtype_) == 0) {
      return ge::GRAPH_FAILED;
    }
    for (size_t i = 1; i < 4; i++) {
      auto shape = context_->GetInputShape(i);
      if (shape == nullptr || shape->GetStorageShape() != context_->GetInputShape(0)->GetStorageShape()) {
        return ge::GRAPH_FAILED;
      }
    }
    stepType_ = context_->GetInputDesc(4)->GetDataType();
    const bool hasMax = context_->GetOptionalInputTensor(INDEX_IN_MAX_GRAD_NORM) != nullptr;
    const bool amsgrad = *context_->GetAttrs()->GetAttrPointer<bool>(5);
    return amsgrad && !hasMax ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
  }
  ge::graphStatus GetAttributes() {
    auto* attrs = context_->GetAttrs();
    if (attrs == nullptr) {
      return ge::GRAPH_FAILED;
    }
    const double lr = AsWritten(*attrs->GetAttrPointer<float>(0));
    const double beta1 = AsWritten(*attrs->GetAttrPointer<float>(1));
    const double beta2 = AsWritten(*attrs->GetAttrPointer<float>(2));
    const double weightDecay = AsWritten(*attrs->GetAttrPointer<float>(3));
    if (!(beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1)) {
      OP_LOGE(nodeName_, "beta1 and beta2 must be in [0, 1), they are %g and %g", beta1, beta2);
      return ge::GRAPH_FAILED;
    }
    int exponent = 0;
    tilingData_.set_lrMantissa(static_cast<int64_t>(std::ldexp(std::frexp(lr, &exponent), 53)));
    tilingData_.set_lrExponent(exponent - 53);
    tilingData_.set_beta1Fixed(static_cast<uint64_t>(std::ldexp(beta1, 62)));
    tilingData_.set_beta2Fixed(static_cast<uint64_t>(std::ldexp(beta2, 62)));
    tilingData_.set_decay(static_cast<float>(1 - lr * weightDecay));
    tilingData_.set_beta1Rest(static_cast<float>(1 - beta1));
    tilingData_.set_beta2(static_cast<float>(beta2));
    tilingData_.set_beta2Rest(static_cast<float>(1 - beta2));
    tilingData_.set_eps(*attrs->GetAttrPointer<float>(4));
    tilingData_.set_amsgrad(static_cast<int64_t>(*attrs->GetAttrPointer<bool>(5)));
    tilingData_.set_maximize(static_cast<int64_t>(*attrs->GetAttrPointer<bool>(6)));
    tilingData_.set_isBfloat16(dtype_ == ge::DT_BF16);
    return ge::GRAPH_SUCCESS;
  }

  ApplyAdamWV2TilingData tilingData_;
  gert::TilingContext* context_ = nullptr;
  std::string name_;
  const char* nodeName_ = "";
  ge::DataType dtype_ = ge::DT_UNDEFINED;
  ge::DataType stepType_ = ge::DT_UNDEFINED;
};

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  ApplyAdamWV2Tiling tiling(context);
  return tiling.RunTiling();
}
}  // namespace optiling

namespace ops {
static const std::vector<ge::DataType> refDtypes = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16,
                                                    ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16};
static const std::vector<ge::DataType> stepDtypes = {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT,
                                                     ge::DT_INT64, ge::DT_INT64, ge::DT_INT64};
static const std::vector<ge::Format> formats(refDtypes.size(), ge::FORMAT_ND);

class ApplyAdamWV2 : public OpDef {
 public:
  explicit ApplyAdamWV2(const char* name) : OpDef(name) {
    for (const char* input : {"var", "m", "v", "grad"}) {
      this->Input(input)
          .ParamType(REQUIRED)
          .DataType(refDtypes)
          .Format(formats)
          .UnknownShapeFormat(formats)
          .AutoContiguous();
    }
    this->Input("step")
        .ParamType(REQUIRED)
        .DataType(stepDtypes)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Input("max_grad_norm")
        .ParamType(OPTIONAL)
        .DataType(refDtypes)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Attr("lr").AttrType(OPTIONAL).Float(0.1);
    this->Attr("beta1").AttrType(OPTIONAL).Float(0.1);
    this->Attr("beta2").AttrType(OPTIONAL).Float(0.1);
    this->Attr("weight_decay").AttrType(OPTIONAL).Float(0.1);
    this->Attr("eps").AttrType(OPTIONAL).Float(0.1);
    this->Attr("amsgrad").AttrType(OPTIONAL).Bool(false);
    this->Attr("maximize").AttrType(OPTIONAL).Bool(false);
    OpAICoreConfig aicore_config;
    aicore_config.DynamicCompileStaticFlag(true)
        .DynamicRankSupportFlag(true)
        .DynamicShapeSupportFlag(true)
        .NeedCheckSupportFlag(false)
        .PrecisionReduceFlag(true)
        .ExtendCfgInfo("opFile.value", "apply_adam_wv2")
        .ExtendCfgInfo("opInterface.value", "apply_adam_wv2");
    this->AICore().AddConfig("ascend910b", aicore_config);
    this->AICore().AddConfig("ascend910_93", aicore_config);
    this->AICore().SetTiling(optiling::TilingFunc);
  }
};
OP_ADD(ApplyAdamWV2);
}  // namespace ops
