#pragma once

#include <llvm/IR/PassManager.h>

// Refuses what the scalar unit cannot compute, in the words of the device's compiler: double, conversions between
// floating and unsigned numbers, arithmetic in half. It runs before the optimiser, after clang's constant folding, when
// the rest is still as written.
//
//   kernel.cpp:7  float y = x * 0.5;  ─ clang ─► fpext float %x to double ─ this pass ─► error at line 7
//
// It sees only compiled code: not functions that nobody calls, nor templates that nobody instantiates.
struct ScalarNumbers : llvm::PassInfoMixin<ScalarNumbers> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // for functions that are not optimised, too
};
