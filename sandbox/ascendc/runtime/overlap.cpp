#include "sandbox/ascendc/runtime/overlap.h"

#include <algorithm>

#include "sandbox/ascendc/runtime/operations.h"

namespace kg::sandbox::ascendc {
namespace {

constexpr std::int64_t kBlock = 32;

// Where an operand's repeats lie; only the usual case of contiguous blocks is looked at.
struct Track {
  std::int64_t start, step, bytes;
};

Track track_of(const kgnpu::VectorCall& call, const Shape& shape, const Operand& operand) {
  const std::int64_t bytes = shape.per_repeat * operand.size;
  const bool strided = call.masking != kgnpu::Masking::kFirst;
  return {operand.tensor->address, strided ? operand.stride.repeat * kBlock : bytes, bytes};
}

}  // namespace

bool check_overlap(Core& core, const kgnpu::VectorCall& call, const Shape& shape, const Operand& dst,
                   const Operand& src) {
  const bool strided = call.masking != kgnpu::Masking::kFirst;
  if (shape.total == 0 || (strided && (dst.stride.block != 1 || src.stride.block != 1))) return false;
  const Track to = track_of(call, shape, dst), from = track_of(call, shape, src);
  const std::string name = operation(call.op).name;
  const std::int64_t distance = std::abs(to.start - from.start);
  if (dst.size == src.size) {
    if (distance == 0 && to.step == from.step) return false;
    if (distance != 0 && distance < std::min(to.bytes, shape.total * dst.size)) {
      core.error("ub", name +
                           ": source and destination overlap by a part of a repeat; they must be the same place or "
                           "apart");
      return true;
    }
  }
  // A destination that stays where it is accumulates on purpose.
  if (to.step == 0 || from.step == 0) return false;
  for (std::int64_t r = 0; r + 1 < shape.repeats; ++r) {
    const std::int64_t begin = to.start + r * to.step;
    const std::int64_t end = strided ? begin + to.bytes : std::min(begin + to.bytes, to.start + shape.total * dst.size);
    const std::int64_t later = from.start + (r + 1) * from.step;
    const std::int64_t last =
        from.start + (strided ? (shape.repeats - 1) * from.step + from.bytes : shape.total * src.size);
    if (end <= later || last <= begin) continue;
    // Between later and last there may be gaps that the destination fits into.
    bool hit = false;
    for (std::int64_t s = r + 1; s < shape.repeats && !hit; ++s) {
      const std::int64_t at = from.start + s * from.step;
      hit = begin < at + from.bytes && at < end;
      if (at >= end) break;
    }
    if (!hit) continue;
    core.error("ub", name + ": repeat " + std::to_string(r) +
                         " writes where a later repeat of the same call reads; use another destination");
    return true;
  }
  return false;
}

}  // namespace kg::sandbox::ascendc
