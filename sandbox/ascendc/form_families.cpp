#include "sandbox/ascendc/form_families.h"

#include <algorithm>

namespace kg::sandbox::ascendc {
namespace {

std::string plain_type(std::string type) {
  if (type.starts_with("const ")) type = type.substr(6);
  if (type.ends_with("&")) type.pop_back();
  return type;
}

char letter(const CallForm::Parameter& parameter) {
  const std::string type = plain_type(parameter.type);
  if (type == "LocalTensor<T>") return 'T';
  if (type == "LocalTensor<uint8_t>") return 'B';
  if (type == "T" || type == "float") return 'S';
  if (type == "uint64_t[]" && parameter.name == "mask") return 'A';
  if (type == "uint64_t" && parameter.name == "mask") return 'M';
  if (type == "uint8_t" && parameter.name == "repeatTime") return 'R';
  if (type == "BinaryRepeatParams" || type == "UnaryRepeatParams") return 'P';
  const bool counts = parameter.name == "count" || parameter.name == "calCount" || parameter.name == "dataSize";
  return counts && (type == "int32_t" || type == "uint32_t") ? 'N' : '?';
}

}  // namespace

std::string form_signature(const CallForm& form) {
  std::string result;
  for (const CallForm::Parameter& parameter : form.parameters) result += letter(parameter);
  return result;
}

std::optional<FamilyMember> family_member(const std::string& name, const CallForm& form, const CallForms& forms) {
  if (!form.owner.empty() || form.needs_template_arguments()) return std::nullopt;
  std::string base = form_signature(form);
  FormVariant variant = FormVariant::kWhole;
  if (const std::size_t at = base.find("MRP"); at != std::string::npos) {
    variant = FormVariant::kMaskCount;
    base.erase(at, 2);
    base[at] = 'N';
  } else if (const std::size_t bits = base.find("ARP"); bits != std::string::npos) {
    variant = FormVariant::kMaskBits;
    base.erase(bits, 2);
    base[bits] = 'N';
  } else if (base.find('B') != std::string::npos) {
    variant = FormVariant::kBuffer;
    base.erase(std::remove(base.begin(), base.end(), 'B'), base.end());
  }
  if (base.find('N') == std::string::npos) base += 'N';
  if (base == form_signature(form) || !base.starts_with("TT")) return std::nullopt;
  for (auto [it, end] = forms.equal_range(name); it != end; ++it)
    if (form_signature(it->second) == base && !it->second.types.empty()) return FamilyMember{variant, &it->second};
  return std::nullopt;
}

}  // namespace kg::sandbox::ascendc
