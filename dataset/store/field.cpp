#include "dataset/store/field.h"

#include <google/protobuf/reflection.h>
#include <google/protobuf/util/json_util.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/check.h"
#include "base/error.h"

namespace kg::dataset {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
namespace json_form = google::protobuf::util;

ElementType number_type(const FieldDescriptor* field) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return ElementType::kUint8;
    case FieldDescriptor::CPPTYPE_ENUM:
    case FieldDescriptor::CPPTYPE_INT32:
      return ElementType::kInt32;
    case FieldDescriptor::CPPTYPE_UINT32:
      return ElementType::kUint32;
    case FieldDescriptor::CPPTYPE_INT64:
      return ElementType::kInt64;
    case FieldDescriptor::CPPTYPE_UINT64:
      return ElementType::kUint64;
    case FieldDescriptor::CPPTYPE_FLOAT:
      return ElementType::kFloat32;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return ElementType::kFloat64;
    default:
      return ElementType::kUint8;  // text and messages: bytes
  }
}

Layout layout_of(const FieldDescriptor* field) {
  const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  const bool is_text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  if (is_message || (is_text && field->is_repeated())) return Layout::kJson;
  if (is_text) return Layout::kText;
  return field->is_repeated() ? Layout::kNumbers : Layout::kFixed;
}

