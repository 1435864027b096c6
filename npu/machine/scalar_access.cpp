#include "npu/machine/scalar_access.h"

#include <algorithm>
#include <cstring>

#include "npu/chip.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {
namespace {

GlobalMemory::Allocation& check_scalar(Core& core, const char* call, std::uint64_t address, int bytes) {
  GlobalMemory::Allocation* allocation = core.device->memory.find(address);
  if (allocation == nullptr ||
      address + static_cast<std::uint64_t>(bytes) > allocation->start() + allocation->rounded) {
    allocation = core.device->memory.nearest(address);
    std::string where = "address " + std::to_string(address) + ", far from every tensor";
    constexpr std::int64_t kNear = std::int64_t{1} << 32;
    const auto offset = allocation == nullptr ? kNear : static_cast<std::int64_t>(address - allocation->start());
    if (-kNear < offset && offset < kNear)
      where = message_of("byte ", offset, " of ", allocation->name, ", which has ", allocation->bytes);
    core.fail(FaultClass::kGm, call, " out of bounds: ", where);
  }
  if (address + static_cast<std::uint64_t>(bytes) > allocation->start() + allocation->bytes)
    core.warning(FaultClass::kGm, call, " beyond the end of ", allocation->name,
                 ", within the slack of its allocation");
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
  core.limit_time(core.pipes.scalar_time());
  by_lines(address, bytes, [&](std::uint64_t at, int, int) {
    const bool hit = core.cache.holds(at);
    if (!hit)
      core.device->traffic.scalar_access(allocation, at - allocation.start(), writes, core.number,
                                         core.pipes.scalar_time());
    cycles += hit ? chip::kScalarAccess : chip::kScalarMiss;
  });
  return cycles;
}

}  // namespace

void scalar_load_global(Core& core, const char* call, std::uint64_t address, int bytes, std::uint8_t* to) {
  GlobalMemory::Allocation& from = check_scalar(core, call, address, bytes);
  if (from.is_constant()) {  // the core reads its own constants as it does its variables
    std::memcpy(to, from.data + (address - from.start()), static_cast<std::size_t>(bytes));
    return;
  }
  const Instruction instruction = core.issue(kS, cache_cycles(core, from, address, bytes, /*writes=*/false), 0,
                                             "load of GM", static_cast<std::uint64_t>(bytes));
  const std::uint64_t offset = address - from.start();
  const bool clean = read_global(core, call, instruction, from, offset, bytes);
  by_lines(address, bytes,
           [&](std::uint64_t at, int part, int done) { core.cache.load(core, at, part, to + done, /*race=*/!clean); });
  for (int i = 0; i < bytes; ++i)
    if (!from.defined(offset + static_cast<std::uint64_t>(i)) &&
        !core.cache.dirty(address + static_cast<std::uint64_t>(i))) {
      core.suspect(call, from.name);
      break;
    }
}

void scalar_store_global(Core& core, const char* call, std::uint64_t address, int bytes, const std::uint8_t* from) {
  ++core.device->elements_stored_by_s;
  GlobalMemory::Allocation& to = check_scalar(core, call, address, bytes);
  if (to.is_constant()) core.fail(FaultClass::kGm, call, " to a constant of the kernel's code");
  core.issue(kS, cache_cycles(core, to, address, bytes, /*writes=*/true), 0, "store to GM",
             static_cast<std::uint64_t>(bytes));
  by_lines(address, bytes,
           [&](std::uint64_t at, int part, int done) { core.cache.store(core, at, part, from + done); });
}

void scalar_load_local(Core& core, const char* call, std::int64_t address, int bytes, std::uint8_t* to) {
  const Instruction instruction =
      core.issue(kS, chip::kScalarAccess, 0, "load of UB", static_cast<std::uint64_t>(bytes));
  touch_local(core, call, instruction, address, bytes, /*writes=*/false);
  if (!core.ub->all_defined(address, bytes)) core.suspect(call, "the tensor");
  std::memcpy(to, core.ub->data() + address, static_cast<std::size_t>(bytes));
}

void scalar_store_local(Core& core, const char* call, std::int64_t address, int bytes, const std::uint8_t* from) {
  ++core.device->elements_stored_by_s;
  const Instruction instruction =
      core.issue(kS, chip::kScalarAccess, 0, "store to UB", static_cast<std::uint64_t>(bytes));
  touch_local(core, call, instruction, address, bytes, /*writes=*/true);
  std::memcpy(core.ub->data() + address, from, static_cast<std::size_t>(bytes));
  core.ub->set_defined(address, bytes, true);
}

}  // namespace kg::npu
