#include "rollout/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace kg::rollout {

ChildProcess ChildProcess::start(const fs::path& program, const std::vector<std::string>& arguments,
                                 const fs::path& log) {
  if (::access(program.c_str(), X_OK) != 0)
    throw Error("the program " + program.filename().string() + " is not there", program.string(),
                "build or install all programs of kgtrain into one folder", Error::Kind::kEnvironment);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (output < 0)
    throw Error(std::string("cannot write the log: ") + std::strerror(errno), log.string(),
                "check that the folder is writable", Error::Kind::kEnvironment);
  const std::string path = program.string();
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  ChildProcess child;
  child.pid_ = ::fork();
  if (child.pid_ == 0) {  // only async-signal-safe calls from here to exec
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it died before the line above
    ::setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int input = ::open("/dev/null", O_RDONLY);
    ::dup2(input, 0);
    ::dup2(output, 1);
    ::dup2(output, 2);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  const int fork_error = errno;
  ::close(output);
  if (child.pid_ < 0)
    throw Error(std::string("cannot start a process: ") + std::strerror(fork_error), path,
                "end other processes, or raise the limit of processes", Error::Kind::kEnvironment);
  return child;
}

std::optional<std::string> ChildProcess::ended() {
  if (end_) return end_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  end_ = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit status " + std::to_string(WEXITSTATUS(status));
  return end_;
}

void ChildProcess::signal(int number) const {
  if (!end_) ::kill(pid_, number);
}

}  // namespace kg::rollout
