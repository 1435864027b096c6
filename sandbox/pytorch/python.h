#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "sandbox/cell/cell.h"

namespace kg::sandbox {

// A Python with PyTorch: what a cell must see of the host to run it, and to compile for it.
struct Python {
  std::string program;
  std::string version;            // version of Python and of PyTorch; compiled bindings depend on it
  std::vector<fs::path> folders;  // folders outside /usr
  std::vector<std::string> includes;
  fs::path libraries;  // PyTorch's libraries
};

// Asks the interpreter, which runs with this user's rights: the user chose it. Throws Error if it has no PyTorch.
Python find_python(const std::string& program);

// A cell that sees only what the interpreter needs.
CellSpec cell_with_python(const Python& python);

}  // namespace kg::sandbox
