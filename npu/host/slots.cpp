#include "npu/host/slots.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "graph/utils/type_utils.h"
#include "npu/host/attributes.h"

namespace kg::npu {
namespace {

constexpr std::array<std::pair<proto::DType, ge::DataType>, 14> kTypes = {{{proto::FLOAT32, ge::DT_FLOAT},
                                                                           {proto::FLOAT16, ge::DT_FLOAT16},
                                                                           {proto::BFLOAT16, ge::DT_BF16},
                                                                           {proto::INT8, ge::DT_INT8},
                                                                           {proto::UINT8, ge::DT_UINT8},
                                                                           {proto::INT16, ge::DT_INT16},
                                                                           {proto::UINT16, ge::DT_UINT16},
                                                                           {proto::INT32, ge::DT_INT32},
                                                                           {proto::UINT32, ge::DT_UINT32},
                                                                           {proto::INT64, ge::DT_INT64},
                                                                           {proto::UINT64, ge::DT_UINT64},
                                                                           {proto::BOOL, ge::DT_BOOL},
                                                                           {proto::FLOAT64, ge::DT_DOUBLE},
                                                                           {proto::COMPLEX64, ge::DT_COMPLEX64}}};

[[noreturn]] void fail(const std::string& what, const std::string& hint) {
  throw Error(what, "operator definition", hint);
}

// A parameter of the case: one tensor, or the tensors of a list.
struct Group {
  std::string name;
  std::vector<int> tensors;
  bool in_place = false;
};

template <typename Tensors>
std::vector<Group> groups_of(const Tensors& tensors) {
  std::vector<Group> groups;
  for (int i = 0; i < tensors.size(); ++i) {
    const bool continues = tensors[i].kind() == proto::DYNAMIC && i > 0 && tensors[i - 1].kind() == proto::DYNAMIC &&
                           tensors[i - 1].name() == tensors[i].name();
    if (!continues) groups.push_back({tensors[i].name(), {}, false});
    if (!tensors[i].absent()) groups.back().tensors.push_back(i);
    if constexpr (requires { tensors[i].in_place_of(); }) groups.back().in_place |= !tensors[i].in_place_of().empty();
  }
  return groups;
}

// A module's list is a tensor for each element, x_0, x_1 and so on; a module's results are out0, out1 and so on.
void join(std::vector<Group>& groups, std::size_t first, std::size_t count, const std::string& name) {
  Group list{name, {}, false};
  for (std::size_t i = first; i < first + count; ++i) {
    list.tensors.insert(list.tensors.end(), groups[i].tensors.begin(), groups[i].tensors.end());
    list.in_place |= groups[i].in_place;
  }
  const auto at = groups.begin() + static_cast<std::ptrdiff_t>(first);
  groups.insert(groups.erase(at, at + static_cast<std::ptrdiff_t>(count)), std::move(list));
}

bool join_by_name(std::vector<Group>& groups, const std::string& name) {
  for (std::size_t first = 0; first < groups.size(); ++first) {
    std::size_t count = 0;
    while (first + count < groups.size() && folded(groups[first + count].name) == folded(name) + std::to_string(count))
      ++count;
    if (count == 0) continue;
    join(groups, first, count, name);
    return true;
  }
  return false;
}

// Makes lists of single tensors where the definition wants lists: by name, otherwise the lists share what the other
// parameters leave.
void join_lists(std::vector<Group>& groups, const std::vector<const ops::OpParamDef*>& wanted) {
  std::size_t lists = 0, joined = 0;
  for (const ops::OpParamDef* parameter : wanted) {
    if (parameter->kg_type != ops::DYNAMIC) continue;
    ++lists;
    joined += join_by_name(groups, parameter->kg_name) ? 1 : 0;
  }
  const std::size_t others = wanted.size() - lists;
  if (lists == 0 || joined > 0 || groups.size() <= wanted.size() || (groups.size() - others) % lists != 0) return;
  const std::size_t length = (groups.size() - others) / lists;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]->kg_type == ops::DYNAMIC) join(groups, i, length, wanted[i]->kg_name);
}

std::string names_of(const auto& list, const auto& name) {
  std::string text;
  for (const auto& entry : list) text += (text.empty() ? "" : ", ") + name(entry);
  return text.empty() ? "none" : text;
}

