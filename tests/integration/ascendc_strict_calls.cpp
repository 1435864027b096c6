#include "ascendc_strict_calls.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "ascendc_strict_statements.h"

namespace kg::npu::testing {
namespace {

const std::vector<std::string> kTypes = {"half",     "float",   "bfloat16_t", "int8_t",  "uint8_t",  "int16_t",
                                         "uint16_t", "int32_t", "uint32_t",   "int64_t", "uint64_t", "int4b_t"};

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type = type.substr(6);
  if (type.ends_with("&")) type.pop_back();
  return type;
}

// A type of parameters that a variable of the prelude has.
std::optional<std::string> plain_argument(const std::string& type) {
  static const std::map<std::string, std::string> known = {
      {"int32_t", "i32"},
      {"uint32_t", "u32"},
      {"uint64_t", "u64"},
      {"int64_t", "i64"},
      {"uint16_t", "u16"},
      {"uint8_t", "u8"},
      {"int", "i32"},
      {"bool", "flag"},
      {"uint64_t[]", "bits"},
      {"RoundMode", "RoundMode::CAST_NONE"},
      {"CMPMODE", "CMPMODE::LT"},
      {"ReduceOrder", "ReduceOrder::ORDER_ONLY_VALUE"},
      {"BinaryRepeatParams", "binary"},
      {"UnaryRepeatParams", "unary"},
      {"CopyRepeatParams", "CopyRepeatParams()"},
      {"BrcbRepeatParams", "BrcbRepeatParams()"},
      {"DataCopyParams", "DataCopyParams()"},
      {"DataCopyExtParams", "DataCopyExtParams()"},
      {"DataCopyPadParams", "DataCopyPadParams()"},
  };
  const auto it = known.find(type);
  return it == known.end() ? std::nullopt : std::optional(it->second);
}

std::string type_parameter_of(const sandbox::CallForm& form) {
  if (!form.type_parameter.empty()) return form.type_parameter;
  return form.template_parameters.find("typename T") != std::string::npos ? "T" : "";
}

// The types of the form's own row, or of a form with the same name (forms that hand on to another).
std::vector<std::string> types_of(const std::string& name, const sandbox::CallForm& form,
                                  const sandbox::CallForms& forms) {
  if (!form.types.empty()) return form.types;
  for (auto [it, end] = forms.equal_range(name); it != end; ++it)
    if (!it->second.types.empty() && it->second.header == form.header) return it->second.types;
  return {};
}

// Arguments of a right call for the data type; nothing if the form has a parameter that the prelude does not know.
std::optional<std::vector<std::string>> arguments(const sandbox::CallForm& form, const std::string& type) {
  const std::string parameter = type_parameter_of(form);
  std::vector<std::string> result;
  for (const sandbox::CallForm::Parameter& p : form.parameters) {
    if (p.optional) break;
    const std::string given = without_const(p.type);
    if (given == "LocalTensor<" + parameter + ">")
      result.push_back("local_" + type);
    else if (given == "GlobalTensor<" + parameter + ">")
      result.push_back("global_" + type);
    else if (given == "LocalTensor<uint8_t>")
      result.push_back("local_uint8_t");
    else if (given == parameter)
      result.push_back("scalar_" + type);
    else if (given == "DataCopyPadExtParams<" + parameter + ">")
      result.push_back("DataCopyPadExtParams<" + type + ">()");
    else if (const auto plain = plain_argument(given))
      result.push_back(*plain);
    else
      return std::nullopt;
  }
  return result;
}

std::string call(const std::string& name, const std::vector<std::string>& arguments) {
  std::string text = name + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i > 0 ? ", " : "") + arguments[i];
  return text + ");";
}

// Forms over tensors of one data type: what the generator can vary without knowing the call.
bool is_regular(const sandbox::CallForm& form) {
  const std::string& parameters = form.template_parameters;
  const auto words = [&](const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = parameters.find(word); at != std::string::npos; at = parameters.find(word, at + 1)) ++count;
    return count;
  };
  return form.owner.empty() && words("typename") == 1 && !form.parameters.empty() &&
         form.parameters[0].type.find("Tensor<") != std::string::npos && !form.needs_template_arguments();
}

// Another form of the call has operands of several types, so a mixture may be right.
bool mixes_types(const std::string& name, const sandbox::CallForms& forms) {
  for (auto [it, end] = forms.equal_range(name); it != end; ++it)
    if (!is_regular(it->second)) return true;
  return false;
}

bool some_form_takes(const std::string& name, std::size_t count, const sandbox::CallForms& forms) {
  for (auto [it, end] = forms.equal_range(name); it != end; ++it)
    if (count >= it->second.least() && count <= it->second.parameters.size()) return true;
  return false;
}

using Arguments = std::vector<std::string>;
// Adds calls that differ from a right one in one thing.
using Add = std::function<void(const std::string& name, const std::string& kind, const std::string& statement)>;

