#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferDataTypeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  ge::DataType GetInputDataType(size_t index) const;
  ge::DataType GetRequiredInputDataType(size_t ir_index) const;
  ge::DataType GetOptionalInputDataType(size_t ir_index) const;
  ge::DataType GetDynamicInputDataType(size_t ir_index, size_t relative_index) const;
  ge::DataType GetOutputDataType(size_t index) const;
  ge::graphStatus SetOutputDataType(size_t index, ge::DataType type);
};

}  // namespace gert
