#include "npu/machine/foreign_bytes.h"

#include <algorithm>

#include "npu/machine/core.h"

namespace kg::npu {

void ForeignBytes::operand(Core& core, Memory memory, std::int64_t begin, std::int64_t buffer_end, std::int64_t end) {
  own_.push_back({memory, begin, std::min(buffer_end, end)});
  for (Kept& kept : kept_)
    if (kept.memory == memory) give_back(core, kept, begin, own_.back().end);
  const std::int64_t first = std::max(begin, buffer_end), last = std::min(end, kind_of(memory).bytes);
  if (first >= last) return;
  LocalMemory& local = core.memory(memory);
  const auto count = static_cast<std::size_t>(last - first);
  Kept kept{memory,
            first,
            {local.data() + first, local.data() + last},
            {local.defined() + first, local.defined() + last},
            std::vector<std::uint8_t>(count, 1)};
  const auto leave = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t at = std::max(from, first); at < std::min(to, last); ++at)
      kept.replaced[static_cast<std::size_t>(at - first)] = 0;
  };
  for (const Range& own : own_)
    if (own.memory == memory) leave(own.begin, own.end);
  for (const Kept& other : kept_)  // replaced already
    if (other.memory == memory) leave(other.begin, other.begin + static_cast<std::int64_t>(other.data.size()));
  for (std::size_t i = 0; i < count; ++i)
    if (kept.replaced[i] != 0) local.data()[first + static_cast<std::int64_t>(i)] ^= 0xFF;
  kept_.push_back(std::move(kept));
}

void ForeignBytes::end_call(Core& core) {
  for (Kept& kept : kept_) give_back(core, kept, kept.begin, kept.begin + static_cast<std::int64_t>(kept.data.size()));
  kept_.clear();
  own_.clear();
}

void ForeignBytes::give_back(Core& core, Kept& kept, std::int64_t begin, std::int64_t end) {
  LocalMemory& local = core.memory(kept.memory);
  const auto last = kept.begin + static_cast<std::int64_t>(kept.data.size());
  for (std::int64_t at = std::max(begin, kept.begin); at < std::min(end, last); ++at) {
    const auto i = static_cast<std::size_t>(at - kept.begin);
    if (kept.replaced[i] == 0) continue;
    kept.replaced[i] = 0;
    local.data()[at] = kept.data[i];
    local.defined()[at] = kept.defined[i];
  }
}

}  // namespace kg::npu
