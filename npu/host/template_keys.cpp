#include "npu/host/template_keys.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ascendc/host_api/tiling/template_argument.h"
#include "base/error.h"
#include "base/join.h"
#include "npu/host/slots.h"
#include "proto/dtype.h"

namespace kg::npu {
namespace {

using kgnpu_host::TemplateParameter;
using kgnpu_host::TemplateParameters;

struct Templates {
  TemplateParameters parameters;
  std::vector<TemplateParameters> selections;
  std::map<std::uint64_t, std::vector<std::uint64_t>> asked;  // tiling key: arguments
};
Templates& templates() {
  static Templates all;
  return all;
}

[[noreturn]] void fail(const std::string& what, const std::string& hint) { throw Error(what, "tiling template", hint); }

std::string text_of(const std::vector<std::uint64_t>& arguments) {
  std::string text;
  for (const std::uint64_t argument : arguments) text += (text.empty() ? "" : ", ") + std::to_string(argument);
  return "(" + text + ")";
}

bool may_be(const TemplateParameter& parameter, std::uint64_t value) {
  return std::find(parameter.values.begin(), parameter.values.end(), value) != parameter.values.end();
}

bool is_parameter(const TemplateParameter& one) {
  return one.kind != TemplateParameter::kOnlyTask && one.kind != TemplateParameter::kOther;
}

// A selection without a parameter allows each of its values.
bool selects(const TemplateParameters& selection, const std::vector<std::uint64_t>& arguments) {
  const TemplateParameters& parameters = templates().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const TemplateParameter& one : selection)
      if (is_parameter(one) && one.name == parameters[i].name && !may_be(one, arguments[i])) return false;
  return true;
}

// Page 00011: a kernel type is selected for all combinations or for none, and in one of the two ways.
void check_task_types(const TemplateParameters& parameters, const std::vector<TemplateParameters>& selections) {
  const auto has = [](const TemplateParameters& list, TemplateParameter::Kind kind) {
    return std::any_of(list.begin(), list.end(), [&](const TemplateParameter& one) { return one.kind == kind; });
  };
  const auto selecting =
      static_cast<std::size_t>(std::count_if(selections.begin(), selections.end(), [&](const TemplateParameters& one) {
        return has(one, TemplateParameter::kOnlyTask);
      }));
  if (selecting > 0 && has(parameters, TemplateParameter::kTask))
    fail("ASCENDC_TPL_KERNEL_TYPE_SEL is used together with ASCENDC_TPL_KERNEL_TYPE_DECL",
         "select the declared type with ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL");
  if (selecting > 0 && selecting < selections.size())
    fail("only " + std::to_string(selecting) + " of " + std::to_string(selections.size()) +
             " ASCENDC_TPL_ARGS_SEL have ASCENDC_TPL_KERNEL_TYPE_SEL",
         "give each of them a kernel type, or none");
}

// The arguments of a tiling key as a kernel's source writes them.
std::vector<std::string> written_arguments(std::uint64_t tiling_key) {
  std::vector<std::string> list;
  const auto asked = templates().asked.find(tiling_key);
  if (asked == templates().asked.end()) return list;
  for (std::size_t i = 0; i < asked->second.size(); ++i) {
    const std::uint64_t value = asked->second[i];
    list.push_back(templates().parameters[i].kind == TemplateParameter::kType
                       ? proto::ascendc_type(proto_type(static_cast<ge::DataType>(value)))
                       : std::to_string(value));
  }
  return list;
}

}  // namespace

bool has_template_parameters() { return !templates().parameters.empty(); }

std::string template_arguments(std::uint64_t tiling_key) {
  const std::vector<std::string> list = written_arguments(tiling_key);
  return list.empty() ? std::string() : std::string("<") + join(list) + ">";
}

std::string named_template_arguments(std::uint64_t tiling_key) {
  std::vector<std::string> list = written_arguments(tiling_key);
  for (std::size_t i = 0; i < list.size(); ++i) list[i].insert(0, templates().parameters[i].name + " = ");
  return join(list);
}

std::optional<std::uint64_t> template_task_type(std::uint64_t tiling_key) {
  const auto asked = templates().asked.find(tiling_key);
  if (asked == templates().asked.end()) return std::nullopt;
  for (std::size_t i = 0; i < asked->second.size(); ++i)
    if (templates().parameters[i].kind == TemplateParameter::kTask) return asked->second[i];
  for (const TemplateParameters& selection : templates().selections) {
    if (!selects(selection, asked->second)) continue;
    for (const TemplateParameter& one : selection)
      if (one.kind == TemplateParameter::kOnlyTask && !one.values.empty()) return one.values.front();
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace kg::npu

namespace kgnpu_host {

using kg::npu::templates;

std::vector<uint64_t> unsigned_values(std::initializer_list<uint64_t> given) {
  std::vector<uint64_t> list(given), values;
  if (list.empty()) return values;
  const uint64_t form = list.front();
  list.erase(list.begin());
  std::size_t pairs = 0, next = 0;
  if (form != kUintList && !list.empty()) pairs = std::min<std::size_t>(list[next++], (list.size() - 1) / 2);
  for (; pairs > 0; --pairs, next += 2)
    for (uint64_t value = list[next]; value <= list[next + 1] && values.size() < 4096; ++value) values.push_back(value);
  if (form != kUintRange) values.insert(values.end(), list.begin() + static_cast<std::ptrdiff_t>(next), list.end());
  return values;
}

int declare_template(const TemplateParameters& parameters) {
  templates().parameters.clear();
  for (const TemplateParameter& parameter : parameters)
    if (kg::npu::is_parameter(parameter)) templates().parameters.push_back(parameter);
  return 0;
}

int select_templates(const std::vector<TemplateParameters>& selections) {
  templates().selections = selections;
  return 0;
}

uint64_t template_key(const std::vector<uint64_t>& arguments) {
  using kg::npu::fail;
  using kg::npu::text_of;
  const TemplateParameters& parameters = templates().parameters;
  if (arguments.size() != parameters.size())
    fail("the tiling key is made of " + std::to_string(arguments.size()) +
             " arguments, ASCENDC_TPL_ARGS_DECL declares " + std::to_string(parameters.size()),
         "give one argument for each declared parameter, in order");
  uint64_t key = 0;
  unsigned shift = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!kg::npu::may_be(parameters[i], arguments[i]))
      fail("template parameter " + parameters[i].name + " is not declared with the value " +
               std::to_string(arguments[i]),
           "add the value to ASCENDC_TPL_ARGS_DECL and ASCENDC_TPL_SEL");
    const auto place = std::find(parameters[i].values.begin(), parameters[i].values.end(), arguments[i]);
    key |= static_cast<uint64_t>(place - parameters[i].values.begin()) << shift;
    shift += parameters[i].width;
  }
  const auto& selections = templates().selections;
  kg::npu::check_task_types(parameters, selections);
  if (!selections.empty() && std::none_of(selections.begin(), selections.end(), [&](const TemplateParameters& one) {
        return kg::npu::selects(one, arguments);
      }))
    fail("no ASCENDC_TPL_ARGS_SEL selects the template arguments " + text_of(arguments),
         "add the combination to ASCENDC_TPL_SEL");
  templates().asked[key] = arguments;
  return key;
}

}  // namespace kgnpu_host
