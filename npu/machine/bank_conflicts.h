#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kg::npu {

// UB's banks. 48 banks of 4 KB form 16 groups of three; an address is bank[2] row[7] group[4] offset[5], so
// consecutive 32-byte blocks are in neighbouring groups. In one cycle a bank serves one block, read or written; a
// group has one port for reading and one for writing. Blocks of one repeat that meet at a port or in
// a bank are served one after the other.
struct BlockAccess {
  std::int64_t address = 0;  // address of the first block, in bytes from the start of UB
  std::int64_t blocks = 0;   // number of blocks in one repeat
  std::int64_t stride = 1;   // distance between them, in blocks
  bool writes = false;
};

// Cycles for the blocks of one repeat: 1 without a conflict.
double repeat_cycles(const std::vector<BlockAccess>& accesses);

}  // namespace kg::npu
