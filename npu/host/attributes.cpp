#include "npu/host/attributes.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace kg::npu {
namespace {

using Kind = ops::OpAttrDef::Kind;

// One attribute in the form the host side reads: plain values directly, a list as a ContinuousVector.
struct Value {
  std::variant<bool, float, std::int64_t, std::string> plain = false;
  std::unique_ptr<bool[]> bools;
  std::vector<float> floats;
  std::vector<std::vector<std::int64_t>> ints;
  std::vector<gert::ContinuousVector> lists;
  std::unique_ptr<gert::ContinuousVectorVector> list_of_lists;
  Kind kind = Kind::kNone;

  const void* address() const {
    if (list_of_lists) return list_of_lists.get();
    if (!lists.empty()) return lists.data();
    if (const auto* text = std::get_if<std::string>(&plain)) return text->c_str();
    return std::visit([](const auto& value) -> const void* { return &value; }, plain);
  }
};

using Form = gert::KgAttributeForm;

// As the definition says it, and the forms that read it whole.
struct Declared {
  const char* text;
  std::vector<Form> forms;
};
const Declared& declared(Kind kind) {
  static const std::map<Kind, Declared> all = {{Kind::kBool, {".Bool()", {Form::kBool}}},
                                               {Kind::kInt, {".Int()", {Form::kInteger, Form::kBool}}},
                                               {Kind::kFloat, {".Float()", {Form::kFloat}}},
                                               {Kind::kString, {".String()", {Form::kText}}},
                                               {Kind::kListBool, {".ListBool()", {Form::kBools, Form::kList}}},
                                               {Kind::kListInt, {".ListInt()", {Form::kIntegers, Form::kList}}},
                                               {Kind::kListFloat, {".ListFloat()", {Form::kFloats, Form::kList}}},
                                               {Kind::kListListInt, {".ListListInt()", {Form::kLists}}}};
  return all.at(kind);
}

const char* form_text(Form form) {
  static constexpr const char* kTexts[] = {"a bool", "an integer",      "a float",           "a double",
                                           "a text", "a list of bools", "a list of int64_t", "a list of floats",
                                           "a list", "a list of lists"};
  return kTexts[static_cast<std::size_t>(form)];
}

class Attributes final : public gert::RuntimeAttrs {
 public:
  Attributes(std::vector<Value> values, std::vector<std::string> names, std::function<void(const std::string&)> warn)
      : values_(std::move(values)), names_(std::move(names)), warn_(std::move(warn)) {}
  std::size_t GetAttrNum() const override { return values_.size(); }

