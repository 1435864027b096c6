#include "npu/machine/bank_conflicts.h"

#include <algorithm>

#include "npu/chip.h"

namespace kg::npu {
namespace {

constexpr std::int64_t kBlock = chip::kBlockBytes, kGroups = chip::kUbBankGroups, kBanks = chip::kUbBankRows;

}  // namespace

double repeat_cycles(const std::vector<BlockAccess>& accesses) {
  std::array<int, kGroups> reads{}, writes{};
  std::array<int, kGroups * kBanks> bank{};
  int most = 1;
  for (const BlockAccess& access : accesses) {
    // With a stride of 0 every block is the same one, which is fetched once.
    const std::int64_t blocks = access.stride == 0 ? std::min<std::int64_t>(access.blocks, 1) : access.blocks;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t address = access.address + b * access.stride * kBlock;
      const auto group = static_cast<std::size_t>(address / kBlock % kGroups);
      const auto row_of_banks = static_cast<std::size_t>(address / chip::kUbBankStride % kBanks);
      most = std::max(most, ++(access.writes ? writes : reads)[group]);
      most = std::max(most, ++bank[group * kBanks + row_of_banks]);
    }
  }
  return most;
}

}  // namespace kg::npu
