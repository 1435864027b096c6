#include "address_spaces.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "npu/scalar/address_space.h"
#include "source_place.h"

namespace {

// As in kgnpu/language.h.
constexpr unsigned kGlobalMemory = 1, kUnifiedBuffer = 2;

class Rewriter {
 public:
  explicit Rewriter(llvm::Module& module)
      : module_(module),
        word_(llvm::Type::getInt64Ty(module.getContext())),
        number_(llvm::Type::getInt32Ty(module.getContext())),
        beyond_(module.getOrInsertFunction("kgnpu_beyond_variable", llvm::Type::getVoidTy(module.getContext()), word_,
                                           word_, number_)) {}

  // Copies of whole structures are intrinsics here; a call of the C library's function comes from the source itself.
  void refuse_library() {
    for (const char* name : {"memcpy", "memmove", "memset"})
      if (llvm::Function* function = module_.getFunction(name);
          function != nullptr && function->isDeclaration() && !function->use_empty())
        diagnose(*function,
                 std::string("'") + name +
                     "' is a function of the host, which the device does not have; copy by a loop, or by DataCopy",
                 place_of_use(*function));
  }

  void rewrite(llvm::Function& function) {
    llvm::SmallVector<llvm::Instruction*, 64> all;
    for (llvm::Instruction& one : llvm::instructions(function)) all.push_back(&one);
    for (llvm::Instruction* one : all) rewrite(function, *one);
  }

  // Tells the loader that a pointer without a tag has no address space (npu/scalar/image.h).
  void leave_mark() {
    llvm::Type* const byte = llvm::Type::getInt8Ty(module_.getContext());
    new llvm::GlobalVariable(module_, byte, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                             llvm::ConstantInt::get(byte, 1), kg::npu::scalar::kTaggedMark);
  }

 private:
  static llvm::DiagnosticLocation place_of_use(const llvm::Function& function) {
    for (const llvm::User* user : function.users())
      if (const auto* one = llvm::dyn_cast<llvm::Instruction>(user)) return one->getDebugLoc();
    return {};
  }

  void diagnose(const llvm::Function& function, const std::string& why, const llvm::DiagnosticLocation& place) {
    module_.getContext().diagnose(llvm::DiagnosticInfoUnsupported(function, why, place));
  }

  // Once for a place, though it may have been inlined at many.
  void refuse(llvm::Function& function, const llvm::Instruction& one, const std::string& why) {
    const llvm::DILocation* at = one.getDebugLoc();
    if (at != nullptr && !refused_.emplace(at->getLine(), why).second) return;
    diagnose(function, why, place_in_file(one.getDebugLoc()));
  }

