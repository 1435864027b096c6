#pragma once

#include <string>
#include <vector>

namespace kg::cli {

// One `kgtrain NAME`. argv[0] is the command's name. Throws kg::Error; returns the exit status.
struct Command {
  std::string name;
  std::string summary;  // one line of `kgtrain --help`
  int (*run)(int argc, const char* const* argv);
};

// In the order of the help text. Each function is in the file named after its command: run_judge in cli/judge.cpp.
const std::vector<Command>& commands();

// The text of a list of commands: one line each.
void print_commands(const std::vector<Command>& table);

// Runs the command of the table that argv[1] names; its argv[0] is the last word of `program` ("kgtrain data").
// --help prints the list, --reference each command's section of docs/reference/cli.md. An unknown name is an Error with
// the nearest one.
int run_one_of(const std::vector<Command>& table, const std::string& program, int argc, const char* const* argv);

// Replaces this process by kgtrain-learner, which links LibTorch, with the same words.
int run_learner(int argc, const char* const* argv);
int run_data(int argc, const char* const* argv);
int run_tasks(int argc, const char* const* argv);
int run_solve(int argc, const char* const* argv);
int run_judge(int argc, const char* const* argv);
int run_serve(int argc, const char* const* argv);
int run_report(int argc, const char* const* argv);
int run_status(int argc, const char* const* argv);
int run_runs(int argc, const char* const* argv);
int run_completion(int argc, const char* const* argv);
int run_doctor(int argc, const char* const* argv);
int run_dsl(int argc, const char* const* argv);
int run_submit(int argc, const char* const* argv);
int run_node(int argc, const char* const* argv);
// Runs here, without LibTorch, if --answers or --show is given; otherwise becomes kgtrain-learner.
int run_eval(int argc, const char* const* argv);

}  // namespace kg::cli
