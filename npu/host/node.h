#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"
#include "platform/platform_infos_def.h"

namespace kgnpu_host {

// The emulated operator call behind every context: what the host side may query, and what it has set. Tensors are
// in the order of the definition's inputs; a slot says which of them belong to an input.
class Node final : public gert::ComputeNodeInfo {
 public:
  static constexpr std::size_t kMostWorkspaces = 16;

  std::string type, name;
  std::vector<gert::AnchorInstanceInfo> input_slots, output_slots;
  std::vector<gert::CompileTimeTensorDesc> inputs, outputs;
  std::vector<gert::StorageShape> input_shapes, output_shapes;
  std::vector<gert::Tensor> input_tensors;
  std::unique_ptr<gert::RuntimeAttrs> attributes;
  fe::PlatFormInfos platform;
  std::shared_ptr<void> compile_info;
  bool compile_info_ready = false;

  std::uint64_t tiling_key = 0;
  std::uint32_t block_dim = 0, schedule_mode = 0, local_memory = 0;
  std::int32_t condition = 0;
  bool need_atomic = false;
  std::size_t workspaces[kMostWorkspaces] = {};
  std::size_t workspace_number = 0;
  std::unique_ptr<gert::TilingData> tiling;

  std::set<std::string> nulls;  // getters that found nothing, "GetInputShape(3)"

  std::vector<gert::Shape> inferred_shapes;  // one for each output
  std::vector<ge::DataType> inferred_types;

  // The tensor of an input of the definition; -1 if there is none.
  std::int64_t input_index(std::size_t ir_index, std::size_t relative_index) const;

  const char* GetNodeType() const override { return type.c_str(); }
  const char* GetNodeName() const override { return name.c_str(); }
  std::size_t GetIrInputsNum() const override { return input_slots.size(); }
  std::size_t GetIrOutputsNum() const override { return output_slots.size(); }
  std::size_t GetInputsNum() const override { return inputs.size(); }
  std::size_t GetOutputsNum() const override { return outputs.size(); }
  const gert::AnchorInstanceInfo* GetInputInstanceInfo(std::size_t ir_index) const override;
  const gert::AnchorInstanceInfo* GetOutputInstanceInfo(std::size_t ir_index) const override;
  const gert::CompileTimeTensorDesc* GetInputTdInfo(std::size_t index) const override;
  const gert::CompileTimeTensorDesc* GetOutputTdInfo(std::size_t index) const override;
  const gert::RuntimeAttrs* GetAttrs() const override { return attributes.get(); }
};

}  // namespace kgnpu_host
