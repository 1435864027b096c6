#pragma once

#include <string>
#include <vector>

#include "dsl/program.h"
#include "dsl/prospect.h"

namespace kg::dsl {

// Whether a value can be a whole number, or a tile of such, as far as the beginning of a program tells: what it cannot
// be is refused by the checker wherever a whole number is wanted.
bool may_be_whole(const Prospect& prospect, const Expr& expr);
// Whether the value of this argument must be whole for the call's value to be so.
bool passes_whole(const std::string& function, std::size_t argument);

// How many arguments a function takes: at all, and where its value is to be a whole number.
struct CallCounts {
  std::vector<std::size_t> any, whole;
};
const CallCounts* call_counts(const std::string& function);  // null: there is none of this name
const std::vector<std::string>& called_names();              // of all functions

}  // namespace kg::dsl
