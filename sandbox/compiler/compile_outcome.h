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

// The limits of a compilation, and the socket on which its caller waits: when it closes, the work stops (-1: none).
struct Allowance {
  proto::ResourceLimits limits;
  int owner = -1;
};

// The end of a compiler's job in terms of the kernel's author; `output` is what it printed, made readable. Throws Error
// if the sandbox or the host is to blame.
CompileOutcome judge_compiler(const JobOutcome& outcome, std::string output, const proto::ResourceLimits& limits,
                              const std::string& compiler, const WorkFolder& work);

// Moves the result of a compiler's cell out of its reach. Only regular files are accepted.
void take_compiled(const fs::path& made, const fs::path& to, mode_t mode);

}  // namespace kg::sandbox
