#include <vector>

#include "register/op_def_registry.h"

namespace ops {
static const std::vector<ge::DataType> kTypes = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32};
static const std::vector<ge::Format> kFormats(3, ge::FORMAT_ND);

// y = x * scale + bias + sum of shifts
class ScaleShift : public OpDef {
 public:
  explicit ScaleShift(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType(kTypes)
        .Format(kFormats)
        .UnknownShapeFormat(kFormats)
        .AutoContiguous();
    this->Input("bias")
        .ParamType(OPTIONAL)
        .DataType(kTypes)
        .Format(kFormats)
        .UnknownShapeFormat(kFormats)
        .AutoContiguous();
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType(kTypes)
        .Format(kFormats)
        .UnknownShapeFormat(kFormats)
        .AutoContiguous();
    this->Attr("scale").AttrType(REQUIRED).Float();
    this->Attr("shifts").AttrType(OPTIONAL).ListInt({1, 2});
    this->Attr("mode").AttrType(OPTIONAL).String("all");
    this->Attr("negate").AttrType(OPTIONAL).Bool(false);
    this->Attr("repeat").AttrType(OPTIONAL).Int(1);
    OpAICoreConfig config;
    config.DynamicCompileStaticFlag(true)
        .DynamicFormatFlag(false)
        .DynamicRankSupportFlag(true)
        .DynamicShapeSupportFlag(true)
        .NeedCheckSupportFlag(false)
        .PrecisionReduceFlag(true)
        .ExtendCfgInfo("opFile.value", "scale_shift");
    this->AICore().AddConfig("ascend910b", config);
  }
};
OP_ADD(ScaleShift);
}  // namespace ops
