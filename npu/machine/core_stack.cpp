#include "npu/machine/core_stack.h"

#include <sys/mman.h>

#include "base/error.h"

namespace kg::npu {

CoreStack::CoreStack()
    : mapped_(mmap(nullptr, kBytes + kGuardBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0)) {
  if (mapped_ == MAP_FAILED || mprotect(mapped_, kGuardBytes, PROT_NONE) != 0)
    throw Error("cannot map the stack of a core", "emulated device", "raise the memory limit of the run",
                Error::Kind::kEnvironment);
}

CoreStack::~CoreStack() { munmap(mapped_, kBytes + kGuardBytes); }

}  // namespace kg::npu
