#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"

namespace kg::sandbox {

// One of our Python programs that runs foreign Python (docs/design/python-pipes.md, "A benchmark's worker"), in a
// cell.
struct ConfinedWorker {
  std::string python;  // interpreter with PyTorch
  fs::path scripts;    // folder visible in the cell
  std::string script;  // script in it; its arguments: the folder of json_frame.py, the file
  fs::path file;       // the untrusted text, visible in the cell under /kgtrain/given
  double seconds = 120;
  std::uint64_t memory_bytes = 4ull << 30;  // limit for data; the address space may be larger by what PyTorch maps
  std::uint64_t answer_bytes = 512 << 20;   // limit for all frames together
};

// `kgtrain-sandbox worker`: takes one frame from standard input, passes the worker's frames on to standard output, only
// complete ones and at most the allowed bytes, and ends with the frame that has "done" or "error". Failures of the
// worker (its time, its memory, a crash, a malformed frame) are a result with "refused", failures of the host an
// "error" with "host": true. No network, no files but those above, no further processes; never with less
// isolation. Returns the exit status.
int run_confined(const ConfinedWorker& worker);

}  // namespace kg::sandbox
