#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace kg::npu::scalar {

// One row of a line table: instructions from `address` on, up to the next row's, stand at this line.
struct LineRow {
  std::uint64_t address = 0;
  std::int32_t line = 0;
  // The kernel's own text; a header of ours that hands work to other units; one that computes for the kernel.
  enum class Owner : std::uint8_t { kKernel, kHeader, kScalarWork };
  Owner owner = Owner::kKernel;
  bool ends_sequence = false;
};

// Reads the line number programs of a .debug_line section (DWARF 4, section 6.2) whose relocations have been applied,
// and hands over each row in order. Malformed bytes end the reading: what has no row has no line, and is charged.
void read_line_table(std::span<const std::uint8_t> section, const std::function<void(const LineRow&)>& visit);

}  // namespace kg::npu::scalar
