#pragma once

#include <llvm/IR/PassManager.h>

// Keeps the address space of a pointer in the addresses used with it. The processor that kernels are compiled for
// has one kind of memory; the scalar unit has several, and a load through a __gm__ pointer reaches global memory or
// nothing. So a kernel's accesses through __gm__ and __ubuf__ pointers get the tags of
// npu/scalar/address_space.h; accesses through other address spaces do not compile, nor do features that the device
// lacks and that an object file no longer shows.
//
//   load float, ptr addrspace(2) %p   ─►   load float, ptr (%p + kUbTag)
//
// An access to one of the kernel's own variables at an index known only at run time is checked against the variable's
// extent: on the chip it would silently reach other variables.
//
// Runs after the optimiser, so that accesses the device's compiler would remove or merge are gone. Safety does not
// depend on it: the scalar unit checks every address, tagged or not.
struct AddressSpaces : llvm::PassInfoMixin<AddressSpaces> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // for functions that are not optimised, too
};
