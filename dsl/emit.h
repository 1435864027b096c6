#pragma once

#include <string>
#include <vector>

#include "dsl/code.h"

namespace kg::dsl {

struct Source {
  std::string text;
  std::vector<int> lines;  // for each line of text (from 0) the program's line, 0: none
};

// The kernel file: a class with Init and Process, or one function in the compact form. In a project the kernel has
// workspace and tiling arguments.
Source emit_kernel(const Form& form, const Code& code, const std::string& entry_point, bool project = false);
Source emit_compact(const Form& form, const Code& code, const std::string& entry_point);

// The operator name for "rms_norm": "RmsNorm".
std::string operator_name(const std::string& kernel);

}  // namespace kg::dsl
