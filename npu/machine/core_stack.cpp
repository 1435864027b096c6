#include "npu/machine/core_stack.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "npu/headers/kgnpu/abi_pointer.h"

// Where the running code puts the next variable whose address is taken: its name is clang's.
extern "C" {
__attribute__((visibility("default"))) thread_local void* __safestack_unsafe_stack_ptr = nullptr;
}

std::uint64_t kgnpu_own_stack[2] = {0, 0};

namespace kg::npu {
namespace {

// A frame of variables is refused from 256 KiB on (sandbox/compiler), a call takes 16 bytes of the machine's stack at
// least: so even a kernel that calls as deep as that goes, and touches nothing on its way, stays within this distance.
constexpr std::uint64_t kFirst = 0x180000000000, kApart = 1ULL << 34;
constexpr std::size_t kPlaces = 512;
constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// One launch at a time in a process.
std::vector<bool> taken(kPlaces, false);

}  // namespace

CoreStack::CoreStack()
    : place_(static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin())),
      machine_(mmap(nullptr, kBytes + kGuardBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0)),
      variables_(mmap(reinterpret_cast<void*>(kFirst + kApart * (place_ + 1) - kBytes), kBytes, PROT_READ | PROT_WRITE,
                      kFlags | MAP_FIXED_NOREPLACE, -1, 0)) {
  if (place_ == kPlaces || machine_ == MAP_FAILED || variables_ == MAP_FAILED ||
      mprotect(machine_, kGuardBytes, PROT_NONE) != 0)
    throw Error("cannot map the stacks of a core", "emulated device", "raise the memory limit of the run",
                Error::Kind::kEnvironment);
  taken[place_] = true;
}

CoreStack::~CoreStack() {
  KG_CHECK(taken[place_]);
  munmap(machine_, kBytes + kGuardBytes);
  munmap(variables_, kBytes);
  taken[place_] = false;
}

const std::uint64_t* CoreStack::begin_with(const std::vector<std::uint64_t>& arguments) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t bytes = (arguments.size() * sizeof(std::uint64_t) + kAlignment - 1) / kAlignment * kAlignment;
  KG_CHECK_LE(bytes, kBytes);
  auto* const copy = reinterpret_cast<std::uint64_t*>(static_cast<char*>(variables_) + kBytes - bytes);
  std::copy(arguments.begin(), arguments.end(), copy);
  pointer_ = copy;
  return copy;
}

void CoreStack::enter() {
  KG_CHECK(pointer_ != nullptr);
  KG_CHECK_EQ(kgnpu_own_stack[1], 0u);  // one core runs at a time
  kgnpu_own_stack[0] = variables();
  kgnpu_own_stack[1] = kBytes;
  __safestack_unsafe_stack_ptr = pointer_;
}

void CoreStack::leave() {
  kgnpu_own_stack[0] = kgnpu_own_stack[1] = 0;
  pointer_ = __safestack_unsafe_stack_ptr;
  __safestack_unsafe_stack_ptr = nullptr;
}

}  // namespace kg::npu
