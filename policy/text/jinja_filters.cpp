#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "policy/text/jinja_values.h"

namespace kg::policy::jinja {
namespace {

const char* const kBlanks = " \t\r\n\f\v";

std::string stripped(const std::string& text, const std::string& signs, bool left, bool right) {
  std::size_t begin = 0, end = text.size();
  while (left && begin < end && signs.find(text[begin]) != std::string::npos) ++begin;
  while (right && end > begin && signs.find(text[end - 1]) != std::string::npos) --end;
  return text.substr(begin, end - begin);
}

std::string cased(std::string text, int (*change)(int)) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 128) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return text;
}

Json split(const std::string& text, const Json& separator, std::int64_t most) {
  Json parts = Json::array();
  std::size_t at = 0;
  if (separator.is_null()) {
    while ((at = text.find_first_not_of(kBlanks, at)) != std::string::npos) {
      const std::size_t end = std::min(text.size(), text.find_first_of(kBlanks, at));
      parts.push_back(text.substr(at, end - at));
      at = end;
    }
    return parts;
  }
  const std::string sign = separator.get<std::string>();
  for (std::size_t found; (most < 0 || static_cast<std::int64_t>(parts.size()) < most) &&
                          (found = text.find(sign, at)) != std::string::npos;
       at = found + sign.size())
    parts.push_back(text.substr(at, found - at));
  parts.push_back(text.substr(at));
  return parts;
}

// JSON as Python's json.dumps writes it: ", " and ": " between parts unless indented.
std::string to_json(const Json& value, int indent, int depth = 0) {
  if (!value.is_structured()) {
    if (value.is_number_float()) return text_of(value);
    return value.dump(-1, ' ', /*ensure_ascii=*/false);
  }
  const auto line = [&](int level) {
    return indent < 0 ? std::string() : "\n" + std::string(static_cast<std::size_t>(indent * level), ' ');
  };
  std::string inner;
  for (const auto& [key, part] : value.items()) {
    if (!inner.empty()) inner += indent < 0 ? ", " : ",";
    inner += line(depth + 1);
    if (value.is_object()) inner += Json(key).dump(-1, ' ', false) + ": ";
    inner += to_json(part, indent, depth + 1);
  }
  if (value.empty()) return value.is_object() ? "{}" : "[]";
  return (value.is_object() ? "{" : "[") + inner + line(depth) + (value.is_object() ? "}" : "]");
}

Json items_of(const Json& value) {
  Json list = Json::array();
  if (value.is_object())
    for (const auto& [key, part] : value.items()) list.push_back(Json::array({key, part}));
  return list;
}

Json keys_of(const Json& value) {
  Json list = Json::array();
  for (const auto& [key, part] : value.items()) list.push_back(key);
  return list;
}

Json chosen_by(const Json& value, const Arguments& arguments, bool wanted, bool by_attribute) {
  Json kept = Json::array();
  Arguments rest;
  const std::size_t skipped = by_attribute ? 2 : 1;
  for (std::size_t i = skipped; i < arguments.positional.size(); ++i)
    rest.positional.push_back(arguments.positional[i]);
  const Json test = arguments.get(skipped - 1, "test");
  for (const Json& item : value) {
    const Json subject = by_attribute ? member(item, arguments.get(0, "attribute")) : item;
    const bool passes = test.is_null() ? is_true(subject) : apply_test(test.get<std::string>(), subject, rest);
    if (passes == wanted) kept.push_back(item);
  }
  return kept;
}

Json as_list(const Json& value) {
  if (value.is_object()) return keys_of(value);
  if (!value.is_string()) return value.is_discarded() ? Json::array() : value;
  Json letters = Json::array();
  for (const char c : text_of(value)) letters.push_back(std::string(1, c));
  return letters;
}

std::string joined(const Json& value, const Arguments& arguments) {
  std::string text;
  const Json attribute = arguments.get(1, "attribute");
  for (std::size_t i = 0; i < value.size(); ++i)
    text += (i > 0 ? text_of(arguments.get(0, "d", "")) : "") +
            text_of(attribute.is_null() ? value[i] : member(value[i], attribute));
  return text;
}

}  // namespace

