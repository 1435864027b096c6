#pragma once

#include <string>
#include <vector>

#include "dsl/program.h"
#include "dsl/prospect.h"

namespace kg::dsl {

// Whether a value can be a whole number, or a tile of them, as far as the beginning of a program shows: the checker
// refuses other values wherever a whole number is required.
bool may_be_whole(const Prospect& prospect, const Expr& expr);
// Whether this argument must be whole for the call's value to be whole.
bool passes_whole(const std::string& function, std::size_t argument);

// How many arguments a function takes: in general, and where its value must be a whole number.
struct CallCounts {
  std::vector<std::size_t> any, whole;
};
const CallCounts* call_counts(const std::string& function);  // null: no such name
const std::vector<std::string>& called_names();              // names of all functions

}  // namespace kg::dsl
