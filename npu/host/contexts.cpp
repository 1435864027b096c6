#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "npu/host/node.h"

// The contexts are views of a Node.

namespace {

template <typename T>
const T* at(const std::vector<T>& list, std::int64_t index) {
  return index >= 0 && static_cast<std::size_t>(index) < list.size() ? &list[static_cast<std::size_t>(index)] : nullptr;
}

const gert::Shape* origin(const gert::StorageShape* shape) {
  return shape == nullptr ? nullptr : &shape->GetOriginShape();
}

constexpr std::size_t kMostNulls = 8;

// The pointer; a null one is remembered under the getter's name.
template <typename T, typename... More>
const T* noted(kgnpu_host::Node& node, const T* found, const char* getter, std::size_t index, More... more) {
  if (found == nullptr && node.nulls.size() < kMostNulls)
    node.nulls.insert(std::string(getter) + "(" + std::to_string(index) + ((", " + std::to_string(more)) + ... + ")"));
  return found;
}

ge::DataType type_of(const gert::CompileTimeTensorDesc* tensor) {
  return tensor == nullptr ? ge::DT_UNDEFINED : tensor->GetDataType();
}

}  // namespace

namespace kgnpu_host {

std::int64_t Node::input_index(std::size_t ir_index, std::size_t relative_index) const {
  if (ir_index >= input_slots.size() || relative_index >= input_slots[ir_index].GetInstanceNum()) return -1;
  return static_cast<std::int64_t>(input_slots[ir_index].GetInstanceStart() + relative_index);
}

const gert::AnchorInstanceInfo* Node::GetInputInstanceInfo(std::size_t i) const {
  return at(input_slots, static_cast<std::int64_t>(i));
}
const gert::AnchorInstanceInfo* Node::GetOutputInstanceInfo(std::size_t i) const {
  return at(output_slots, static_cast<std::int64_t>(i));
}
const gert::CompileTimeTensorDesc* Node::GetInputTdInfo(std::size_t i) const {
  return at(inputs, static_cast<std::int64_t>(i));
}
const gert::CompileTimeTensorDesc* Node::GetOutputTdInfo(std::size_t i) const {
  return at(outputs, static_cast<std::int64_t>(i));
}

}  // namespace kgnpu_host

