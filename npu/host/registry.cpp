#include "npu/host/registry.h"

namespace kg::npu {

HostRegistry& host_registry() {
  static HostRegistry registry;
  return registry;
}

}  // namespace kg::npu

using kg::npu::host_registry;

int ops::kg_add_op(const char* op_type, kg_OpMaker make) {
  host_registry().operators.emplace_back(op_type, make);
  return 0;
}

int ops::kg_add_config(const char* op_type, const char* soc, OpAICoreConfig (*make)()) {
  host_registry().configs[op_type][soc] = make;
  return 0;
}

void optiling::CTilingDataClassFactory::RegisterTilingData(const char* op_type, Maker maker) {
  host_registry().tilings[op_type] = maker;
}

namespace gert {

OpImplRegisterV2& OpImplRegisterV2::InferShape(ops::OpDef::InferShapeFunction function) {
  host_registry().functions[kg_op_type].infer_shape = function;
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferDataType(ops::OpDef::InferDataTypeFunction function) {
  host_registry().functions[kg_op_type].infer_data_type = function;
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
  return InferDataType([](InferDataTypeContext* context) -> ge::graphStatus {
    const ge::DataType type = context->GetInputDataType(0);
    if (type == ge::DT_UNDEFINED) return ge::GRAPH_FAILED;
    for (size_t index = 0; index < context->GetComputeNodeOutputNum(); ++index)
      if (context->SetOutputDataType(index, type) != ge::GRAPH_SUCCESS) return ge::GRAPH_FAILED;
    return ge::GRAPH_SUCCESS;
  });
}

OpImplRegisterV2& OpImplRegisterV2::Tiling(ops::OpAICoreDef::TilingFunction function, size_t most_tiling_data) {
  host_registry().functions[kg_op_type].tiling = function;
  host_registry().functions[kg_op_type].most_tiling_data = most_tiling_data;
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::tiling_parse(TilingParseFunc function, std::shared_ptr<void> (*make)()) {
  host_registry().functions[kg_op_type].parse = function;
  host_registry().functions[kg_op_type].make_compile_info = make;
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs) {
  auto& list = host_registry().functions[kg_op_type].value_dependent;
  list.insert(list.end(), inputs.begin(), inputs.end());
  return *this;
}

OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs) {
  return InputsDataDependency(inputs);
}

OpImplRegisterV2& OpImplRegisterV2::OutputShapeDependOnCompute(std::initializer_list<int32_t>) { return *this; }

}  // namespace gert
