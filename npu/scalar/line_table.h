#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace kg::npu::scalar {

// One row of a line table: instructions from `address` up to the next row's belong to this line.
struct LineRow {
  std::uint64_t address = 0;
  std::int32_t line = 0;
  // The kernel's own text; one of our headers that passes work to other units; one that computes for the kernel.
  enum class Owner : std::uint8_t { kKernel, kHeader, kScalarWork };
  Owner owner = Owner::kKernel;
  bool ends_sequence = false;
};

// Reads the line number programs of a .debug_line section (DWARF 4, section 6.2) whose relocations have been applied,
// and passes each row on in order. Reading stops at malformed bytes: instructions without a row are charged.
void read_line_table(std::span<const std::uint8_t> section, const std::function<void(const LineRow&)>& visit);

}  // namespace kg::npu::scalar
