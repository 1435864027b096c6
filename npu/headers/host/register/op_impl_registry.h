#pragma once

#include <initializer_list>
#include <memory>
#include <type_traits>
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
  template <typename CompileInfo, typename Context>
  OpImplRegisterV2& TilingParse(ge::graphStatus (*function)(Context*)) {
    static_assert(std::is_base_of<ExtendedKernelContext, Context>::value, "TilingParse takes a TilingParseContext");
    return tiling_parse(reinterpret_cast<ParseFunction>(function),
                        []() -> std::shared_ptr<void> { return std::make_shared<CompileInfo>(); });
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
  using ParseFunction = ge::graphStatus (*)(TilingParseContext*);
  OpImplRegisterV2& tiling_parse(ParseFunction function, std::shared_ptr<void> (*make_compile_info)());

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
