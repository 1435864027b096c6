#include "harmless_builtin.h"

#include <llvm/IR/Intrinsics.h>

bool is_harmless_builtin(const llvm::Function& intrinsic) {
  if (intrinsic.isTargetIntrinsic()) return false;
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::debugtrap:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::pseudoprobe:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::ubsantrap:
    case llvm::Intrinsic::vacopy:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::vastart:
    case llvm::Intrinsic::var_annotation:
      return true;
    default:
      return intrinsic.doesNotAccessMemory();
  }
}
