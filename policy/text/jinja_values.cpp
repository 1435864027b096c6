#include "policy/text/jinja_values.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace kg::policy::jinja {
namespace {

std::string python_form(const Json& value) {  // repr()
  if (!value.is_string()) return text_of(value);
  const std::string text = replaced(replaced(value.get<std::string>(), "\\", "\\\\"), "\n", "\\n");
  const bool double_quoted = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  return double_quoted ? "\"" + text + "\"" : "'" + replaced(text, "'", "\\'") + "'";
}

}  // namespace

std::string replaced(const std::string& text, const std::string& old, const std::string& fresh) {
  if (old.empty()) return text;
  std::string result;
  std::size_t at = 0;
  for (std::size_t found; (found = text.find(old, at)) != std::string::npos; at = found + old.size())
    result += text.substr(at, found - at) + fresh;
  return result + text.substr(at);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(what, "chat template", "use a model whose template uses only the supported part of Jinja");
}

Json Arguments::get(std::size_t place, const std::string& name, Json fallback) const {
  if (place < positional.size()) return positional[place];
  for (const auto& [key, value] : named)
    if (key == name) return value;
  return fallback;
}

bool is_true(const Json& value) {
  if (value.is_discarded() || value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.empty();
}

std::string text_of(const Json& value) {
  if (value.is_discarded()) return "";
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) {
    const std::string text = value.dump();
    return text;
  }
  if (!value.is_structured()) return value.dump();
  std::string inner;
  for (const auto& [key, part] : value.items())
    inner += (inner.empty() ? "" : ", ") + (value.is_object() ? python_form(key) + ": " : "") + python_form(part);
  return value.is_object() ? "{" + inner + "}" : "[" + inner + "]";
}

bool equal(const Json& a, const Json& b) {
  if (a.is_discarded() || b.is_discarded()) return a.is_discarded() && b.is_discarded();
  return a == b;
}

Json member(const Json& value, const Json& key) {
  if (value.is_discarded()) refuse("\"" + text_of(key) + "\" is asked of an undefined value");
  if (value.is_object() && key.is_string()) {
    const auto found = value.find(key.get<std::string>());
    return found == value.end() ? undefined() : *found;
  }
  if (!key.is_number_integer() || !(value.is_array() || value.is_string())) return undefined();
  const auto size =
      static_cast<std::int64_t>(value.is_string() ? value.get_ref<const std::string&>().size() : value.size());
  std::int64_t index = key.get<std::int64_t>();
  if (index < 0) index += size;
  if (index < 0 || index >= size) return undefined();
  if (value.is_string()) return std::string(1, value.get_ref<const std::string&>()[static_cast<std::size_t>(index)]);
  return value[static_cast<std::size_t>(index)];
}

Json slice(const Json& value, const Json& begin, const Json& end, const Json& step_given) {
  if (!value.is_array() && !value.is_string()) refuse("a slice of something that is neither a list nor a string");
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const auto size = static_cast<std::int64_t>(value.is_string() ? text.size() : value.size());
  const std::int64_t step = step_given.is_null() ? 1 : step_given.get<std::int64_t>();
  if (step == 0) refuse("a slice with a step of 0");
  const auto bound = [&](const Json& given, std::int64_t fallback) {
    if (given.is_null()) return fallback;
    const std::int64_t place = given.get<std::int64_t>() + (given.get<std::int64_t>() < 0 ? size : 0);
    return step > 0 ? std::clamp<std::int64_t>(place, 0, size) : std::clamp<std::int64_t>(place, -1, size - 1);
  };
  const std::int64_t from = bound(begin, step > 0 ? 0 : size - 1), to = bound(end, step > 0 ? size : -1);
  Json list = Json::array();
  std::string letters;
  for (std::int64_t i = from; step > 0 ? i < to : i > to; i += step) {
    if (value.is_string())
      letters += text[static_cast<std::size_t>(i)];
    else
      list.push_back(value[static_cast<std::size_t>(i)]);
  }
  return value.is_string() ? Json(letters) : list;
}

Json apply_operator(const std::string& sign, const Json& a, const Json& b) {
  if (sign == "~") return text_of(a) + text_of(b);
  if (sign == "==") return equal(a, b);
  if (sign == "!=") return !equal(a, b);
  if (sign == "in") {
    if (b.is_string()) return a.is_string() && b.get<std::string>().find(a.get<std::string>()) != std::string::npos;
    if (b.is_object()) return a.is_string() && b.contains(a.get<std::string>());
    return b.is_array() && std::any_of(b.begin(), b.end(), [&](const Json& part) { return equal(part, a); });
  }
  if (sign == "+" && a.is_string() && b.is_string()) return a.get<std::string>() + b.get<std::string>();
  if (sign == "+" && a.is_array() && b.is_array()) {
    Json both = a;
    for (const Json& part : b) both.push_back(part);
    return both;
  }
  if (a.is_string() && b.is_string()) {
    const int order = a.get<std::string>().compare(b.get<std::string>());
    if (sign == "<") return order < 0;
    if (sign == ">") return order > 0;
    if (sign == "<=") return order <= 0;
    if (sign == ">=") return order >= 0;
  }
  if (sign == "*" && a.is_string() && b.is_number_integer()) {
    std::string text;
    for (std::int64_t i = 0; i < b.get<std::int64_t>(); ++i) text += a.get<std::string>();
    return text;
  }
  const bool numbers = (a.is_number() || a.is_boolean()) && (b.is_number() || b.is_boolean());
  if (!numbers) refuse("the operator " + sign + " between " + a.type_name() + " and " + b.type_name());
  const auto wide = [](const Json& n) { return n.is_boolean() ? static_cast<double>(n.get<bool>()) : n.get<double>(); };
  const double x = wide(a), y = wide(b);
  if (sign == "<") return x < y;
  if (sign == ">") return x > y;
  if (sign == "<=") return x <= y;
  if (sign == ">=") return x >= y;
  if ((sign == "/" || sign == "//" || sign == "%") && y == 0) refuse("a division by 0");
  if (sign == "/") return x / y;
  const double result = sign == "+"    ? x + y
                        : sign == "-"  ? x - y
                        : sign == "*"  ? x * y
                        : sign == "//" ? std::floor(x / y)
                                       : x - y * std::floor(x / y);
  if (a.is_number_float() || b.is_number_float()) return result;
  return static_cast<std::int64_t>(result);
}

}  // namespace kg::policy::jinja
