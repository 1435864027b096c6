// A plug-in of clang with three passes: ScalarNumbers, ScalarWork, and this one, which turns what a kernel loads and
// stores through its own __gm__ and __ubuf__ pointers into calls of the emulated NPU's runtime (kgnpu/abi_pointer.h),
// where they are checked, ordered, cached and timed as GetValue and SetValue are.
//
//   kernel.cpp ─ clang, optimiser ─► load i32, ptr addrspace(1) %p ─ this pass ─► call kgnpu_pointer_load(%p, 1, slot,
//   4, line)
//
// Pointers without an address space must lead to the core's own memory: an access to one of its variables or constant
// tables with an index that is not constant is compared with that variable's extent, any other with the core's stack
// of variables (return addresses lie on another: runtime/core_stack.h). What lies elsewhere goes to the runtime, which
// knows global memory and UB by their addresses and refuses the rest, the launcher's memory above all.
//
// What else reaches memory or code on the processor that emulates the device does not compile: pointers of other
// address spaces (some of them are its segments), its own instructions, jumps to places that are numbers. A call
// through a pointer must lead to a function whose address the kernel takes.
//
// It runs after the optimiser, so that what the device's compiler would remove or join is gone, and line tables, which
// only it needs, are dropped at its end.

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harmless_builtin.h"
#include "scalar_numbers.h"
#include "scalar_work.h"
#include "source_place.h"

namespace {

// As in kgnpu/language.h. The scalar unit reaches no other memory; a pointer made from a number may be of either.
constexpr unsigned kPrivate = 0, kGlobalMemory = 1, kUnifiedBuffer = 2;

bool foreign(unsigned space) { return space > kUnifiedBuffer; }
bool watched(unsigned space) { return space == kGlobalMemory || space == kUnifiedBuffer; }

class Rewriter {
 public:
  explicit Rewriter(llvm::Module& module)
      : module_(module),
        context_(module.getContext()),
        word_(llvm::Type::getInt64Ty(context_)),
        number_(llvm::Type::getInt32Ty(context_)) {
    llvm::Type* const bytes = llvm::Type::getInt8PtrTy(context_);
    llvm::Type* const nothing = llvm::Type::getVoidTy(context_);
    load_ = module.getOrInsertFunction("kgnpu_pointer_load", nothing, word_, number_, bytes, word_, number_);
    store_ = module.getOrInsertFunction("kgnpu_pointer_store", nothing, word_, number_, bytes, word_, number_);
    copy_ = module.getOrInsertFunction("kgnpu_pointer_copy", nothing, word_, word_, word_, number_);
    fill_ = module.getOrInsertFunction("kgnpu_pointer_fill", nothing, word_, number_, word_, number_);
    beyond_ = module.getOrInsertFunction("kgnpu_beyond_variable", nothing, word_, word_, number_);
    call_ = module.getOrInsertFunction("kgnpu_call_nowhere", nothing, number_);
    object_ = module.getOrInsertFunction("kgnpu_check_object", nothing, word_, word_, number_, number_);
    stack_ = module.getOrInsertGlobal("kgnpu_own_stack", llvm::ArrayType::get(word_, 2));
  }

  // To be called before anything is rewritten: the functions whose address is taken, in a table, since an address in
  // the code would count as a call (npu/checks/object_check.cpp).
  void find_called_by_pointer() {
    llvm::SmallVector<llvm::Constant*, 4> addresses;
    for (llvm::Function& function : module_)
      if (!function.isDeclaration() && function.hasAddressTaken())
        addresses.push_back(llvm::ConstantExpr::getPtrToInt(&function, word_));
    llvm::ArrayType* const type = llvm::ArrayType::get(word_, addresses.size());
    called_by_pointer_ = new llvm::GlobalVariable(module_, type, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                                  llvm::ConstantArray::get(type, addresses), "kgnpu_called_by_pointer");
  }

  void rewrite(llvm::Function& function) {
    llvm::SmallVector<llvm::Instruction*, 64> all;
    for (llvm::Instruction& one : llvm::instructions(function)) all.push_back(&one);
    for (llvm::Instruction* one : all) rewrite(function, *one);
  }

  // Copies of whole structures are intrinsics here; a call of the C library's function is the source's own, and would
  // go past the checks.
  void refuse_library() {
    for (const char* name : {"memcpy", "memmove", "memset"})
      if (llvm::Function* function = module_.getFunction(name);
          function != nullptr && function->isDeclaration() && !function->use_empty())
        context_.diagnose(llvm::DiagnosticInfoUnsupported(
            *function,
            std::string("'") + name +
                "' is a function of the host, which the device does not have; copy by a loop, or by DataCopy",
            place_of_use(*function)));
  }

