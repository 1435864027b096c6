#pragma once

#include <llvm/IR/PassManager.h>

// Tells of numbers that do not fit the parameter of a call, uint8_t or uint16_t: the call gets their low bits. It runs
// before the optimiser, when the conversion of an argument is still in front of its call. clang itself tells of
// constants.
//
//   Adds(y, x, 1.0f, 64, n / 64, strides)  ─ clang ─► trunc i32 %n64 to i8 ─ this pass ─►
//   if (%n64 > 255) kgnpu_narrowed("Adds", %n64, 8, line)
struct NarrowedArguments : llvm::PassInfoMixin<NarrowedArguments> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};
