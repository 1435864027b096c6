#include "dsl/prospect.h"

#include <algorithm>

#include "dsl/functions.h"

namespace kg::dsl {
namespace {

bool is_function(const std::string& name) {
  const auto& all = functions();
  return std::any_of(all.begin(), all.end(), [&](const Function& function) { return function.name == name; });
}

// Words that begin a line, wherever they may stand: a variable has another name.
bool begins_line(const std::string& name) {
  static const std::set<std::string> words = {"for", "if", "elif", "else", "store", "ub", "barrier", "tile", "launch"};
  return words.contains(name);
}

bool is_free(NameUse use) { return use != NameUse::kLoaded && use != NameUse::kStored && use != NameUse::kValue; }

}  // namespace

void Prospect::add(const std::string& name, Type::Kind kind, bool fixed, bool product) {
  if (const Variable* found = scope.find(name); found != nullptr && !fixed) return;  // set again
  scope.add(name, {.type = {.kind = kind, .product = product}, .fixed = fixed});
}

bool Prospect::allows(NameUse use, const std::string& name) const {
  // What an expression reads as something else.
  if (name == "load" || name == "inf" || name == "not") return use == NameUse::kKernel;
  const bool tensor = inputs.contains(name) || outputs.contains(name);
  const Variable* const variable = scope.find(name);
  switch (use) {
    case NameUse::kLoaded:
      return inputs.contains(name);
    case NameUse::kStored:
      return outputs.contains(name);
    case NameUse::kTensor:
      return !tensor && variable == nullptr;
    case NameUse::kExtent:
      return !tensor;
    case NameUse::kNew:
    case NameUse::kTarget:
      if (begins_line(name)) return false;
      return !tensor && (variable == nullptr || (use == NameUse::kTarget && !variable->fixed));
    case NameUse::kValue:
      if (in_header) return !tensor;
      if (tensor) return call == "size";
      if (name == "gemm" || name == "transpose") return name == "gemm" ? takes_gemm && gemms == 0 : gemms > 0;
      if (variable == nullptr) return is_function(name) && gemms == 0;
      if (gemms > 0) return variable->type.kind == Type::Kind::kMatrix && !variable->type.product;
      if (variable->type.kind == Type::Kind::kMatrix) return variable->type.product;
      return variable->type.kind != Type::Kind::kRange || indices > 0 || call == "len";
    default:
      return true;
  }
}

bool Prospect::any_name() const {
  return std::any_of(names.begin(), names.end(), is_free) || (in_header && names.contains(NameUse::kValue));
}

std::vector<std::string> Prospect::known_names() const {
  std::set<std::string> found;
  const auto take = [&](const std::string& name) {
    for (const NameUse use : names)
      if (allows(use, name)) found.insert(name);
  };
  for (const std::string& name : scope.names()) take(name);
  for (const std::string& name : inputs) take(name);
  for (const std::string& name : outputs) take(name);
  for (const Function& function : functions()) take(function.name);
  for (const char* name : {"gemm", "transpose"}) take(name);
  return {found.begin(), found.end()};
}

}  // namespace kg::dsl
