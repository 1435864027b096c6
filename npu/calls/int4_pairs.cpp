#include "npu/calls/int4_pairs.h"

namespace kg::npu {
namespace {

using kgnpu::Masking;
using kgnpu::Type;

// A type as wide as a pair of elements.
Type pair_type(Type type) { return type == Type::kInt4 ? Type::kUint8 : Type::kUint32; }

// The mask's 128 bits by two: a pair takes part where both of its elements do.
struct PairBits {
  std::uint64_t bits = 0;
  bool splits = false;  // one element of some pair takes part without the other
};
PairBits pair_bits(const std::uint64_t mask[2]) {
  PairBits pairs;
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t both = mask[i / 32] >> (i % 32 * 2) & 3u;
    pairs.splits = pairs.splits || both == 1 || both == 2;
    pairs.bits |= std::uint64_t{both == 3} << i;
  }
  return pairs;
}

void report_split(Core& core, const std::string& what) {
  core.error(FaultClass::kArgument, "Cast of int4b_t: ", what, "; a byte holds two elements, which go together");
}

}  // namespace

bool has_int4(const kgnpu::VectorCall& call) { return call.dst_type == Type::kInt4 || call.src_type == Type::kInt4; }

kgnpu::VectorCall over_pairs(Core& core, kgnpu::VectorCall call) {
  call.dst_type = pair_type(call.dst_type);
  call.src_type = pair_type(call.src_type);
  if (call.masking == Masking::kFirst) {
    if (call.count % 2 != 0) report_split(core, "the count " + std::to_string(call.count) + " is not even");
    call.count /= 2;
    return call;
  }
  if (core.counter_mode || call.masking == Masking::kMaskCount) {
    const std::uint64_t elements =
        call.masking == Masking::kMaskCount ? call.mask[0] : core.mask[0] & std::uint64_t{0xFFFFFFFF};
    if (elements % 2 != 0) report_split(core, "the mask " + std::to_string(elements) + " is not even");
    call.masking = Masking::kMaskCount;
    call.mask[0] = elements / 2;
    return call;
  }
  const PairBits pairs = pair_bits(call.masking == Masking::kMaskBits ? call.mask : core.mask);
  if (pairs.splits) report_split(core, "bits 2i and 2i + 1 of the mask differ");
  call.masking = Masking::kMaskBits;
  call.mask[0] = pairs.bits;
  call.mask[1] = 0;
  return call;
}

}  // namespace kg::npu
