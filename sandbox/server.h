#pragma once

#include <memory>
#include <string>

#include "sandbox/cell.h"
#include "sandbox/kernel_cache.h"
#include "sandbox/toolchain.h"
#include "sandbox/work_folder.h"

namespace kg::sandbox {

struct ServerOptions {
  bool allow_less_isolation = false;
  std::string cache_folder;  // compiled kernels by content; empty: none are kept
};

// `kgtrain-sandbox serve`: one request after the other.
//
//   request ─► kernel cache ─► toolchain's cell ─► kernel.so ─► kernel's cell, one process a case ─► judge_case ─►
//   result
class Server {
 public:
  explicit Server(ServerOptions options) : options_(std::move(options)) {}

  // `owner`: the socket on which the caller waits; work stops when it closes. Never throws.
  proto::ExecutionResult execute(const proto::ExecutionRequest& request, int owner);

 private:
  void make_ready();
  bool compile(const proto::ExecutionRequest& request, const proto::ResourceLimits& limits, int owner,
               proto::ExecutionResult& result);
  bool run_case(const proto::ExecutionRequest& request, const proto::RunCase& run_case,
                const proto::ResourceLimits& limits, int owner, proto::ExecutionResult& result);

  ServerOptions options_;
  std::unique_ptr<WorkFolder> work_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<KernelCache> kernels_;
  std::unique_ptr<Cell> cell_;  // where kernels run
};

// Answers requests (proto/frame.h) on a stream socket until the other side closes it.
int serve(int socket, ServerOptions options);

}  // namespace kg::sandbox
