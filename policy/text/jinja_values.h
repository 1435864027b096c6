#pragma once

#include <string>
#include <utility>
#include <vector>

#include "policy/text/jinja_syntax.h"

namespace kg::policy::jinja {

// Values are JSON; a variable that was never set is the discarded value.
inline Json undefined() { return Json(Json::value_t::discarded); }
bool is_true(const Json& value);
std::string text_of(const Json& value);  // as Python prints it
std::string replaced(const std::string& text, const std::string& old, const std::string& fresh);
bool equal(const Json& a, const Json& b);

// The arguments of a filter, a test or a method besides its value.
struct Arguments {
  std::vector<Json> positional;
  std::vector<std::pair<std::string, Json>> named;
  // The argument at `place` or with this name; `fallback` if absent.
  Json get(std::size_t place, const std::string& name, Json fallback = nullptr) const;
};

Json apply_filter(const std::string& name, const Json& value, const Arguments& arguments);
bool apply_test(const std::string& name, const Json& value, const Arguments& arguments);
Json call_method(const Json& value, const std::string& name, const Arguments& arguments);
Json apply_operator(const std::string& sign, const Json& a, const Json& b);
Json slice(const Json& value, const Json& begin, const Json& end, const Json& step);
// value.name and value[key]; undefined if there is none.
Json member(const Json& value, const Json& key);

[[noreturn]] void refuse(const std::string& what);

}  // namespace kg::policy::jinja
