#include "scalar_numbers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Regex.h>

#include <set>
#include <string>
#include <tuple>

#include "source_place.h"

namespace {

constexpr const char* kDoubleCast =
    "cast to/from double precision floating variable is not allowed in aicore function: the device has no double; "
    "compute in float, with literals such as 0.5f";
constexpr const char* kDoubleOperation =
    "double precision operation is not allowed in aicore function: the device has no double; compute in float, with "
    "literals such as 0.5f";
constexpr const char* kUnsignedCast =
    "cast between floating and unsigned integer variable is not allowed in aicore function; go by way of a signed one, "
    "static_cast<float>(static_cast<int32_t>(n)), or let the tiling function do it";
constexpr const char* kHalfOperation =
    "half precision operation is not allowed in aicore function; compute in float and convert the result, "
    "static_cast<half>(static_cast<float>(a) + static_cast<float>(b))";

// Whether the program casts a number explicitly, (float)n, float(n) or static_cast<float>(n), not by using it
// with a number of the other kind. Clang gives the place of n, or of its operator, for all of them.
bool is_written_cast(const llvm::DebugLoc& place) {
  const std::string numbers =
      "(float|half|float16_t|float32_t|short|int|long|unsigned( "
      "(char|short|int|long))?|size_t|u?int(8|16|32|64)_t|[TU])";
  const std::string before = text_before(place);
  if (llvm::Regex("\\(" + numbers + "\\) *[A-Za-z0-9_.:>-]*$").match(before)) return true;
  int closed = 0;
  for (std::size_t at = before.size(); at > 0; --at) {  // to the innermost parenthesis around the place
    const char c = before[at - 1];
    if (c == ')') ++closed;
    if (c == '(' && closed-- == 0) {
      const llvm::StringRef callee = llvm::StringRef(before).take_front(at - 1);
      return llvm::Regex("(static_cast *<[^<>]*>|\\(" + numbers + "\\)|(^|[^A-Za-z0-9_.>])" + numbers + ") *$")
          .match(callee);
    }
    if (closed == 0 && llvm::StringRef("+*/%,;=?").contains(c)) return false;  // converted by its use
  }
  return false;
}

bool is_wide(const llvm::Type* type) { return type->isDoubleTy() || type->isX86_FP80Ty() || type->isFP128Ty(); }

// One of several literals, as in `float f = x > 0 ? 1.0 : 0.0`: no variable, so not what the compiler speaks of.
bool is_choice(const llvm::Value* value) {
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value))
    return is_choice(select->getTrueValue()) && is_choice(select->getFalseValue());
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
    return llvm::all_of(phi->incoming_values(), [](const llvm::Use& one) { return llvm::isa<llvm::Constant>(one); });
  return llvm::isa<llvm::Constant>(value);
}

const char* refusal_of_cast(const llvm::CastInst& cast) {
  if (is_choice(cast.getOperand(0))) return nullptr;
  const llvm::Type* const from = cast.getSrcTy()->getScalarType();
  const llvm::Type* const to = cast.getDestTy()->getScalarType();
  switch (cast.getOpcode()) {
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::FPToUI:
      if (is_wide(from) || is_wide(to)) return kDoubleCast;
      return from->isIntegerTy(1) ? nullptr : kUnsignedCast;  // bool is not meant
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc:
      return is_wide(from) || is_wide(to) ? kDoubleCast : nullptr;
    default:
      return nullptr;  // the bits as they are
  }
}

// Why the device's compiler refuses the instruction; null: it does not. Moving a double is not an operation.
const char* refusal(const llvm::Instruction& one) {
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&one)) return refusal_of_cast(*cast);
  const bool arithmetic = llvm::isa<llvm::BinaryOperator>(one);
  if (!arithmetic && !llvm::isa<llvm::UnaryOperator>(one) && !llvm::isa<llvm::FCmpInst>(one)) return nullptr;
  const llvm::Type* const type = one.getOperand(0)->getType()->getScalarType();
  if (is_wide(type)) return kDoubleOperation;
  return arithmetic && type->isHalfTy() ? kHalfOperation : nullptr;
}

}  // namespace

llvm::PreservedAnalyses ScalarNumbers::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  std::set<std::tuple<llvm::StringRef, unsigned, const char*>> told;  // a template is seen in every instance
  for (llvm::Function& function : module) {
    const llvm::DISubprogram* const written = function.getSubprogram();
    if (function.isDeclaration() || written == nullptr || is_in_own_headers(*written)) continue;
    for (const llvm::Instruction& one : llvm::instructions(function)) {
      const char* const why = refusal(one);
      const llvm::DILocation* const at = one.getDebugLoc();
      if (why == nullptr || at == nullptr || (why == kUnsignedCast && !is_written_cast(at))) continue;
      const char* const kind = why == kDoubleOperation ? kDoubleCast : why;  // one of the two is enough
      if (!told.emplace(at->getFilename(), at->getLine(), kind).second) continue;
      module.getContext().diagnose(llvm::DiagnosticInfoUnsupported(function, why, place_in_file(one.getDebugLoc())));
    }
  }
  return llvm::PreservedAnalyses::all();
}
