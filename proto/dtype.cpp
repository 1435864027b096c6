#include "proto/dtype.h"

#include <array>

#include "base/check.h"
#include "base/error.h"

namespace kg::proto {
namespace {

struct Row {
  DType dtype;
  std::size_t size;
  const char* name;
  const char* ascendc;
};

constexpr std::array<Row, 14> kDTypes{{
    {FLOAT32, 4, "float32", "float"},
    {FLOAT16, 2, "float16", "half"},
    {BFLOAT16, 2, "bfloat16", "bfloat16_t"},
    {INT8, 1, "int8", "int8_t"},
    {UINT8, 1, "uint8", "uint8_t"},
    {INT16, 2, "int16", "int16_t"},
    {UINT16, 2, "uint16", "uint16_t"},
    {INT32, 4, "int32", "int32_t"},
    {UINT32, 4, "uint32", "uint32_t"},
    {INT64, 8, "int64", "int64_t"},
    {UINT64, 8, "uint64", "uint64_t"},
    {BOOL, 1, "bool", "bool"},
    {FLOAT64, 8, "float64", "double"},
    {COMPLEX64, 8, "complex64", "complex64"},
}};

const Row& row(DType dtype) {
  for (const Row& row : kDTypes)
    if (row.dtype == dtype) return row;
  KG_CHECK_EQ(static_cast<int>(dtype), -1);  // unspecified type
  return kDTypes.front();
}

}  // namespace

std::size_t element_size(DType dtype) { return row(dtype).size; }
std::string dtype_name(DType dtype) { return row(dtype).name; }
std::string ascendc_type(DType dtype) { return row(dtype).ascendc; }

DType dtype_from_name(const std::string& name) {
  std::string known;
  for (const Row& row : kDTypes) {
    if (name == row.name) return row.dtype;
    known += std::string(known.empty() ? "" : ", ") + row.name;
  }
  throw Error("unknown data type \"" + name + "\"", "data type", "use one of: " + known);
}

std::size_t byte_size(const TensorSpec& spec) {
  if (spec.absent()) return 0;
  return static_cast<std::size_t>(element_count(spec.shape())) * element_size(spec.dtype());
}

std::uint64_t byte_size(const TaskCase& task_case) {
  std::uint64_t bytes = 0;
  for (const auto* list : {&task_case.inputs(), &task_case.outputs()})
    for (const TensorSpec& spec : *list) bytes += byte_size(spec);
  return bytes;
}

}  // namespace kg::proto
