// The threaded interpreter and its memory. Every access is compared with the bounds of the stack, then of the
// constants, and goes outside otherwise; every jump with those of the code. So whatever the code is, it reaches nothing
// but the machine's own memory, the calls of the runtime, and Outside.

#include "npu/scalar/machine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "npu/scalar/numbers.h"

namespace kg::npu::scalar {

namespace {

constexpr std::size_t kReturnAddress = 1, kStackPointer = 2, kFirstArgument = 10;
constexpr int kRegisterArguments = 8;
constexpr std::uint64_t kWord = 8;

}  // namespace

void Machine::run(std::uint64_t entry, const std::string& argument) {
  constexpr std::uint64_t kAlignment = 64;
  const std::uint64_t bytes = (argument.size() + kAlignment - 1) / kAlignment * kAlignment;
  const std::vector<std::uint8_t>& local = image_.block_local();
  KG_CHECK_LT(bytes + local.size(), kStackBytes);
  const std::uint64_t variables = kStackStart + kStackBytes - local.size(), copy = variables - bytes;
  if (!local.empty()) {
    std::memcpy(stack_.at(variables, local.size()), local.data(), local.size());
    stack_.mark(variables, local.size());
  }
  std::memcpy(stack_.at(copy, argument.size()), argument.data(), argument.size());
  stack_.mark(copy, argument.size());
  integers_.fill(0);
  floats_.fill(0);
  integers_[kReturnAddress] = kCallStart - 4;
  integers_[kStackPointer] = copy;
  integers_[kFirstArgument] = copy;
  const std::uint64_t index = (entry - kCodeStart) / 4;
  at_ = 0;
  if (entry < kCodeStart || entry % 4 != 0 || index >= image_.code().size()) stop(Stop::kJump);
  execute(index);
}

std::uint64_t Machine::variable_argument(int i) {
  if (i < kRegisterArguments) return argument(i);
  std::uint64_t value = 0;
  load(integers_[kStackPointer] + kWord * static_cast<std::uint64_t>(i - kRegisterArguments), kWord, &value);
  return value;
}

const std::uint8_t* Machine::readable(std::uint64_t address, std::uint64_t bytes) {
  const std::uint8_t* own = stack_.at(address, bytes);
  return own != nullptr ? own : image_.read(address, bytes);
}

std::uint8_t* Machine::writable(std::uint64_t address, std::uint64_t bytes) {
  std::uint8_t* own = stack_.at(address, bytes);
  if (own != nullptr) stack_.mark(address, bytes);
  return own;
}

void Machine::load(std::uint64_t address, std::uint64_t bytes, void* to) {
  if (const std::uint8_t* own = readable(address, bytes)) {
    std::memcpy(to, own, bytes);
    return;
  }
  auto* const into = static_cast<std::uint8_t*>(to);
  for (std::uint64_t done = 0; done < bytes; done += kWord) {
    const std::uint64_t part = std::min(kWord, bytes - done);
    if (const std::uint8_t* own = readable(address + done, part))
      std::memcpy(into + done, own, part);
    else
      outside_.load(address + done, part, into + done, line());
  }
}

void Machine::store(std::uint64_t address, std::uint64_t bytes, const void* from) {
  if (std::uint8_t* own = writable(address, bytes)) {
    std::memcpy(own, from, bytes);
    return;
  }
  const auto* const source = static_cast<const std::uint8_t*>(from);
  for (std::uint64_t done = 0; done < bytes; done += kWord) {
    const std::uint64_t part = std::min(kWord, bytes - done);
    if (std::uint8_t* own = writable(address + done, part)) {
      std::memcpy(own, source + done, part);
      continue;
    }
    if (image_.read(address + done, 1) != nullptr) stop(Stop::kConstant);
    outside_.store(address + done, part, source + done, line());
  }
}

std::uint64_t Machine::take_work() {
  const std::uint64_t work = work_;
  work_ = 0;
  return work;
}

void Machine::charge_copy(std::uint64_t bytes) {
  if (image_.code()[at_].charged != 0) work_ += bytes / kWord;
}

int Machine::line() const { return image_.line_of(at_); }

void Machine::stop(Stop why) {
  outside_.stop(why, line());
  std::abort();  // it does not come back
}

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

void Machine::pay_access() { work_ -= std::min<std::uint64_t>(work_, image_.code()[at_].charged); }

namespace {

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
    // The product is exact in double; the sum rounds there once more where the addend is far below it.
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

#include "npu/scalar/operations.inc"
}

}  // namespace kg::npu::scalar
