#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dsl/program.h"

namespace kg::dsl {

// The value of a whole-number expression over these names; none if it is something else, or overflows.
std::optional<std::int64_t> constant_of(const Expr& expr, const std::map<std::string, std::int64_t>& names);

std::int64_t floor_div(std::int64_t a, std::int64_t b);
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t align_up(std::int64_t value, std::int64_t unit) { return ceil_div(value, unit) * unit; }

}  // namespace kg::dsl
