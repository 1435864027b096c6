#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace kg::policy {

// A number from a foreign file where only whole numbers make sense: get<>() would convert 1e300 with
// undefined behaviour. Throws nlohmann::json::type_error, like get<>() for something that is not a number.
inline std::int64_t whole_number(const nlohmann::json& value) {
  if (!value.is_number_integer())
    throw nlohmann::json::type_error::create(302, "must be a whole number, is " + value.dump().substr(0, 40), &value);
  return value.get<std::int64_t>();
}

inline std::vector<std::int64_t> whole_numbers(const nlohmann::json& list) {
  if (!list.is_array()) throw nlohmann::json::type_error::create(302, "must be a list of whole numbers", &list);
  std::vector<std::int64_t> numbers;
  for (const nlohmann::json& value : list) numbers.push_back(whole_number(value));
  return numbers;
}

}  // namespace kg::policy
