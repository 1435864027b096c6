#include "npu/launch/call_frame.h"

#include <set>
#include <utility>

#include "base/check.h"
#include "npu/machine/core.h"

namespace kg::npu {

namespace {
constexpr std::uint64_t kMostText = 512;
}

void refuse_call(const scalar::Machine& machine, const std::string& what) {
  Core& self = core();
  self.line = machine.line();
  self.error(FaultClass::kTrap, what);
  end_kernel();
}

void CallFrame::bring(const kgnpu::Local*& tensor) {
  KG_CHECK_LT(used_, kMostTensors);
  kgnpu::Local& copy = tensors_[used_++].get();
  copy_in(reinterpret_cast<std::uint64_t>(tensor), copy);
  tensor = &copy;
}

void CallFrame::bring_list(const kgnpu::Local*& list) {
  KG_CHECK_LT(lists_used_, lists_.size());
  auto& copy = lists_[lists_used_++].get();
  copy_in(reinterpret_cast<std::uint64_t>(list), copy);
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
