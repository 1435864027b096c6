#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kg::npu {

// UB's banks. 48 banks of 4 KB stand in 16 groups of three; an address is bank[2] row[7] group[4] offset[5], so 32-byte
// blocks that follow one another lie in neighbouring groups. In one cycle a bank serves one block, read or written; a
// group has one port to read and one to write. The blocks that one repeat touches at once and that meet at a port or in
// a bank are served one after the other.
struct BlockAccess {
  std::int64_t address = 0;  // of the first block, bytes from the start of UB
  std::int64_t blocks = 0;   // in one repeat
  std::int64_t stride = 1;   // between them, in blocks
  bool writes = false;
};

// Cycles that the blocks of one repeat take: 1 without a conflict.
double repeat_cycles(const std::vector<BlockAccess>& accesses);

}  // namespace kg::npu
