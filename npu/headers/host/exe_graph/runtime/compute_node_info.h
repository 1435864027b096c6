#pragma once

#include <cstddef>

#include "exe_graph/runtime/storage_format.h"

namespace gert {

// The description of a tensor without its shape.
class CompileTimeTensorDesc {
 public:
  CompileTimeTensorDesc() = default;
  CompileTimeTensorDesc(ge::DataType type, StorageFormat format) : type_(type), format_(format) {}
  ge::DataType GetDataType() const { return type_; }
  const StorageFormat& GetFormat() const { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  void SetDataType(ge::DataType type) { type_ = type; }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
  ExpandDimsType GetExpandDimsType() const { return format_.GetExpandDimsType(); }
  void SetExpandDimsType(const ExpandDimsType& type) { format_.SetExpandDimsType(type); }

 private:
  ge::DataType type_ = ge::DT_UNDEFINED;
  StorageFormat format_;
};

// The node's inputs that belong to one input of the definition: none (optional, not given), one, or a list.
class AnchorInstanceInfo {
 public:
  AnchorInstanceInfo() = default;
  AnchorInstanceInfo(uint32_t start, uint32_t number) : start_(start), number_(number) {}
  size_t GetInstanceStart() const { return start_; }
  size_t GetInstanceNum() const { return number_; }
  void SetInstanceStart(uint32_t start) { start_ = start; }
  void SetInstantiationNum(uint32_t number) { number_ = number; }

 private:
  uint32_t start_ = 0, number_ = 0;
};

class RuntimeAttrs;

class ComputeNodeInfo {
 public:
  virtual ~ComputeNodeInfo() = default;
  virtual const char* GetNodeType() const = 0;
  virtual const char* GetNodeName() const = 0;
  virtual size_t GetIrInputsNum() const = 0;
  virtual size_t GetIrOutputsNum() const = 0;
  virtual size_t GetInputsNum() const = 0;
  virtual size_t GetOutputsNum() const = 0;
  virtual const AnchorInstanceInfo* GetInputInstanceInfo(size_t ir_index) const = 0;
  virtual const AnchorInstanceInfo* GetOutputInstanceInfo(size_t ir_index) const = 0;
  virtual const CompileTimeTensorDesc* GetInputTdInfo(size_t index) const = 0;
  virtual const CompileTimeTensorDesc* GetOutputTdInfo(size_t index) const = 0;
  virtual const RuntimeAttrs* GetAttrs() const = 0;
};

}  // namespace gert
