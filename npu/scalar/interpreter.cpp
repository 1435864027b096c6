// The threaded interpreter: each instruction ends by jumping to the code of the next one. Every access is compared with
// the bounds of the stack, then of the constants, and goes outside otherwise; every jump with those of the code. So
// whatever the code is, it reaches nothing but the machine's own memory, the calls of the runtime, and Outside.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "npu/scalar/machine.h"
#include "npu/scalar/numbers.h"

namespace kg::npu::scalar {

template <typename T>
T Machine::load_slowly(std::uint64_t address) {
  T value{};
  if (const std::uint8_t* constant = image_.read(address, sizeof value))
    std::memcpy(&value, constant, sizeof value);
  else {
    pay_access();
    outside_.load(address, sizeof value, &value, image_.line_of(at_));
  }
  return value;
}

template <typename T>
void Machine::store_slowly(std::uint64_t address, T value) {
  if (image_.read(address, 1) != nullptr) stop(Stop::kConstant);
  pay_access();
  outside_.store(address, sizeof value, &value, image_.line_of(at_));
}

void Machine::pay_access() {
  work_ -= std::min<std::uint64_t>(work_, image_.code()[at_].charged);
}

namespace {

using Integers = std::array<std::uint64_t, kRegisters>;

std::int64_t as_signed(std::uint64_t x) { return static_cast<std::int64_t>(x); }
std::uint64_t widened(std::uint32_t x) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(x)));
}
std::uint32_t word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint64_t signed_immediate(std::int32_t x) { return static_cast<std::uint64_t>(std::int64_t{x}); }

std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}

template <typename T>
T quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));  // the overflow wraps
  return static_cast<T>(a / b);
}
template <typename T>
T remainder(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <typename T>
T fused(T a, T b, T c, bool negate_product, bool negate_addend) {
  if constexpr (std::is_same_v<T, Half>) {
    // 22 bits of a product and an addend: exact in double but for addends far below, which the odd rounding keeps.
    const double p = double{value_of(a)} * value_of(b), d = value_of(c);
    return half_of_double((negate_product ? -p : p) + (negate_addend ? -d : d));
  } else {
    return std::fma(negate_product ? -a : a, b, negate_addend ? -c : c);
  }
}

template <typename T>
auto computed(decltype(value_of(T{})) x) {
  if constexpr (std::is_same_v<T, Half>)
    return half_of(x);
  else
    return x;
}

}  // namespace

// NOLINTBEGIN: one label an instruction
void Machine::execute(std::size_t start) {
  static const void* const kLabels[] = {
#define KG_SCALAR_LABEL(name) &&label_##name,
      KG_SCALAR_OPS(KG_SCALAR_LABEL)
#undef KG_SCALAR_LABEL
  };
  const Instruction* const code = image_.code().data();
  const std::uint64_t code_count = image_.code().size();
  const Instruction* ip = code + start;
  std::uint64_t* const x = integers_.data();
  std::uint64_t* const f = floats_.data();
  std::uint8_t* const stack = stack_.data();
  std::uint8_t* const dirty = stack_.dirty();
  std::uint64_t work = 0;
  std::uint64_t budget = budget_;

#define KG_GO                          \
  do {                                 \
    work += ip->charged;               \
    goto* kLabels[static_cast<int>(ip->op)]; \
  } while (false)
#define KG_NEXT \
  do {          \
    ++ip;       \
    KG_GO;      \
  } while (false)
// Before anything that may ask the machine where it is, or that may not come back.
#define KG_SYNC                                    \
  do {                                             \
    at_ = static_cast<std::size_t>(ip - code);     \
    work_ += work;                                 \
    work = 0;                                      \
    budget_ = budget;                              \
  } while (false)
#define KG_JUMP(distance)                              \
  do {                                                 \
    if (budget-- == 0) {                               \
      KG_SYNC;                                         \
      stop(Stop::kEndless);                            \
    }                                                  \
    ip += (distance);                                  \
    KG_GO;                                             \
  } while (false)
#define KG_I(name, expression)                                            \
  label_##name : {                                                        \
    const std::uint64_t a = x[ip->a];                                     \
    const std::uint64_t n = signed_immediate(ip->immediate);              \
    (void)a;                                                              \
    x[ip->to] = (expression);                                             \
    KG_NEXT;                                                              \
  }