namespace gert {

const char* ExtendedKernelContext::GetNodeType() const { return kg_node.GetNodeType(); }
const char* ExtendedKernelContext::GetNodeName() const { return kg_node.GetNodeName(); }
size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return kg_node.inputs.size(); }
size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return kg_node.outputs.size(); }
const ComputeNodeInfo* ExtendedKernelContext::GetComputeNodeInfo() const { return &kg_node; }
const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const { return kg_node.attributes.get(); }
const CompileTimeTensorDesc* ExtendedKernelContext::GetInputDesc(size_t index) const {
  return noted(kg_node, kg_node.GetInputTdInfo(index), "GetInputDesc", index);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicInputDesc(size_t ir_index, size_t relative) const {
  return noted(kg_node, at(kg_node.inputs, kg_node.input_index(ir_index, relative)), "GetDynamicInputDesc", ir_index,
               relative);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredInputDesc(size_t ir_index) const {
  return noted(kg_node, at(kg_node.inputs, kg_node.input_index(ir_index, 0)), "GetRequiredInputDesc", ir_index);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOptionalInputDesc(size_t ir_index) const {
  return noted(kg_node, at(kg_node.inputs, kg_node.input_index(ir_index, 0)), "GetOptionalInputDesc", ir_index);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(size_t index) const {
  return noted(kg_node, kg_node.GetOutputTdInfo(index), "GetOutputDesc", index);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(size_t ir_index) const {
  return kg_node.GetInputInstanceInfo(ir_index);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrOutputInstanceInfo(size_t ir_index) const {
  return kg_node.GetOutputInstanceInfo(ir_index);
}

const void* TilingContext::GetCompileInfo() const {
  return kg_node.compile_info_ready ? kg_node.compile_info.get() : nullptr;
}
fe::PlatFormInfos* TilingContext::GetPlatformInfo() const { return &kg_node.platform; }
int32_t TilingContext::GetDeterministic() const { return 0; }
const StorageShape* TilingContext::GetInputShape(size_t index) const {
  return noted(kg_node, at(kg_node.input_shapes, static_cast<std::int64_t>(index)), "GetInputShape", index);
}
const StorageShape* TilingContext::GetDynamicInputShape(size_t ir_index, size_t relative) const {
  return noted(kg_node, at(kg_node.input_shapes, kg_node.input_index(ir_index, relative)), "GetDynamicInputShape",
               ir_index, relative);
}
const StorageShape* TilingContext::GetRequiredInputShape(size_t ir_index) const {
  return noted(kg_node, at(kg_node.input_shapes, kg_node.input_index(ir_index, 0)), "GetRequiredInputShape", ir_index);
}
const StorageShape* TilingContext::GetOptionalInputShape(size_t ir_index) const {
  return noted(kg_node, at(kg_node.input_shapes, kg_node.input_index(ir_index, 0)), "GetOptionalInputShape", ir_index);
}
const Tensor* TilingContext::GetInputTensor(size_t index) const {
  return noted(kg_node, at(kg_node.input_tensors, static_cast<std::int64_t>(index)), "GetInputTensor", index);
}
const Tensor* TilingContext::GetDynamicInputTensor(size_t ir_index, size_t relative) const {
  return noted(kg_node, at(kg_node.input_tensors, kg_node.input_index(ir_index, relative)), "GetDynamicInputTensor",
               ir_index, relative);
}
const Tensor* TilingContext::GetRequiredInputTensor(size_t ir_index) const {
  return noted(kg_node, at(kg_node.input_tensors, kg_node.input_index(ir_index, 0)), "GetRequiredInputTensor",
               ir_index);
}
const Tensor* TilingContext::GetOptionalInputTensor(size_t ir_index) const {
  return noted(kg_node, at(kg_node.input_tensors, kg_node.input_index(ir_index, 0)), "GetOptionalInputTensor",
               ir_index);
}
const StorageShape* TilingContext::GetOutputShape(size_t index) const {
  return noted(kg_node, at(kg_node.output_shapes, static_cast<std::int64_t>(index)), "GetOutputShape", index);
}
ge::graphStatus TilingContext::SetTilingKey(uint64_t key) {
  if (key == ~static_cast<uint64_t>(0)) return ge::GRAPH_FAILED;  // means "none"
  kg_node.tiling_key = key;
  return ge::GRAPH_SUCCESS;
}
uint64_t TilingContext::GetTilingKey() const { return kg_node.tiling_key; }
ge::graphStatus TilingContext::SetBlockDim(uint32_t block_dim) {
  kg_node.block_dim = block_dim;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetBlockDim() const { return kg_node.block_dim; }
ge::graphStatus TilingContext::SetNeedAtomic(bool need) {
  kg_node.need_atomic = need;
  return ge::GRAPH_SUCCESS;
}
bool TilingContext::NeedAtomic() const { return kg_node.need_atomic; }
ge::graphStatus TilingContext::SetTilingCond(int32_t condition) {
  kg_node.condition = condition;
  return ge::GRAPH_SUCCESS;
}
int32_t TilingContext::GetTilingCond() const { return kg_node.condition; }
ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode) {
  kg_node.schedule_mode = mode;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetScheduleMode() const { return kg_node.schedule_mode; }
ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t bytes) {
  kg_node.local_memory = bytes;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetLocalMemorySize() const { return kg_node.local_memory; }
TilingData* TilingContext::GetRawTilingData() { return kg_node.tiling.get(); }
size_t* TilingContext::GetWorkspaceSizes(size_t number) {
  if (number > kgnpu_host::Node::kMostWorkspaces) return nullptr;
  kg_node.workspace_number = number;
  return kg_node.workspaces;
}
size_t TilingContext::GetWorkspaceNum() const { return kg_node.workspace_number; }

const char* TilingParseContext::GetCompiledJson() const { return "{}"; }
void* TilingParseContext::GetCompiledInfo() const { return kg_node.compile_info.get(); }
fe::PlatFormInfos* TilingParseContext::GetPlatformInfo() const { return &kg_node.platform; }

const Shape* InferShapeContext::GetInputShape(size_t index) const {
  return origin(at(kg_node.input_shapes, static_cast<std::int64_t>(index)));
}
const Shape* InferShapeContext::GetDynamicInputShape(size_t ir_index, size_t relative) const {
  return origin(at(kg_node.input_shapes, kg_node.input_index(ir_index, relative)));
}
const Shape* InferShapeContext::GetRequiredInputShape(size_t ir_index) const {
  return GetDynamicInputShape(ir_index, 0);
}
const Shape* InferShapeContext::GetOptionalInputShape(size_t ir_index) const {
  return GetDynamicInputShape(ir_index, 0);
}
const Tensor* InferShapeContext::GetInputTensor(size_t index) const {
  return at(kg_node.input_tensors, static_cast<std::int64_t>(index));
}
const Tensor* InferShapeContext::GetDynamicInputTensor(size_t ir_index, size_t relative) const {
  return at(kg_node.input_tensors, kg_node.input_index(ir_index, relative));
}
const Tensor* InferShapeContext::GetRequiredInputTensor(size_t ir_index) const {
  return GetDynamicInputTensor(ir_index, 0);
}
const Tensor* InferShapeContext::GetOptionalInputTensor(size_t ir_index) const {
  return GetDynamicInputTensor(ir_index, 0);
}
Shape* InferShapeContext::GetOutputShape(size_t index) {
  return const_cast<Shape*>(at(kg_node.inferred_shapes, static_cast<std::int64_t>(index)));
}

ge::DataType InferDataTypeContext::GetInputDataType(size_t index) const { return type_of(GetInputDesc(index)); }
ge::DataType InferDataTypeContext::GetRequiredInputDataType(size_t ir_index) const {
  return type_of(GetRequiredInputDesc(ir_index));
}
ge::DataType InferDataTypeContext::GetOptionalInputDataType(size_t ir_index) const {
  return type_of(GetOptionalInputDesc(ir_index));
}
ge::DataType InferDataTypeContext::GetDynamicInputDataType(size_t ir_index, size_t relative) const {
  return type_of(GetDynamicInputDesc(ir_index, relative));
}
ge::DataType InferDataTypeContext::GetOutputDataType(size_t index) const {
  const ge::DataType* type = at(kg_node.inferred_types, static_cast<std::int64_t>(index));
  return type == nullptr ? ge::DT_UNDEFINED : *type;
}
ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t index, ge::DataType type) {
  if (index >= kg_node.inferred_types.size()) return ge::GRAPH_FAILED;
  kg_node.inferred_types[index] = type;
  return ge::GRAPH_SUCCESS;
}

}  // namespace gert
