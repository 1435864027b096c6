#include <algorithm>
#include <cstring>

#include "npu/chip.h"
#include "npu/machine/core.h"

using namespace kg::npu;

namespace {

constexpr std::uint64_t kCacheLine = chip::kCacheLineBytes;

}  // namespace

extern "C" {

void kgnpu_read_tiling(void* to, uint64_t bytes, uint64_t from, const char* type, int line, uint32_t padding) {
  Core& self = core_at(line);
  const GlobalMemory::Allocation* source = self.device->memory.find(from);
  if (source == nullptr)
    self.fail(FaultClass::kGm, "the tiling data ", type,
              " are read from an address outside global memory; pass the kernel's tiling parameter");
  const std::uint64_t offset = from - source->start();
  const std::uint64_t needed = bytes - std::min<std::uint64_t>(padding, bytes);
  if (needed > source->bytes || offset > source->bytes - needed)
    self.fail(FaultClass::kGm, type, " has ", bytes, " bytes, ", source->name, " has ", source->bytes,
              "; on the host side call SaveToBuffer and SetDataSize with the same structure");
  if (to == nullptr)
    self.fail(FaultClass::kTrap, type,
              " is read into something that is not a variable of the kernel; declare it in the kernel");
  const double lines = static_cast<double>((bytes + kCacheLine - 1) / kCacheLine);
  self.issue(kS, lines * chip::kScalarMiss + static_cast<double>(bytes) / 8 * chip::kScalarAccess, 0);
  const std::uint64_t there = std::min(bytes, source->bytes - offset);
  std::memcpy(to, reinterpret_cast<const void*>(from), there);
  std::memset(static_cast<std::uint8_t*>(to) + there, self.device->poison, bytes - there);
}

void kgnpu_whole_tiling(uint64_t bytes, uint64_t from, const char* type, int line) {
  Core& self = core();
  const GlobalMemory::Allocation* source = self.device->memory.find(from);
  if (source == nullptr || from != self.device->host_tiling || source->bytes <= bytes) return;
  self.line = line;
  self.warning(FaultClass::kHost, type, " has ", bytes, " bytes, but the host side set ", source->bytes,
               " bytes of tiling data; read the structure that the host side fills");
}

void kgnpu_set_system_workspace(uint64_t address) { core().system_workspace = address; }
uint64_t kgnpu_system_workspace() { return core().system_workspace; }

}  // extern "C"
