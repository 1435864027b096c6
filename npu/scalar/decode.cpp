#include "npu/scalar/instruction.h"

namespace kg::npu::scalar {
namespace {

std::uint32_t bits(std::uint32_t word, int from, int count) { return word >> from & ((1u << count) - 1); }
std::int32_t signed_bits(std::uint32_t word, int from, int count) {
  return static_cast<std::int32_t>(word << (32 - from - count)) >> (32 - count);
}

std::int32_t immediate_i(std::uint32_t word) { return signed_bits(word, 20, 12); }
std::int32_t immediate_s(std::uint32_t word) {
  return signed_bits(word, 25, 7) * 32 + static_cast<std::int32_t>(bits(word, 7, 5));
}
std::int32_t immediate_b(std::uint32_t word) {
  return signed_bits(word, 31, 1) * 4096 +
         static_cast<std::int32_t>(bits(word, 7, 1) << 11 | bits(word, 25, 6) << 5 | bits(word, 8, 4) << 1);
}
std::int32_t immediate_j(std::uint32_t word) {
  return signed_bits(word, 31, 1) * (1 << 20) +
         static_cast<std::int32_t>(bits(word, 12, 8) << 12 | bits(word, 20, 1) << 11 | bits(word, 21, 10) << 1);
}

Op offset_op(Op first, int offset) { return static_cast<Op>(static_cast<int>(first) + offset); }

// Major opcodes, chapter 24 of the ISA.
enum Major : std::uint32_t {
  kLoad = 0x03,
  kLoadFp = 0x07,
  kMiscMem = 0x0F,
  kOpImm = 0x13,
  kAuipc = 0x17,
  kOpImm32 = 0x1B,
  kStore = 0x23,
  kStoreFp = 0x27,
  kOp = 0x33,
  kLui = 0x37,
  kOp32 = 0x3B,
  kMadd = 0x43,
  kMsub = 0x47,
  kNmsub = 0x4B,
  kNmadd = 0x4F,
  kOpFp = 0x53,
  kBranch = 0x63,
  kJalr = 0x67,
  kJal = 0x6F
};

Op immediate_op(std::uint32_t word, Instruction& made) {
  const std::uint32_t kind = bits(word, 12, 3);
  static constexpr Op kPlain[] = {Op::kAddi, Op::kSlli, Op::kSlti, Op::kSltiu,
                                  Op::kXori, Op::kSrli, Op::kOri,  Op::kAndi};
  if (kind != 1 && kind != 5) return kPlain[kind];
  const std::uint32_t upper = bits(word, 26, 6);
  made.immediate = static_cast<std::int32_t>(bits(word, 20, 6));
  if (upper == 0) return kPlain[kind];
  return kind == 5 && upper == 0x10 ? Op::kSrai : Op::kIllegal;
}

Op immediate_op_32(std::uint32_t word, Instruction& made) {
  const std::uint32_t kind = bits(word, 12, 3), upper = bits(word, 25, 7);
  if (kind == 0) return Op::kAddiw;
  made.immediate = static_cast<std::int32_t>(bits(word, 20, 5));
  if (kind == 1 && upper == 0) return Op::kSlliw;
  if (kind == 5 && upper == 0) return Op::kSrliw;
  return kind == 5 && upper == 0x20 ? Op::kSraiw : Op::kIllegal;
}

Op register_op(std::uint32_t word) {
  const std::uint32_t kind = bits(word, 12, 3), upper = bits(word, 25, 7);
  static constexpr Op kPlain[] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu, Op::kXor, Op::kSrl, Op::kOr, Op::kAnd};
  if (upper == 0) return kPlain[kind];
  if (upper == 1) return offset_op(Op::kMul, static_cast<int>(kind));
  if (upper == 0x20 && kind == 0) return Op::kSub;
  return upper == 0x20 && kind == 5 ? Op::kSra : Op::kIllegal;
}

Op register_op_32(std::uint32_t word) {
  const std::uint32_t kind = bits(word, 12, 3), upper = bits(word, 25, 7);
  if (upper == 1) {
    static constexpr Op kProducts[] = {Op::kMulw, Op::kIllegal, Op::kIllegal, Op::kIllegal,
                                       Op::kDivw, Op::kDivuw,   Op::kRemw,    Op::kRemuw};
    return kProducts[kind];
  }
  if (upper == 0) return kind == 0 ? Op::kAddw : kind == 1 ? Op::kSllw : kind == 5 ? Op::kSrlw : Op::kIllegal;
  if (upper == 0x20) return kind == 0 ? Op::kSubw : kind == 5 ? Op::kSraw : Op::kIllegal;
  return Op::kIllegal;
}

// The `fmt` field: single, double, half.
enum Format : std::uint32_t { kSingle = 0, kDouble = 1, kHalf = 2 };

Op by_format(std::uint32_t format, Op single, Op wide, Op half) {
  return format == kSingle ? single : format == kDouble ? wide : format == kHalf ? half : Op::kIllegal;
}

// Arithmetic rounds to nearest, as set in fcsr, which nothing can change, or as given in the instruction.
bool rounds_to_nearest(std::uint32_t mode) { return mode == 0 || mode == 7; }

Op conversion(std::uint32_t word, Instruction& made) {
  const std::uint32_t format = bits(word, 25, 2), mode = bits(word, 12, 3), which = bits(word, 20, 5);
  const std::uint32_t group = bits(word, 27, 5);
  if (group == 0x08) {  // between formats
    if (!rounds_to_nearest(mode)) return Op::kIllegal;
    if (format == kSingle) return which == kDouble ? Op::kFcvtSD : which == kHalf ? Op::kFcvtSH : Op::kIllegal;
    if (format == kDouble) return which == kSingle ? Op::kFcvtDS : which == kHalf ? Op::kFcvtDH : Op::kIllegal;
    if (format == kHalf) return which == kSingle ? Op::kFcvtHS : which == kDouble ? Op::kFcvtHD : Op::kIllegal;
    return Op::kIllegal;
  }
  if (which > 3) return Op::kIllegal;
  if (group == 0x18) {  // to an integer
    if (mode == 5 || mode == 6) return Op::kIllegal;
    made.rounding = mode == 7 ? 0 : static_cast<std::uint8_t>(mode);
    return offset_op(by_format(format, Op::kFcvtWS, Op::kFcvtWD, Op::kFcvtWH),
                     format > kHalf ? 0 : static_cast<int>(which));
  }
  if (!rounds_to_nearest(mode)) return Op::kIllegal;
  return offset_op(by_format(format, Op::kFcvtSW, Op::kFcvtDW, Op::kFcvtHW),
                   format > kHalf ? 0 : static_cast<int>(which));
}

Op move_or_class(std::uint32_t word) {
  const std::uint32_t format = bits(word, 25, 2), mode = bits(word, 12, 3);
  if (bits(word, 20, 5) != 0) return Op::kIllegal;
  if (bits(word, 27, 5) == 0x1E)
    return mode == 0 ? by_format(format, Op::kFmvWX, Op::kFmvDX, Op::kFmvHX) : Op::kIllegal;
  if (mode == 0) return by_format(format, Op::kFmvXW, Op::kFmvXD, Op::kFmvXH);
  return mode == 1 ? by_format(format, Op::kFclassS, Op::kFclassD, Op::kFclassH) : Op::kIllegal;
}

Op floating_op(std::uint32_t word, Instruction& made) {
  const std::uint32_t format = bits(word, 25, 2), mode = bits(word, 12, 3), group = bits(word, 27, 5);
  const Op first = by_format(format, Op::kFaddS, Op::kFaddD, Op::kFaddH);  // the formats' rows have one order
  if (first == Op::kIllegal) return first;
  const auto in_row = [&](Op of_single) {
    return offset_op(first, static_cast<int>(of_single) - static_cast<int>(Op::kFaddS));
  };
  switch (group) {
    case 0x00:
    case 0x01:
    case 0x02:
    case 0x03:
      return rounds_to_nearest(mode) ? in_row(offset_op(Op::kFaddS, static_cast<int>(group))) : Op::kIllegal;
    case 0x0B:
      return rounds_to_nearest(mode) && bits(word, 20, 5) == 0 ? in_row(Op::kFsqrtS) : Op::kIllegal;
    case 0x04:
      return mode < 3 ? in_row(offset_op(Op::kFsgnjS, static_cast<int>(mode))) : Op::kIllegal;
    case 0x05:
      return mode < 2 ? in_row(mode == 0 ? Op::kFminS : Op::kFmaxS) : Op::kIllegal;
    case 0x14:
      return mode == 2   ? in_row(Op::kFeqS)
             : mode == 1 ? in_row(Op::kFltS)
             : mode == 0 ? in_row(Op::kFleS)
                         : Op::kIllegal;
    case 0x08:
    case 0x18:
    case 0x1A:
      return conversion(word, made);
    case 0x1C:
    case 0x1E:
      return move_or_class(word);
    default:
      return Op::kIllegal;
  }
}

bool writes_integer(Op op) {
  switch (op) {
    case Op::kFeqS:
    case Op::kFltS:
    case Op::kFleS:
    case Op::kFclassS:
    case Op::kFeqD:
    case Op::kFltD:
    case Op::kFleD:
    case Op::kFclassD:
    case Op::kFeqH:
    case Op::kFltH:
    case Op::kFleH:
    case Op::kFclassH:
    case Op::kFmvXH:
    case Op::kFmvXW:
    case Op::kFmvXD:
      return true;
    default:
      return (op >= Op::kFcvtWS && op <= Op::kFcvtLuS) || (op >= Op::kFcvtWD && op <= Op::kFcvtLuD) ||
             (op >= Op::kFcvtWH && op <= Op::kFcvtLuH) || (op >= Op::kLi && op <= Op::kLwu) || op == Op::kJal ||
             op == Op::kJalr;
  }
}

Op pick(std::uint32_t word, std::uint64_t address, Instruction& made) {
  const std::uint32_t kind = bits(word, 12, 3);
  switch (bits(word, 0, 7)) {
    case kLui:
    case kAuipc: {
      const auto upper = static_cast<std::int32_t>(word & 0xFFFFF000u);
      if (bits(word, 0, 7) == kLui) {
        made.immediate = upper;
        return Op::kLi;
      }
      // Code is in the lower 2 GiB (image.h), so that the sum is a number of 32 bits; what wraps leads nowhere anyway.
      made.immediate =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(address) + static_cast<std::uint32_t>(upper));
      return Op::kLi;
    }
    case kOpImm:
      made.immediate = immediate_i(word);
      return immediate_op(word, made);
    case kOpImm32:
      made.immediate = immediate_i(word);
      return immediate_op_32(word, made);
    case kOp:
      return register_op(word);
    case kOp32:
      return register_op_32(word);
    case kLoad: {
      static constexpr Op kLoads[] = {Op::kLb, Op::kLh, Op::kLw, Op::kLd, Op::kLbu, Op::kLhu, Op::kLwu, Op::kIllegal};
      made.immediate = immediate_i(word);
      return kLoads[kind];
    }
    case kStore:
      made.immediate = immediate_s(word);
      return kind < 4 ? offset_op(Op::kSb, static_cast<int>(kind)) : Op::kIllegal;
    case kLoadFp:
      made.immediate = immediate_i(word);
      return kind >= 1 && kind <= 3 ? offset_op(Op::kFlh, static_cast<int>(kind) - 1) : Op::kIllegal;
    case kStoreFp:
      made.immediate = immediate_s(word);
      return kind >= 1 && kind <= 3 ? offset_op(Op::kFsh, static_cast<int>(kind) - 1) : Op::kIllegal;
    case kBranch: {
      static constexpr Op kBranches[] = {Op::kBeq, Op::kBne, Op::kIllegal, Op::kIllegal,
                                         Op::kBlt, Op::kBge, Op::kBltu,    Op::kBgeu};
      made.immediate = immediate_b(word);
      if (made.immediate % 4 != 0) return Op::kIllegal;
      made.immediate /= 4;
      return kBranches[kind];
    }
    case kJal:
      made.immediate = immediate_j(word);
      if (made.immediate % 4 != 0) return Op::kIllegal;
      made.immediate /= 4;
      return Op::kJal;
    case kJalr:
      made.immediate = immediate_i(word);
      return kind == 0 ? Op::kJalr : Op::kIllegal;
    case kMiscMem:
      return kind == 0 ? Op::kNop : Op::kIllegal;  // one core's own accesses are in order
    case kMadd:
    case kMsub:
    case kNmsub:
    case kNmadd: {
      if (!rounds_to_nearest(kind)) return Op::kIllegal;
      const Op first = by_format(bits(word, 25, 2), Op::kFmaddS, Op::kFmaddD, Op::kFmaddH);
      return first == Op::kIllegal ? first : offset_op(first, static_cast<int>((bits(word, 0, 7) - kMadd) / 4));
    }
    case kOpFp:
      return floating_op(word, made);
    default:
      return Op::kIllegal;
  }
}

}  // namespace

Instruction decode(std::uint32_t word, std::uint64_t address) {
  Instruction made;
  made.to = static_cast<std::uint8_t>(bits(word, 7, 5));
  made.a = static_cast<std::uint8_t>(bits(word, 15, 5));
  made.b = static_cast<std::uint8_t>(bits(word, 20, 5));
  made.c = static_cast<std::uint8_t>(bits(word, 27, 5));
  made.op = pick(word, address, made);
  if (made.to == 0 && writes_integer(made.op)) made.to = kNowhere;
  return made;
}

}  // namespace kg::npu::scalar