#define KG_R(name, expression)                      \
  label_##name : {                                  \
    const std::uint64_t a = x[ip->a], b = x[ip->b]; \
    x[ip->to] = (expression);                       \
    KG_NEXT;                                        \
  }
#define KG_DIVISION(name, expression, T)            \
  label_##name : {                                  \
    const auto a = static_cast<T>(x[ip->a]);        \
    const auto b = static_cast<T>(x[ip->b]);        \
    if (b == 0) {                                   \
      KG_SYNC;                                      \
      stop(Stop::kDivision);                        \
    }                                               \
    x[ip->to] = static_cast<std::uint64_t>(static_cast<std::int64_t>(expression)); \
    KG_NEXT;                                        \
  }
#define KG_BRANCH(name, condition)                  \
  label_##name : {                                  \
    const std::uint64_t a = x[ip->a], b = x[ip->b]; \
    if (condition) KG_JUMP(ip->immediate);          \
    KG_NEXT;                                        \
  }
#define KG_LOAD(name, T, into, made)                                         \
  label_##name : {                                                           \
    const std::uint64_t address = x[ip->a] + signed_immediate(ip->immediate); \
    const std::uint64_t offset = address - kStackStart;                      \
    T value;                                                                 \
    if (offset <= kStackBytes - sizeof(T)) [[likely]] {                      \
      std::memcpy(&value, stack + offset, sizeof(T));                        \
    } else {                                                                 \
      KG_SYNC;                                                               \
      value = load_slowly<T>(address);                                       \
    }                                                                        \
    into[ip->to] = (made);                                                   \
    KG_NEXT;                                                                 \
  }
#define KG_STORE(name, T, from)                                              \
  label_##name : {                                                           \
    const std::uint64_t address = x[ip->a] + signed_immediate(ip->immediate); \
    const std::uint64_t offset = address - kStackStart;                      \
    const T value = static_cast<T>(from[ip->b]);                             \
    if (offset <= kStackBytes - sizeof(T)) [[likely]] {                      \
      std::memcpy(stack + offset, &value, sizeof(T));                        \
      dirty[offset >> Stack::kPageBits] = 1;                                 \
      dirty[(offset + sizeof(T) - 1) >> Stack::kPageBits] = 1;               \
    } else {                                                                 \
      KG_SYNC;                                                               \
      store_slowly<T>(address, value);                                       \
    }                                                                        \
    KG_NEXT;                                                                 \
  }
#define KG_F2(name, T, expression)                                               \
  label_##name : {                                                               \
    const auto a = value_of(from_register<T>(f[ip->a]));                         \
    const auto b = value_of(from_register<T>(f[ip->b]));                         \
    (void)b;                                                                     \
    f[ip->to] = to_register(computed<T>(expression));                            \
    KG_NEXT;                                                                     \
  }
#define KG_F_COMPARE(name, T, operation)                 \
  label_##name : {                                       \
    const auto a = value_of(from_register<T>(f[ip->a])); \
    const auto b = value_of(from_register<T>(f[ip->b])); \
    x[ip->to] = a operation b ? 1 : 0;                   \
    KG_NEXT;                                             \
  }
#define KG_F_SIGN(name, T, sign_bits)                                                    \
  label_##name : {                                                                       \
    const std::uint64_t a = f[ip->a], b = f[ip->b], sign = Format<T>::sign;              \
    (void)b;                                                                             \
    f[ip->to] = Format<T>::box | ((a & ~sign) & ~Format<T>::box) | ((sign_bits) & sign); \
    KG_NEXT;                                                                             \
  }
#define KG_F_FUSED(name, T, negate_product, negate_addend)                                          \
  label_##name : {                                                                                  \
    f[ip->to] = to_register(fused<T>(from_register<T>(f[ip->a]), from_register<T>(f[ip->b]),        \
                                     from_register<T>(f[ip->c]), (negate_product), (negate_addend))); \
    KG_NEXT;                                                                                        \
  }
