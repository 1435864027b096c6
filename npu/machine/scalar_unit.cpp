// GetValue and SetValue and assertions: what the scalar unit does.

#include <string>

#include "npu/chip.h"
#include "npu/machine/core.h"
#include "npu/machine/scalar_access.h"

namespace kg::npu {
namespace {

void check_element(Core& core, const char* call, const kgnpu::Local& tensor, std::int64_t offset, int bytes) {
  check_local(core, call, "the tensor", tensor, offset + bytes, {.alignment = 1});
  if (offset >= 0) return;
  core.fail(FaultClass::kUb, call, ": byte ", offset, " of a tensor, which is before its start; check the index");
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

uint64_t kgnpu_local_load(const kgnpu::Local* tensor, int64_t offset, int bytes, int line) {
  Core& self = core_at(line);
  check_element(self, "GetValue", *tensor, offset, bytes);
  std::uint64_t bits = 0;
  scalar_load_local(self, "GetValue", tensor->address + offset, bytes, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

void kgnpu_local_store(const kgnpu::Local* tensor, int64_t offset, int bytes, uint64_t bits, int line) {
  Core& self = core_at(line);
  check_element(self, "SetValue", *tensor, offset, bytes);
  scalar_store_local(self, "SetValue", tensor->address + offset, bytes, reinterpret_cast<std::uint8_t*>(&bits));
}

uint64_t kgnpu_global_load(uint64_t address, int bytes, int line) {
  Core& self = core_at(line);
  std::uint64_t bits = 0;
  scalar_load_global(self, "GlobalTensor::GetValue", address, bytes, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

void kgnpu_global_store(uint64_t address, int bytes, uint64_t bits, int line) {
  Core& self = core_at(line);
  scalar_store_global(self, "GlobalTensor::SetValue", address, bytes, reinterpret_cast<std::uint8_t*>(&bits));
}

void kgnpu_clean_cache(uint64_t address, int entire, int line) {
  Core& self = core_at(line);
  self.issue(kS, chip::kScalarMiss, 0);
  if (entire)
    self.cache.clean_all(self);
  else
    self.cache.clean(self, address);
}

// UB is at the address 0 of its space, as on the chip.
uint64_t kgnpu_local_pointer(const kgnpu::Local* tensor) {
  core().memory(Memory::kUb);
  return static_cast<uint64_t>(static_cast<int64_t>(tensor->address));
}

void kgnpu_beyond_variable(uint64_t offset, uint64_t bytes, int line) {
  Core& self = core_at(line);
  self.fail(FaultClass::kMemory, "an access at byte ", static_cast<std::int64_t>(offset), " of a variable that has ",
            bytes, "; check the index and the size of what is read through a cast pointer");
}

void kgnpu_narrowed(const char* call, int64_t value, int bits, int line) {
  Core& self = core_at(line);
  const std::int64_t most = (std::int64_t{1} << bits) - 1;
  self.warning(FaultClass::kArgument, call, ": ", value, " is given for a parameter of type uint", bits,
               "_t, which holds 0 to ", most, ", so the call gets ", value & most, ", as on the chip",
               (bits == 8 ? "; make several calls of at most 255 repeats each" : ""));
}

void kgnpu_assert_failed(const char* expression, int line) {
  Core& self = core_at(line);
  self.fail(FaultClass::kAssert, "ASSERT(", expression, ") does not hold");
}

}  // extern "C"
