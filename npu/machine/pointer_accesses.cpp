// What a kernel does through its own pointers, as the compiler's pass hands it over.

#include "npu/machine/pointer_accesses.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "npu/headers/kgnpu/abi_pointer.h"
#include "npu/machine/scalar_access.h"
#include "npu/machine/scheduler.h"

namespace kg::npu {
namespace {

struct Range {
  std::uint64_t begin, bytes;
  bool holds(std::uint64_t address, std::uint64_t access) const {
    return address >= begin && access <= bytes && address - begin <= bytes - access;
  }
};
// One launch at a time in a process.
std::vector<Range> readable;

bool on_own_stack(std::uint64_t address, std::uint64_t bytes) {
  return Range{kgnpu_own_stack[0], kgnpu_own_stack[1]}.holds(address, bytes);
}

bool is_readable(std::uint64_t address, std::uint64_t bytes) {
  return std::any_of(readable.begin(), readable.end(), [&](const Range& r) { return r.holds(address, bytes); });
}

// Of an access that leads to no tensor: whether it stays in what is the kernel's. A null pointer is left to trap, which
// also finds out whether it came from memory that is used up.
void check_own(Core& core, const char* what, std::uint64_t address, std::uint64_t bytes, bool writes) {
  constexpr std::uint64_t kNullPage = 4096;
  if (address < kNullPage || on_own_stack(address, bytes)) return;
  if (!writes && is_readable(address, bytes)) return;
  core.error(
      FaultClass::kTrap,
      std::string(what) + " through a pointer that leads outside the core's own variables, global memory and UB");
  end_kernel();
}

enum Space { kPrivate = 0, kGm = 1, kUb = 2 };
constexpr std::uint64_t kWord = 8;
constexpr auto kUbBytes = static_cast<std::uint64_t>(UnifiedBuffer::kBytes);

struct Place {
  Space space = kPrivate;
  std::uint64_t address = 0;  // of UB: from its start
};

std::uint64_t start_of_ub(Core& core) {
  if (!core.ub) core.ub = std::make_unique<UnifiedBuffer>();
  return reinterpret_cast<std::uint64_t>(core.ub->data());
}

// Where a pointer of unknown origin leads.
Place place_of(Core& core, std::uint64_t pointer) {
  if (core.ub)
    if (const std::uint64_t offset = pointer - start_of_ub(core); offset < kUbBytes) return {kUb, offset};
  if (core.device->memory.find(pointer) != nullptr) return {kGm, pointer};
  return {kPrivate, pointer};
}

Place place_of(Core& core, std::uint64_t pointer, int space, std::uint64_t bytes) {
  if (space == kGm) return {kGm, pointer};
  if (space == kPrivate) {
    const Place place = place_of(core, pointer);
    if (place.space != kUb) return place;
  }
  // A kernel may write UB addresses as numbers from 0.
  const std::uint64_t offset = pointer < kUbBytes ? pointer : pointer - start_of_ub(core);
  start_of_ub(core);
  if (offset >= kUbBytes || bytes > kUbBytes - offset) {
    core.error(FaultClass::kUb,
               "an access of " + std::to_string(bytes) + " bytes through a __ubuf__ pointer that lies outside UB (" +
                   std::to_string(static_cast<std::int64_t>(offset)) +
                   " bytes from its start); take pointers from LocalTensor::GetPhyAddr and stay in the tensor");
    end_kernel();
  }
  return {kUb, offset};
}

void load(Core& core, const Place& from, std::uint64_t bytes, std::uint8_t* to) {
  if (from.space == kPrivate) {
    check_own(core, "a load", from.address, bytes, /*writes=*/false);
    std::memcpy(to, reinterpret_cast<const void*>(from.address), bytes);
    return;
  }
  for (std::uint64_t done = 0; done < bytes; done += kWord) {
    const int part = static_cast<int>(std::min(kWord, bytes - done));
    if (from.space == kGm)
      scalar_load_global(core, "a load through a __gm__ pointer", from.address + done, part, to + done);
    else
      scalar_load_local(core, "a load through a __ubuf__ pointer", static_cast<std::int64_t>(from.address + done), part,
                        to + done);
  }
}

void store(Core& core, const Place& to, std::uint64_t bytes, const std::uint8_t* from) {
  if (to.space == kPrivate) {
    check_own(core, "a store", to.address, bytes, /*writes=*/true);
    std::memcpy(reinterpret_cast<void*>(to.address), from, bytes);
    return;
  }
  for (std::uint64_t done = 0; done < bytes; done += kWord) {
    const int part = static_cast<int>(std::min(kWord, bytes - done));
    if (to.space == kGm)
      scalar_store_global(core, "a store through a __gm__ pointer", to.address + done, part, from + done);
    else
      scalar_store_local(core, "a store through a __ubuf__ pointer", static_cast<std::int64_t>(to.address + done), part,
                         from + done);
  }
}

}  // namespace

void forget_readable() { readable.clear(); }

void let_kernel_read(const void* begin, std::uint64_t bytes) {
  readable.push_back({reinterpret_cast<std::uint64_t>(begin), bytes});
}

void let_kernel_use_object(const void* address) {
  const auto looked_for = reinterpret_cast<std::uint64_t>(address);
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* wanted) {
        std::vector<Range> segments;
        bool found = false;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          segments.push_back({object->dlpi_addr + header.p_vaddr, header.p_memsz});
          found = found || segments.back().holds(*static_cast<const std::uint64_t*>(wanted), 1);
        }
        if (found) readable.insert(readable.end(), segments.begin(), segments.end());
        return found ? 1 : 0;
      },
      const_cast<std::uint64_t*>(&looked_for));
}

