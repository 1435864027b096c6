#pragma once

#include <cstdint>

namespace kg::npu::scalar {

// The executed instructions of rv64imfd_zfh (RISC-V Unprivileged ISA, 20191213; Zfh 1.0): decoded once,
// with jump distances counted in instructions, and absolute numbers for values relative to the instruction's address.
// clang-format off
#define KG_SCALAR_OPS(X) \
  X(Illegal) X(Nop) \
  X(Li) X(Addi) X(Slti) X(Sltiu) X(Xori) X(Ori) X(Andi) X(Slli) X(Srli) X(Srai) X(Addiw) X(Slliw) X(Srliw) X(Sraiw) \
  X(Add) X(Sub) X(Sll) X(Slt) X(Sltu) X(Xor) X(Srl) X(Sra) X(Or) X(And) X(Addw) X(Subw) X(Sllw) X(Srlw) X(Sraw) \
  X(Mul) X(Mulh) X(Mulhsu) X(Mulhu) X(Div) X(Divu) X(Rem) X(Remu) X(Mulw) X(Divw) X(Divuw) X(Remw) X(Remuw) \
  X(Lb) X(Lh) X(Lw) X(Ld) X(Lbu) X(Lhu) X(Lwu) X(Sb) X(Sh) X(Sw) X(Sd) \
  X(Flh) X(Flw) X(Fld) X(Fsh) X(Fsw) X(Fsd) \
  X(Beq) X(Bne) X(Blt) X(Bge) X(Bltu) X(Bgeu) X(Jal) X(Jalr) X(CallRuntime) X(CallKnown) \
  X(FaddS) X(FsubS) X(FmulS) X(FdivS) X(FsqrtS) X(FminS) X(FmaxS) X(FeqS) X(FltS) X(FleS) X(FclassS) \
  X(FsgnjS) X(FsgnjnS) X(FsgnjxS) X(FmaddS) X(FmsubS) X(FnmsubS) X(FnmaddS) \
  X(FaddD) X(FsubD) X(FmulD) X(FdivD) X(FsqrtD) X(FminD) X(FmaxD) X(FeqD) X(FltD) X(FleD) X(FclassD) \
  X(FsgnjD) X(FsgnjnD) X(FsgnjxD) X(FmaddD) X(FmsubD) X(FnmsubD) X(FnmaddD) \
  X(FaddH) X(FsubH) X(FmulH) X(FdivH) X(FsqrtH) X(FminH) X(FmaxH) X(FeqH) X(FltH) X(FleH) X(FclassH) \
  X(FsgnjH) X(FsgnjnH) X(FsgnjxH) X(FmaddH) X(FmsubH) X(FnmsubH) X(FnmaddH) \
  X(FcvtWS) X(FcvtWuS) X(FcvtLS) X(FcvtLuS) X(FcvtSW) X(FcvtSWu) X(FcvtSL) X(FcvtSLu) \
  X(FcvtWD) X(FcvtWuD) X(FcvtLD) X(FcvtLuD) X(FcvtDW) X(FcvtDWu) X(FcvtDL) X(FcvtDLu) \
  X(FcvtWH) X(FcvtWuH) X(FcvtLH) X(FcvtLuH) X(FcvtHW) X(FcvtHWu) X(FcvtHL) X(FcvtHLu) \
  X(FcvtSD) X(FcvtDS) X(FcvtSH) X(FcvtHS) X(FcvtDH) X(FcvtHD) \
  X(FmvXH) X(FmvXW) X(FmvXD) X(FmvHX) X(FmvWX) X(FmvDX)
// clang-format on

enum class Op : std::uint8_t {
#define KG_SCALAR_NAME(name) k##name,
  KG_SCALAR_OPS(KG_SCALAR_NAME)
#undef KG_SCALAR_NAME
};

// Always charged to the scalar unit, whoever wrote it: headers only move floating-point numbers.
constexpr bool is_floating_arithmetic(Op op) { return op >= Op::kFaddS && op < Op::kFmvXH; }

// Register 0 reads as 0; a discarded result goes to kNowhere.
constexpr std::uint8_t kNowhere = 32, kRegisters = 33;

struct Instruction {
  Op op = Op::kIllegal;
  std::uint8_t to = 0;               // rd; for integer instructions kNowhere means x0
  std::uint8_t a = 0, b = 0, c = 0;  // rs1, rs2, rs3
  std::uint8_t rounding = 0;         // for conversions to integers: 0 nearest even, 1 zero, 2 down, 3 up, 4 away
  std::uint8_t charged = 1;    // instructions charged to the scalar unit: 0 where one of our headers passes work on
  std::int32_t immediate = 0;  // a number; for jumps the distance in instructions; for CallRuntime the call
};

// The instruction in `word`, at the byte address `address` of the guest. Instructions that the unit lacks and no
// compiler generates for it (CSRs, other fences, atomics, environment calls) are kIllegal.
Instruction decode(std::uint32_t word, std::uint64_t address);

}  // namespace kg::npu::scalar
