#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class TilingContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const void* GetCompileInfo() const;
  template <typename T>
  const T* GetCompileInfo() const {
    return static_cast<const T*>(GetCompileInfo());
  }
  fe::PlatFormInfos* GetPlatformInfo() const;
  int32_t GetDeterministic() const;

  const StorageShape* GetInputShape(size_t index) const;
  const StorageShape* GetRequiredInputShape(size_t ir_index) const;
  const StorageShape* GetOptionalInputShape(size_t ir_index) const;
  const StorageShape* GetDynamicInputShape(size_t ir_index, size_t relative_index) const;
  const Tensor* GetInputTensor(size_t index) const;
  const Tensor* GetRequiredInputTensor(size_t ir_index) const;
  const Tensor* GetOptionalInputTensor(size_t ir_index) const;
  const Tensor* GetDynamicInputTensor(size_t ir_index, size_t relative_index) const;
  const StorageShape* GetOutputShape(size_t index) const;

  ge::graphStatus SetTilingKey(uint64_t key);
  uint64_t GetTilingKey() const;
  ge::graphStatus SetBlockDim(uint32_t block_dim);
  uint32_t GetBlockDim() const;
  // Cores of the AI CPU: there is none here.
  ge::graphStatus SetAicpuBlockDim(uint32_t) { return ge::GRAPH_SUCCESS; }
  uint32_t GetAicpuBlockDim() const { return 0; }
  ge::graphStatus SetNeedAtomic(bool need);
  bool NeedAtomic() const;
  ge::graphStatus SetTilingCond(int32_t condition);
  int32_t GetTilingCond() const;
  ge::graphStatus SetScheduleMode(uint32_t mode);
  uint32_t GetScheduleMode() const;
  ge::graphStatus SetLocalMemorySize(uint32_t bytes);
  uint32_t GetLocalMemorySize() const;
  TilingData* GetRawTilingData();
  template <typename T>
  T* GetTilingData() {
    TilingData* data = GetRawTilingData();
    if (data == nullptr || data->GetCapacity() < sizeof(T)) return nullptr;
    data->SetDataSize(sizeof(T));
    return static_cast<T*>(data->GetData());
  }
  // Room for this many sizes; null beyond a node's limit.
  size_t* GetWorkspaceSizes(size_t number);
  size_t GetWorkspaceNum() const;
};

}  // namespace gert
