#pragma once

#include <memory>
#include <string>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// Takes a source and reports what happened. Knows nothing of expected outputs, tasks or rewards.
class Sandbox {
 public:
  virtual ~Sandbox() = default;
  // Compiles the source once and runs each case in a new process. A program fault is in the result; a fault of the
  // sandbox itself is in `sandbox_error`. Never throws for either. One call at a time per object.
  virtual proto::ExecutionResult execute(const proto::ExecutionRequest& request) = 0;
  // Begins what the first call waits for, for a caller who has other work until then. What fails is said by that call.
  virtual void start() {}
};

struct SandboxOptions {
  std::string program;                // path of kgtrain-sandbox; empty: beside the running program
  bool allow_less_isolation = false;  // on hosts that forbid namespaces; otherwise a sandbox fault there
  std::string cache_folder;           // compiled kernels by content; empty: no cache
  std::string python;                 // Python with PyTorch, for answers that are modules; empty: they are refused
};

// Talks to `kgtrain-sandbox serve` over a socket pair (proto/frame.h), a child that start() or the first call starts. A
// child that dies is started again at the next call; the call during which it died ends as a sandbox fault.
std::unique_ptr<Sandbox> start_sandbox(const SandboxOptions& options);

}  // namespace kg::sandbox
