#include "npu/launch/call_structures.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>

namespace kg::npu {
namespace {

using kgnpu::Type;

// Limits of the fields of published parameter structures: 16 bits counted in elements of 8 bytes or units of 32
// bytes, and 32 bits counted likewise.
constexpr std::int64_t kShort = std::int64_t{1} << 16;
constexpr std::int64_t kShortBytes = kShort * 64;
constexpr std::int64_t kLongBytes = std::int64_t{1} << 38;
// Extents of matrices and elements of a row.
constexpr std::int64_t kExtent = std::int64_t{1} << 32;

bool within(std::int64_t most, std::initializer_list<std::int64_t> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t n) { return n >= 0 && n <= most; });
}

// The types of products' operands and results.
bool is_factor(Type type) {
  return type == Type::kFloat || type == Type::kHalf || type == Type::kBfloat16 || type == Type::kInt8;
}
bool is_product(Type type) { return is_factor(type) || type == Type::kInt32 || type == Type::kUint8; }
bool is_bias(Type type) {
  return type == Type::kFloat || type == Type::kHalf || type == Type::kBfloat16 || type == Type::kInt32;
}

// Negative ones count as none, as the calls have it.
bool at_most(std::int64_t most, std::initializer_list<std::int64_t> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t n) { return n <= most; });
}

}  // namespace

void bring(CallFrame& frame, kgnpu::Local& tensor) { find_memory(tensor, frame.machine().line()); }
void bring(CallFrame&, kgnpu::Handle&) {}
void bring(CallFrame&, kgnpu::QueueSpec&) {}

void bring(CallFrame&, kgnpu::BufPool& pool) {
  std::uint8_t flag;
  std::memcpy(&flag, &pool.is_open, 1);
  pool.is_open = flag != 0;
}

void bring(CallFrame& frame, kgnpu::VectorCall& call) {
  frame.check(call.op < kgnpu::Op::kCount && is_known(call.dst_type) && is_known(call.src_type) &&
              call.masking <= kgnpu::Masking::kMaskRegister && call.sources <= std::size(call.src));
  frame.bring_if_any(call.dst);  // which of these are required, each operation checks itself
  for (const kgnpu::Local*& source : call.src) frame.bring_if_any(source);
}

void bring(CallFrame& frame, kgnpu::CopyCall& call) {
  frame.check(is_width(call.element_bytes) && is_known(static_cast<Type>(call.type)) &&
              at_most(kShort, {call.blocks}) && at_most(kLongBytes, {call.block_bytes}) &&
              within(kLongBytes, {call.gm_gap, call.local_gap, call.from_gap}) &&
              within(kShort, {call.left_bytes, call.right_bytes}));
  frame.bring(call.name);
  frame.bring(call.local);
  frame.bring_if_any(call.local_from);
}

void bring(CallFrame& frame, kgnpu::NdToNzCall& call) {
  frame.check(at_most(kShort, {call.matrices, call.rows}) && at_most(kShortBytes, {call.row_bytes}) &&
              within(kShortBytes, {call.src_matrix_stride, call.src_row_stride, call.dst_c0_stride, call.dst_row_stride,
                                   call.dst_matrix_stride}));
  frame.bring(call.name);
  frame.bring(call.local);
}

void bring(CallFrame& frame, kgnpu::LoadFractalsCall& call) {
  frame.check(is_width(call.element_bytes) && call.element_bytes <= 4 && at_most(kShort, {call.repeat}) &&
              within(kShort, {call.start, call.src_stride, call.dst_gap, call.dst_square_gap}));
  frame.bring(call.name);
  frame.bring(call.dst);
  frame.bring_if_any(call.src);
}

void bring(CallFrame& frame, kgnpu::LoadImageCall& call) {
  frame.check(is_width(call.element_bytes) && call.element_bytes <= 4);
  frame.bring(call.dst);
  frame.bring(call.src);
}

void bring(CallFrame& frame, kgnpu::MmadCall& call) {
  frame.check(is_product(call.c_type) && is_factor(call.a_type) && call.start <= kgnpu::MatrixStart::kBiasTable);
  frame.bring(call.name);
  frame.bring(call.c);
  frame.bring(call.a);
  frame.bring(call.b);
  frame.bring_if_any(call.bias);
}

void bring(CallFrame& frame, kgnpu::FixpipeCall& call) {
  frame.check(is_product(call.dst_type) && is_product(call.src_type) &&
              at_most(kShort, {call.m, call.n, call.matrices}) &&
              within(kExtent, {call.src_stride, call.dst_stride, call.src_matrix_stride, call.dst_matrix_stride}));
  frame.bring(call.name);
  frame.bring_if_any(call.local);
  frame.bring(call.src);
  frame.bring_if_any(call.scales);
}

void bring(CallFrame& frame, kgnpu::FillCall& call) {
  frame.check(is_width(call.element_bytes) && at_most(kShort, {call.repeat, call.blocks}) &&
              within(kShort, {call.gap}));
  frame.bring(call.dst);
}

void bring(CallFrame& frame, kgnpu::TableCopyCall& call) {
  frame.check(is_known(call.dst_type) && is_known(call.src_type) && at_most(kShort, {call.blocks, call.block_units}) &&
              within(kShort, {call.src_gap, call.dst_gap}));
  frame.bring(call.name);
  frame.bring(call.dst);
  frame.bring(call.src);
}

void bring(CallFrame& frame, kgnpu::MatmulCall& call) {
  frame.check(call.atomic <= 3 && call.stage <= kgnpu::MatmulStage::kResult && call.base_k >= 0 &&
              (is_factor(call.a.type) || call.a.type == Type::kInt4) && call.a.type == call.b.type &&
              is_product(call.c.type) &&
              (is_bias(call.bias.type) || (call.bias.gm == 0 && call.bias.local == nullptr)));
  for (kgnpu::MatrixPlace* place : {&call.a, &call.b, &call.c, &call.bias}) {
    frame.check(place->format <= kgnpu::MatrixFormat::kInL0c);
    frame.bring_if_any(place->local);
  }
}

void bring(CallFrame& frame, kgnpu::MatmulBlock& block) {
  frame.check(within(kExtent, {block.row, block.column, block.inner}) && at_most(kExtent, {block.m, block.n, block.k}));
}

void bring(CallFrame& frame, kgnpu::SpecialCall& call) {
  frame.check(call.op < kgnpu::Special::kCount && is_known(call.type) && call.type != Type::kNone &&
              is_known(call.type2) && call.masking <= kgnpu::Masking::kMaskRegister);
  frame.bring(call.name);
  if (call.op == kgnpu::Special::kVnchwconv) {
    frame.bring_list(call.tensor[0]);
    frame.bring_list(call.tensor[1]);
    for (std::size_t i = 2; i < std::size(call.tensor); ++i) call.tensor[i] = nullptr;
    return;
  }
  for (auto& tensor : call.tensor) frame.bring_if_any(tensor);
  if (call.op == kgnpu::Special::kSetDeqScale && call.number[3] != 0) {
    call.number[0] =
        static_cast<std::int64_t>(frame.bring_array(static_cast<std::uint64_t>(call.number[0]), frame.scales));
    call.number[1] =
        static_cast<std::int64_t>(frame.bring_array(static_cast<std::uint64_t>(call.number[1]), frame.offsets));
    call.number[2] =
        static_cast<std::int64_t>(frame.bring_array(static_cast<std::uint64_t>(call.number[2]), frame.signs));
  }
}

}  // namespace kg::npu
