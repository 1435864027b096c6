#pragma once

#include <charconv>
#include <string>
#include <system_error>
#include <type_traits>

#include "base/error.h"

namespace kg {

// The value of --name, parsed from the whole of `text`. `example` is a valid value, for the Error.
template <typename Number>
Number parse_number(const std::string& name, const std::string& text, const std::string& where,
                    const std::string& example) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  const std::string hint = "for example --" + name + " " + example;
  if (result.ec == std::errc::result_out_of_range && result.ptr == end)
    throw Error("--" + name + " got \"" + text + "\", which is beyond what a number can hold", where, hint);
  if (result.ec != std::errc() || result.ptr != end)
    throw Error("--" + name + " got \"" + text + "\", wanted " +
                    (std::is_floating_point_v<Number> ? "a number"
                     : std::is_unsigned_v<Number>     ? "a whole number of at least 0"
                                                      : "a whole number"),
                where, hint);
  return number;
}

bool parse_bool(const std::string& name, const std::string& text, const std::string& where);

// A bound of a range in plain notation: 1000000, not 1e+06.
std::string bound_text(double bound);

// "-3" is a value, "-x" is not.
bool looks_like_number(const std::string& word);

}  // namespace kg
