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

// Calls f(address, bytes, offset in the value) for the part of an access in each line.
template <typename F>
void by_lines(std::uint64_t address, int bytes, F f) {
  for (int done = 0; done < bytes;) {
    const std::uint64_t at = address + static_cast<std::uint64_t>(done);
    const int part = std::min(bytes - done, static_cast<int>(DataCache::kLineBytes - at % DataCache::kLineBytes));
    f(at, part, done);
    done += part;
  }
}

// Time through the scalar data cache.
double cache_cycles(Core& core, GlobalMemory::Allocation& allocation, std::uint64_t address, int bytes, bool writes) {
  double cycles = 0;
  by_lines(address, bytes, [&](std::uint64_t at, int, int) {
    const bool hit = core.cache.holds(at);
    if (!hit)
      core.device->traffic.scalar_access(allocation, at - allocation.start(), writes, core.number,
                                         core.pipes.scalar_time());
    cycles += hit ? cost::kScalarAccess : cost::kScalarMiss;
  });
  return cycles;
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
  if (!self.ub->all_defined(tensor->address + offset, bytes)) self.suspect("GetValue", "the tensor");
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
  const Instruction instruction = self.issue(kS, cache_cycles(self, from, address, bytes, /*writes=*/false), 0,
                                             "GetValue of GM", static_cast<std::uint64_t>(bytes));
  const std::uint64_t offset = address - from.start();
  const bool clean = read_global(self, "GlobalTensor::GetValue", instruction, from, offset, bytes);
  std::uint8_t data[8] = {};
  by_lines(address, bytes, [&](std::uint64_t at, int part, int done) {
    self.cache.load(self, at, part, data + done, /*race=*/!clean);
  });
  for (int i = 0; i < bytes; ++i)
    if (!from.defined(offset + static_cast<std::uint64_t>(i)) &&
        !self.cache.dirty(address + static_cast<std::uint64_t>(i))) {
      self.suspect("GlobalTensor::GetValue", from.name);
      break;
    }
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, sizeof(bits));
  return bits;
}

void kgnpu_global_store(uint64_t address, int bytes, uint64_t bits, int line) {
  Core& self = core();
  self.line = line;
  GlobalMemory::Allocation& to = check_scalar(self, "GlobalTensor::SetValue", address, bytes);
  self.issue(kS, cache_cycles(self, to, address, bytes, /*writes=*/true), 0, "SetValue of GM",
             static_cast<std::uint64_t>(bytes));
  std::uint8_t data[8];
  std::memcpy(data, &bits, sizeof(data));
  by_lines(address, bytes, [&](std::uint64_t at, int part, int done) {
    self.cache.store(self, at, part, data + done);
  });
}

void kgnpu_clean_cache(uint64_t address, int entire, int line) {
  Core& self = core();
  self.line = line;
  self.issue(kS, cost::kScalarMiss, 0);
  if (entire)
    self.cache.clean_all(self);
  else
    self.cache.clean(self, address);
}

uint64_t kgnpu_local_pointer(const kgnpu::Local* tensor) {
  Core& self = core();
  // Accesses through the pointer are not seen; what the scalar unit writes there is taken as defined.
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
