#include "dsl/bank_layout.h"

#include <algorithm>
#include <array>

#include "dsl/constant.h"
#include "npu/chip.h"

namespace kg::dsl {
namespace {

namespace chip = npu::chip;

constexpr std::int64_t kGroups = chip::kUbBankGroups, kBanks = chip::kUbBankRows,
                       kRepeatBlocks = chip::kRepeatBytes / chip::kBlockBytes;

}  // namespace

std::vector<std::size_t> queue_order(const Form& form) {
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < form.tiles.size(); ++t)
    if (form.tiles[t].buffers > 0 && !Form::is_on_cube(form.tiles[t])) order.push_back(t);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return form.tiles[a].bytes > form.tiles[b].bytes; });
  return order;
}

BankLayout::BankLayout(const Form& form) : form_(form), queues_(form.tiles.size(), -1) {
  for (const std::size_t t : queue_order(form)) {
    queues_[t] = work_;
    work_ += form.tiles[t].buffers * form.tiles[t].bytes;
  }
}

void BankLayout::add(int tile, std::int64_t widest, bool writes, std::vector<Access>& accesses) const {
  const Tile& part = form_.tile(tile);
  const Tile& root = form_.tile(form_.root(tile));
  const std::int64_t size = element_bytes(root.dtype);
  std::int64_t address = -1;
  if (root.offset >= 0)
    address = work_ + root.offset;
  else if (root.queue >= 0)
    address = queues_[static_cast<std::size_t>(root.queue)];
  if (address < 0) return;
  const bool fixed = !part.start.empty() && part.start.find_first_not_of("0123456789") == std::string::npos;
  if (fixed) address += std::stoll(part.start) * size;
  accesses.push_back({address, kRepeatBlocks * size / widest, writes});
}

double BankLayout::conflict(const Step& step) const {
  if (step.kind != Step::Kind::kVector || !step.scratch.empty() || step.op == "Gather" || step.op == "Copy" ||
      step.elements * 4 <= kRepeatBlocks * chip::kBlockBytes)
    return 1;
  const bool compares = step.op.starts_with("Compare"), selects = step.op.starts_with("Select");
  std::int64_t widest = compares ? 1 : element_bytes(form_.tile(step.result).dtype);
  for (const int source : step.sources) widest = std::max(widest, element_bytes(form_.tile(source).dtype));
  std::vector<Access> accesses;
  for (std::size_t i = selects ? 1 : 0; i < step.sources.size(); ++i)
    add(step.sources[i], widest, /*writes=*/false, accesses);
  if (!compares) add(step.result, widest, /*writes=*/true, accesses);
  std::array<int, kGroups> reads{}, writes{};
  std::array<int, kGroups * kBanks> banks{};
  int most = 1;
  for (const Access& access : accesses)
    for (std::int64_t block = 0; block < access.blocks; ++block) {
      const std::int64_t address = access.address + block * chip::kBlockBytes;
      const auto group = static_cast<std::size_t>(address / chip::kBlockBytes % kGroups);
      const auto bank = group * kBanks + static_cast<std::size_t>(address / chip::kUbBankStride % kBanks);
      most = std::max({most, ++(access.writes ? writes : reads)[group], ++banks[bank]});
    }
  return most;
}

}  // namespace kg::dsl
