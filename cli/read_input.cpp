#include "cli/read_input.h"

#include <iostream>
#include <iterator>

#include "base/file.h"

namespace kg::cli {

std::string read_input(const std::string& file) {
  return file == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(file);
}

std::string input_name(const std::string& file) { return file == "-" ? "standard input" : file; }

}  // namespace kg::cli
