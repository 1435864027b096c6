// Compare, CompareScalar and Select: one bit per element, lowest bit first, repeats one after the other.

#include <algorithm>
#include <cstring>

#include "npu/calls/lanes.h"
#include "npu/calls/rate_table.h"
#include "npu/calls/vector.h"

namespace kg::npu {
namespace {

using kgnpu::Masking;
using kgnpu::Op;
using kgnpu::Type;

// Every type that compares fits a double exactly.
double load(const std::uint8_t* at, Type type) {
  switch (type) {
    case Type::kHalf:
      return half_scalar(scalar_of<std::uint16_t>(*reinterpret_cast<const std::uint16_t*>(at)));
    case Type::kFloat: {
      float value;
      std::memcpy(&value, at, 4);
      return value;
    }
    default: {
      std::int32_t value;
      std::memcpy(&value, at, 4);
      return value;
    }
  }
}

bool holds(int mode, double a, double b) {
  switch (mode) {  // CMPMODE
    case 0:
      return a < b;
    case 1:
      return a > b;
    case 2:
      return a == b;
    case 3:
      return a <= b;
    case 4:
      return a >= b;
    default:
      return a != b;
  }
}

// The first-n forms work on whole repeats.
void check_whole_repeats(Core& core, const kgnpu::VectorCall& call, std::int64_t bytes) {
  if (call.masking == Masking::kFirst && call.count * bytes % 256 != 0)
    core.error(FaultClass::kArgument, operation(call.op).name, ": count * sizeof(T) is ", call.count * bytes,
               ", which is not a multiple of 256 bytes; round the count up (the buffers too)");
}

}  // namespace

void run_compare(Core& core, const kgnpu::VectorCall& call) {
  const auto bytes = size_of(call.src_type);
  check_whole_repeats(core, call, bytes);
  std::vector<Operand> sources{{call.src[0], bytes, call.src_stride[0], "the source tensor"}};
  if (call.op == Op::kCompare) sources.push_back({call.src[1], bytes, call.src_stride[1], "the second source tensor"});
  const Shape shape = shape_of(core, call, sources, /*keep_repeats=*/true);
  if (shape.pieces.empty()) return;
  for (std::size_t k = 0; k < sources.size(); ++k) check_operand(core, call, shape, sources[k], k);
  const std::int64_t bits = shape.repeats * shape.per_repeat;
  const std::int64_t dst_bytes = call.masking == Masking::kFirst ? (shape.total + 7) / 8 : bits / 8;
  const bool to_register = call.dst == nullptr;  // CMPMASK
  if (!to_register) check_local(core, operation(call.op).name, "the destination tensor", *call.dst, dst_bytes);
  const Instruction instruction = begin_vector(core, call, static_cast<double>(shape.repeats));
  for (std::size_t k = 0; k < sources.size(); ++k) touch_operand(core, call, instruction, shape, sources[k], k, false);
  if (!to_register) touch_local(core, operation(call.op).name, instruction, call.dst->address, dst_bytes, true);

  const std::uint8_t* data = core.ub->data();
  const auto scalar = reinterpret_cast<const std::uint8_t*>(&call.scalar);
  std::vector<std::uint8_t> result(static_cast<std::size_t>(dst_bytes), 0),
      defined(static_cast<std::size_t>(dst_bytes), 1);
  for (const Piece& piece : shape.pieces) {
    for (std::int64_t i = 0; i < piece.n; ++i) {
      const std::int64_t a = call.src[0]->address + piece.offset[0] + i * bytes;
      const std::int64_t b = call.op == Op::kCompare ? call.src[1]->address + piece.offset[1] + i * bytes : 0;
      const bool value = holds(call.mode, load(data + a, call.src_type),
                               load(call.op == Op::kCompare ? data + b : scalar, call.src_type));
      const auto bit = static_cast<std::size_t>(piece.repeat * shape.per_repeat + piece.element + i);
      result[bit / 8] = static_cast<std::uint8_t>(result[bit / 8] | (value ? 1u : 0u) << bit % 8);
      // A byte of the mask counts as defined if one of its lanes does: padding lanes share it with valid ones.
      const bool known = core.ub->all_defined(a, bytes) && (call.op != Op::kCompare || core.ub->all_defined(b, bytes));
      if (bit % 8 == 0)
        defined[bit / 8] = known;
      else
        defined[bit / 8] = defined[bit / 8] | known;
    }
  }
  if (to_register) {
    std::memcpy(core.compare_bits, result.data(), std::min(result.size(), sizeof(core.compare_bits)));
    return;
  }
  std::memcpy(core.ub->data() + call.dst->address, result.data(), result.size());
  std::memcpy(core.ub->defined() + call.dst->address, defined.data(), defined.size());
}

void run_select(Core& core, const kgnpu::VectorCall& call) {
  constexpr int kFromRegister = 0;  // SELMODE::VSEL_CMPMASK_SPR: every repeat reads the same bits
  const auto bytes = size_of(call.dst_type);
  std::vector<Operand> operands{{call.dst, bytes, call.dst_stride, "the destination tensor"},
                                {call.src[0], bytes, call.src_stride[0], "the source tensor"}};
  if (call.op == Op::kSelect) operands.push_back({call.src[1], bytes, call.src_stride[1], "the second source tensor"});
  const Shape shape = shape_of(core, call, operands, /*keep_repeats=*/true);
  if (shape.pieces.empty()) return;
  for (std::size_t k = 0; k < operands.size(); ++k) check_operand(core, call, shape, operands[k], k);
  const bool same_bits = call.mode == kFromRegister;
  const std::int64_t bits = same_bits                         ? shape.per_repeat
                            : call.masking == Masking::kFirst ? shape.total
                                                              : shape.repeats * shape.per_repeat;
  const kgnpu::Local* mask = call.src[2];  // null: CMPMASK
  if (mask != nullptr) check_local(core, "Select", "the mask tensor", *mask, (bits + 7) / 8);
  const Instruction instruction = begin_vector(core, call, static_cast<double>(shape.repeats));
  for (std::size_t k = 1; k < operands.size(); ++k)
    touch_operand(core, call, instruction, shape, operands[k], k, false);
  if (mask != nullptr) touch_local(core, "Select", instruction, mask->address, (bits + 7) / 8, false);
  touch_operand(core, call, instruction, shape, operands[0], 0, true);

  std::uint8_t* data = core.ub->data();
  std::uint8_t* defined = core.ub->defined();
  const std::uint8_t* from_bits =
      mask != nullptr ? data + mask->address : reinterpret_cast<const std::uint8_t*>(core.compare_bits);
  const std::vector<std::uint8_t> mask_bits(from_bits, from_bits + (bits + 7) / 8);
  const auto size = static_cast<std::size_t>(bytes);
  for (const Piece& piece : shape.pieces) {
    for (std::int64_t i = 0; i < piece.n; ++i) {
      const std::int64_t element = piece.element + i;
      const auto bit = static_cast<std::size_t>(same_bits ? element : piece.repeat * shape.per_repeat + element);
      const bool first = (mask_bits[bit / 8] >> bit % 8 & 1u) != 0;
      const std::int64_t to = call.dst->address + piece.offset[0] + i * bytes;
      const bool mask_known = mask == nullptr || defined[mask->address + static_cast<std::int64_t>(bit / 8)] != 0;
      if (!first && call.op == Op::kSelectScalar) {
        std::memcpy(data + to, &call.scalar, size);
        std::memset(defined + to, mask_known, size);
        continue;
      }
      const std::int64_t from = first ? call.src[0]->address + piece.offset[1] + i * bytes
                                      : call.src[1]->address + piece.offset[2] + i * bytes;
      const bool known = mask_known && core.ub->all_defined(from, bytes);
      std::memmove(data + to, data + from, size);
      std::memset(defined + to, known, size);
    }
  }
}

}  // namespace kg::npu
