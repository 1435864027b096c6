#pragma once

#include <llvm/IR/PassManager.h>

// Refuses what the scalar unit cannot compute, with the words of the device's compiler: double, conversions between
// floating and unsigned numbers, arithmetic in half. A pass in front of the optimiser, where what clang folded is gone
// and the rest stands as it was written.
//
//   kernel.cpp:7  float y = x * 0.5;  ─ clang ─► fpext float %x to double ─ this pass ─► error at line 7
//
// Only what is compiled is seen: not a function that nobody calls, nor a template that nobody instantiates.
struct ScalarNumbers : llvm::PassInfoMixin<ScalarNumbers> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // for functions that are not optimised, too
};
