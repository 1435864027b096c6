#include "npu/host/attributes.h"

#include <algorithm>
#include <cctype>
#include <string>
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

class Attributes final : public gert::RuntimeAttrs {
 public:
  explicit Attributes(std::vector<Value> values) : values_(std::move(values)) {}
  std::size_t GetAttrNum() const override { return values_.size(); }

 private:
  const void* value(std::size_t index) const override {
    return index < values_.size() ? values_[index].address() : nullptr;
  }
  std::vector<Value> values_;
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

}  // namespace

std::string folded(const std::string& name) {
  std::string text;
  for (const unsigned char c : name)
    if (std::isalnum(c) != 0) text += static_cast<char>(std::tolower(c));
  return text;
}

std::unique_ptr<gert::RuntimeAttrs> make_attributes(const ops::OpDef& definition, const proto::RunCase& run_case) {
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
  for (std::size_t i = 0; i < wanted.size(); ++i)
    values.push_back(given[i] == nullptr ? of_default(*wanted[i]) : of_case(*wanted[i], *given[i]));
  return std::make_unique<Attributes>(std::move(values));
}

}  // namespace kg::npu
