#pragma once

#include <memory>
#include <string>

#include "proto/sandbox.pb.h"
#include "sandbox/programs/workshop.h"

namespace kg::sandbox {

struct ServerOptions {
  bool allow_less_isolation = false;
  std::string cache_folder;  // folder for compiled kernels; empty: keep none
  std::string python;        // Python with PyTorch, for answers that are modules; empty: they are refused
};

// `kgtrain-sandbox serve`: handles requests one after the other, each by its kind of program (programs/).
class Server {
 public:
  explicit Server(ServerOptions options) : options_(std::move(options)) {}

  // `owner`: the socket on which the caller waits; when it closes, the work stops. Never throws.
  proto::ExecutionResult execute(const proto::ExecutionRequest& request, int owner);
  // What the first request would wait for. Never throws: that request says what fails.
  void prepare();

 private:
  void run(Request& request);
  void open_shop();

  ServerOptions options_;
  std::unique_ptr<Workshop> shop_;
};

// Answers requests (proto/frame.h) on a stream socket until the other side closes it.
int serve(int socket, ServerOptions options);

}  // namespace kg::sandbox
