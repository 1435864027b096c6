#pragma once

#include <llvm/IR/PassManager.h>

// Counts what a kernel's own text computes in the scalar unit, so that it takes time: in each block of instructions,
// the number of them is added to kgnpu_scalar_work (kgnpu/abi_pointer.h), which the runtime pays for at the next call.
//
//   for (...) s = s * a + b;  ─► fmul, fadd, add, icmp, br ─ this pass ─► kgnpu_scalar_work += 5 in the loop
//
// It runs behind the optimiser and in front of PointerAccesses: what is folded or hoisted is free, as on the device.
// What the headers do between a call of the API and the runtime is the emulator's work and not counted; loads and
// stores of global memory and UB are paid for by themselves.
struct ScalarWork : llvm::PassInfoMixin<ScalarWork> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // for functions that are not optimised, too
};
