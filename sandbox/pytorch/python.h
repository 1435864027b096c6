#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "sandbox/cell/cell.h"

namespace kg::sandbox {

// A Python that has PyTorch: what a cell must see of the host to run it, and to compile for it.
struct Python {
  std::string program;
  std::string version;            // of Python and of PyTorch: what is compiled hangs on it
  std::vector<fs::path> folders;  // outside /usr
  std::vector<std::string> includes;
  fs::path libraries;  // of PyTorch
};

// Asks the interpreter, which runs as this user: it is the user's own. Throws Error if it has no PyTorch.
Python find_python(const std::string& program);

// A cell that sees what the interpreter needs, and nothing else yet.
CellSpec cell_with_python(const Python& python);

}  // namespace kg::sandbox