bool kernel_may_read(std::uint64_t address, std::uint64_t bytes) {
  return on_own_stack(address, bytes) || is_readable(address, bytes);
}

bool kernel_may_write(std::uint64_t address, std::uint64_t bytes) { return on_own_stack(address, bytes); }

}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_pointer_load(uint64_t pointer, int space, void* to, uint64_t bytes, int line) {
  Core& self = core();
  self.line = line;
  check_own(self, "a load into a variable", reinterpret_cast<std::uint64_t>(to), bytes, /*writes=*/true);
  load(self, place_of(self, pointer, space, bytes), bytes, static_cast<std::uint8_t*>(to));
}

void kgnpu_pointer_store(uint64_t pointer, int space, const void* from, uint64_t bytes, int line) {
  Core& self = core();
  self.line = line;
  check_own(self, "a store of a variable", reinterpret_cast<std::uint64_t>(from), bytes, /*writes=*/false);
  store(self, place_of(self, pointer, space, bytes), bytes, static_cast<const std::uint8_t*>(from));
}

void kgnpu_pointer_copy(uint64_t to, uint64_t from, uint64_t bytes, int line) {
  if (on_own_stack(to, bytes) && on_own_stack(from, bytes)) {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return;
  }
  Core& self = core();
  self.line = line;
  std::uint8_t word[kWord];
  for (std::uint64_t done = 0; done < bytes; done += kWord) {
    const std::uint64_t part = std::min(kWord, bytes - done);
    load(self, place_of(self, from + done, kPrivate, part), part, word);
    store(self, place_of(self, to + done, kPrivate, part), part, word);
  }
}

void kgnpu_pointer_fill(uint64_t to, int value, uint64_t bytes, int line) {
  if (on_own_stack(to, bytes)) {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return;
  }
  Core& self = core();
  self.line = line;
  std::uint8_t word[kWord];
  std::memset(word, value, kWord);
  for (std::uint64_t done = 0; done < bytes; done += kWord) {
    const std::uint64_t part = std::min(kWord, bytes - done);
    store(self, place_of(self, to + done, kPrivate, part), part, word);
  }
}

void kgnpu_beyond_variable(uint64_t offset, uint64_t bytes, int line) {
  Core& self = core();
  self.line = line;
  self.error(FaultClass::kMemory, "an access at byte " + std::to_string(static_cast<std::int64_t>(offset)) +
                                      " of a variable that has " + std::to_string(bytes) + "; check the index");
  end_kernel();
}

void kgnpu_check_object(uint64_t address, uint64_t bytes, int filled, int line) {
  if (address == 0 || on_own_stack(address, bytes) || (filled == 0 && is_readable(address, bytes))) return;
  Core& self = core();
  self.line = line;
  self.error(FaultClass::kTrap,
             "a call of the API with an object (a tensor, a queue, a pipe) that is no variable of the kernel; "
             "declare it in the kernel or its class");
  end_kernel();
}

void kgnpu_call_nowhere(int line) {
  Core& self = core();
  self.line = line;
  self.error(FaultClass::kTrap, "a call through a pointer that leads to no function of the kernel");
  end_kernel();
}

uint64_t kgnpu_local_address(const kgnpu::Local* tensor) {
  return start_of_ub(core()) + static_cast<uint64_t>(tensor->address);
}

}  // extern "C"
