#include "npu/scalar/machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/check.h"

namespace kg::npu::scalar {

namespace {

constexpr std::size_t kReturnAddress = 1, kStackPointer = 2, kFirstArgument = 10;
constexpr int kRegisterArguments = 8;
constexpr std::uint64_t kWord = 8;

}  // namespace

void Machine::run(std::uint64_t entry, const std::string& argument) {
  constexpr std::uint64_t kAlignment = 64;
  const std::uint64_t bytes = (argument.size() + kAlignment - 1) / kAlignment * kAlignment;
  KG_CHECK_LT(bytes, kStackBytes);
  const std::uint64_t copy = kStackStart + kStackBytes - bytes;
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

}  // namespace kg::npu::scalar
