#include "npu/machine/core_stack.h"

#include <sys/mman.h>

#include "base/error.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace kg::npu {

CoreStack::CoreStack()
    : mapped_(mmap(nullptr, kBytes + kGuardBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0)) {
  if (mapped_ == MAP_FAILED || mprotect(mapped_, kGuardBytes, PROT_NONE) != 0)
    throw Error("cannot map the stack of a core", "emulated device", "raise the memory limit of the run",
                Error::Kind::kEnvironment);
}

CoreStack::~CoreStack() { munmap(mapped_, kBytes + kGuardBytes); }

void CoreStack::renew() {
#ifdef __SANITIZE_ADDRESS__
  // A kernel that was ended left its frames without returning from them.
  __asan_unpoison_memory_region(begin(), kBytes);
#endif
}

}  // namespace kg::npu