// For each parameter of the definition the matching group, or null.
std::vector<const Group*> matched(const std::vector<const ops::OpParamDef*>& wanted, const std::vector<Group>& groups,
                                  const char* what) {
  std::vector<const Group*> found(wanted.size(), nullptr);
  bool by_name = true;
  for (const Group& group : groups) {
    const auto at = std::find_if(wanted.begin(), wanted.end(),
                                 [&](const auto* entry) { return folded(entry->kg_name) == folded(group.name); });
    by_name = by_name && at != wanted.end() && found[static_cast<std::size_t>(at - wanted.begin())] == nullptr;
    if (by_name) found[static_cast<std::size_t>(at - wanted.begin())] = &group;
  }
  if (!by_name) {
    std::fill(found.begin(), found.end(), nullptr);
    for (std::size_t i = 0; i < std::min(groups.size(), found.size()); ++i) found[i] = &groups[i];
  }
  bool fits = groups.size() <= wanted.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t tensors = found[i] == nullptr ? 0 : found[i]->tensors.size();
    fits = fits && (wanted[i]->kg_type == ops::DYNAMIC ||
                    (tensors <= 1 && (tensors == 1 || wanted[i]->kg_type == ops::OPTIONAL)));
  }
  if (!fits)
    fail(std::string("the definition's ") + what + " (" +
             names_of(wanted,
                      [](const auto* entry) {
                        return entry->kg_name + (entry->kg_type == ops::OPTIONAL  ? " optional"
                                                 : entry->kg_type == ops::DYNAMIC ? " dynamic"
                                                                                  : "");
                      }) +
             ") do not fit the task's (" +
             names_of(groups,
                      [](const Group& group) {
                        return group.name +
                               (group.tensors.size() == 1 ? "" : " [" + std::to_string(group.tensors.size()) + "]");
                      }) +
             ")",
         "declare the task's tensors in order, optional ones with ParamType(OPTIONAL), lists with ParamType(DYNAMIC)");
  return found;
}

struct Wanted {  // a parameter with a tensor of the case
  const ops::OpParamDef* parameter;
  ge::DataType type;
  ge::Format format;
};

const ops::OpParamDef& followed(const Signature& signature, const ops::OpParamDef& parameter) {
  if (parameter.kg_follows.empty()) return parameter;
  for (const auto* list : {&signature.inputs, &signature.outputs})
    for (const auto* entry : *list)
      if (entry->kg_name == parameter.kg_follows && entry->kg_follows.empty()) return *entry;
  fail("\"" + parameter.kg_name + "\" follows \"" + parameter.kg_follows + "\", which is not in the definition",
       "Follow() names an input with its own DataType");
}

bool column_fits(const Signature& signature, const std::vector<Wanted>& wanted, std::size_t column, bool formats_too) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const Wanted& one) {
    const ops::OpParamDef& parameter = followed(signature, *one.parameter);
    if (one.parameter->kg_is_scalar) return true;  // converted
    if (parameter.kg_any_combination)
      return std::find(parameter.kg_types.begin(), parameter.kg_types.end(), one.type) != parameter.kg_types.end();
    if (column >= parameter.kg_types.size() || parameter.kg_types[column] != one.type) return false;
    return !formats_too || column >= parameter.kg_formats.size() || parameter.kg_formats[column] == one.format;
  });
}

std::size_t columns_of(const Signature& signature) {
  std::optional<std::size_t> columns;
  for (const auto* list : {&signature.inputs, &signature.outputs})
    for (const auto* parameter : *list) {
      if (parameter->kg_any_combination || !parameter->kg_follows.empty()) continue;
      if (parameter->kg_types.empty())
        fail("\"" + parameter->kg_name + "\" has no DataType", "add .DataType({...}) with one entry for each column");
      if (columns && *columns != parameter->kg_types.size())
        fail("\"" + parameter->kg_name + "\" has " + std::to_string(parameter->kg_types.size()) +
                 " data types, others have " + std::to_string(*columns),
             "give every input and output the same number of DataType entries; each column is one combination");
      columns = parameter->kg_types.size();
    }
  return columns.value_or(1);
}

std::size_t choose_column(const Signature& signature, const std::vector<Wanted>& wanted) {
  const std::size_t columns = columns_of(signature);
  for (const bool formats_too : {true, false})
    for (std::size_t column = 0; column < columns; ++column)
      if (column_fits(signature, wanted, column, formats_too)) return column;
  const auto describe = [](const Wanted& one) {
    return one.parameter->kg_name + " " + ge::TypeUtils::DataTypeToSerialString(one.type);
  };
  std::string known;
  for (std::size_t column = 0; column < columns; ++column) {
    known += column == 0 ? "(" : "; (";
    for (const Wanted& one : wanted) {
      const auto& types = followed(signature, *one.parameter).kg_types;
      known += (&one == &wanted.front() ? "" : ", ") +
               (column < types.size() ? ge::TypeUtils::DataTypeToSerialString(types[column]) : std::string("any"));
    }
    known += ")";
  }
  fail("no data-type column of the definition fits " + names_of(wanted, describe) + "; it has " + known,
       "add the combination to DataType of every input and output");
}

ge::DataType column_type(const Signature& signature, const ops::OpParamDef& own, std::size_t column,
                         ge::DataType given) {
  const ops::OpParamDef& parameter = followed(signature, own);
  if (parameter.kg_any_combination) return given != ge::DT_UNDEFINED ? given : parameter.kg_types.front();
  return column < parameter.kg_types.size() ? parameter.kg_types[column] : given;
}

