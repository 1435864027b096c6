#pragma once

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"

namespace kgnpu_host {
class Node;  // the emulated operator call behind a context
}

namespace gert {

// The part of a node that every context shows. "index" counts the node's tensors, "ir_index" the definition's inputs.
// Missing things are null pointers.
class ExtendedKernelContext {
 public:
  explicit ExtendedKernelContext(kgnpu_host::Node& node) : kg_node(node) {}
  const char* GetNodeType() const;
  const char* GetNodeName() const;
  size_t GetComputeNodeInputNum() const;
  size_t GetComputeNodeOutputNum() const;
  const ComputeNodeInfo* GetComputeNodeInfo() const;
  const RuntimeAttrs* GetAttrs() const;
  const CompileTimeTensorDesc* GetInputDesc(size_t index) const;
  const CompileTimeTensorDesc* GetRequiredInputDesc(size_t ir_index) const;
  const CompileTimeTensorDesc* GetOptionalInputDesc(size_t ir_index) const;
  const CompileTimeTensorDesc* GetDynamicInputDesc(size_t ir_index, size_t relative_index) const;
  const CompileTimeTensorDesc* GetOutputDesc(size_t index) const;
  const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t ir_index) const;
  const AnchorInstanceInfo* GetIrOutputInstanceInfo(size_t ir_index) const;

 protected:
  kgnpu_host::Node& kg_node;
};

}  // namespace gert
