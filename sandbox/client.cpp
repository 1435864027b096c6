#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"
#include "base/utf8.h"
#include "proto/frame.h"
#include "sandbox/cell/limits.h"
#include "sandbox/sandbox.h"

namespace kg::sandbox {
namespace {

// Beyond what a request may take by its limits: the first precompiled header on a loaded host.
constexpr double kSlackSeconds = 600;
constexpr std::size_t kLargestRequest = 0x7fffffff;  // limit of a protobuf message
constexpr double kGraceSeconds = 5;

// The file of the program that is not text; no compiler would accept it, and no message can contain it.
std::string not_text(const proto::ExecutionRequest& request) {
  if (!is_utf8(request.source())) return "kernel.cpp";
  if (!is_utf8(request.module().text())) return "the answer";
  for (const proto::ProjectFile& file : request.project())
    if (!is_utf8(file.path()) || !is_utf8(file.content())) return readable_utf8(file.path());
  return {};
}

class ChildSandbox : public Sandbox {
 public:
  explicit ChildSandbox(SandboxOptions options) : options_(std::move(options)) {
    if (options_.program.empty()) options_.program = (program_folder() / "kgtrain-sandbox").string();
  }
  ~ChildSandbox() override { end_child(); }

  proto::ExecutionResult execute(const proto::ExecutionRequest& request) override {
    try {
      if (request.ByteSizeLong() > kLargestRequest)
        throw Error("a request of " + std::to_string(request.ByteSizeLong()) + " bytes, at most " +
                        std::to_string(kLargestRequest) + " can be sent",
                    "sandbox", "split the cases over several requests");
      if (const std::string what = not_text(request); !what.empty()) {
        proto::ExecutionResult result;
        result.set_compiler_output(what + ": error: the source is not UTF-8 text\n");
        return result;
      }
      start_child();
      limit_wait(request);
      proto::ExecutionResult result;
      proto::write_framed(socket_.number(), request);
      if (!proto::read_framed(socket_.number(), result))
        throw Error("kgtrain-sandbox ended during a request", options_.program, "look at its log above",
                    Error::Kind::kFailed);
      return result;
    } catch (const std::exception& error) {
      end_child();
      proto::ExecutionResult result;
      const auto* ours = dynamic_cast<const Error*>(&error);
      result.set_sandbox_error(ours != nullptr ? ours->full_message() : error.what());
      return result;
    }
  }

  void start() override {
    try {
      start_child();
    } catch (const Error&) {
      end_child();
    }
  }

 private:
  void start_child() {
    if (child_.started() && !child_.ended()) return;  // otherwise it died between two requests
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw Error(std::string("cannot make a socket: ") + std::strerror(errno), "sandbox", "close some files",
                  Error::Kind::kEnvironment);
    socket_ = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    ChildCommand command{.words = {options_.program, "serve", "--descriptor", std::to_string(theirs.number())},
                         .kept = {theirs.number()},
                         .hint = "build or install kgtrain-sandbox beside this program"};
    if (options_.allow_less_isolation) command.words.emplace_back("--allow-less-isolation");
    if (!options_.cache_folder.empty()) command.words.insert(command.words.end(), {"--cache", options_.cache_folder});
    if (!options_.python.empty()) command.words.insert(command.words.end(), {"--python", options_.python});
    try {
      child_ = ChildProcess(command);
    } catch (const Error& error) {
      throw Error(std::string("cannot start the sandbox: ") + error.what(), error.where(), error.hint(), error.kind());
    }
  }

  // A child that hangs is a sandbox fault, like one that dies.
  void limit_wait(const proto::ExecutionRequest& request) {
    const auto limits = with_default_limits(request.limits());
    const double seconds =
        kSlackSeconds + kMostStretch * (2 * limits.compile_seconds() + limits.run_seconds() * request.cases_size());
    const timeval longest{static_cast<time_t>(seconds), 0};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof(longest));
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof(longest));
  }

  void end_child() {
    socket_.close();
    // It ends by itself when the socket closes, and removes its scratch folder; a kill only leaves that to the next
    // sandbox.
    child_.wait_for(kGraceSeconds);
    child_.kill();
  }

  SandboxOptions options_;
  ChildProcess child_;
  Descriptor socket_;
};

}  // namespace

std::unique_ptr<Sandbox> start_sandbox(const SandboxOptions& options) {
  return std::make_unique<ChildSandbox>(options);
}

}  // namespace kg::sandbox
