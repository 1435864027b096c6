#pragma once

#include <string>

namespace kg::cli {

// The text of a file that an option names; of "-" standard input, to its end.
std::string read_input(const std::string& file);
// What messages call it.
std::string input_name(const std::string& file);

}  // namespace kg::cli
