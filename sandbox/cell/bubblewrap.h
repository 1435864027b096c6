#pragma once

#include <string>
#include <vector>

#include "sandbox/cell/cell.h"

namespace kg::sandbox {

// The command that starts run_cell() inside a cell, its control socket being the inherited descriptor `control`. Throws
// Error if bubblewrap is wanted and not installed.
std::vector<std::string> cell_command(Isolation isolation, const CellSpec& spec, int control);

}  // namespace kg::sandbox
