#pragma once

#include <cstdint>

#include "npu/calls/rate_table.h"
#include "npu/headers/kgnpu/abi_matmul.h"
#include "npu/machine/cube.h"
#include "npu/machine/gm_traffic.h"

namespace kg::npu {

// Elements from the start of an operand to element (row, column) of the matrix as it is used.
std::int64_t element_place(const kgnpu::MatrixPlace& x, std::int64_t row, std::int64_t column);

// The bytes of a number of elements, and the byte of an element: two of int4b_t share one.
inline std::int64_t bytes_of(kgnpu::Type type, std::int64_t elements) {
  return type == kgnpu::Type::kInt4 ? ceil_div(elements, 2) : elements * size_of(type);
}
inline std::int64_t byte_of(kgnpu::Type type, std::int64_t element) {
  return type == kgnpu::Type::kInt4 ? element / 2 : element * size_of(type);
}

// An operand of the Matmul object: where its elements are, in GM, UB or L1, and which of them are defined. The
// constructor checks that the part of `rows` x `columns` elements that the product uses is inside its memory, and ends
// the kernel otherwise; extents and offsets are below 2^31.
class MatrixOperand {
 public:
  MatrixOperand(Core& core, const char* name, const kgnpu::MatrixPlace& x, std::int64_t rows, std::int64_t columns,
                bool writes);

  // Bytes from the start of its memory to element (row, column) of the part.
  std::int64_t offset(std::int64_t row, std::int64_t column) const;
  const std::uint8_t* at(std::int64_t offset) const {
    if (place_.format == kgnpu::MatrixFormat::kScalar) return reinterpret_cast<const std::uint8_t*>(&place_.value);
    return allocation_ != nullptr ? allocation_->data + offset : local_->data() + offset;
  }
  // Element (row, column) of an operand of int8_t or int4b_t, whose offset is that of its byte.
  std::int16_t integer(std::int64_t row, std::int64_t column) const {
    const std::uint8_t byte = *at(offset(row, column));
    if (place_.type != kgnpu::Type::kInt4) return static_cast<std::int8_t>(byte);
    const int bits = element_place(place_, row, column) % 2 == 0 ? byte << 4 : byte & 0xF0;
    return static_cast<std::int16_t>(static_cast<std::int8_t>(bits) >> 4);
  }
  bool defined(std::int64_t offset) const;
  void store(Core& core, std::int64_t offset, const std::uint8_t* data, const std::uint8_t* defined,
             std::int64_t bytes) const;
  kgnpu::Type type() const { return place_.type; }
  std::int64_t size() const { return size_; }  // size of an element in bytes

 private:
  void read(Core& core, std::int64_t rows, std::int64_t columns) const;

  std::int64_t size_, base_ = 0;
  kgnpu::MatrixPlace place_;
  GlobalMemory::Allocation* allocation_ = nullptr;
  LocalMemory* local_ = nullptr;
  Memory memory_ = Memory::kUb;
  Instruction instruction_;
};

// The part of an operand in GM that starts at (row, column) of the used part, as a copy requests it from GM.
GmBlocks blocks_in_gm(GlobalMemory::Allocation& allocation, const kgnpu::MatrixPlace& x, std::int64_t row,
                      std::int64_t rows, std::int64_t column, std::int64_t columns, bool writes);

}  // namespace kg::npu
