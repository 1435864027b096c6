#include "sandbox/checks/form_families.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace kg::sandbox {
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

std::optional<RawIntrinsic> raw_intrinsic(const std::string& name, const CallForm& form) {
  static const std::map<std::string, std::string> calls = {
      {"vadd", "Add"},       {"vsub", "Sub"},          {"vmul", "Mul"},         {"vmax", "Max"},
      {"vmin", "Min"},       {"vdiv", "Div"},          {"vand", "And"},         {"vor", "Or"},
      {"vmla", "MulAddDst"}, {"vmadd", "FusedMulAdd"}, {"vaddrelu", "AddRelu"}, {"vsubrelu", "SubRelu"},
      {"vabs", "Abs"},       {"vexp", "Exp"},          {"vln", "Ln"},           {"vsqrt", "Sqrt"},
      {"vrsqrt", "Rsqrt"},   {"vrec", "Reciprocal"},   {"vrelu", "Relu"},       {"vnot", "Not"},
      {"vadds", "Adds"},     {"vmuls", "Muls"},        {"vmaxs", "Maxs"},       {"vmins", "Mins"},
      {"vaxpy", "Axpy"},     {"vlrelu", "LeakyRelu"}};
  static const std::map<char, std::string> modes = {{'r', "RINT"},  {'f', "FLOOR"}, {'c', "CEIL"},
                                                    {'a', "ROUND"}, {'z', "TRUNC"}, {'o', "ODD"}};
  const auto pointee = [&](std::size_t k) {
    const std::string& type = form.parameters[k].type;
    return type.starts_with("__ubuf__ ") && type.ends_with("*") ? type.substr(9, type.size() - 10) : std::string();
  };
  if (form.parameters.size() < 7 || pointee(0).empty() || pointee(1).empty()) return std::nullopt;
  RawIntrinsic raw{.out = pointee(0), .in = pointee(1)};
  if (name.starts_with("vconv_")) {
    raw.arguments = "c, a, repeats, 1, 1, dr, sr";
    const auto mode = name == "vconv_deq" ? modes.end() : modes.find(name.back());
    raw.call = "Cast(w, x, RoundMode::CAST_" + (mode == modes.end() ? "NONE" : mode->second) + ", n);";
    return raw;
  }
  const auto call = calls.find(name);
  if (call == calls.end()) return std::nullopt;
  const std::size_t count = form.parameters.size();
  raw.arguments = count == 10  ? "c, a, b, repeats, 1, 1, 1, dr, sr, sr"
                  : count == 8 ? "c, a, (I)3, repeats, 1, 1, dr, sr"
                               : "c, a, repeats, 1, 1, dr, sr";
  raw.call = call->second + (count == 10 ? "(w, x, y, n);" : count == 8 ? "(w, x, (I)3, n);" : "(w, x, n);");
  return raw;
}

}  // namespace kg::sandbox
