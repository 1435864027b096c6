#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"

namespace kg::sandbox {

// A Python program of ours that runs somebody else's Python (docs/design/python-pipes.md, "A benchmark's worker"), in a
// cell.
struct ConfinedWorker {
  std::string python;  // with PyTorch
  fs::path scripts;    // folder that the cell sees
  std::string script;  // of it, in front of: the folder of json_frame.py, the file
  fs::path file;       // the untrusted text, which the cell sees under /kgtrain/given
  double seconds = 120;
  std::uint64_t memory_bytes = 4ull << 30;  // of data; the address space may be larger by what PyTorch maps
  std::uint64_t answer_bytes = 512 << 20;   // of all frames
};

// `kgtrain-sandbox worker`: takes one frame from standard input, hands the worker's frames on to standard output, whole
// ones alone and no more bytes than allowed, and ends it with the frame that has "done" or "error". What the worker is
// at fault for (its time, its memory, a crash, a frame that is none) is a result with "refused", what the host is at
// fault for an "error" with "host": true. No network, no files but those above, no further processes; never with less
// isolation. Gives the exit status.
int run_confined(const ConfinedWorker& worker);

}  // namespace kg::sandbox
