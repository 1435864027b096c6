#pragma once

#include <llvm/IR/Function.h>

// Of the compiler's own functions (intrinsics) those that compute, and those that say something to the optimiser. The
// rest reach memory past the passes, or are instructions of the host's processor.
bool is_harmless_builtin(const llvm::Function& intrinsic);
