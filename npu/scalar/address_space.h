#pragma once

#include <cstdint>

namespace kg::npu::scalar {

// The scalar unit's address space. Code, constants and the stack are in the lower 2 GiB, which two
// instructions can address; global memory is where its allocations are; numbers below the size of UB are places in UB.
constexpr std::uint64_t kCodeStart = 0x0100'0000;
constexpr std::uint64_t kMostImageBytes = 0x0400'0000;  // code and constants
constexpr std::uint64_t kCallStart = 0x4000'0000;       // the runtime's calls, four bytes each
constexpr std::uint64_t kStackStart = 0x5000'0000, kStackBytes = 512 * 1024;

// A pointer with an address space (__gm__, __ubuf__) carries it in its upper bits when it is used: the pass
// passes/address_spaces adds these. Offsets below a tensor's start may borrow from the tag, so it is rounded when read.
constexpr std::uint64_t kUbTag = 1ULL << 61, kGmTag = 1ULL << 62;
enum class Space : std::uint8_t { kNone, kUb, kGm };
struct Tagged {
  Space space;
  std::uint64_t address;
};
constexpr Tagged untag(std::uint64_t pointer) {
  switch ((pointer + (1ULL << 60)) >> 61) {
    case 1:
      return {Space::kUb, pointer - kUbTag};
    case 2:
      return {Space::kGm, pointer - kGmTag};
    default:
      return {Space::kNone, pointer};
  }
}

// The symbol that marks an object whose pointers have tags. An object compiled without the pass does not have it.
constexpr const char* kTaggedMark = "kgnpu_tagged";

// The section of the variables that each core has for itself as long as it runs (__BLOCK_LOCAL__). They are at the end
// of its stack.
constexpr const char* kBlockLocal = "kgnpu_block_local";
constexpr std::uint64_t kMostBlockLocalBytes = 64 * 1024;

// The folder of our own headers in a kernel's line table, whatever it is on the host: the toolchain maps it
// (-fdebug-prefix-map), and the text of a kernel must not use such a name (checks/language.h).
constexpr const char* kOwnHeaders = "/kgtrain-headers/";

}  // namespace kg::npu::scalar
