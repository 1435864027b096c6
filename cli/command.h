#pragma once

#include <vector>

namespace kg::cli {

// One `kgtrain NAME`. argv[0] is the command's name. Throws kg::Error; returns the exit status.
struct Command {
  const char* name;
  const char* summary;  // one line of `kgtrain --help`
  int (*run)(int argc, const char* const* argv);
};

// In the order of the help text. Each function lies in the file named after its command: run_judge in cli/judge.cpp.
const std::vector<Command>& commands();

// Becomes kgtrain-learner, which links LibTorch, with the same words.
int run_learner(int argc, const char* const* argv);
int run_data(int argc, const char* const* argv);
int run_tasks(int argc, const char* const* argv);
int run_judge(int argc, const char* const* argv);
int run_report(int argc, const char* const* argv);
int run_status(int argc, const char* const* argv);
int run_doctor(int argc, const char* const* argv);
int run_dsl(int argc, const char* const* argv);
// With --answers or --show here, without LibTorch; otherwise it becomes kgtrain-learner.
int run_eval(int argc, const char* const* argv);

}  // namespace kg::cli
