// GetValue and SetValue, assertions and printing: what the scalar unit does.

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "sandbox/ascendc/runtime/core.h"
#include "sandbox/ascendc/runtime/cost_table.h"
#include "sandbox/ascendc/runtime/store.h"

namespace kg::sandbox::ascendc {
namespace {

constexpr std::uint64_t kLine = 64;

GlobalMemory::Allocation& check_scalar(Core& core, const char* call, std::uint64_t address, int bytes) {
  GlobalMemory::Allocation* allocation = core.device->memory.find(address);
  if (allocation == nullptr ||
      address + static_cast<std::uint64_t>(bytes) > allocation->start() + allocation->rounded) {
    allocation = core.device->memory.nearest(address);
    std::string where = "outside global memory";
    if (allocation != nullptr)
      where = "byte " + std::to_string(static_cast<std::int64_t>(address - allocation->start())) + " of " +
              allocation->name + ", which has " + std::to_string(allocation->bytes);
    core.error("gm", std::string(call) + " out of bounds: " + where);
    end_kernel();
  }
  return *allocation;
}

// Time through the scalar data cache: 16 KB of 64-byte lines, each address in one place.
double cache_cycles(Core& core, GlobalMemory::Allocation& allocation, std::uint64_t address, bool writes) {
  constexpr std::size_t kLines = 256;
  if (core.cached_lines.empty()) core.cached_lines.assign(kLines, 0);
  std::uint64_t& slot = core.cached_lines[address / kLine % kLines];
  if (slot == address / kLine) return cost::kScalarAccess;
  slot = address / kLine;
  core.device->traffic.scalar_access(allocation, address - allocation.start(), writes, core.index,
                                     core.pipes.scalar_time());
  return cost::kScalarMiss;
}

}  // namespace
}  // namespace kg::sandbox::ascendc

using namespace kg::sandbox::ascendc;

extern "C" {

uint64_t kgnpu_local_load(const kgnpu::Local* tensor, int64_t offset, int bytes, int line) {
  Core& self = core();
  self.line = line;
  check_local(self, "GetValue", "the tensor", *tensor, offset + bytes, /*any_address=*/true);
  const Instruction instruction = self.issue(kS, cost::kScalarAccess, 0, "GetValue", static_cast<std::uint64_t>(bytes));
  touch_local(self, "GetValue", instruction, tensor->address + offset, bytes, /*writes=*/false);
  std::uint64_t bits = 0;
  std::memcpy(&bits, self.ub->data() + tensor->address + offset, static_cast<std::size_t>(bytes));
  return bits;
}

void kgnpu_local_store(const kgnpu::Local* tensor, int64_t offset, int bytes, uint64_t bits, int line) {
  Core& self = core();
  self.line = line;
  check_local(self, "SetValue", "the tensor", *tensor, offset + bytes, /*any_address=*/true);
  const Instruction instruction = self.issue(kS, cost::kScalarAccess, 0, "SetValue", static_cast<std::uint64_t>(bytes));
  touch_local(self, "SetValue", instruction, tensor->address + offset, bytes, /*writes=*/true);
  std::memcpy(self.ub->data() + tensor->address + offset, &bits, static_cast<std::size_t>(bytes));
  self.ub->set_defined(tensor->address + offset, bytes, true);
}

uint64_t kgnpu_global_load(uint64_t address, int bytes, int line) {
  Core& self = core();
  self.line = line;
  GlobalMemory::Allocation& from = check_scalar(self, "GlobalTensor::GetValue", address, bytes);
  self.issue(kS, cache_cycles(self, from, address, /*writes=*/false), 0, "GetValue of GM",
             static_cast<std::uint64_t>(bytes));
  std::uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(address), static_cast<std::size_t>(bytes));
  return bits;
}

void kgnpu_global_store(uint64_t address, int bytes, uint64_t bits, int line) {
  Core& self = core();
  self.line = line;
  GlobalMemory::Allocation& to = check_scalar(self, "GlobalTensor::SetValue", address, bytes);
  self.issue(kS, cache_cycles(self, to, address, /*writes=*/true), 0, "SetValue of GM",
             static_cast<std::uint64_t>(bytes));
  std::uint8_t data[8], defined[8];
  std::memcpy(data, &bits, sizeof(data));
  std::memset(defined, 1, sizeof(defined));
  const int atomic = self.atomic_mode;  // of the copy unit only
  self.atomic_mode = 0;
  store_global(self, "GlobalTensor::SetValue", to, address - to.start(), data, defined, bytes);
  self.atomic_mode = atomic;
}

void kgnpu_clean_cache(uint64_t address, int entire, int line) {
  Core& self = core();
  self.line = line;
  self.issue(kS, cost::kScalarMiss, 0);
  if (entire)
    self.cached_lines.clear();
  else if (!self.cached_lines.empty())
    self.cached_lines[address / kLine % self.cached_lines.size()] = 0;
}

uint64_t kgnpu_local_pointer(const kgnpu::Local* tensor) {
  Core& self = core();
  // Accesses through the pointer are not seen; what the scalar unit writes there is taken as defined.
  if (tensor->buffer != 0 && tensor->bytes > 0 && tensor->address >= 0 &&
      tensor->address + tensor->bytes <= UnifiedBuffer::kBytes)
    self.ub->set_defined(tensor->address, tensor->bytes, true);
  return self.ub ? reinterpret_cast<uint64_t>(self.ub->data() + tensor->address) : 0;
}

void kgnpu_assert_failed(const char* expression, int line) {
  Core& self = core();
  self.line = line;
  self.error("assert", std::string("ASSERT(") + expression + ") does not hold");
  end_kernel();
}

int kgnpu_print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = std::vprintf(format, arguments);
  va_end(arguments);
  std::fflush(stdout);
  return written;
}

}  // extern "C"
