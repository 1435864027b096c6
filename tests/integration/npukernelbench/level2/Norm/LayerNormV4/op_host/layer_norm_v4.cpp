#include "register/op_def_registry.h"

namespace ge {
static ge::graphStatus InferDataType4LayerNormV4(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, ge::DT_FLOAT);
  context->SetOutputDataType(2, ge::DT_FLOAT);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
static const std::vector<ge::DataType> xTypes = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_BF16,
                                                 ge::DT_BF16};
static const std::vector<ge::DataType> paramTypes = {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT,
                                                     ge::DT_BF16};
static const std::vector<ge::DataType> shapeTypes(5, ge::DT_INT32);
static const std::vector<ge::DataType> statTypes(5, ge::DT_FLOAT);
static const std::vector<ge::Format> formats(5, ge::FORMAT_ND);

class LayerNormV4 : public OpDef {
 public:
  explicit LayerNormV4(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(xTypes).Format(formats).UnknownShapeFormat(formats).AutoContiguous();
    this->Input("normalized_shape")
        .ParamType(REQUIRED)
        .ValueDepend(OPTIONAL)
        .DataType(shapeTypes)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Input("gamma")
        .ParamType(OPTIONAL)
        .DataType(paramTypes)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Input("beta")
        .ParamType(OPTIONAL)
        .DataType(paramTypes)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Output("y").ParamType(REQUIRED).DataType(xTypes).Format(formats).UnknownShapeFormat(formats).AutoContiguous();
    this->Output("mean")
        .ParamType(REQUIRED)
        .DataType(statTypes)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Output("rstd")
        .ParamType(REQUIRED)
        .DataType(statTypes)
        .Format(formats)
        .UnknownShapeFormat(formats)
        .AutoContiguous();
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-5);
    this->SetInferDataType(ge::InferDataType4LayerNormV4);
    this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(LayerNormV4);
}  // namespace ops
