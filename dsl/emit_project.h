#pragma once

#include <string>
#include <vector>

#include "dsl/code.h"

namespace kg::dsl {

struct ProjectPart {
  std::string path;  // within the project: "op_host/softmax.cpp"
  std::string text;
};

struct Project {
  std::vector<ProjectPart> parts;
  std::vector<int> lines;  // for each line of the kernel (from 0) the program's line, 0: none
};

// The kernel as an operator project with this name: its file with workspace and tiling arguments, the tiling structure
// with the extents, and a host side that launches it for the shapes it was lowered for and refuses other shapes.
Project emit_project(const Form& form, const Code& code, const std::string& kernel);

}  // namespace kg::dsl
