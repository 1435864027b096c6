#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kg::sandbox {

// `kgtrain-sandbox run`: the process inside a cell. Takes jobs from the control socket one by one, runs each in a
// forked process, and reports its end; returns when the owner closes the socket.
//
//   owner (cell.cpp) ──job, 3 descriptors──► run_cell ──fork──► limits, filter ─► exec the compiler, or be it
//                    ◄──────JobEnd──────────          wait              └───────► load the kernel, launch, write the
//                    CaseResult
//
// run_cell itself never reads a kernel, its inputs or its results: every job starts from the same clean memory, and the
// process that loads a kernel holds only the tensors of the current case.
//
// A cell with an in-process compiler (compiler/) accepts Job::Kind::kCompile too: `warm` gets ready in run_cell's own
// process, which sees only the command line and the sandbox's header; `compile` does the rest in the job's process.
struct InProcessCompiler {
  std::function<bool(const std::vector<std::string>& command)> warm;
  std::function<int()> compile;  // returns the exit status
};
int run_cell(int control, const InProcessCompiler* compiler = nullptr);

}  // namespace kg::sandbox
