#include "dsl/prospect.h"

#include <algorithm>

#include "dsl/expected_header.h"
#include "dsl/functions.h"
#include "dsl/whole.h"

namespace kg::dsl {
namespace {

// Words that begin a line, wherever they are: a variable must have another name.
bool begins_line(const std::string& name) {
  static const std::set<std::string> words = {"for", "if", "elif", "else", "store", "ub", "barrier", "tile", "launch"};
  return words.contains(name);
}

bool is_tensor(NameUse use) { return use == NameUse::kLoaded || use == NameUse::kList || use == NameUse::kStored; }

bool is_free(NameUse use) { return !is_tensor(use) && use != NameUse::kPosition && use != NameUse::kValue; }

}  // namespace

void Prospect::add(const std::string& name, Type::Kind kind, bool fixed, bool product) {
  if (const Variable* found = scope.find(name); found != nullptr && !fixed) return;  // set again
  scope.add(name, {.type = {.kind = kind, .product = product}, .fixed = fixed});
}

bool Prospect::allows(NameUse use, const std::string& name) const {
  // Words with another meaning in an expression.
  if (name == "load" || name == "inf" || name == "not") return use == NameUse::kKernel;
  const bool tensor = inputs.contains(name) || outputs.contains(name);
  const Variable* const variable = scope.find(name);
  switch (use) {
    case NameUse::kLoaded:
      return inputs.contains(name) && (whole == 0 || !reals.contains(name));
    case NameUse::kList:
      return lists.contains(name) && inputs.contains(name);
    case NameUse::kPosition:
      return variable != nullptr && positions.contains(name);
    case NameUse::kStored:
      return outputs.contains(name);
    case NameUse::kTensor:
      return !tensor && variable == nullptr;
    case NameUse::kExtent:
      return !tensor && (expected == nullptr || !expected->has_input(name));
    case NameUse::kNew:
    case NameUse::kTarget:
      if (begins_line(name)) return false;
      return !tensor && (variable == nullptr || (use == NameUse::kTarget && !variable->fixed));
    case NameUse::kValue:
      if (in_extents) return !tensor;
      if (tensor)
        return call == "size" || (call == "len" && lists.contains(name)) ||
               (call == "given" && optional.contains(name));
      if (variable == nullptr && (deepest > 0 || (name == "all_sum" && !may_cut()))) return false;
      if (name == "given" && variable == nullptr) return !optional.empty() && whole == 0 && gemms == 0;
      if (name == "gemm" || name == "transpose") return name == "gemm" ? takes_gemm && gemms == 0 : gemms > 0;
      if (variable == nullptr) {
        const CallCounts* const counts = gemms == 0 ? call_counts(name) : nullptr;
        return counts != nullptr && (whole == 0 || !counts->whole.empty());
      }
      if (gemms > 0) return variable->type.kind == Type::Kind::kMatrix && !variable->type.product;
      if (variable->type.kind == Type::Kind::kMatrix) return variable->type.product;
      if (whole > 0 && variable->type.kind == Type::Kind::kFloat) return false;
      return variable->type.kind != Type::Kind::kRange || indices > 0 || call == "len";
    default:
      return true;
  }
}

bool Prospect::can_load() const {
  return !in_extents && std::any_of(inputs.begin(), inputs.end(),
                                    [&](const std::string& name) { return allows(NameUse::kLoaded, name); });
}

bool Prospect::any_name() const {
  return std::any_of(names.begin(), names.end(), is_free) || (in_extents && names.contains(NameUse::kValue));
}

std::vector<std::string> Prospect::known_names() const {
  std::vector<std::string> found = task_words;
  const auto take = [&](const std::string& name) {
    if (std::any_of(names.begin(), names.end(), [&](NameUse use) { return allows(use, name); })) found.push_back(name);
  };
  for (const std::string& name : scope.names()) take(name);
  for (const std::string& name : inputs) take(name);
  for (const std::string& name : outputs) take(name);
  const bool values = std::any_of(names.begin(), names.end(), [](NameUse use) { return !is_tensor(use); });
  if (values) {
    for (const std::string& name : called_names()) take(name);
    for (const char* name : {"gemm", "given", "transpose"}) take(name);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::size_t Prospect::longest_name() const {
  std::size_t longest = 0;
  for (const std::string& name : scope.names()) longest = std::max(longest, name.size());
  for (const auto* tensors : {&inputs, &outputs})
    for (const std::string& name : *tensors) longest = std::max(longest, name.size());
  return longest;
}

std::string Prospect::state() const {
  std::string text = path;
  for (const char* sign : signs) (text += ' ') += sign;
  for (const char* word : words) (text += ' ') += word;
  for (const NameUse use : names) text += static_cast<char>('0' + static_cast<int>(use));
  for (const bool one :
       {number, new_line, indent, dedent, end, in_extents, whole > 0, takes_gemm, gemms > 0, indices > 0})
    text += one ? '1' : '0';
  return text + std::to_string(most_indices) + (of_list ? "L" : "");
}

}  // namespace kg::dsl
