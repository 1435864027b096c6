#include "scalar_work.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstdint>

#include "source_place.h"

namespace {

constexpr unsigned kPrivate = 0;

constexpr std::uint64_t kWordBits = 64;

std::uint64_t lanes(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

// Words of an integer wider than the unit's registers (_BitInt); 1 of other types.
std::uint64_t words(const llvm::Type* type) {
  const auto* integer = llvm::dyn_cast<llvm::IntegerType>(type->getScalarType());
  return integer == nullptr ? 1 : (integer->getBitWidth() + kWordBits - 1) / kWordBits;
}

std::uint64_t operations(const llvm::Type* type) { return lanes(type) * words(type); }

// Long multiplication and division meet every pair of words.
bool is_product(const llvm::Instruction& one) { return one.getOpcode() == llvm::Instruction::Mul || one.isIntDivRem(); }

bool moves_in_own_memory(const llvm::Instruction& one) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&one);
  return pointer != nullptr && pointer->getType()->getPointerAddressSpace() == kPrivate;
}

// Instructions of the scalar unit that one of the compiler's becomes. Addresses and widening are parts of others.
std::uint64_t steps(const llvm::Instruction& one) {
  switch (one.getOpcode()) {
    case llvm::Instruction::Br:
      return llvm::cast<llvm::BranchInst>(one).isConditional() ? 1 : 0;
    case llvm::Instruction::Switch:
      return 1;
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::FNeg:
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
    case llvm::Instruction::Select:
      return operations(one.getOperand(0)->getType());
    case llvm::Instruction::Load:
      return moves_in_own_memory(one) ? operations(one.getType()) : 0;
    case llvm::Instruction::Store:
      return moves_in_own_memory(one) ? operations(one.getOperand(0)->getType()) : 0;
    case llvm::Instruction::Call: {
      if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&one))
        return intrinsic->getCalledFunction()->doesNotAccessMemory() ? operations(one.getType()) : 0;
      const llvm::Function* callee = llvm::cast<llvm::CallInst>(one).getCalledFunction();
      return callee != nullptr && callee->isDeclaration() ? 0 : 2;  // there and back
    }
    default:
      if (!one.isBinaryOp()) return 0;
      return operations(one.getType()) * (is_product(one) ? words(one.getType()) : 1);
  }
}

// Whether it stands in the kernel's own text. In a function without places, everything does; elsewhere an instruction
// without one is the optimiser's.
bool is_own(const llvm::Instruction& one) {
  const llvm::DILocation* at = one.getDebugLoc();
  if (at == nullptr) return one.getFunction()->getSubprogram() == nullptr;
  return !is_in_own_headers(*at);
}

}  // namespace

llvm::PreservedAnalyses ScalarWork::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::Type* const word = llvm::Type::getInt64Ty(module.getContext());
  llvm::Constant* const work = module.getOrInsertGlobal("kgnpu_scalar_work", word);
  const auto add = [&](llvm::Instruction* before, llvm::Value* sum) {
    llvm::IRBuilder<> builder(before);
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(word, work), sum), work);
  };
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function) {
      std::uint64_t sum = 0;
      llvm::SmallVector<llvm::MemIntrinsic*, 4> copies;
      for (llvm::Instruction& one : block) {
        if (!is_own(one)) continue;
        sum += steps(one);
        if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&one)) copies.push_back(copy);
      }
      for (llvm::MemIntrinsic* copy : copies) {  // a word a step
        llvm::IRBuilder<> builder(copy);
        add(copy, builder.CreateLShr(builder.CreateZExtOrTrunc(copy->getLength(), word), 3));
      }
      if (sum > 0) add(&*block.getFirstInsertionPt(), llvm::ConstantInt::get(word, sum));
    }
  return llvm::PreservedAnalyses::none();
}