void add_wrong_counts(const std::string& name, const Arguments& given, const sandbox::CallForms& forms,
                      const Add& add) {
  Arguments changed = given;
  changed.pop_back();
  if (!some_form_takes(name, changed.size(), forms)) add(name, "too few arguments", call(name, changed));
  changed = given;
  changed.insert(changed.end(), 3, "i32");
  if (!some_form_takes(name, changed.size(), forms)) add(name, "too many arguments", call(name, changed));
}

// `turn` decides which tensor is changed: it varies with the call.
void add_wrong_operands(const std::string& name, const Arguments& given, const std::string& type,
                        const sandbox::CallForms& forms, const std::function<std::size_t()>& turn, const Add& add) {
  const std::string other = type == "half" ? "float" : "half";
  std::vector<std::size_t> tensors;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] == "local_" + type) tensors.push_back(i);
  if (tensors.empty()) return;
  Arguments changed;
  // The operands of one call have one type.
  if (tensors.size() >= 2 && !mixes_types(name, forms)) {
    changed = given;
    changed[tensors[turn() % tensors.size()]] = "local_" + other;
    add(name, "mixed data types", call(name, changed));
  }
  if (name != "DataCopy" && name != "DataCopyPad") {
    changed = given;
    changed[tensors[turn() % tensors.size()]] = "global_" + type;
    add(name, "GM tensor where one in UB is wanted", call(name, changed));
    changed = given;
    std::swap(changed[tensors.front()], changed.back());
    if (changed.back() != changed[tensors.front()]) add(name, "operands in another order", call(name, changed));
  }
  changed = given;
  changed[tensors.back()] = "address";
  add(name, "address where a tensor is wanted", call(name, changed));
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] == "scalar_" + type) {
      changed = given;
      changed[i] = type == "half" ? "1.0f" : "2.0";
      add(name, "literal of another type", call(name, changed));
    }
}

}  // namespace

std::string prelude() {
  std::string text =
      "int32_t i32 = 8; uint32_t u32 = 8; uint64_t u64 = 8; int64_t i64 = 8; uint16_t u16 = 1; uint8_t u8 = 1; bool "
      "flag = false; "
      "uint64_t bits[2] = {1, 1}; BinaryRepeatParams binary; UnaryRepeatParams unary; TPipe pipe; "
      "TBuf<TPosition::VECCALC> buffer; "
      "TQue<TPosition::VECIN, 1> queue; TQue<TPosition::VECOUT, 1> outQueue; GM_ADDR address = nullptr; ";
  for (const std::string& type : kTypes)
    text += "LocalTensor<" + type + "> local_" + type + "; GlobalTensor<" + type + "> global_" + type + "; " + type +
            " scalar_" + type + "{}; ";
  return text;
}

std::vector<GeneratedCall> right_calls(const sandbox::CallForms& forms) {
  std::vector<GeneratedCall> result;
  std::set<std::string> seen;
  for (const auto& [name, form] : forms) {
    if (!is_regular(form)) continue;
    for (const std::string& type : types_of(name, form, forms)) {
      const auto given = arguments(form, type);
      if (given && seen.insert(call(name, *given)).second) result.push_back({name, "", call(name, *given)});
    }
  }
  for (const std::string& statement : other_calls()) result.push_back({"", "", statement});
  return result;
}

std::vector<GeneratedCall> wrong_int4_calls(const sandbox::CallForms& forms) {
  std::vector<GeneratedCall> result;
  std::set<std::string> seen;
  for (const auto& [name, form] : forms) {
    if (!is_regular(form) || name == "DataCopy" || name == "DataCopyPad") continue;
    const auto given = arguments(form, "int4b_t");
    const bool has_operand = given && std::any_of(given->begin(), given->end(), [](const std::string& one) {
                               return one.find("int4b_t") != std::string::npos;
                             });
    if (has_operand && seen.insert(call(name, *given)).second)
      result.push_back({name, "data type", call(name, *given)});
  }
  return result;
}

std::vector<GeneratedCall> wrong_calls(const sandbox::CallForms& forms) {
  std::vector<GeneratedCall> result;
  std::set<std::string> seen;
  const Add add = [&](const std::string& name, const std::string& kind, const std::string& statement) {
    if (seen.insert(statement).second) result.push_back({name, kind, statement});
  };
  for (const auto& [name, form] : forms) {
    if (!is_regular(form)) continue;
    const std::vector<std::string> types = types_of(name, form, forms);
    if (types.empty()) continue;
    const auto given = arguments(form, types.front());
    if (!given) continue;
    add_wrong_counts(name, *given, forms, add);
    add_wrong_operands(name, *given, types.front(), forms, [&] { return result.size(); }, add);
    if (form.types.empty()) continue;
    for (const std::string& wrong : kTypes)
      if (std::find(types.begin(), types.end(), wrong) == types.end())
        if (const auto refused = arguments(form, wrong)) {
          add(name, "data type", call(name, *refused));
          break;
        }
  }
  for (const auto& table : {wrong_objects(), wrong_names()})
    for (const GeneratedCall& wrong : table) add(wrong.name, wrong.kind, wrong.statement);
  return result;
}

}  // namespace kg::npu::testing