#define KG_F_ALL(S, T)                                                             \
  KG_F2(Fadd##S, T, a + b)                                                         \
  KG_F2(Fsub##S, T, a - b)                                                         \
  KG_F2(Fmul##S, T, a* b)                                                          \
  KG_F2(Fdiv##S, T, a / b)                                                         \
  KG_F2(Fsqrt##S, T, std::sqrt(a))                                                 \
  KG_F2(Fmin##S, T, smaller(a, b))                                                 \
  KG_F2(Fmax##S, T, larger(a, b))                                                  \
  KG_F_COMPARE(Feq##S, T, ==)                                                      \
  KG_F_COMPARE(Flt##S, T, <)                                                       \
  KG_F_COMPARE(Fle##S, T, <=)                                                      \
  label_Fclass##S : {                                                              \
    x[ip->to] = class_of(from_register<T>(f[ip->a]));                              \
    KG_NEXT;                                                                       \
  }                                                                                \
  KG_F_SIGN(Fsgnj##S, T, b)                                                        \
  KG_F_SIGN(Fsgnjn##S, T, ~b)                                                      \
  KG_F_SIGN(Fsgnjx##S, T, a ^ b)                                                   \
  KG_F_FUSED(Fmadd##S, T, false, false)                                            \
  KG_F_FUSED(Fmsub##S, T, false, true)                                             \
  KG_F_FUSED(Fnmsub##S, T, true, false)                                            \
  KG_F_FUSED(Fnmadd##S, T, true, true)
#define KG_TO_INTEGER(name, T, Integer, result)                                                          \
  label_##name : {                                                                                       \
    const auto made = integer_of<Integer>(value_of(from_register<T>(f[ip->a])), ip->rounding);           \
    x[ip->to] = (result);                                                                                \
    KG_NEXT;                                                                                             \
  }
#define KG_FROM_INTEGER(name, value) \
  label_##name : {                   \
    const std::uint64_t a = x[ip->a]; \
    f[ip->to] = to_register(value);  \
    KG_NEXT;                         \
  }

  KG_GO;

label_Illegal:
  KG_SYNC;
  stop(Stop::kIllegal);
label_Nop:
  KG_NEXT;

  KG_I(Li, n)
  KG_I(Addi, a + n)
  KG_I(Slti, as_signed(a) < as_signed(n) ? 1 : 0)
  KG_I(Sltiu, a < n ? 1 : 0)
  KG_I(Xori, a ^ n)
  KG_I(Ori, a | n)
  KG_I(Andi, a & n)
  KG_I(Slli, a << (n & 63))
  KG_I(Srli, a >> (n & 63))
  KG_I(Srai, static_cast<std::uint64_t>(as_signed(a) >> (n & 63)))
  KG_I(Addiw, widened(word(a + n)))
  KG_I(Slliw, widened(word(a) << (n & 31)))
  KG_I(Srliw, widened(word(a) >> (n & 31)))
  KG_I(Sraiw, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word(a)) >> (n & 31)}))
  KG_R(Add, a + b)
  KG_R(Sub, a - b)
  KG_R(Sll, a << (b & 63))
  KG_R(Slt, as_signed(a) < as_signed(b) ? 1 : 0)
  KG_R(Sltu, a < b ? 1 : 0)
  KG_R(Xor, a ^ b)
  KG_R(Srl, a >> (b & 63))
  KG_R(Sra, static_cast<std::uint64_t>(as_signed(a) >> (b & 63)))
  KG_R(Or, a | b)
  KG_R(And, a & b)
  KG_R(Addw, widened(word(a + b)))
  KG_R(Subw, widened(word(a - b)))
  KG_R(Sllw, widened(word(a) << (b & 31)))
  KG_R(Srlw, widened(word(a) >> (b & 31)))
  KG_R(Sraw, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word(a)) >> (b & 31)}))
  KG_R(Mul, a * b)
  KG_R(Mulh, upper_product(a, b) - (as_signed(a) < 0 ? b : 0) - (as_signed(b) < 0 ? a : 0))
  KG_R(Mulhsu, upper_product(a, b) - (as_signed(a) < 0 ? b : 0))
  KG_R(Mulhu, upper_product(a, b))
  KG_R(Mulw, widened(word(a) * word(b)))
  KG_DIVISION(Div, quotient(a, b), std::int64_t)
  KG_DIVISION(Divu, quotient(a, b), std::uint64_t)
  KG_DIVISION(Rem, remainder(a, b), std::int64_t)
  KG_DIVISION(Remu, remainder(a, b), std::uint64_t)
  KG_DIVISION(Divw, quotient(a, b), std::int32_t)
  KG_DIVISION(Divuw, static_cast<std::int32_t>(quotient(a, b)), std::uint32_t)
  KG_DIVISION(Remw, remainder(a, b), std::int32_t)
  KG_DIVISION(Remuw, static_cast<std::int32_t>(remainder(a, b)), std::uint32_t)

  KG_LOAD(Lb, std::int8_t, x, static_cast<std::uint64_t>(std::int64_t{value}))
  KG_LOAD(Lh, std::int16_t, x, static_cast<std::uint64_t>(std::int64_t{value}))
  KG_LOAD(Lw, std::int32_t, x, static_cast<std::uint64_t>(std::int64_t{value}))
  KG_LOAD(Ld, std::uint64_t, x, value)
  KG_LOAD(Lbu, std::uint8_t, x, value)
  KG_LOAD(Lhu, std::uint16_t, x, value)
  KG_LOAD(Lwu, std::uint32_t, x, value)
  KG_LOAD(Flh, std::uint16_t, f, Format<Half>::box | value)
  KG_LOAD(Flw, std::uint32_t, f, Format<float>::box | value)
  KG_LOAD(Fld, std::uint64_t, f, value)
  KG_STORE(Sb, std::uint8_t, x)
  KG_STORE(Sh, std::uint16_t, x)
  KG_STORE(Sw, std::uint32_t, x)
  KG_STORE(Sd, std::uint64_t, x)
  KG_STORE(Fsh, std::uint16_t, f)
  KG_STORE(Fsw, std::uint32_t, f)
  KG_STORE(Fsd, std::uint64_t, f)

  KG_BRANCH(Beq, a == b)
  KG_BRANCH(Bne, a != b)
  KG_BRANCH(Blt, as_signed(a) < as_signed(b))
  KG_BRANCH(Bge, as_signed(a) >= as_signed(b))
  KG_BRANCH(Bltu, a < b)
  KG_BRANCH(Bgeu, a >= b)

label_Jal: {
  x[ip->to] = kCodeStart + 4 * static_cast<std::uint64_t>(ip + 1 - code);
  KG_JUMP(ip->immediate);
}
label_CallKnown: {
  x[ip->to] = kCodeStart + 4 * static_cast<std::uint64_t>(ip + 1 - code);
  KG_JUMP(code + ip->immediate - ip);
}
label_CallRuntime: {
  x[ip->to] = kCodeStart + 4 * static_cast<std::uint64_t>(ip + 1 - code);
  KG_SYNC;
  image_.call(static_cast<std::size_t>(ip->immediate))(*this);
  KG_NEXT;
}
label_Jalr: {
  const std::uint64_t target = (x[ip->a] + signed_immediate(ip->immediate)) & ~1ULL;
  const std::uint64_t link = kCodeStart + 4 * static_cast<std::uint64_t>(ip + 1 - code);
  const std::uint64_t offset = target - kCodeStart;
  if (offset % 4 == 0 && offset / 4 < code_count) [[likely]] {
    x[ip->to] = link;
    KG_JUMP(code + offset / 4 - ip);
  }
  if (target == kCallStart - 4) {  // the return from the entry
    KG_SYNC;
    return;
  }
  KG_SYNC;
  // Through a pointer to a call of the runtime: as a call where it links, as its caller's last act where it does not.
  const std::uint64_t call = target - kCallStart;
  if (call % 4 != 0 || call / 4 >= image_.call_count()) stop(Stop::kJump);
  const std::uint64_t back = ip->to == kNowhere ? x[1] : link;
  x[ip->to] = link;
  image_.call(call / 4)(*this);
  if (back == kCallStart - 4) return;
  const std::uint64_t back_offset = back - kCodeStart;
  if (back_offset % 4 != 0 || back_offset / 4 >= code_count) stop(Stop::kJump);
  KG_JUMP(code + back_offset / 4 - ip);
}

  KG_F_ALL(S, float)
  KG_F_ALL(D, double)
  KG_F_ALL(H, Half)

#define KG_CONVERSIONS(S, T)                                                              \
  KG_TO_INTEGER(FcvtW##S, T, std::int32_t, widened(static_cast<std::uint32_t>(made)))     \
  KG_TO_INTEGER(FcvtWu##S, T, std::uint32_t, widened(made))                               \
  KG_TO_INTEGER(FcvtL##S, T, std::int64_t, static_cast<std::uint64_t>(made))              \
  KG_TO_INTEGER(FcvtLu##S, T, std::uint64_t, made)
  KG_CONVERSIONS(S, float)
  KG_CONVERSIONS(D, double)
  KG_CONVERSIONS(H, Half)

  KG_FROM_INTEGER(FcvtSW, static_cast<float>(static_cast<std::int32_t>(a)))
  KG_FROM_INTEGER(FcvtSWu, static_cast<float>(static_cast<std::uint32_t>(a)))
  KG_FROM_INTEGER(FcvtSL, static_cast<float>(as_signed(a)))
  KG_FROM_INTEGER(FcvtSLu, static_cast<float>(a))
  KG_FROM_INTEGER(FcvtDW, static_cast<double>(static_cast<std::int32_t>(a)))
  KG_FROM_INTEGER(FcvtDWu, static_cast<double>(static_cast<std::uint32_t>(a)))
  KG_FROM_INTEGER(FcvtDL, static_cast<double>(as_signed(a)))
  KG_FROM_INTEGER(FcvtDLu, static_cast<double>(a))
  // Integers beyond 2^53 are far beyond half's range, so the way by double rounds once.
  KG_FROM_INTEGER(FcvtHW, half_of_double(static_cast<std::int32_t>(a)))
  KG_FROM_INTEGER(FcvtHWu, half_of_double(static_cast<std::uint32_t>(a)))
  KG_FROM_INTEGER(FcvtHL, half_of_double(static_cast<double>(as_signed(a))))
  KG_FROM_INTEGER(FcvtHLu, half_of_double(static_cast<double>(a)))

#define KG_CONVERT(name, From, value)                    \
  label_##name : {                                       \
    const auto a = value_of(from_register<From>(f[ip->a])); \
    f[ip->to] = to_register(value);                      \
    KG_NEXT;                                             \
  }
  KG_CONVERT(FcvtSD, double, static_cast<float>(a))
  KG_CONVERT(FcvtDS, float, static_cast<double>(a))
  KG_CONVERT(FcvtSH, Half, a)
  KG_CONVERT(FcvtHS, float, half_of(a))
  KG_CONVERT(FcvtDH, Half, static_cast<double>(a))
  KG_CONVERT(FcvtHD, double, half_of_double(a))

label_FmvXH:
  x[ip->to] = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(f[ip->a])});
  KG_NEXT;
label_FmvXW:
  x[ip->to] = widened(word(f[ip->a]));
  KG_NEXT;
label_FmvXD:
  x[ip->to] = f[ip->a];
  KG_NEXT;
label_FmvHX:
  f[ip->to] = Format<Half>::box | static_cast<std::uint16_t>(x[ip->a]);
  KG_NEXT;
label_FmvWX:
  f[ip->to] = Format<float>::box | word(x[ip->a]);
  KG_NEXT;
label_FmvDX:
  f[ip->to] = x[ip->a];
  KG_NEXT;
}
// NOLINTEND

}  // namespace kg::npu::scalar
