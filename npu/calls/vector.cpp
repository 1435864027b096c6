#include "npu/calls/vector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "npu/calls/cast.h"
#include "npu/calls/elementwise.h"
#include "npu/calls/int4_pairs.h"
#include "npu/calls/operand_overlap.h"
#include "npu/calls/rate_table.h"
#include "npu/calls/temporary_space.h"
#include "npu/chip.h"
#include "npu/machine/bank_conflicts.h"

namespace kg::npu {
namespace {

using kgnpu::Op;

std::string name_of(const kgnpu::VectorCall& call) { return operation(call.op).name; }

bool is_bitwise(Op op) { return op == Op::kAnd || op == Op::kOr || op == Op::kNot; }

std::int64_t widest_bytes(const kgnpu::VectorCall& call) {
  return static_cast<std::int64_t>(std::max({type_bytes(call.dst_type), type_bytes(call.src_type), std::size_t{1}}));
}

// For the first repeat's blocks: the others are at the same places, moved by the repeat strides.
double bank_conflict(const kgnpu::VectorCall& call) {
  const std::int64_t per_repeat = chip::kRepeatBytes / widest_bytes(call);
  std::vector<BlockAccess> accesses;
  const auto add = [&](const kgnpu::Local* tensor, kgnpu::Type type, kgnpu::Stride stride, bool writes) {
    if (tensor == nullptr) return;
    std::int64_t elements = per_repeat;
    if (call.masking == kgnpu::Masking::kFirst) elements = std::clamp<std::int64_t>(call.count, 0, per_repeat);
    const std::int64_t bytes = elements * size_of(type);
    accesses.push_back({tensor->address, (bytes + 31) / 32,
                        call.masking == kgnpu::Masking::kFirst ? 1 : static_cast<std::int64_t>(stride.block), writes});
  };
  for (int s = 0; s < call.sources && s < 2; ++s) add(call.src[s], call.src_type, call.src_stride[s], false);
  // The results of reductions and comparisons are a few bytes, put together before they are written.
  const Rate rate = operation(call.op).rate;
  const bool few = rate == Rate::kWholeReduce || rate == Rate::kBlockReduce || call.op == Op::kCompare ||
                   call.op == Op::kCompareScalar;
  if (!few) add(call.dst, call.dst_type, call.dst_stride, true);
  return repeat_cycles(accesses);
}

}  // namespace

Instruction begin_vector(Core& core, const kgnpu::VectorCall& call, double repeats, double elements_in_lane) {
  const double cycles = vector_cycles(call.op, call.dst_type, call.src_type, repeats, bank_conflict(call));
  const double lanes =
      call.masking == kgnpu::Masking::kFirst ? call.count : repeats * chip::kRepeatBytes / widest_bytes(call);
  return core.issue(kV, chip::kVectorStart + cycles, 0, operation(call.op).name,
                    static_cast<std::uint64_t>(lanes * elements_in_lane));
}

void check_operand(Core& core, const kgnpu::VectorCall& call, const Shape& shape, const Operand& operand,
                   std::size_t k) {
  if (operand.tensor == nullptr) core.fail(FaultClass::kArgument, name_of(call), ": ", operand.name, " is not given");
  std::int64_t end = 0;
  for (const Piece& piece : shape.pieces) end = std::max(end, piece.offset[k] + piece.n * operand.size);
  check_local(core, operation(call.op).name, operand.name, *operand.tensor, end);
}

void touch_operand(Core& core, const kgnpu::VectorCall& call, const Instruction& instruction, const Shape& shape,
                   const Operand& operand, std::size_t k, bool writes) {
  for (const Piece& piece : shape.pieces)
    touch_local(core, operation(call.op).name, instruction, operand.tensor->address + piece.offset[k],
                piece.n * operand.size, writes);
}

void check_deq_scale(Core& core, const kgnpu::VectorCall& call) {
  if (core.special.has_deq_scale) return;
  core.warning(FaultClass::kArgument, name_of(call), " from ", type_name(call.src_type),
               " multiplies by the register that SetDeqScale sets, which still holds what "
               "an earlier kernel left (here 1); call SetDeqScale before it");
}

namespace {

// Calls that scale do so by a register that SetDeqScale fills; 1 until then.
kgnpu::VectorCall with_scale(Core& core, kgnpu::VectorCall call) {
  const bool is_cast =
      call.op == Op::kCast && call.dst_type == kgnpu::Type::kHalf && call.src_type == kgnpu::Type::kInt32;
  if (!is_cast && call.op != Op::kAddDeqRelu && call.op != Op::kCastDeq && call.op != Op::kCastDequant) return call;
  check_deq_scale(core, call);
  if (is_cast && core.special.deq_scale == 1.0f) return call;
  if (is_cast) call.op = Op::kCastScaled;
  call.scalar = std::bit_cast<std::uint32_t>(core.special.deq_scale);
  return call;
}

void check_shift(Core& core, const kgnpu::VectorCall& call) {
  if (call.op != Op::kShiftLeft && call.op != Op::kShiftRight) return;
  const std::int64_t bits = 8 * size_of(call.src_type);
  if ((call.scalar & ((std::uint64_t{1} << bits) - 1)) <= static_cast<std::uint64_t>(bits)) return;
  core.error(FaultClass::kArgument, name_of(call), ": scalarValue is outside 0 to ", bits, ", the bits of ",
             type_name(call.src_type));
}

void check_round_mode(Core& core, const kgnpu::VectorCall& call) {
  if (call.op != Op::kCast) return;
  const unsigned modes = allowed_round_modes(call.dst_type, call.src_type);
  if (call.scalar < 32 && (modes >> call.scalar & 1u) != 0) return;
  static constexpr const char* kModes[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                           "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
  std::string allowed;
  for (int m = 0; m < 7; ++m)
    if (modes >> m & 1u) allowed += std::string(allowed.empty() ? "" : ", ") + kModes[m];
  core.error(FaultClass::kArgument, "Cast from ", type_name(call.src_type), " to ", type_name(call.dst_type),
             " does not take RoundMode::", (call.scalar < 7 ? kModes[call.scalar] : "?"), "; it takes: ", allowed);
}

using Addresses = std::array<std::int64_t, 4>;  // addresses of a piece, by operand

// A result is defined where everything that it is computed from is.
void mark_defined(LocalMemory& ub, const kgnpu::VectorCall& call, const std::vector<Operand>& operands,
                  const Addresses& at, std::int64_t n, bool reads_dst) {
  const std::int64_t dst_bytes = operands[0].size;
  const std::size_t first = reads_dst ? 0 : 1;
  bool defined = true;
  for (std::size_t k = first; k < operands.size(); ++k)
    defined = defined && ub.all_defined(at[k], n * operands[k].size);
  if (defined) {
    ub.set_defined(at[0], n * dst_bytes, true);
    return;
  }
  // Bits do not mix in And, Or and Not: a mask whose last byte of lanes is padding keeps the bytes before it.
  const bool bitwise = is_bitwise(call.op);
  const std::int64_t step = bitwise ? 1 : dst_bytes;
  for (std::int64_t i = 0; i < n * dst_bytes / step; ++i) {
    bool lane = true;
    for (std::size_t k = first; k < operands.size(); ++k) {
      const std::int64_t bytes = bitwise ? 1 : operands[k].size;
      lane = lane && ub.all_defined(at[k] + i * bytes, bytes);
    }
    ub.set_defined(at[0] + i * step, step, lane);
  }
}

// Computes in `ub` with each block of 32 bytes read after all blocks before it have been written.
void run_block_by_block(const kgnpu::VectorCall& call, const Elementwise& row, const std::vector<Operand>& operands,
                        const Shape& shape, std::vector<std::uint8_t>& ub) {
  const std::int64_t block = UnifiedBuffer::kUnit / widest_bytes(call);
  for (const Piece& piece : shape.pieces)
    for (std::int64_t i = 0; i < piece.n; i += block) {
      const std::int64_t n = std::min(block, piece.n - i);
      std::array<std::array<std::uint8_t, UnifiedBuffer::kUnit>, 3> source{};
      for (std::size_t k = 1; k < std::min(operands.size(), source.size()); ++k)
        std::memcpy(source[k].data(), ub.data() + operands[k].tensor->address + piece.offset[k] + i * operands[k].size,
                    static_cast<std::size_t>(n * operands[k].size));
      std::uint8_t* const to = ub.data() + operands[0].tensor->address + piece.offset[0] + i * operands[0].size;
      row.run({to, source[1].data(), source[2].data(), call.scalar, static_cast<std::size_t>(n)});
    }
}

}  // namespace

void run_elementwise(Core& core, const kgnpu::VectorCall& given) {
  const kgnpu::VectorCall asked = with_scale(core, given);
  const Elementwise* row = find_elementwise(asked.op, asked.dst_type, asked.src_type);
  if (row == nullptr)
    core.fail(FaultClass::kUb, name_of(asked), " does not exist for ", type_name(asked.dst_type), " from ",
              type_name(asked.src_type));
  check_round_mode(core, asked);
  check_shift(core, asked);
  const bool pairs = has_int4(asked);
  const kgnpu::VectorCall call = pairs ? over_pairs(core, asked) : asked;
  const auto dst_bytes = size_of(call.dst_type);
  const auto src_bytes = size_of(call.src_type);
  std::vector<Operand> operands{{call.dst, dst_bytes, call.dst_stride, "the destination tensor"}};
  for (int s = 0; s < call.sources; ++s)
    operands.push_back(
        {call.src[s], src_bytes, call.src_stride[s], s == 0 ? "the source tensor" : "the second source tensor"});
  const Shape shape = shape_of(core, call, operands, /*keep_repeats=*/false);
  if (shape.pieces.empty()) return;
  if (call.masking != kgnpu::Masking::kFirst && call.dst_stride.block == 0)
    core.error(FaultClass::kArgument, name_of(call),
               ": dstBlkStride is 0, so all blocks of a repeat would go to one place; use 1");
  for (std::size_t k = 0; k < operands.size(); ++k) check_operand(core, call, shape, operands[k], k);
  std::string wrong;
  for (std::size_t k = 1; k < operands.size() && wrong.empty(); ++k)
    wrong = wrong_overlap(call, shape, operands[0], operands[k]);

  const Instruction instruction = begin_vector(core, call, static_cast<double>(shape.repeats), pairs ? 2 : 1);
  for (std::size_t k = 1; k < operands.size(); ++k)
    touch_operand(core, call, instruction, shape, operands[k], k, false);
  touch_operand(core, call, instruction, shape, operands[0], 0, true);

  std::uint8_t* data = core.ub->data();
  // Overlapping sources are read from a copy, so that the numbers do not depend on how the host's loops are vectorised.
  std::vector<std::uint8_t> before, one_by_one;
  if (!wrong.empty()) {
    before.assign(data, data + UnifiedBuffer::kBytes);
    one_by_one = before;
    run_block_by_block(call, *row, operands, shape, one_by_one);
  }
  const std::uint8_t* from = before.empty() ? data : before.data();
  for (const Piece& piece : shape.pieces) {
    Addresses at{};
    for (std::size_t k = 0; k < operands.size(); ++k) at[k] = operands[k].tensor->address + piece.offset[k];
    mark_defined(*core.ub, call, operands, at, piece.n, row->reads_dst);
    row->run({data + at[0], from + at[1], from + at[2], call.scalar, static_cast<std::size_t>(piece.n)});
  }
  if (wrong.empty()) return;
  // The chip reads some blocks before and some after the writes. If the results of both are the same, no order matters.
  const bool harms = std::memcmp(one_by_one.data(), data, one_by_one.size()) != 0;
  core.report(harms ? proto::ERROR : proto::WARNING, FaultClass::kUb, wrong);
}

}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_vector(const kgnpu::VectorCall* call) {
  Core& self = core();
  self.line = call->line;
  if (self.kind == CoreKind::kCube) return;  // the other half of a mixed kernel
  switch (call->op) {
    case kgnpu::Op::kCompare:
    case kgnpu::Op::kCompareScalar:
      return run_compare(self, *call);
    case kgnpu::Op::kSelect:
    case kgnpu::Op::kSelectScalar:
      return run_select(self, *call);
    case kgnpu::Op::kReduceSum:
    case kgnpu::Op::kReduceMax:
    case kgnpu::Op::kReduceMin:
    case kgnpu::Op::kWholeReduceSum:
    case kgnpu::Op::kWholeReduceMax:
    case kgnpu::Op::kWholeReduceMin:
    case kgnpu::Op::kBlockReduceSum:
    case kgnpu::Op::kBlockReduceMax:
    case kgnpu::Op::kBlockReduceMin:
    case kgnpu::Op::kPairReduceSum:
    case kgnpu::Op::kRowSum:
      return run_reduce(self, *call);
    case kgnpu::Op::kCastDeq:
    case kgnpu::Op::kCastDequant:
      return call->src_type == kgnpu::Type::kInt16 ? run_cast_deq(self, *call) : run_elementwise(self, *call);
    default:
      return run_elementwise(self, *call);
  }
}

void kgnpu_vector_first(uint32_t op_and_type, const kgnpu::Local* dst, const kgnpu::Local* a, const kgnpu::Local* b,
                        uint64_t scalar, int32_t count, int line) {
  kgnpu::VectorCall call;
  call.op = static_cast<kgnpu::Op>(op_and_type >> 16);
  call.dst_type = static_cast<kgnpu::Type>(op_and_type >> 8 & 0xFF);
  call.src_type = static_cast<kgnpu::Type>(op_and_type & 0xFF);
  call.sources = static_cast<uint8_t>((a != nullptr) + (b != nullptr));
  call.dst = dst;
  call.src[0] = a;
  call.src[1] = b;
  call.scalar = scalar;
  call.count = count;
  call.line = line;
  kgnpu_vector(&call);
}

void kgnpu_library(uint32_t op_and_type, const kgnpu::Local* dst, const kgnpu::Local* a, const kgnpu::Local* b,
                   const kgnpu::Local* temporary, uint64_t scalar, int32_t count, int line) {
  Core& self = core_at(line);
  if (self.kind == CoreKind::kVector && count > 0) {
    const std::int64_t room =
        check_temporary(self, operation(static_cast<kgnpu::Op>(op_and_type >> 16)).name, temporary);
    const std::int64_t bytes = count * size_of(static_cast<kgnpu::Type>(op_and_type >> 8 & 0xFF));
    const auto extent = [&](const kgnpu::Local* one) {
      return one != nullptr ? Extent{one->address, bytes} : Extent{};
    };
    const Extent operands[] = {extent(dst), extent(a), extent(b)};
    lose_temporary(self, temporary, std::min(bytes, room), operands);
  }
  kgnpu_vector_first(op_and_type, dst, a, b, scalar, count, line);
}

}  // extern "C"