  // The stack of variables ends far from everything else (runtime/core_stack.h), if no frame leaps over that.
  void refuse_large_frames() {
    constexpr std::uint64_t kMost = 256 << 10;
    for (llvm::Function& function : module_) {
      std::uint64_t bytes = 0;
      for (const llvm::Instruction& one : llvm::instructions(function)) {
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&one))
          for (unsigned i = 0; i < call->arg_size(); ++i)
            if (call->isByValArgument(i))
              bytes = std::min(2 * kMost, bytes + module_.getDataLayout().getTypeAllocSize(call->getParamByValType(i)));
        const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&one);
        if (alloca == nullptr) continue;
        const auto size = alloca->getAllocationSizeInBits(module_.getDataLayout());
        if (!alloca->isStaticAlloca() || !size) {
          refuse(function, one,
                 "the device has no memory of variable size on its stack; use UB, or an array of constant size");
          continue;
        }
        bytes = std::min(2 * kMost, bytes + size->getFixedSize() / 8 + alloca->getAlign().value());
      }
      if (bytes <= kMost) continue;
      context_.diagnose(llvm::DiagnosticInfoUnsupported(
          function, "local variables of more than 256 KiB, which no stack of the device holds; use UB or global memory",
          llvm::DiagnosticLocation(function.getSubprogram())));
      return;  // what it was inlined into need not be told
    }
  }

  // Where the object check cannot tell a variable from a constant with addresses in it.
  void refuse_variables_in_sections() {
    for (llvm::GlobalVariable& variable : module_.globals()) {
      if (variable.isDeclaration() || variable.isConstant() || !variable.hasSection() ||
          variable.getName().startswith("llvm."))
        continue;
      context_.emitError("'" + variable.getName() +
                         "' is a variable in a section of its own; the device has no variables that outlive the call");
    }
  }

  // GetPhyAddr need not guess what is done through its pointer.
  void tell_get_phy_addr() {
    llvm::Function* guessing = module_.getFunction("kgnpu_local_pointer");
    if (guessing == nullptr) return;
    guessing->replaceAllUsesWith(
        module_.getOrInsertFunction("kgnpu_local_address", guessing->getFunctionType()).getCallee());
  }

 private:
  static llvm::DiagnosticLocation place_of_use(const llvm::Function& function) {
    for (const llvm::User* user : function.users())
      if (const auto* one = llvm::dyn_cast<llvm::Instruction>(user)) return one->getDebugLoc();
    return {};
  }

 private:
  // The variable that a pointer leads into, if the code around it tells; its extent and, if constant, the place in it.
  struct Variable {
    llvm::Value* base;
    std::uint64_t bytes;
    std::optional<std::int64_t> offset;
    bool holds(std::uint64_t access) const {
      return offset && *offset >= 0 && access <= bytes && static_cast<std::uint64_t>(*offset) <= bytes - access;
    }
  };
  enum class Target { kOwn, kVariable, kStack, kRuntime, kForeign };
  struct Pointer {
    Target target;
    unsigned space = kPrivate;
    Variable variable{};
  };

  Pointer examine(llvm::Value* pointer, std::uint64_t bytes) const {
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (watched(space)) return {Target::kRuntime, space};
    if (foreign(space)) return {Target::kForeign, space};
    llvm::Value* origin = const_cast<llvm::Value*>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
    if (origin->getType()->isPointerTy() && watched(origin->getType()->getPointerAddressSpace()))
      return {Target::kRuntime, origin->getType()->getPointerAddressSpace()};
    if (llvm::isa<llvm::IntToPtrInst>(origin) || llvm::isa<llvm::ConstantExpr>(origin)) return {Target::kRuntime};
    const llvm::DataLayout& layout = module_.getDataLayout();
    llvm::Optional<llvm::TypeSize> size;
    if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(origin))
      size = alloca->getAllocationSizeInBits(layout);
    else if (const auto* table = llvm::dyn_cast<llvm::GlobalVariable>(origin))
      size = layout.getTypeAllocSizeInBits(table->getValueType());
    if (!size) return {Target::kStack};
    Variable variable{origin, size->getFixedSize() / 8, std::nullopt};
    llvm::APInt offset(64, 0);
    if (pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) == origin)
      variable.offset = offset.getSExtValue();
    return {variable.holds(bytes) ? Target::kOwn : Target::kVariable, kPrivate, variable};
  }

  // Once for a place, though it may have been inlined at many.
  void refuse(llvm::Function& function, const llvm::Instruction& one, const std::string& why) {
    const llvm::DILocation* at = one.getDebugLoc();
    if (at != nullptr && !refused_.emplace(at->getLine(), why).second) return;
    context_.diagnose(llvm::DiagnosticInfoUnsupported(function, why, place_in_file(one.getDebugLoc())));
  }

  void refuse_foreign(llvm::Function& function, const llvm::Instruction& one, unsigned space) {
    refuse(
        function, one,
        "loads and stores reach global memory (__gm__), UB (__ubuf__) and a kernel's own variables alone, not address "
        "space " +
            std::to_string(space) + "; copy by DataCopy");
  }

  static bool is_outliving(llvm::Value* pointer) {
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
    // Those of the runtime are declared; of others the object check tells the name.
    return variable != nullptr && !variable->isDeclaration() && (variable->isConstant() || variable->hasSection());
  }

  void refuse_outliving(llvm::Function& function, const llvm::Instruction& one) {
    refuse(function, one,
           "a store to a variable that outlives the call; the device has none: make it a local variable or a member of "
           "the kernel's class");
  }

  // The user's line: of the outermost call in which one of our headers was inlined.
  llvm::Value* line_of(const llvm::Instruction& one) const {
    unsigned line = 0;
    for (const llvm::DILocation* at = one.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
      line = at->getLine();
      if (!is_in_own_headers(*at)) break;
    }
    return llvm::ConstantInt::get(number_, line);
  }

  llvm::Value* constant(std::uint64_t value) const { return llvm::ConstantInt::get(word_, value); }
  llvm::Value* address(llvm::IRBuilder<>& builder, llvm::Value* pointer) const {
    return builder.CreatePtrToInt(pointer, word_);
  }
  llvm::AllocaInst* slot(llvm::Function& function, llvm::Type* type) const {
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    return builder.CreateAlloca(type);
  }

  // In front of `one`: an access beyond the variable ends the kernel.
  void check_variable(llvm::Instruction& one, llvm::Value* pointer, const Variable& variable, llvm::Value* bytes) {
    llvm::IRBuilder<> builder(&one);
    llvm::Value* const extent = constant(variable.bytes);
    llvm::Value* const offset = builder.CreateSub(address(builder, pointer), address(builder, variable.base));
    llvm::Value* const beyond = builder.CreateOr(builder.CreateICmpUGT(bytes, extent),
                                                 builder.CreateICmpUGT(offset, builder.CreateSub(extent, bytes)));
    llvm::Instruction* const told = llvm::SplitBlockAndInsertIfThen(beyond, &one, /*Unreachable=*/true);
    llvm::IRBuilder<>(told).CreateCall(beyond_, {offset, extent, line_of(one)});
  }

  // True where the access lies on the core's stack of variables.
  llvm::Value* on_stack(llvm::IRBuilder<>& builder, llvm::Value* pointer, std::uint64_t bytes) const {
    llvm::Type* const pair = llvm::ArrayType::get(builder.getInt64Ty(), 2);
    llvm::Value* begin = builder.CreateLoad(word_, builder.CreateConstInBoundsGEP2_64(pair, stack_, 0, 0));
    llvm::Value* size = builder.CreateLoad(word_, builder.CreateConstInBoundsGEP2_64(pair, stack_, 0, 1));
    llvm::Value* offset = builder.CreateSub(address(builder, pointer), begin);
    return builder.CreateICmpULT(builder.CreateAdd(offset, constant(bytes)), size);
  }

  void rewrite_load(llvm::Function& function, llvm::LoadInst& load) {
    llvm::Type* const type = load.getType();
    llvm::Value* const pointer = load.getPointerOperand();
    const std::uint64_t bytes = module_.getDataLayout().getTypeStoreSize(type);
    const Pointer found = examine(pointer, bytes);
    if (found.target == Target::kOwn) return;
    if (found.target == Target::kForeign) return refuse_foreign(function, load, found.space);
    if (found.target == Target::kVariable) return check_variable(load, pointer, found.variable, constant(bytes));
    llvm::AllocaInst* to = slot(function, type);
    const auto by_runtime = [&](llvm::Instruction* before) {
      llvm::IRBuilder<> builder(before);
      builder.CreateCall(load_, {address(builder, pointer), llvm::ConstantInt::get(number_, found.space),
                                 builder.CreateBitCast(to, builder.getInt8PtrTy()), constant(bytes), line_of(load)});
      return builder.CreateLoad(type, to);
    };
    llvm::Value* value = nullptr;
    if (found.target == Target::kRuntime) {
      value = by_runtime(&load);
    } else {
      llvm::IRBuilder<> builder(&load);
      llvm::Value* own = on_stack(builder, pointer, bytes);
      llvm::Instruction *here = nullptr, *elsewhere = nullptr;
      llvm::SplitBlockAndInsertIfThenElse(own, &load, &here, &elsewhere);
      llvm::Instruction* direct = load.clone();
      direct->insertBefore(here);
      llvm::Value* fetched = by_runtime(elsewhere);
      llvm::PHINode* either = llvm::IRBuilder<>(&load).CreatePHI(type, 2);
      either->addIncoming(direct, here->getParent());
      either->addIncoming(fetched, elsewhere->getParent());
      value = either;
    }
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
  }

  void rewrite_store(llvm::Function& function, llvm::StoreInst& store) {
    llvm::Type* const type = store.getValueOperand()->getType();
    llvm::Value* const pointer = store.getPointerOperand();
    const std::uint64_t bytes = module_.getDataLayout().getTypeStoreSize(type);
    const Pointer found = examine(pointer, bytes);
    if (is_outliving(pointer)) return refuse_outliving(function, store);
    if (found.target == Target::kOwn) return;
    if (found.target == Target::kForeign) return refuse_foreign(function, store, found.space);
    if (found.target == Target::kVariable) return check_variable(store, pointer, found.variable, constant(bytes));
    llvm::AllocaInst* from = slot(function, type);
    const auto by_runtime = [&](llvm::Instruction* before) {
      llvm::IRBuilder<> builder(before);
      builder.CreateStore(store.getValueOperand(), from);
      builder.CreateCall(store_,
                         {address(builder, pointer), llvm::ConstantInt::get(number_, found.space),
                          builder.CreateBitCast(from, builder.getInt8PtrTy()), constant(bytes), line_of(store)});
    };
    if (found.target == Target::kRuntime) {
      by_runtime(&store);
    } else {
      llvm::IRBuilder<> builder(&store);
      llvm::Value* own = on_stack(builder, pointer, bytes);
      llvm::Instruction *here = nullptr, *elsewhere = nullptr;
      llvm::SplitBlockAndInsertIfThenElse(own, &store, &here, &elsewhere);
      store.clone()->insertBefore(here);
      by_runtime(elsewhere);
    }
    store.eraseFromParent();
  }

  // Whether copying or filling `length` bytes there stays in one of the core's variables. If it may leave one, it is
  // checked.
  bool stays(llvm::Instruction& one, llvm::Value* pointer, llvm::Value* length) {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(length);
    const Pointer found = examine(pointer, known == nullptr ? 1 : known->getZExtValue());
    if (found.variable.base == nullptr || (known != nullptr && found.target == Target::kOwn))
      return known != nullptr && found.target == Target::kOwn;
    check_variable(one, pointer, found.variable, llvm::IRBuilder<>(&one).CreateZExtOrTrunc(length, word_));
    return true;
  }

  // Tensors, queues and texts that the runtime is handed by address: it reads and fills them where the launcher's
  // memory is open.
  void check_objects(llvm::CallBase& call) {
    const unsigned named = call.getFunctionType()->getNumParams();  // the rest are printf's, which looks at them itself
    for (unsigned i = 0; i < named; ++i) {
      llvm::Value* const argument = call.getArgOperand(i);
      const auto* type = llvm::dyn_cast<llvm::PointerType>(argument->getType());
      if (type == nullptr || type->getAddressSpace() != kPrivate || llvm::isa<llvm::ConstantPointerNull>(argument))
        continue;
      llvm::Type* const object = type->getPointerElementType();
      if (!object->isSized()) continue;  // a function
      const std::uint64_t bytes = module_.getDataLayout().getTypeAllocSize(object);
      const Pointer found = examine(argument, bytes);
      if (found.target == Target::kOwn) continue;
      if (found.target == Target::kVariable) {
        check_variable(call, argument, found.variable, constant(bytes));
        continue;
      }
      llvm::IRBuilder<> builder(&call);
      builder.CreateCall(object_, {address(builder, argument), constant(bytes),
                                   llvm::ConstantInt::get(number_, object->isStructTy() ? 1 : 0), line_of(call)});
    }
  }

  // A structure handed over by value is read by the call itself.
  void copy_by_value(llvm::Function& function, llvm::CallBase& call) {
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      if (!call.isByValArgument(i)) continue;
      llvm::Value* const argument = call.getArgOperand(i);
      llvm::Type* const type = call.getParamByValType(i);
      const std::uint64_t bytes = module_.getDataLayout().getTypeAllocSize(type);
      if (examine(argument, bytes).target == Target::kOwn) continue;
      llvm::AllocaInst* copy = slot(function, type);
      copy->setAlignment(std::max(copy->getAlign(), call.getParamAlign(i).valueOrOne()));
      llvm::IRBuilder<> builder(&call);
      builder.CreateCall(copy_, {address(builder, copy), address(builder, argument), constant(bytes), line_of(call)});
      call.setArgOperand(i, copy);
    }
  }

  void rewrite_call(llvm::Function& function, llvm::CallBase& call) {
    copy_by_value(function, call);
    if (const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts())) {
      if (callee->isIntrinsic() && !is_harmless_builtin(*callee))
        refuse(
            function, call,
            "'" + callee->getName().str() +
                "' is an instruction of the host's processor, or reaches memory as only the host can; the device has "
                "no such builtin");
      if (callee->getName().startswith("kgnpu_")) check_objects(call);
      return;
    }
    // A constant that is no function (an address as a number, a distance from a function) is looked at as well.
    llvm::IRBuilder<> builder(&call);
    llvm::Value* const target = address(builder, call.getCalledOperand());
    llvm::Value* nowhere = builder.getTrue();
    llvm::Type* const table = called_by_pointer_->getValueType();
    for (std::uint64_t i = 0; i < table->getArrayNumElements(); ++i) {
      llvm::Value* const one =
          builder.CreateLoad(word_, builder.CreateConstInBoundsGEP2_64(table, called_by_pointer_, 0, i));
      nowhere = builder.CreateAnd(nowhere, builder.CreateICmpNE(target, one));
    }
    llvm::Instruction* const told = llvm::SplitBlockAndInsertIfThen(nowhere, &call, /*Unreachable=*/false);
    llvm::IRBuilder<>(told).CreateCall(call_, {line_of(call)});
  }

  void rewrite(llvm::Function& function, llvm::Instruction& one) {
    if (one.isAtomic())
      return refuse(function, one, "the device has no atomic builtins; use SetAtomicAdd with DataCopy, or AtomicAdd");
    if (llvm::isa<llvm::IndirectBrInst>(one))
      return refuse(function, one, "the device has no goto to a place that is computed; use switch");
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&one)) return rewrite_load(function, *load);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&one)) return rewrite_store(function, *store);
    if (auto* move = llvm::dyn_cast<llvm::MemTransferInst>(&one)) {
      for (const unsigned space : {move->getDestAddressSpace(), move->getSourceAddressSpace()})
        if (foreign(space)) return refuse_foreign(function, one, space);
      if (is_outliving(move->getRawDest())) return refuse_outliving(function, one);
      const bool to_stays = stays(one, move->getRawDest(), move->getLength());
      if (stays(one, move->getRawSource(), move->getLength()) && to_stays) return;
      llvm::IRBuilder<> builder(&one);
      builder.CreateCall(copy_, {address(builder, move->getRawDest()), address(builder, move->getRawSource()),
                                 builder.CreateZExtOrTrunc(move->getLength(), word_), line_of(one)});
      move->eraseFromParent();
    } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&one)) {
      if (const unsigned space = fill->getDestAddressSpace(); foreign(space))
        return refuse_foreign(function, one, space);
      if (is_outliving(fill->getRawDest())) return refuse_outliving(function, one);
      if (stays(one, fill->getRawDest(), fill->getLength())) return;
      llvm::IRBuilder<> builder(&one);
      builder.CreateCall(fill_, {address(builder, fill->getRawDest()), builder.CreateZExt(fill->getValue(), number_),
                                 builder.CreateZExtOrTrunc(fill->getLength(), word_), line_of(one)});
      fill->eraseFromParent();
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&one); call != nullptr && !call->isInlineAsm()) {
      rewrite_call(function, *call);
    }
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::Type* const word_;
  llvm::Type* const number_;
  llvm::FunctionCallee load_, store_, copy_, fill_, beyond_, call_, object_;
  llvm::Constant* stack_;
  llvm::GlobalVariable* called_by_pointer_ = nullptr;
  std::set<std::pair<unsigned, std::string>> refused_;
};

struct PointerAccesses : llvm::PassInfoMixin<PointerAccesses> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    Rewriter rewriter(module);
    rewriter.refuse_library();
    rewriter.refuse_variables_in_sections();
    rewriter.find_called_by_pointer();
    for (llvm::Function& function : module)
      if (!function.isDeclaration()) rewriter.rewrite(function);
    rewriter.refuse_large_frames();
    rewriter.tell_get_phy_addr();
    llvm::StripDebugInfo(module);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }  // for functions that are not optimised, too
};

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "kgtrain-pointer-accesses", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(ScalarNumbers()); });
            builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
              passes.addPass(ScalarWork());
              passes.addPass(PointerAccesses());
            });
          }};
}