proto::ParamKind kind_of(const ops::OpParamDef& parameter) {
  return parameter.kg_type == ops::DYNAMIC    ? proto::DYNAMIC
         : parameter.kg_type == ops::OPTIONAL ? proto::OPTIONAL
                                              : proto::REQUIRED;
}

}  // namespace

ge::DataType host_type(proto::DType dtype) {
  for (const auto& [mine, theirs] : kTypes)
    if (mine == dtype) return theirs;
  return ge::DT_UNDEFINED;
}

proto::DType proto_type(ge::DataType type) {
  for (const auto& [mine, theirs] : kTypes)
    if (theirs == type) return mine;
  return proto::DTYPE_UNSPECIFIED;
}

ge::Format host_format(const std::string& format) {
  return format.empty() ? ge::FORMAT_ND : ge::TypeUtils::SerialStringToFormat(format);
}

Signature signature_of(const ops::OpDef& definition) {
  const auto& configs = definition.kg_ai_core.kg_configs;
  const ops::OpAICoreConfig* config = nullptr;
  for (const char* soc : {"ascend910b", "ascend910_93"})  // the same cores
    if (config == nullptr && configs.contains(soc)) config = &configs.at(soc);
  if (config == nullptr)
    fail("the operator is not registered for this chip, only for " +
             names_of(configs, [](const auto& entry) { return entry.first; }),
         "add this->AICore().AddConfig(\"ascend910b\")");
  const auto chosen = [](const auto& all, const auto& replaced) {
    std::vector<const ops::OpParamDef*> list;
    if (!replaced.empty() && replaced.size() != all.size()) {
      for (const auto& entry : replaced) list.push_back(entry.get());
      return list;
    }
    for (const auto& entry : all) {
      const auto other = std::find_if(replaced.begin(), replaced.end(),
                                      [&](const auto& one) { return one->kg_name == entry->kg_name; });
      list.push_back(other == replaced.end() ? entry.get() : other->get());
    }
    return list;
  };
  return {chosen(definition.kg_inputs, config->kg_inputs), chosen(definition.kg_outputs, config->kg_outputs)};
}

void match_slots(const Signature& signature, const proto::RunCase& run_case, proto::HostPlan& plan) {
  std::vector<Group> inputs = groups_of(run_case.inputs()), outputs = groups_of(run_case.outputs());
  const auto is_list = [](const auto& tensor) { return tensor.kind() == proto::DYNAMIC; };
  if (std::ranges::none_of(run_case.inputs(), is_list) && std::ranges::none_of(run_case.outputs(), is_list)) {
    join_lists(inputs, signature.inputs);
    join_lists(outputs, signature.outputs);
  }
  // An output in place may have no parameter of its own.
  if (outputs.size() > signature.outputs.size())
    std::erase_if(outputs, [&](const Group& group) { return group.in_place; });
  std::vector<Wanted> wanted;
  const auto fill = [&](const auto& parameters, const auto& groups, const auto& tensors, auto* slots,
                        const char* what) {
    const std::vector<const Group*> found = matched(parameters, groups, what);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      proto::HostPlan::Slot& slot = *slots->Add();
      slot.set_name(parameters[i]->kg_name);
      slot.set_kind(kind_of(*parameters[i]));
      slot.set_is_scalar(parameters[i]->kg_is_scalar);
      if (found[i] == nullptr) continue;
      for (const int tensor : found[i]->tensors) slot.add_tensors(tensor);
      if (!found[i]->tensors.empty()) {
        const auto& first = tensors[found[i]->tensors.front()];
        wanted.push_back({parameters[i], host_type(first.dtype()), host_format(first.format())});
      }
    }
  };
  fill(signature.inputs, inputs, run_case.inputs(), plan.mutable_inputs(), "inputs");
  fill(signature.outputs, outputs, run_case.outputs(), plan.mutable_outputs(), "outputs");
  for (proto::HostPlan::Slot& output : *plan.mutable_outputs())
    for (const proto::HostPlan::Slot& input : plan.inputs())
      if (input.name() == output.name()) output.set_in_place_of(input.name());

  const std::size_t column = choose_column(signature, wanted);
  const auto set_types = [&](const auto& parameters, auto* slots, const auto& tensors) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      proto::HostPlan::Slot& slot = *slots->Mutable(static_cast<int>(i));
      const ge::DataType given =
          slot.tensors().empty() ? ge::DT_UNDEFINED : host_type(tensors[slot.tensors(0)].dtype());
      slot.set_dtype(proto_type(column_type(signature, *parameters[i], column, given)));
    }
  };
  set_types(signature.inputs, plan.mutable_inputs(), run_case.inputs());
  set_types(signature.outputs, plan.mutable_outputs(), run_case.outputs());
}

}  // namespace kg::npu
