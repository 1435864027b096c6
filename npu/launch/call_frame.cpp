#include "npu/launch/call_frame.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "npu/headers/kgnpu/abi_special.h"
#include "npu/machine/core.h"

namespace kg::npu {

namespace {
constexpr std::uint64_t kMostText = 512;
}

void refuse_call(const scalar::Machine& machine, const std::string& what) {
  Core& self = core();
  self.line = machine.line();
  self.fail(FaultClass::kTrap, what);
}

void find_memory(kgnpu::Local& tensor, int line) {
  if (tensor.buffer != 0 || tensor.position == kgnpu::position::kGm) return;
  const kgnpu::Local asked = tensor;
  const Memory memory = memory_of(asked.position);
  if (memory == Memory::kUb) {
    kgnpu_local_at(static_cast<std::uint64_t>(std::int64_t{asked.address}), &tensor, "a tensor made from an address",
                   line);
  } else {
    const std::int64_t rest = kind_of(memory).bytes - asked.address;
    const std::int64_t bytes = asked.bytes > 0 ? asked.bytes : std::max<std::int64_t>(rest, 0);
    kgnpu_memory_at(asked.position, static_cast<std::uint32_t>(asked.address), static_cast<std::uint32_t>(bytes),
                    &tensor, line);
  }
  tensor.position = asked.position;
  if (asked.bytes > 0) tensor.bytes = asked.bytes;
}

void CallFrame::bring(const kgnpu::Local*& tensor) {
  KG_CHECK_LT(used_, kMostTensors);
  kgnpu::Local& copy = tensors_[used_++].get();
  copy_in(reinterpret_cast<std::uint64_t>(tensor), copy);
  find_memory(copy, machine_.line());
  tensor = &copy;
}

void CallFrame::bring_list(const kgnpu::Local*& list) {
  KG_CHECK_LT(lists_used_, lists_.size());
  auto& copy = lists_[lists_used_++].get();
  copy_in(reinterpret_cast<std::uint64_t>(list), copy);
  for (kgnpu::Local& tensor : copy) find_memory(tensor, machine_.line());
  list = copy.data();
}

void CallFrame::bring(const char*& text) {
  static std::set<std::string> kept;
  auto address = reinterpret_cast<std::uint64_t>(text);
  std::string copy;
  for (; copy.size() < kMostText; ++address) {
    const std::uint8_t* const letter = machine_.readable(address, 1);
    if (letter == nullptr || *letter == 0) break;
    copy += *letter >= 0x20 && *letter < 0x7F ? static_cast<char>(*letter) : '?';
  }
  text = kept.insert(std::move(copy)).first->c_str();
}

}  // namespace kg::npu
