#include "npu/machine/outside.h"

#include <cstdlib>
#include <string>

#include "npu/machine/core.h"
#include "npu/machine/scalar_access.h"
#include "npu/scalar/address_space.h"

namespace kg::npu {
namespace {

using scalar::Space;

constexpr auto kUbBytes = static_cast<std::uint64_t>(UnifiedBuffer::kBytes);
constexpr std::uint64_t kNullPage = 4096;

[[noreturn]] void leads_nowhere(Core& core, const char* what, std::uint64_t address) {
  constexpr std::uint64_t kFarBelow = 1 << 20;  // a frame is not larger
  const std::string access = std::string("the kernel was stopped by ") + what;
  if (address < kNullPage)
    core.error(FaultClass::kTrap, access, " through a null pointer");
  else if (scalar::kStackStart - address <= kFarBelow)
    core.error(FaultClass::kTrap, access, " below its stack, which has ", scalar::kStackBytes >> 10,
               " KiB; keep large arrays in UB or global memory");
  else
    core.error(FaultClass::kTrap, access, " through a pointer outside the core's own variables, global memory and UB");
  end_kernel();
}

// The target of a pointer. One without an address space may have been made from a number.
struct Place {
  Space space;
  std::uint64_t address;  // for UB: from its start
};

Place place_of(Core& core, const char* what, std::uint64_t pointer, std::uint64_t bytes, bool has_tags) {
  const scalar::Tagged tagged = scalar::untag(pointer);
  Place place{tagged.space, tagged.address};
  if (place.space == Space::kNone) {
    if (core.device->memory.find(pointer) != nullptr)
      place.space = Space::kGm;
    else if ((pointer >= kNullPage || !has_tags) && pointer < kUbBytes)
      place.space = Space::kUb;
    else
      leads_nowhere(core, what, pointer);
  }
  if (place.space == Space::kUb && (place.address >= kUbBytes || bytes > kUbBytes - place.address))
    core.fail(FaultClass::kUb, "an access of ", bytes, " bytes through a __ubuf__ pointer that is outside UB (",
              static_cast<std::int64_t>(place.address),
              " bytes from its start); take pointers from LocalTensor::GetPhyAddr and stay in the tensor");
  if (place.space == Space::kUb) core.memory(Memory::kUb);
  return place;
}

const char* reason(scalar::Stop why) {
  switch (why) {
    case scalar::Stop::kDivision:
      return "an integer division by zero";
    case scalar::Stop::kIllegal:
      return "an instruction that traps (unreachable code, or a missing return)";
    case scalar::Stop::kJump:
      return "a call through a pointer that is not one of the kernel's functions";
    case scalar::Stop::kConstant:
      return "a store to a constant or to code";
    case scalar::Stop::kEndless:
      return "an infinite loop";
  }
  return "an unknown trap";
}

}  // namespace

void CoreOutside::load(std::uint64_t address, std::uint64_t bytes, void* to, int line) {
  Core& self = core_at(line);
  const Place from = place_of(self, "a load", address, bytes, has_tags_);
  auto* const into = static_cast<std::uint8_t*>(to);
  if (from.space == Space::kGm)
    scalar_load_global(self, "a load through a __gm__ pointer", from.address, static_cast<int>(bytes), into);
  else
    scalar_load_local(self, "a load through a __ubuf__ pointer", static_cast<std::int64_t>(from.address),
                      static_cast<int>(bytes), into);
}

void CoreOutside::store(std::uint64_t address, std::uint64_t bytes, const void* from, int line) {
  Core& self = core_at(line);
  const Place to = place_of(self, "a store", address, bytes, has_tags_);
  const auto* const source = static_cast<const std::uint8_t*>(from);
  if (to.space == Space::kGm)
    scalar_store_global(self, "a store through a __gm__ pointer", to.address, static_cast<int>(bytes), source);
  else
    scalar_store_local(self, "a store through a __ubuf__ pointer", static_cast<std::int64_t>(to.address),
                       static_cast<int>(bytes), source);
}

void CoreOutside::stop(scalar::Stop why, int line) {
  Core& self = core();
  if (line > 0) self.line = line;
  self.fail(why == scalar::Stop::kEndless ? FaultClass::kLimit : FaultClass::kTrap, "the kernel was stopped by ",
            reason(why));
}

}  // namespace kg::npu
