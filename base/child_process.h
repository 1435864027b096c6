#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"

namespace kg {

// A program to start beside this one. No shell sees it: the words reach the program as they are.
struct ChildCommand {
  // What a standard stream is in the child: a descriptor of this process, or one of these.
  static constexpr int kNothing = -1;       // /dev/null
  static constexpr int kPipe = -2;          // the other end is ChildProcess::input() or output()
  static constexpr int kSameAsOutput = -3;  // standard error only: joins the output

  std::vector<std::string> words;        // the program, looked for in $PATH unless it holds a slash, and its arguments
  std::vector<std::string> environment;  // "NAME=value", added to this process's own
  bool bare_environment = false;         // give the child only the variables of `environment`
  fs::path folder;                       // working folder; empty: this process's own

  int input = STDIN_FILENO, output = STDOUT_FILENO, errors = STDERR_FILENO;
  std::vector<int> kept;  // more descriptors to pass on; the child has them under the same numbers

  enum class Group { kOurs, kOwn, kOwnSession };  // kOwn: a terminal's Ctrl-C does not reach it
  Group group = Group::kOurs;
  // The kernel kills the child when the thread that starts it ends, so that nothing is left of a killed program.
  bool dies_with_this_thread = false;
  std::string hint;  // hint of the Error if the program cannot be started; empty: free processes or memory
};

// How a process ended.
struct ChildEnd {
  int status = 0;  // as waitpid(2) gives it
  bool success() const { return status == 0; }
  std::string text() const;  // "exit status 1", "signal 9"
};

// A running child. It is forked, so that what posix_spawn(3) lacks can be set up: between fork and exec the child makes
// only calls that are safe where other threads hold locks, and says over a pipe of its own why it could not be started.
//
// Who ends it: wait_for() and ended() reap a child that ends by itself; kill() and the destructor send SIGKILL and
// reap.
class ChildProcess {
 public:
  ChildProcess() = default;                            // no child
  explicit ChildProcess(const ChildCommand& command);  // throws Error with the reason if it cannot be started
  ~ChildProcess() { kill(); }
  ChildProcess(ChildProcess&& other) noexcept { swap(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    ChildProcess(std::move(other)).swap(*this);
    return *this;
  }

  pid_t pid() const { return pid_; }  // process id; -1: no child
  bool started() const { return pid_ > 0; }
  Descriptor& input() { return input_; }    // a socket: write with send_fully()
  Descriptor& output() { return output_; }  // read end of a pipe

  // How the child ended, once it has.
  std::optional<ChildEnd> ended();
  // Waits at most this long for the child to end.
  std::optional<ChildEnd> wait_for(double seconds);
  ChildEnd wait();

  void signal(int number) const;        // sends a signal to the child, if it is still running
  void signal_group(int number) const;  // sends a signal to the child's whole group, which it must lead
  void kill();                          // kills the child, waits for its end, and closes the pipes

 private:
  void swap(ChildProcess& other) noexcept;

  pid_t pid_ = -1;
  std::optional<ChildEnd> end_;
  Descriptor input_, output_;
};

// Runs a command until it ends. Its output is kept if `command.output` is a pipe.
struct FinishedChild {
  ChildEnd end;
  std::string output;
};
FinishedChild run_child(const ChildCommand& command);

}  // namespace kg
