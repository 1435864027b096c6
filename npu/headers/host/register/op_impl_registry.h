#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "register/op_def.h"

// Functions of an operator that are registered separately from its definition.

namespace gert {

class OpImplRegisterV2 {
 public:
  using InferShapeKernelFunc = ops::OpDef::InferShapeFunction;
  using InferDataTypeKernelFunc = ops::OpDef::InferDataTypeFunction;
  using InferShapeRangeKernelFunc = ops::OpDef::InferShapeRangeFunction;
  using TilingKernelFunc = ops::OpAICoreDef::TilingFunction;
  explicit OpImplRegisterV2(const char* op_type) : kg_op_type(op_type) {}
  OpImplRegisterV2& InferShape(ops::OpDef::InferShapeFunction function);
  OpImplRegisterV2& InferDataType(ops::OpDef::InferDataTypeFunction function);
  OpImplRegisterV2& InferOutDataTypeSameWithFirstInput();
  OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc) { return *this; }
  OpImplRegisterV2& Tiling(ops::OpAICoreDef::TilingFunction function, size_t most_tiling_data = 0);
  using TilingParseFunc = ge::graphStatus (*)(TilingParseContext*);
  template <typename T>
  OpImplRegisterV2& TilingParse(TilingParseFunc const tiling_parse_func) {
    return tiling_parse(tiling_parse_func, []() -> std::shared_ptr<void> { return std::make_shared<T>(); });
  }
  OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs);
  OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
  // Attributes and inputs that only a graph has.
  OpImplRegisterV2& PrivateAttr(const ge::char_t*) { return *this; }
  OpImplRegisterV2& PrivateAttr(const ge::char_t*, int64_t) { return *this; }
  OpImplRegisterV2& PrivateAttr(const ge::char_t*, const std::vector<int64_t>&) { return *this; }
  OpImplRegisterV2& PrivateAttr(const ge::char_t*, const ge::char_t*) { return *this; }
  OpImplRegisterV2& PrivateAttr(const ge::char_t*, ge::float32_t) { return *this; }
  OpImplRegisterV2& PrivateAttr(const ge::char_t*, bool) { return *this; }
  OpImplRegisterV2& PrivateAttr(const ge::char_t*, const std::vector<ge::float32_t>&) { return *this; }
  OpImplRegisterV2& HostInputs(std::initializer_list<int32_t>) { return *this; }
  OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs);

 private:
  OpImplRegisterV2& tiling_parse(TilingParseFunc function, std::shared_ptr<void> (*make_compile_info)());

  const char* kg_op_type;
};
using OpImplRegister = OpImplRegisterV2;

}  // namespace gert

#define KG_JOIN_(a, b) a##b
#define KG_JOIN(a, b) KG_JOIN_(a, b)
#define KG_IMPL_OP(op_type)                                                                            \
  static __attribute__((unused)) ::gert::OpImplRegisterV2 KG_JOIN(kg_impl_##op_type##_, __COUNTER__) = \
      ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP(op_type) KG_IMPL_OP(op_type)
#define IMPL_OP_OPTILING(op_type) KG_IMPL_OP(op_type)
#define IMPL_OP_INFERSHAPE(op_type) KG_IMPL_OP(op_type)
#define IMPL_OP_INFERDATATYPE(op_type) KG_IMPL_OP(op_type)
