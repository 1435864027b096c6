// GetValue and SetValue and assertions: what the scalar unit does.

#include <string>

#include "npu/chip.h"
#include "npu/machine/core.h"
#include "npu/machine/scalar_access.h"

using namespace kg::npu;

extern "C" {

uint64_t kgnpu_local_load(const kgnpu::Local* tensor, int64_t offset, int bytes, int line) {
  Core& self = core();
  self.line = line;
  check_local(self, "GetValue", "the tensor", *tensor, offset + bytes, /*any_address=*/true);
  std::uint64_t bits = 0;
  scalar_load_local(self, "GetValue", tensor->address + offset, bytes, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

void kgnpu_local_store(const kgnpu::Local* tensor, int64_t offset, int bytes, uint64_t bits, int line) {
  Core& self = core();
  self.line = line;
  check_local(self, "SetValue", "the tensor", *tensor, offset + bytes, /*any_address=*/true);
  scalar_store_local(self, "SetValue", tensor->address + offset, bytes, reinterpret_cast<std::uint8_t*>(&bits));
}

uint64_t kgnpu_global_load(uint64_t address, int bytes, int line) {
  Core& self = core();
  self.line = line;
  std::uint64_t bits = 0;
  scalar_load_global(self, "GlobalTensor::GetValue", address, bytes, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

void kgnpu_global_store(uint64_t address, int bytes, uint64_t bits, int line) {
  Core& self = core();
  self.line = line;
  scalar_store_global(self, "GlobalTensor::SetValue", address, bytes, reinterpret_cast<std::uint8_t*>(&bits));
}

void kgnpu_clean_cache(uint64_t address, int entire, int line) {
  Core& self = core();
  self.line = line;
  self.issue(kS, chip::kScalarMiss, 0);
  if (entire)
    self.cache.clean_all(self);
  else
    self.cache.clean(self, address);
}

uint64_t kgnpu_local_pointer(const kgnpu::Local* tensor) {
  Core& self = core();
  // Where no pass of the compiler shows what is done through the pointer, all of it is taken as defined.
  if (tensor->buffer != 0 && tensor->bytes > 0 && tensor->address >= 0 &&
      tensor->address + tensor->bytes <= UnifiedBuffer::kBytes) {
    if (!self.ub->all_defined(tensor->address, tensor->bytes)) self.suspect("a pointer from GetPhyAddr", "the tensor");
    self.ub->set_defined(tensor->address, tensor->bytes, true);
  }
  return self.ub ? reinterpret_cast<uint64_t>(self.ub->data() + tensor->address) : 0;
}

void kgnpu_assert_failed(const char* expression, int line) {
  Core& self = core();
  self.line = line;
  self.error(FaultClass::kAssert, std::string("ASSERT(") + expression + ") does not hold");
  end_kernel();
}

}  // extern "C"
