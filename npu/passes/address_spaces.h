#pragma once

#include <llvm/IR/PassManager.h>

// Keeps the address space of a pointer in the address that it is used with. The processor that kernels are compiled for
// has one kind of memory; the scalar unit has several, and a load through a __gm__ pointer reaches global memory or
// nothing. So what a kernel loads and stores through __gm__ and __ubuf__ pointers gets the tags of
// npu/scalar/address_space.h; accesses through other address spaces do not compile, nor does what the device lacks and
// an object file no longer shows.
//
//   load float, ptr addrspace(2) %p   ─►   load float, ptr (%p + kUbTag)
//
// An access to one of the kernel's own variables at a place that only the run knows is held to the variable's extent:
// on the chip it would meet other variables in silence.
//
// Runs after the optimiser, so that what the device's compiler would remove or join is gone. Nothing depends on it for
// safety: the scalar unit checks every address, tagged or not.
struct AddressSpaces : llvm::PassInfoMixin<AddressSpaces> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // for functions that are not optimised, too
};
