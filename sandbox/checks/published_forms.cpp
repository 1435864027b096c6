#include "sandbox/checks/published_forms.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>
#include <vector>

namespace kg::sandbox {
namespace {

// Splits at commas outside of brackets.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// "typename T, bool isSetMask = true": "T, isSetMask". An unnamed parameter, a condition, is never said.
std::string arguments_of(const std::string& template_parameters) {
  std::string list;
  for (std::string part : parts_of(template_parameters)) {
    if (const std::size_t equals = part.find(" = "); equals != std::string::npos) part.resize(equals);
    std::size_t end = part.size();
    while (end > 0 && part[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(part[begin - 1])) != 0 || part[begin - 1] == '_'))
      --begin;
    const std::string name = part.substr(begin, end - begin);
    if (name.empty() || name == "typename") continue;
    list += (list.empty() ? "" : ", ") + name + (part.find("...") == std::string::npos ? "" : "...");
  }
  return list;
}

// A parameter's declaration and its name: "uint64_t mask[]", "T (&list)[16]", whose name the type holds.
std::pair<std::string, std::string> parameter(const std::string& type, const std::string& name) {
  if (const std::size_t in = type.find("(&"); in != std::string::npos)
    return {type, type.substr(in + 2, type.find(')', in) - in - 2)};
  const std::size_t array = std::min(type.find('['), type.size());
  return {type.substr(0, array) + " " + name + type.substr(array), name};
}

std::string function(const std::string& name, const CallForm& form) {
  std::string text, given;
  if (!form.template_parameters.empty()) text += "template <" + form.template_parameters + ">\n";
  text += "inline " + form.returns + " " + name + "(";
  for (std::size_t i = 0; i < form.parameters.size(); ++i) {
    const auto& [type, own_name, optional] = form.parameters[i];
    const auto [declared, said] = parameter(type, own_name.empty() ? "kg_" + std::to_string(i) : own_name);
    text += (i == 0 ? "" : ", ") + declared;
    given += said + ", ";
  }
  const std::string arguments = arguments_of(form.template_parameters);
  return text + ") {\n  " + (form.returns == "void" ? "" : "return ") + name +
         (arguments.empty() ? "" : "<" + arguments + ">") + "(" + given + "::kgnpu::Where::unknown());\n}\n";
}

}  // namespace

std::string published_forms(const CallForms& forms) {
  std::string text = "#pragma clang force_cuda_host_device begin\nnamespace AscendC {\n";
  std::set<std::string> written;
  for (const auto& [name, form] : forms) {
    if (!form.owner.empty() || form.space != "AscendC" || !form.has_line) continue;
    if (form.template_parameters.find("...") != std::string::npos) continue;
    if (const std::string one = function(name, form); written.insert(one).second) text += one;
  }
  return text + "}  // namespace AscendC\n#pragma clang force_cuda_host_device end\n";
}

}  // namespace kg::sandbox
