#include "sandbox/compiler/compile_outcome.h"

#include <signal.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/error.h"

namespace kg::sandbox {

CompileOutcome judge_compiler(const JobOutcome& outcome, std::string output, const proto::ResourceLimits& limits,
                              const std::string& compiler, const WorkFolder& work) {
  const auto fault = [](const std::string& what) {
    return Error(what, "compiling a kernel", "run kgtrain doctor", Error::Kind::kEnvironment);
  };
  if (outcome.owner_gone) throw fault("the caller is gone");
  if (!outcome.cell_lost.empty()) throw fault("the compiler's cell was lost: " + outcome.cell_lost);
  if (outcome.end.start_error != 0)
    throw fault("cannot start " + compiler + ": " + std::strerror(outcome.end.start_error));

  CompileOutcome judged{.compiled = false, .output = std::move(output)};
  if (outcome.output_truncated) judged.output += "\n[output cut off]\n";
  const int status = outcome.end.wait_status;
  if (!outcome.timed_out && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    judged.compiled = true;
    return judged;
  }
  if (outcome.host_was_busy) throw fault(outcome.starved("the compiler"));
  // A compiler that cannot write may also report an ordinary error.
  if (const std::string why = work.write_failure(); !why.empty()) throw fault(why);
  std::string reason;
  const bool out_of_time = outcome.end.cpu_microseconds >= limits.compile_seconds() * 1e6;
  if (outcome.timed_out || (!WIFEXITED(status) && out_of_time))
    reason = "the compiler was stopped at the time limit of " + fmt::format("{:g}", limits.compile_seconds()) + " s";
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    throw fault("the compiler was killed by the host");
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
    reason = "the compiled file is larger than the limit of " + std::to_string(limits.file_bytes()) + " bytes";
  else if (WIFSIGNALED(status) || WEXITSTATUS(status) > 1)
    reason =
        "the compiler crashed or ran out of its memory of " + std::to_string(limits.compile_memory_bytes()) + " bytes";
  if (!reason.empty())
    judged.output +=
        (judged.output.empty() || judged.output.back() == '\n' ? "" : "\n") + ("kernel.cpp: " + reason + "\n");
  return judged;
}

void take_compiled(const fs::path& made, const fs::path& to, mode_t mode) {
  struct stat info{};
  if (::lstat(made.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    throw Error("the compiler left no file", made.string(), "run kgtrain doctor", Error::Kind::kFailed);
  const fs::path temporary = to.string() + ".tmp" + std::to_string(::getpid());
  std::error_code error;
  fs::copy_file(made, temporary, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(temporary, to, error);
  if (error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw Error("cannot keep a compiled file: " + error.message(), to.string(), "free disk space",
                Error::Kind::kEnvironment);
  }
  ::chmod(to.c_str(), mode);
}

}  // namespace kg::sandbox
