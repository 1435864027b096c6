#include "base/child_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

extern char** environ;

namespace kg {
namespace {

Error cannot(const std::string& what, const std::string& program) {
  return Error(what + ": " + std::strerror(errno), program, "free memory, processes or descriptors on this host",
               Error::Kind::kEnvironment);
}

// Above the standard streams, which are filled from it one after the other.
Descriptor raised(int number) {
  if (number > STDERR_FILENO || number < 0) return Descriptor(number);
  const Descriptor low(number);
  return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

// Two connected ends, both closed on exec.
struct Ends {
  Descriptor ours, theirs;
};

Ends pipe_from_child(const std::string& program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw cannot("cannot make a pipe", program);
  return {raised(ends[0]), raised(ends[1])};
}

// A socket pair, since writing to a pipe without a reader raises SIGPIPE in the whole process.
Ends pipe_to_child(const std::string& program) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw cannot("cannot make a socket", program);
  ::shutdown(ends[0], SHUT_RD);
  return {raised(ends[0]), raised(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_of(const ChildCommand& command) {
  std::vector<std::string> made = command.environment;
  if (command.bare_environment) return made;
  for (char** own = environ; own != nullptr && *own != nullptr; ++own) {
    const std::string_view name(*own, std::strcspn(*own, "=") + 1);
    const bool replaced = std::any_of(command.environment.begin(), command.environment.end(),
                                      [&](const std::string& text) { return text.starts_with(name); });
    if (!replaced) made.emplace_back(*own);
  }
  return made;
}

// All that the child needs between fork and exec, made before the fork.
struct Prepared {
  std::vector<char*> words, environment;
  int streams[3];
  const std::vector<int>& kept;
  const char* folder;  // null: stays
  ChildCommand::Group group;
  bool dies_with_parent;
  pid_t parent;
  int report;  // where errno goes if exec fails
};

bool take_place(const Prepared& prepared) {
  for (int i = 0; i < 3; ++i) {
    const int from = prepared.streams[i];
    if (from == i ? ::fcntl(i, F_SETFD, 0) < 0 && errno != EBADF : ::dup2(from, i) < 0) return false;
  }
  for (const int kept : prepared.kept)
    if (::fcntl(kept, F_SETFD, 0) < 0) return false;
  return prepared.folder == nullptr || ::chdir(prepared.folder) == 0;
}

// The child. Only calls that are safe after the fork of a process with threads (execvpe of glibc takes no lock).
[[noreturn]] void become(const Prepared& prepared) {
  if (prepared.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != prepared.parent) ::_exit(127);  // it died before the line above
  }
  if (prepared.group == ChildCommand::Group::kOwn) ::setpgid(0, 0);
  if (prepared.group == ChildCommand::Group::kOwnSession) ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (take_place(prepared)) ::execvpe(prepared.words[0], prepared.words.data(), prepared.environment.data());
  const int why = errno;
  [[maybe_unused]] const ssize_t told = ::write(prepared.report, &why, sizeof(why));
  ::_exit(127);
}

}  // namespace

std::string ChildEnd::text() const {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit status " + std::to_string(WEXITSTATUS(status));
}

ChildProcess::ChildProcess(const ChildCommand& command) {
  const std::string& program = command.words.at(0);
  const std::vector<std::string> environment = environment_of(command);
  const Descriptor nothing = raised(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Ends to_child, from_child;
  if (command.input == ChildCommand::kPipe) to_child = pipe_to_child(program);
  if (command.output == ChildCommand::kPipe) from_child = pipe_from_child(program);
  Ends report = pipe_from_child(program);

  Prepared prepared{.words = pointers(command.words),
                    .environment = pointers(environment),
                    .streams = {command.input, command.output, command.errors},
                    .kept = command.kept,
                    .folder = command.folder.empty() ? nullptr : command.folder.c_str(),
                    .group = command.group,
                    .dies_with_parent = command.dies_with_this_thread,
                    .parent = ::getpid(),
                    .report = report.theirs.number()};
  if (command.input == ChildCommand::kPipe) prepared.streams[0] = to_child.theirs.number();
  if (command.output == ChildCommand::kPipe) prepared.streams[1] = from_child.theirs.number();
  if (command.errors == ChildCommand::kSameAsOutput) prepared.streams[2] = STDOUT_FILENO;
  for (int& stream : prepared.streams)
    if (stream == ChildCommand::kNothing) stream = nothing.number();

  pid_ = ::fork();
  if (pid_ == 0) become(prepared);
  if (pid_ < 0) throw cannot("cannot start a process", program);
  report.theirs.close();
  int why = 0;
  if (read_fully(report.ours.number(), reinterpret_cast<char*>(&why), sizeof(why)) == sizeof(why)) {
    wait();
    throw Error("cannot start " + fs::path(program).filename().string() + ": " + std::strerror(why), program,
                command.hint.empty() ? "check that it exists and is executable" : command.hint,
                Error::Kind::kEnvironment);
  }
  input_ = std::move(to_child.ours);
  output_ = std::move(from_child.ours);
}

std::optional<ChildEnd> ChildProcess::ended() {
  if (!started() || end_) return end_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_) end_ = ChildEnd{status};
  return end_;
}

std::optional<ChildEnd> ChildProcess::wait_for(double seconds) {
  if (!started() || end_) return end_;
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!process.open()) return ended();
  pollfd ending{process.number(), POLLIN, 0};
  const double deadline = monotonic_seconds() + seconds;
  while (::poll(&ending, 1, static_cast<int>(std::max(0.0, deadline - monotonic_seconds()) * 1000)) < 0 &&
         errno == EINTR) {
  }
  return ended();
}

ChildEnd ChildProcess::wait() {
  int status = 0;
  while (!end_ && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (!end_) end_ = ChildEnd{status};
  return *end_;
}

void ChildProcess::signal(int number) const {
  if (started() && !end_) ::kill(pid_, number);
}

void ChildProcess::signal_group(int number) const {
  if (started() && !end_) ::kill(-pid_, number);
}

void ChildProcess::kill() {
  input_.close();
  output_.close();
  if (!started()) return;
  signal(SIGKILL);
  wait();
  pid_ = -1;
  end_.reset();
}

void ChildProcess::swap(ChildProcess& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(end_, other.end_);
  std::swap(input_, other.input_);
  std::swap(output_, other.output_);
}

FinishedChild run_child(const ChildCommand& command) {
  ChildProcess child(command);
  child.input().close();
  FinishedChild finished;
  char buffer[1 << 14];
  while (child.output().open()) {
    const std::size_t got = read_fully(child.output().number(), buffer, sizeof(buffer));
    finished.output.append(buffer, got);
    if (got < sizeof(buffer)) break;
  }
  finished.end = child.wait();
  return finished;
}

}  // namespace kg
