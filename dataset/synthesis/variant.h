#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/synthesis/structure.h"

namespace kg::dataset {

constexpr int kCores = 8;                        // the block dimension of every built-in task
constexpr std::int64_t kUnifiedBuffer = 196608;  // bytes (facts of Atlas A2)
constexpr std::int64_t kLargestColumns = 2048;
constexpr const char* kEntryPoint = "custom_op";

// A structure with a type and a shape: what one task asks for. Inputs are (rows, columns); so is the result, or (rows)
// after a reduction.
struct Variant {
  const Structure* structure = nullptr;
  proto::DType dtype = proto::FLOAT16;
  std::int64_t rows = 1, columns = 1;

  std::int64_t total() const { return rows * columns; }
  std::int64_t element_bytes() const;
  std::int64_t row_bytes() const { return columns * element_bytes(); }
  std::string type() const;  // "half"
  // bfloat16 has no vector arithmetic, and half loses too much along a row: then values are cast to float.
  bool casts() const;
  std::string compute_type() const { return casts() ? "float" : type(); }
  std::string shape_text() const;         // "half[20,1000]"
  std::string output_shape_text() const;  // "half[20]" after a reduction
  std::vector<std::string> input_names() const;
};

constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }
constexpr std::int64_t align_up(std::int64_t value, std::int64_t unit) { return ceil_div(value, unit) * unit; }

}  // namespace kg::dataset
