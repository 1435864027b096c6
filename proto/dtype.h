#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/task.pb.h"

namespace kg::proto {

std::size_t element_size(DType dtype);  // bytes; KG_CHECKs that the type is specified
std::string dtype_name(DType dtype);    // "float16", "bfloat16", "float32", "int32", ... as PyTorch writes them
DType dtype_from_name(const std::string& name);  // throws Error for an unknown name
std::string ascendc_type(DType dtype);           // "half", "bfloat16_t", "float", "int32_t", ...

// Number of elements of a shape; 1 for a scalar.
template <typename Shape>
std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}
std::size_t byte_size(const TensorSpec& spec);
std::uint64_t byte_size(const TaskCase& task_case);  // of its inputs and outputs

}  // namespace kg::proto
