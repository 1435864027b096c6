#include "npu/host/template_keys.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ascendc/host_api/tiling/template_argument.h"
#include "base/error.h"
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

// A selection without a parameter allows each of its values.
bool selects(const TemplateParameters& selection, const std::vector<std::uint64_t>& arguments) {
  const TemplateParameters& parameters = templates().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const TemplateParameter& one : selection)
      if (one.kind != TemplateParameter::kOther && one.name == parameters[i].name && !may_be(one, arguments[i]))
        return false;
  return true;
}

}  // namespace

bool has_template_parameters() { return !templates().parameters.empty(); }

std::string template_arguments(std::uint64_t tiling_key) {
  const auto asked = templates().asked.find(tiling_key);
  if (asked == templates().asked.end()) return {};
  std::string text;
  for (std::size_t i = 0; i < asked->second.size(); ++i) {
    const std::uint64_t value = asked->second[i];
    text += text.empty() ? "" : ", ";
    text += templates().parameters[i].kind == TemplateParameter::kType
                ? proto::ascendc_type(proto_type(static_cast<ge::DataType>(value)))
                : std::to_string(value);
  }
  return "<" + text + ">";
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
    if (parameter.kind != TemplateParameter::kOther) templates().parameters.push_back(parameter);
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
  if (!selections.empty() && std::none_of(selections.begin(), selections.end(), [&](const TemplateParameters& one) {
        return kg::npu::selects(one, arguments);
      }))
    fail("no ASCENDC_TPL_ARGS_SEL selects the template arguments " + text_of(arguments),
         "add the combination to ASCENDC_TPL_SEL");
  templates().asked[key] = arguments;
  return key;
}

}  // namespace kgnpu_host