 private:
  const void* value(std::size_t index, Form form) const override {
    if (index >= values_.size()) return nullptr;
    const Declared& wanted = declared(values_[index].kind);
    if (form != Form::kOther && std::find(wanted.forms.begin(), wanted.forms.end(), form) == wanted.forms.end() &&
        told_.insert({index, form}).second)
      warn_("attribute " + std::to_string(index) + " is \"" + names_[index] + "\", declared with " + wanted.text +
            ", and the host side reads it as " + form_text(form) +
            "; attributes are numbered from 0 in the order of the definition");
    return values_[index].address();
  }
  std::vector<Value> values_;
  std::vector<std::string> names_;
  std::function<void(const std::string&)> warn_;
  mutable std::set<std::pair<std::size_t, Form>> told_;
};

[[noreturn]] void fail(const std::string& what) {
  throw Error(what, "operator definition", "Attr(...) and the task's attributes have to agree");
}

double number_of(const proto::Attribute& attribute) {
  switch (attribute.value_case()) {
    case proto::Attribute::kFlag:
      return attribute.flag() ? 1 : 0;
    case proto::Attribute::kInteger:
      return static_cast<double>(attribute.integer());
    case proto::Attribute::kReal:
      return attribute.real();
    default:
      fail("attribute \"" + attribute.name() + "\" of the task is not a number, but the definition declares one");
  }
}

std::int64_t integer_of(const proto::Attribute& attribute) {
  return attribute.value_case() == proto::Attribute::kInteger ? attribute.integer()
                                                              : static_cast<std::int64_t>(number_of(attribute));
}

// A list attribute of any kind as numbers; a number is a list of one.
template <typename T>
std::vector<T> list_of(const proto::Attribute& attribute) {
  const auto copy = [](const auto& values) { return std::vector<T>(values.begin(), values.end()); };
  switch (attribute.value_case()) {
    case proto::Attribute::kFlags:
      return copy(attribute.flags().values());
    case proto::Attribute::kIntegers:
      return copy(attribute.integers().values());
    case proto::Attribute::kReals:
      return copy(attribute.reals().values());
    default:
      return {static_cast<T>(number_of(attribute))};
  }
}

void set_bools(Value& value, const std::vector<bool>& list) {
  value.bools = std::make_unique<bool[]>(list.size());
  std::copy(list.begin(), list.end(), value.bools.get());
  value.lists.emplace_back(value.bools.get(), list.size());
}

void set_int_lists(Value& value, std::vector<std::vector<std::int64_t>> lists) {
  value.ints = std::move(lists);
  for (const auto& list : value.ints) value.lists.emplace_back(list.data(), list.size());
  value.list_of_lists = std::make_unique<gert::ContinuousVectorVector>(value.lists.data(), value.lists.size());
}

Value of_case(const ops::OpAttrDef& definition, const proto::Attribute& attribute) {
  Value value;
  value.kind = definition.kg_kind;
  switch (definition.kg_kind) {
    case Kind::kBool:
      value.plain = number_of(attribute) != 0;
      break;
    case Kind::kFloat:
      value.plain = static_cast<float>(number_of(attribute));
      break;
    case Kind::kInt:
      value.plain = integer_of(attribute);
      break;
    case Kind::kString:
      if (attribute.value_case() != proto::Attribute::kText)
        fail("attribute \"" + attribute.name() + "\" of the task is not a text, but the definition declares one");
      value.plain = attribute.text();
      break;
    case Kind::kListBool:
      set_bools(value, list_of<bool>(attribute));
      break;
    case Kind::kListFloat:
      value.floats = list_of<float>(attribute);
      value.lists.emplace_back(value.floats.data(), value.floats.size());
      break;
    case Kind::kListInt:
      value.ints.push_back(list_of<std::int64_t>(attribute));
      value.lists.emplace_back(value.ints[0].data(), value.ints[0].size());
      break;
    case Kind::kListListInt: {
      std::vector<std::vector<std::int64_t>> lists;
      for (const auto& list : attribute.integer_lists().values())
        lists.emplace_back(list.values().begin(), list.values().end());
      set_int_lists(value, std::move(lists));
      break;
    }
    case Kind::kNone:
      fail("Attr(\"" + definition.kg_name + "\") has no type; add .Int(), .Float(), .Bool(), .String() or a list");
  }
  return value;
}

Value of_default(const ops::OpAttrDef& definition) {
  if (!definition.kg_has_default && definition.kg_type == ops::REQUIRED)
    fail("the task gives no value for the required attribute \"" + definition.kg_name + "\"");
  Value value;
  value.kind = definition.kg_kind;
  switch (definition.kg_kind) {
    case Kind::kBool:
      value.plain = definition.kg_bool;
      break;
    case Kind::kFloat:
      value.plain = definition.kg_float;
      break;
    case Kind::kInt:
      value.plain = definition.kg_int;
      break;
    case Kind::kString:
      value.plain = definition.kg_string;
      break;
    case Kind::kListBool:
      set_bools(value, definition.kg_bools);
      break;
    case Kind::kListFloat:
      value.floats = definition.kg_floats;
      value.lists.emplace_back(value.floats.data(), value.floats.size());
      break;
    case Kind::kListInt:
      value.ints.push_back(definition.kg_ints);
      value.lists.emplace_back(value.ints[0].data(), value.ints[0].size());
      break;
    case Kind::kListListInt:
      set_int_lists(value, definition.kg_int_lists);
      break;
    case Kind::kNone:
      fail("Attr(\"" + definition.kg_name + "\") has no type; add .Int(), .Float(), .Bool(), .String() or a list");
  }
  return value;
}

// eps and epsilon, smoothing and label_smoothing; not dim and hidden_dim.
bool is_near(const std::string& a, const std::string& b) {
  const std::string& part = a.size() < b.size() ? a : b;
  const std::string& whole = a.size() < b.size() ? b : a;
  return part.size() >= 3 && (whole.starts_with(part) || (whole.ends_with(part) && 2 * part.size() > whole.size()));
}

void warn_of_near_names(const ops::OpDef& definition, const proto::RunCase& run_case,
                        const std::vector<const proto::Attribute*>& given,
                        const std::function<void(const std::string&)>& warn) {
  const auto taken = [&](const proto::Attribute& one) {
    return std::find(given.begin(), given.end(), &one) != given.end();
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = definition.kg_attributes[i]->kg_name;
    if (given[i] != nullptr) continue;
    for (const proto::Attribute& one : run_case.attributes())
      if (one.constant() && !taken(one) && is_near(folded(name), folded(one.name())))
        warn("attribute \"" + name + "\" keeps its default, and no attribute takes the module's \"" + one.name() +
             "\"; if they are the same, give them the same name");
  }
}

}  // namespace

std::string folded(const std::string& name) {
  std::string text;
  for (const unsigned char c : name)
    if (std::isalnum(c) != 0) text += static_cast<char>(std::tolower(c));
  return text;
}

std::unique_ptr<gert::RuntimeAttrs> make_attributes(const ops::OpDef& definition, const proto::RunCase& run_case,
                                                    const std::function<void(const std::string&)>& warn) {
  const auto& wanted = definition.kg_attributes;
  std::vector<const proto::Attribute*> given(wanted.size(), nullptr);
  bool by_name = true;
  for (const proto::Attribute& attribute : run_case.attributes()) {
    const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const auto& entry) {
      return folded(entry->kg_name) == folded(attribute.name());
    });
    by_name = by_name && (found != wanted.end() || attribute.constant());
    if (found != wanted.end()) given[static_cast<std::size_t>(found - wanted.begin())] = &attribute;
  }
  if (!by_name) {
    if (static_cast<std::size_t>(run_case.attributes_size()) > wanted.size())
      fail("the task has " + std::to_string(run_case.attributes_size()) + " attributes, the definition " +
           std::to_string(wanted.size()));
    std::fill(given.begin(), given.end(), nullptr);
    for (int i = 0; i < run_case.attributes_size(); ++i) given[static_cast<std::size_t>(i)] = &run_case.attributes(i);
  }
  std::vector<Value> values;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    values.push_back(given[i] == nullptr ? of_default(*wanted[i]) : of_case(*wanted[i], *given[i]));
    names.push_back(wanted[i]->kg_name);
  }
  warn_of_near_names(definition, run_case, given, warn);
  return std::make_unique<Attributes>(std::move(values), std::move(names), warn);
}

}  // namespace kg::npu
