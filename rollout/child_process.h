#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace kg::rollout {

// A program started beside this one. It gets a process group of its own (a terminal's Ctrl-C does not reach it), no
// input, and its output goes to the end of `log`. The kernel kills it when the thread that started it ends, so that
// nothing is left of a killed learner.
class ChildProcess {
 public:
  // Throws Error if the program is not there.
  static ChildProcess start(const fs::path& program, const std::vector<std::string>& arguments, const fs::path& log);

  pid_t pid() const { return pid_; }
  // How it ended ("exit status 1", "signal 9"), once it has; reaps it.
  std::optional<std::string> ended();
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
  std::optional<std::string> end_;
};

}  // namespace kg::rollout
