#pragma once

#include <string>

namespace kg::cli {

// The content of the file that an option names; "-" means standard input up to its end.
std::string read_input(const std::string& file);
// The file's name in messages.
std::string input_name(const std::string& file);

}  // namespace kg::cli