  // The variable that a pointer leads into, if the code around it tells, and the place in it if that is constant.
  struct Variable {
    llvm::Value* base = nullptr;
    std::uint64_t bytes = 0;
    std::optional<std::int64_t> offset;
    bool holds(std::uint64_t access) const {
      return offset && *offset >= 0 && access <= bytes && static_cast<std::uint64_t>(*offset) <= bytes - access;
    }
  };
  Variable variable_of(llvm::Value* pointer) const {
    llvm::Value* origin = const_cast<llvm::Value*>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
    const llvm::DataLayout& layout = module_.getDataLayout();
    llvm::Optional<llvm::TypeSize> bits;
    if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(origin))
      bits = alloca->getAllocationSizeInBits(layout);
    else if (const auto* table = llvm::dyn_cast<llvm::GlobalVariable>(origin))
      bits = layout.getTypeAllocSizeInBits(table->getValueType());
    if (!bits) return {};
    Variable variable{origin, bits->getFixedSize() / 8, std::nullopt};
    llvm::APInt offset(64, 0);
    if (pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) == origin)
      variable.offset = offset.getSExtValue();
    return variable;
  }

  // In front of `one`: an access beyond a variable of the kernel's own ends the kernel.
  void check_extent(llvm::Instruction& one, llvm::Value* pointer, llvm::Type* type) {
    const std::uint64_t bytes = module_.getDataLayout().getTypeStoreSize(type);
    const Variable variable = variable_of(pointer);
    if (variable.base == nullptr || variable.holds(bytes)) return;
    const unsigned line = one.getDebugLoc() ? one.getDebugLoc().getLine() : 0;
    llvm::IRBuilder<> builder(&one);
    builder.SetCurrentDebugLocation(place_in_own_header(one));
    const auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(word_, value); };
    llvm::Value* const offset =
        builder.CreateSub(builder.CreatePtrToInt(pointer, word_), builder.CreatePtrToInt(variable.base, word_));
    llvm::Value* const most = number(variable.bytes < bytes ? 0 : variable.bytes - bytes);
    llvm::Value* const beyond = variable.bytes < bytes ? builder.getTrue() : builder.CreateICmpUGT(offset, most);
    llvm::Instruction* const told = llvm::SplitBlockAndInsertIfThen(beyond, &one, /*Unreachable=*/true);
    llvm::IRBuilder<> telling(told);
    telling.SetCurrentDebugLocation(place_in_own_header(one));
    told->getParent()->getSinglePredecessor()->getTerminator()->setDebugLoc(place_in_own_header(one));
    telling.CreateCall(beyond_, {offset, number(variable.bytes), llvm::ConstantInt::get(number_, line)});
  }

  // The line that messages name: of the outermost call in which one of our headers was inlined.
  static void place_in_kernel(llvm::Instruction& one) {
    const llvm::DILocation* at = one.getDebugLoc();
    while (at != nullptr && is_in_own_headers(*at) && at->getInlinedAt() != nullptr) at = at->getInlinedAt();
    one.setDebugLoc(llvm::DebugLoc(at));
  }

  // The pointer that the access must use; null: unchanged.
  llvm::Value* tagged(llvm::Function& function, llvm::Instruction& one, llvm::Value* pointer) {
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space == 0) return nullptr;
    if (space > kUnifiedBuffer) {
      refuse(function, one,
             "loads and stores only reach global memory (__gm__), UB (__ubuf__) and a kernel's own variables, not "
             "address space " +
                 std::to_string(space) + "; copy by DataCopy");
      return nullptr;
    }
    place_in_kernel(one);
    const std::uint64_t tag = space == kGlobalMemory ? kg::npu::scalar::kGmTag : kg::npu::scalar::kUbTag;
    llvm::IRBuilder<> builder(&one);
    builder.SetCurrentDebugLocation(place_in_own_header(one));
    llvm::Value* const number =
        builder.CreateAdd(builder.CreatePtrToInt(pointer, word_), llvm::ConstantInt::get(word_, tag));
    return builder.CreateIntToPtr(number, pointer->getType()->getPointerElementType()->getPointerTo());
  }

  void rewrite_copy(llvm::Function& function, llvm::MemTransferInst& copy) {
    llvm::Value* const to = tagged(function, copy, copy.getRawDest());
    llvm::Value* const from = tagged(function, copy, copy.getRawSource());
    if (to == nullptr && from == nullptr) return;
    llvm::IRBuilder<> builder(&copy);
    llvm::Value* const target = to != nullptr ? to : copy.getRawDest();
    llvm::Value* const source = from != nullptr ? from : copy.getRawSource();
    if (llvm::isa<llvm::MemMoveInst>(copy))
      builder.CreateMemMove(target, copy.getDestAlign(), source, copy.getSourceAlign(), copy.getLength(),
                            copy.isVolatile());
    else
      builder.CreateMemCpy(target, copy.getDestAlign(), source, copy.getSourceAlign(), copy.getLength(),
                           copy.isVolatile());
    copy.eraseFromParent();
  }

  void rewrite(llvm::Function& function, llvm::Instruction& one) {
    if (one.isAtomic())
      return refuse(function, one, "the device has no atomic builtins; use SetAtomicAdd with DataCopy, or AtomicAdd");
    if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&one); alloca != nullptr && !alloca->isStaticAlloca())
      return refuse(function, one,
                    "the device has no memory of variable size on its stack; use UB, or an array of constant size");
    if (llvm::isa<llvm::IndirectBrInst>(one))
      return refuse(function, one, "the device has no goto to a place that is computed; use switch");
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&one)) {
      if (llvm::Value* const pointer = tagged(function, one, load->getPointerOperand()))
        load->setOperand(llvm::LoadInst::getPointerOperandIndex(), pointer);
      else
        check_extent(one, load->getPointerOperand(), load->getType());
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&one)) {
      if (llvm::Value* const pointer = tagged(function, one, store->getPointerOperand()))
        store->setOperand(llvm::StoreInst::getPointerOperandIndex(), pointer);
      else
        check_extent(one, store->getPointerOperand(), store->getValueOperand()->getType());
    } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&one)) {
      rewrite_copy(function, *copy);
    } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&one)) {
      if (llvm::Value* const pointer = tagged(function, one, fill->getRawDest())) {
        llvm::IRBuilder<>(fill).CreateMemSet(pointer, fill->getValue(), fill->getLength(), fill->getDestAlign(),
                                             fill->isVolatile());
        fill->eraseFromParent();
      }
    }
  }

  llvm::Module& module_;
  llvm::Type* const word_;
  llvm::Type* const number_;
  const llvm::FunctionCallee beyond_;
  std::set<std::pair<unsigned, std::string>> refused_;
};

}  // namespace

llvm::PreservedAnalyses AddressSpaces::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  Rewriter rewriter(module);
  rewriter.refuse_library();
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) rewriter.rewrite(function);
  rewriter.leave_mark();
  return llvm::PreservedAnalyses::none();
}
