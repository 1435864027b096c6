#pragma once

#include <string>
#include <vector>

#include "dsl/code.h"

namespace kg::dsl {

struct ProjectPart {
  std::string path;  // within the project: "op_host/softmax.cpp"
  std::string text;
};

// The kernel as an operator project: its file with workspace and tiling arguments, the tiling structure with the
// extents, and a host side that launches it for the shapes that it was lowered for and refuses others.
std::vector<ProjectPart> emit_project(const Form& form, const Code& code);

}  // namespace kg::dsl