template <typename T>
void put(std::string& bytes, T value) {
  bytes.assign(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T take(std::string_view bytes) {
  T value;
  KG_CHECK_EQ(bytes.size(), sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

void get_fixed(const Message& from, const Reflection& look, const FieldDescriptor* field, std::string& bytes) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return put<std::uint8_t>(bytes, look.GetBool(from, field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return put<std::int32_t>(bytes, look.GetEnumValue(from, field));
    case FieldDescriptor::CPPTYPE_INT32:
      return put<std::int32_t>(bytes, look.GetInt32(from, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return put<std::uint32_t>(bytes, look.GetUInt32(from, field));
    case FieldDescriptor::CPPTYPE_INT64:
      return put<std::int64_t>(bytes, look.GetInt64(from, field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return put<std::uint64_t>(bytes, look.GetUInt64(from, field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return put<float>(bytes, look.GetFloat(from, field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return put<double>(bytes, look.GetDouble(from, field));
    default:
      KG_CHECK(false);
  }
}

void set_fixed(Message& to, const Reflection& look, const FieldDescriptor* field, std::string_view bytes) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return look.SetBool(&to, field, take<std::uint8_t>(bytes) != 0);
    case FieldDescriptor::CPPTYPE_ENUM:
      return look.SetEnumValue(&to, field, take<std::int32_t>(bytes));
    case FieldDescriptor::CPPTYPE_INT32:
      return look.SetInt32(&to, field, take<std::int32_t>(bytes));
    case FieldDescriptor::CPPTYPE_UINT32:
      return look.SetUInt32(&to, field, take<std::uint32_t>(bytes));
    case FieldDescriptor::CPPTYPE_INT64:
      return look.SetInt64(&to, field, take<std::int64_t>(bytes));
    case FieldDescriptor::CPPTYPE_UINT64:
      return look.SetUInt64(&to, field, take<std::uint64_t>(bytes));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return look.SetFloat(&to, field, take<float>(bytes));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return look.SetDouble(&to, field, take<double>(bytes));
    default:
      KG_CHECK(false);
  }
}

template <typename T>
void get_numbers_as(const Message& from, const Reflection& look, const FieldDescriptor* field, std::string& bytes) {
  const auto values = look.GetRepeatedFieldRef<T>(from, field);
  bytes.resize(static_cast<std::size_t>(values.size()) * sizeof(T));
  char* to = bytes.data();
  for (const T value : values) {
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  }
}

template <typename T>
void set_numbers_as(Message& to, const Reflection& look, const FieldDescriptor* field, std::string_view bytes) {
  const auto values = look.GetMutableRepeatedFieldRef<T>(&to, field);
  for (; bytes.size() >= sizeof(T); bytes.remove_prefix(sizeof(T))) values.Add(take<T>(bytes.substr(0, sizeof(T))));
}

void get_numbers(const Message& from, const Reflection& look, const FieldDescriptor* field, std::string& bytes) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return get_numbers_as<std::int32_t>(from, look, field, bytes);
    case FieldDescriptor::CPPTYPE_UINT64:
      return get_numbers_as<std::uint64_t>(from, look, field, bytes);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return get_numbers_as<float>(from, look, field, bytes);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return get_numbers_as<double>(from, look, field, bytes);
    default:
      KG_CHECK(false);
  }
}

void set_numbers(Message& to, const Reflection& look, const FieldDescriptor* field, std::string_view bytes) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return set_numbers_as<std::int32_t>(to, look, field, bytes);
    case FieldDescriptor::CPPTYPE_UINT64:
      return set_numbers_as<std::uint64_t>(to, look, field, bytes);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return set_numbers_as<float>(to, look, field, bytes);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return set_numbers_as<double>(to, look, field, bytes);
    default:
      KG_CHECK(false);
  }
}

std::string message_json(const Message& message) {
  json_form::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status = json_form::MessageToJsonString(message, &text, options);
  if (!status.ok())
    throw Error("a message cannot be written as JSON: " + status.ToString(), message.GetTypeName(),
                "text must be UTF-8", Error::Kind::kFailed);
  return text;
}

void message_from_json(const std::string& text, Message& message) {
  json_form::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = json_form::JsonStringToMessage(text, &message, options);
  if (!status.ok())
    throw Error("a JSON column does not hold a " + message.GetTypeName() + ": " + status.ToString(),
                text.substr(0, 200), "the file is damaged: take it from a backup");
}

void get_json(const Message& from, const Reflection& look, const FieldDescriptor* field, std::string& bytes) {
  bytes.clear();
  if (!field->is_repeated()) {
    if (look.HasField(from, field)) bytes = message_json(look.GetMessage(from, field));
    return;
  }
  const int count = look.FieldSize(from, field);
  if (count == 0) return;
  bytes = "[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) bytes += ",";
    bytes += field->cpp_type() == FieldDescriptor::CPPTYPE_STRING
                 ? nlohmann::json(look.GetRepeatedString(from, field, i)).dump()
                 : message_json(look.GetRepeatedMessage(from, field, i));
  }
  bytes += "]";
}

void set_json(Message& to, const Reflection& look, const FieldDescriptor* field, std::string_view bytes) {
  if (!field->is_repeated()) return message_from_json(std::string(bytes), *look.MutableMessage(&to, field));
  const auto list = nlohmann::json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array())
    throw Error("a JSON column does not hold a list", std::string(bytes.substr(0, 200)),
                "the file is damaged: take it from a backup");
  for (const auto& element : list) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      look.AddString(&to, field, element.get<std::string>());
    else
      message_from_json(element.dump(), *look.AddMessage(&to, field));
  }
}

bool is_default(Layout layout, std::string_view bytes) {
  return layout == Layout::kFixed ? bytes.find_first_not_of('\0') == std::string_view::npos : bytes.empty();
}

}  // namespace

Field::Field(const google::protobuf::Descriptor* message, const std::string& path) {
  std::istringstream names(path);
  for (std::string name; std::getline(names, name, '.');) {
    KG_CHECK(message != nullptr);
    const FieldDescriptor* field = message->FindFieldByName(name);
    if (field == nullptr) KG_CHECK_EQ(path, "a field of " + message->full_name());
    path_.push_back(field);
    message = field->message_type();
  }
  KG_CHECK(!path_.empty());
  layout_ = layout_of(leaf());
  type_ = number_type(leaf());
}

void Field::get(const Message& message, std::string& bytes) const {
  const Message* holder = &message;
  for (std::size_t i = 0; i + 1 < path_.size(); ++i) holder = &holder->GetReflection()->GetMessage(*holder, path_[i]);
  const Reflection& look = *holder->GetReflection();
  switch (layout_) {
    case Layout::kFixed:
      return get_fixed(*holder, look, leaf(), bytes);
    case Layout::kText:
      bytes = look.GetString(*holder, leaf());
      return;
    case Layout::kNumbers:
      return get_numbers(*holder, look, leaf(), bytes);
    case Layout::kJson:
      return get_json(*holder, look, leaf(), bytes);
  }
}

void Field::set(Message& message, std::string_view bytes) const {
  if (is_default(layout_, bytes)) return;
  Message* holder = &message;
  for (std::size_t i = 0; i + 1 < path_.size(); ++i) holder = holder->GetReflection()->MutableMessage(holder, path_[i]);
  const Reflection& look = *holder->GetReflection();
  switch (layout_) {
    case Layout::kFixed:
      return set_fixed(*holder, look, leaf(), bytes);
    case Layout::kText:
      return look.SetString(holder, leaf(), std::string(bytes));
    case Layout::kNumbers:
      return set_numbers(*holder, look, leaf(), bytes);
    case Layout::kJson:
      return set_json(*holder, look, leaf(), bytes);
  }
}

}  // namespace kg::dataset
