#pragma once

#include <string>

#include "proto/sandbox.pb.h"
#include "sandbox/cell/cell.h"
#include "sandbox/cell/work_folder.h"

namespace kg::sandbox {

struct CompileOutcome {
  bool compiled = false;
  std::string output;  // readable, up to the cap
};

// What a compilation may take, and the socket on which its caller waits: its closing stops the work (-1: none).
struct Allowance {
  proto::ResourceLimits limits;
  int owner = -1;
};

// The end of a compiler's job in terms of the kernel's author; `output` is what it printed, made readable. Throws Error
// where the sandbox or the host is to blame.
CompileOutcome judge_compiler(const JobOutcome& outcome, std::string output, const proto::ResourceLimits& limits,
                              const std::string& compiler, const WorkFolder& work);

// Moves what a compiler's cell made out of its reach. Nothing but a regular file is taken.
void take_compiled(const fs::path& made, const fs::path& to, mode_t mode);

}  // namespace kg::sandbox
