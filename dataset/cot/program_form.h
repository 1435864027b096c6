#pragma once

#include <string>
#include <vector>

namespace kg::dataset::cot {

// A program in the DSL without names, extents and constants.
std::string program_form(const std::string& program);

// The program, and it without some of its results that are one number a row: a reference may leave those out. Throws
// dsl::Refusal if it does not parse.
std::vector<std::string> with_fewer_results(const std::string& program);

}  // namespace kg::dataset::cot
