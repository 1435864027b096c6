#include "npu/calls/operand_overlap.h"

#include <algorithm>
#include <vector>

#include "npu/calls/rate_table.h"
#include "npu/chip.h"

namespace kg::npu {
namespace {

constexpr std::int64_t kBlock = chip::kBlockBytes;

// The lanes that a repeat works on, from the first to one past the last.
struct Lanes {
  std::int64_t first, last, active;
};

std::vector<Lanes> lanes_of(const Shape& shape) {
  std::vector<Lanes> lanes(static_cast<std::size_t>(shape.repeats), Lanes{shape.per_repeat, 0, 0});
  for (const Piece& piece : shape.pieces) {
    std::int64_t at = piece.repeat * shape.per_repeat + piece.element;
    for (const std::int64_t end = at + piece.n; at < end;) {
      const std::int64_t r = at / shape.per_repeat, stop = std::min(end, (r + 1) * shape.per_repeat);
      Lanes& mine = lanes[static_cast<std::size_t>(r)];
      mine.first = std::min(mine.first, at - r * shape.per_repeat);
      mine.last = std::max(mine.last, stop - r * shape.per_repeat);
      mine.active += stop - at;
      at = stop;
    }
  }
  return lanes;
}

struct Range {
  std::int64_t begin, end;
};
bool meet(const Range& a, const Range& b) { return a.begin < b.end && b.begin < a.end; }

// The place of an operand's repeats; only the usual case of contiguous blocks is examined.
class Track {
 public:
  Track(const kgnpu::VectorCall& call, const Shape& shape, const Operand& operand, const std::vector<Lanes>& lanes)
      : lanes_(lanes),
        start_(operand.tensor->address),
        size_(operand.size),
        step_(call.masking != kgnpu::Masking::kFirst ? operand.stride.repeat * kBlock
                                                     : shape.per_repeat * operand.size) {}
  std::int64_t step() const { return step_; }
  Range repeat(std::size_t r) const {
    const std::int64_t at = start_ + static_cast<std::int64_t>(r) * step_;
    return {at + lanes_[r].first * size_, at + lanes_[r].last * size_};
  }
  Range whole() const {
    Range all = repeat(0);
    for (std::size_t r = 1; r < lanes_.size(); ++r)
      all = {std::min(all.begin, repeat(r).begin), std::max(all.end, repeat(r).end)};
    return all;
  }

 private:
  const std::vector<Lanes>& lanes_;
  std::int64_t start_, size_, step_;
};

}  // namespace

std::string wrong_overlap(const kgnpu::VectorCall& call, const Shape& shape, const Operand& dst, const Operand& src) {
  const bool strided = call.masking != kgnpu::Masking::kFirst;
  if (shape.total == 0 || (strided && (dst.stride.block != 1 || src.stride.block != 1))) return {};
  const std::vector<Lanes> lanes = lanes_of(shape);
  // A mask with holes may let two operands interleave.
  for (const Lanes& one : lanes)
    if (one.active != one.last - one.first) return {};
  const Track to(call, shape, dst, lanes), from(call, shape, src, lanes);
  if (!meet(to.whole(), from.whole())) return {};
  const std::string name = operation(call.op).name;
  if (dst.size == src.size) {
    if (to.repeat(0).begin == from.repeat(0).begin && to.step() == from.step()) return {};
    for (std::size_t r = 0; r < lanes.size(); ++r) {
      const Range writes = to.repeat(r), reads = from.repeat(r);
      if (writes.begin == reads.begin || !meet(writes, reads)) continue;
      return name + ": source and destination overlap by a part of a repeat; they must be the same place or apart";
    }
  }
  // A destination that stays where it is accumulates on purpose.
  if (to.step() == 0 || from.step() == 0) return {};
  for (std::size_t r = 0; r + 1 < lanes.size(); ++r)
    for (std::size_t s = r + 1; s < lanes.size() && from.repeat(s).begin < to.repeat(r).end; ++s) {
      if (!meet(to.repeat(r), from.repeat(s))) continue;
      return name + ": repeat " + std::to_string(r) +
             " writes where a later repeat of the same call reads; use another destination";
    }
  return {};
}

}  // namespace kg::npu
