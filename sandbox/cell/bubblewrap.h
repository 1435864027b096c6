#pragma once

#include <string>
#include <vector>

#include "sandbox/cell/cell.h"

namespace kg::sandbox {

// The command that starts run_cell() inside a cell; the inherited descriptor `control` is its control socket. Throws
// Error if bubblewrap is needed but not installed.
std::vector<std::string> cell_command(Isolation isolation, const CellSpec& spec, int control);

}  // namespace kg::sandbox
