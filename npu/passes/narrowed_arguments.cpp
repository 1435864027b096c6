#include "narrowed_arguments.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <string>
#include <utility>

#include "source_place.h"

namespace {

// The published call that a kernel calls here; null: another function.
const llvm::DISubprogram* published_call(const llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  if (callee == nullptr || !callee->getName().startswith("_ZN7AscendC") || callee->getName().contains("kg_"))
    return nullptr;
  const llvm::DISubprogram* const written = callee->getSubprogram();
  return written != nullptr && is_in_own_headers(*written) ? written : nullptr;
}

// The number that an argument of an unsigned type is cut from; null: it is not cut.
llvm::Value* cut_from(const llvm::CallBase& call, unsigned index) {
  const llvm::Type* const type = call.getArgOperand(index)->getType();
  if (!type->isIntegerTy(8) && !type->isIntegerTy(16)) return nullptr;
  if (!call.paramHasAttr(index, llvm::Attribute::ZExt)) return nullptr;
  auto* const cut = llvm::dyn_cast<llvm::TruncInst>(call.getArgOperand(index));
  return cut == nullptr ? nullptr : cut->getOperand(0);
}

void tell(llvm::Module& module, llvm::CallBase& call, const std::string& name, llvm::Value* wide, unsigned bits) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const word = llvm::Type::getInt64Ty(context);
  llvm::Type* const number = llvm::Type::getInt32Ty(context);
  const llvm::FunctionCallee told = module.getOrInsertFunction("kgnpu_narrowed", llvm::Type::getVoidTy(context),
                                                               llvm::Type::getInt8PtrTy(context), word, number, number);
  const unsigned line = call.getDebugLoc().getLine();
  llvm::IRBuilder<> builder(&call);
  builder.SetCurrentDebugLocation(place_in_own_header(call));
  llvm::Value* const most = llvm::ConstantInt::get(wide->getType(), (1u << bits) - 1);
  llvm::Value* const above = builder.CreateICmpUGT(wide, most);
  llvm::Instruction* const then = llvm::SplitBlockAndInsertIfThen(
      above, &call, /*Unreachable=*/false, llvm::MDBuilder(context).createBranchWeights(1, 1 << 20));
  then->getParent()->getSinglePredecessor()->getTerminator()->setDebugLoc(place_in_own_header(call));
  then->setDebugLoc(place_in_own_header(call));
  llvm::IRBuilder<> telling(then);
  telling.SetCurrentDebugLocation(place_in_own_header(call));
  telling.CreateCall(told, {telling.CreateGlobalStringPtr(name), telling.CreateSExtOrTrunc(wide, word),
                            llvm::ConstantInt::get(number, bits), llvm::ConstantInt::get(number, line)});
}

}  // namespace

llvm::PreservedAnalyses NarrowedArguments::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module) {
    const llvm::DISubprogram* const written = function.getSubprogram();
    if (function.isDeclaration() || written == nullptr || is_in_own_headers(*written)) continue;
    llvm::SmallVector<llvm::CallBase*, 32> calls;
    for (llvm::Instruction& one : llvm::instructions(function))
      if (auto* const call = llvm::dyn_cast<llvm::CallBase>(&one); call != nullptr && call->getDebugLoc())
        calls.push_back(call);
    for (llvm::CallBase* const call : calls) {
      const llvm::DISubprogram* const callee = published_call(*call);
      if (callee == nullptr) continue;
      const std::string name = callee->getName().split('<').first.str();
      for (unsigned index = 0; index < call->arg_size(); ++index)
        if (llvm::Value* const wide = cut_from(*call, index))
          tell(module, *call, name, wide, call->getArgOperand(index)->getType()->getIntegerBitWidth());
    }
  }
  return llvm::PreservedAnalyses::none();
}
