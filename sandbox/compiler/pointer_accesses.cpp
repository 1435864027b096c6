// A plug-in of clang: turns what a kernel loads and stores through its own __gm__ and __ubuf__ pointers into calls of
// the emulated NPU's runtime (kgnpu/abi_pointer.h), where they are checked, ordered, cached and timed as GetValue and
// SetValue are.
//
//   kernel.cpp ─ clang, optimiser ─► load i32, ptr addrspace(1) %p ─ this pass ─► call kgnpu_pointer_load(%p, 1, slot,
//   4, line)
//
// It runs after the optimiser, so that what the device's compiler would remove or join is gone, and line tables, which
// only it needs, are dropped at its end.

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <optional>

namespace {

// As in kgnpu/language.h. The scalar unit reaches no other memory; a pointer made from a number may be of either.
constexpr unsigned kPrivate = 0, kGlobalMemory = 1, kUnifiedBuffer = 2;
constexpr const char* kOwnHeaders = "kgnpu/";

bool watched(unsigned space) { return space == kGlobalMemory || space == kUnifiedBuffer; }

class Rewriter {
 public:
  explicit Rewriter(llvm::Module& module) : module_(module), context_(module.getContext()) {
    llvm::Type* const word = llvm::Type::getInt64Ty(context_);
    llvm::Type* const number = llvm::Type::getInt32Ty(context_);
    llvm::Type* const bytes = llvm::Type::getInt8PtrTy(context_);
    llvm::Type* const nothing = llvm::Type::getVoidTy(context_);
    load_ = module.getOrInsertFunction("kgnpu_pointer_load", nothing, word, number, bytes, word, number);
    store_ = module.getOrInsertFunction("kgnpu_pointer_store", nothing, word, number, bytes, word, number);
    copy_ = module.getOrInsertFunction("kgnpu_pointer_copy", nothing, word, word, word, number);
    fill_ = module.getOrInsertFunction("kgnpu_pointer_fill", nothing, word, number, word, number);
  }

  void rewrite(llvm::Function& function) {
    llvm::SmallVector<llvm::Instruction*, 64> all;
    for (llvm::Instruction& one : llvm::instructions(function)) all.push_back(&one);
    for (llvm::Instruction* one : all) rewrite(function, *one);
  }

  // GetPhyAddr need not guess what is done through its pointer.
  void tell_get_phy_addr() {
    llvm::Function* guessing = module_.getFunction("kgnpu_local_pointer");
    if (guessing == nullptr) return;
    guessing->replaceAllUsesWith(
        module_.getOrInsertFunction("kgnpu_local_address", guessing->getFunctionType()).getCallee());
  }

 private:
  // The memory that a pointer leads to, as far as the code around it tells.
  std::optional<unsigned> space_of(const llvm::Value* pointer) const {
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (watched(space)) return space;
    if (space != kPrivate) return std::nullopt;
    const llvm::Value* origin = llvm::getUnderlyingObject(pointer);
    const unsigned from = origin->getType()->isPointerTy() ? origin->getType()->getPointerAddressSpace() : kPrivate;
    if (watched(from)) return from;
    if (llvm::isa<llvm::IntToPtrInst>(origin)) return kPrivate;
    return std::nullopt;
  }

  // The user's line: of the outermost call in which one of our headers was inlined.
  llvm::Value* line_of(const llvm::Instruction& one) const {
    unsigned line = 0;
    for (const llvm::DILocation* at = one.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
      line = at->getLine();
      if (!at->getFilename().contains(kOwnHeaders)) break;
    }
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), line);
  }

  llvm::Value* number(std::uint64_t value, unsigned bits) const {
    return llvm::ConstantInt::get(llvm::Type::getIntNTy(context_, bits), value);
  }
  llvm::Value* address(llvm::IRBuilder<>& builder, llvm::Value* pointer) const {
    return builder.CreatePtrToInt(pointer, builder.getInt64Ty());
  }
  static llvm::AllocaInst* slot(llvm::Function& function, llvm::Type* type) {
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    return builder.CreateAlloca(type);
  }

  void rewrite(llvm::Function& function, llvm::Instruction& one) {
    llvm::IRBuilder<> builder(&one);
    const llvm::DataLayout& layout = module_.getDataLayout();
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&one)) {
      const auto space = space_of(load->getPointerOperand());
      if (!space) return;
      llvm::AllocaInst* to = slot(function, load->getType());
      builder.CreateCall(load_, {address(builder, load->getPointerOperand()), number(*space, 32),
                                 builder.CreateBitCast(to, builder.getInt8PtrTy()),
                                 number(layout.getTypeStoreSize(load->getType()), 64), line_of(one)});
      llvm::LoadInst* value = builder.CreateLoad(load->getType(), to);
      value->copyMetadata(one);
      load->replaceAllUsesWith(value);
      load->eraseFromParent();
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&one)) {
      const auto space = space_of(store->getPointerOperand());
      if (!space) return;
      llvm::Type* type = store->getValueOperand()->getType();
      llvm::AllocaInst* from = slot(function, type);
      builder.CreateStore(store->getValueOperand(), from);
      builder.CreateCall(store_, {address(builder, store->getPointerOperand()), number(*space, 32),
                                  builder.CreateBitCast(from, builder.getInt8PtrTy()),
                                  number(layout.getTypeStoreSize(type), 64), line_of(one)});
      store->eraseFromParent();
    } else if (auto* move = llvm::dyn_cast<llvm::MemTransferInst>(&one)) {
      if (!space_of(move->getRawDest()) && !space_of(move->getRawSource())) return;
      builder.CreateCall(copy_, {address(builder, move->getRawDest()), address(builder, move->getRawSource()),
                                 builder.CreateZExtOrTrunc(move->getLength(), builder.getInt64Ty()), line_of(one)});
      move->eraseFromParent();
    } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&one)) {
      if (!space_of(fill->getRawDest())) return;
      builder.CreateCall(
          fill_, {address(builder, fill->getRawDest()), builder.CreateZExt(fill->getValue(), builder.getInt32Ty()),
                  builder.CreateZExtOrTrunc(fill->getLength(), builder.getInt64Ty()), line_of(one)});
      fill->eraseFromParent();
    }
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::FunctionCallee load_, store_, copy_, fill_;
};

struct PointerAccesses : llvm::PassInfoMixin<PointerAccesses> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    Rewriter rewriter(module);
    for (llvm::Function& function : module)
      if (!function.isDeclaration()) rewriter.rewrite(function);
    rewriter.tell_get_phy_addr();
    llvm::StripDebugInfo(module);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }  // for functions that are not optimised, too
};

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "kgtrain-pointer-accesses", "1", [](llvm::PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(PointerAccesses()); });
          }};
}
