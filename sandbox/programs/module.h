#pragma once

#include "sandbox/programs/workshop.h"

namespace kg::sandbox {

// An answer that is a PyTorch module. Its Python says what to compute; the operators run on the other side of
// the pipe, like those of any operator project, and its process never holds more than the current case's inputs.
//
//   module ─► six texts ─► host.so, custom_ops_lib.so ─► its own cell: Python, one process a case ─► each operator that
//   it launches: as a project
//
// `python`: an interpreter with PyTorch.
void run_module(Workshop& shop, Request& request, const std::string& python);

}  // namespace kg::sandbox