Json apply_filter(const std::string& name, const Json& value, const Arguments& arguments) {
  const auto text = [&] { return text_of(value); };
  if (name == "trim") return stripped(text(), text_of(arguments.get(0, "chars", kBlanks)), true, true);
  if (name == "length" || name == "count")
    return value.is_string() ? static_cast<std::int64_t>(text().size())
                             : static_cast<std::int64_t>(value.is_discarded() ? 0 : value.size());
  if (name == "tojson") {
    const Json indent = arguments.get(0, "indent");
    return to_json(value, indent.is_number() ? indent.get<int>() : -1);
  }
  if (name == "upper") return cased(text(), std::toupper);
  if (name == "lower") return cased(text(), std::tolower);
  if (name == "capitalize") {
    std::string lowered = cased(text(), std::tolower);
    return lowered.empty() ? lowered : cased(lowered.substr(0, 1), std::toupper) + lowered.substr(1);
  }
  if (name == "string") return text();
  if (name == "safe" || name == "e" || name == "escape") return value;
  if (name == "int")
    return value.is_string() ? static_cast<std::int64_t>(std::atoll(text().c_str()))
                             : static_cast<std::int64_t>(value.get<double>());
  if (name == "float") return value.is_string() ? std::atof(text().c_str()) : value.get<double>();
  if (name == "replace") return replaced(text(), text_of(arguments.get(0, "old")), text_of(arguments.get(1, "new")));
  if (name == "default" || name == "d") {
    const bool falsy_too = is_true(arguments.get(1, "boolean", false));
    return value.is_discarded() || (falsy_too && !is_true(value)) ? arguments.get(0, "default_value", "") : value;
  }
  if (name == "first") return member(value, 0);
  if (name == "last") return member(value, -1);
  if (name == "items") return items_of(value);
  if (name == "dictsort") {
    Json list = items_of(value);
    std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) { return a[0] < b[0]; });
    return list;
  }
  if (name == "list") return as_list(value);
  if (name == "reverse") return slice(value, nullptr, nullptr, -1);
  if (name == "join") return joined(value, arguments);
  if (name == "map") {
    Json mapped = Json::array();
    const Json attribute = arguments.get(99, "attribute"), filter = arguments.get(0, "filter");
    for (const Json& part : value)
      mapped.push_back(attribute.is_null() ? apply_filter(filter.get<std::string>(), part, {})
                                           : member(part, attribute));
    return mapped;
  }
  if (name == "selectattr" || name == "rejectattr") return chosen_by(value, arguments, name == "selectattr", true);
  if (name == "select" || name == "reject") return chosen_by(value, arguments, name == "select", false);
  refuse("the filter \"" + name + "\" is not supported");
}

bool apply_test(const std::string& name, const Json& value, const Arguments& arguments) {
  if (name == "defined") return !value.is_discarded();
  if (name == "undefined") return value.is_discarded();
  if (name == "none") return value.is_null();
  if (name == "string") return value.is_string();
  if (name == "mapping") return value.is_object();
  if (name == "iterable" || name == "sequence") return value.is_structured() || value.is_string();
  if (name == "number") return value.is_number();
  if (name == "integer") return value.is_number_integer();
  if (name == "float") return value.is_number_float();
  if (name == "boolean") return value.is_boolean();
  if (name == "true") return value == Json(true);
  if (name == "false") return value == Json(false);
  if (name == "eq" || name == "equalto" || name == "==") return equal(value, arguments.get(0, "other"));
  if (name == "ne" || name == "!=") return !equal(value, arguments.get(0, "other"));
  if (name == "in") return apply_operator("in", value, arguments.get(0, "seq")).get<bool>();
  if (name == "odd" || name == "even") return (value.get<std::int64_t>() % 2 != 0) == (name == "odd");
  refuse("the test \"" + name + "\" is not supported");
}

Json call_method(const Json& value, const std::string& name, const Arguments& arguments) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    const std::string signs = text_of(arguments.get(0, "chars", kBlanks));
    if (name == "strip") return stripped(text, signs, true, true);
    if (name == "lstrip") return stripped(text, signs, true, false);
    if (name == "rstrip") return stripped(text, signs, false, true);
    if (name == "startswith") return text.starts_with(text_of(arguments.get(0, "prefix")));
    if (name == "endswith") return text.ends_with(text_of(arguments.get(0, "suffix")));
    if (name == "upper" || name == "lower" || name == "capitalize") return apply_filter(name, value, arguments);
    if (name == "replace") return replaced(text, text_of(arguments.get(0, "old")), text_of(arguments.get(1, "new")));
    if (name == "split")
      return split(text, arguments.get(0, "sep"), arguments.get(1, "maxsplit", -1).get<std::int64_t>());
    if (name == "find") {
      const std::size_t found = text.find(text_of(arguments.get(0, "sub")));
      return found == std::string::npos ? std::int64_t{-1} : static_cast<std::int64_t>(found);
    }
    if (name == "join") return apply_filter("join", arguments.get(0, "iterable"), {.positional = {value}, .named = {}});
  }
  if (value.is_object()) {
    if (name == "items") return items_of(value);
    if (name == "keys") return keys_of(value);
    if (name == "values") {
      Json list = Json::array();
      for (const auto& [key, part] : value.items()) list.push_back(part);
      return list;
    }
    if (name == "get") {
      const Json found = member(value, arguments.get(0, "key"));
      return found.is_discarded() ? arguments.get(1, "default") : found;
    }
  }
  refuse("the method \"" + name + "\" of a value of the type " + value.type_name() + " is not supported");
}

}  // namespace kg::policy::jinja
