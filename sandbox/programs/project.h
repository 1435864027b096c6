#pragma once

#include "sandbox/programs/project_files.h"
#include "sandbox/programs/workshop.h"

namespace kg::sandbox {

// An operator project: its host side is compiled once and run for every case; the kernel is compiled for each
// combination of data types and tiling key that the cases need.
//
//   project ─► host.so ─► kernel's cell: the host side, one process a case ─► HostPlan ─► kernel.so for its data types
//   and tiling key ─► kernel's cell, one process a case ─► judge_case ─► result
void run_project(Workshop& shop, Request& request);

// The two steps separately, for modules, which launch a project's operators.
bool compile_host(Workshop& shop, Request& request, const Project& project);
// One case; false: run nothing more.
bool run_project_case(Workshop& shop, Request& request, const Project& project, const proto::RunCase& run_case);

}  // namespace kg::sandbox
