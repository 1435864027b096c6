#include "trainer/commands.h"

#include <cstdio>

#include "base/error.h"
#include "base/nearest_name.h"
#include "cli/command.h"

namespace kg::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = [] {
    std::vector<Command> all;
    for (const trainer::LearnerCommand& one : trainer::learner_commands())
      all.push_back({one.name, one.summary, std::string(one.name) == "eval" ? &run_eval : &run_learner});
    all.insert(all.end(),
               {{"data", "build, import, describe, pack and export data sets", &run_data},
                {"tasks", "list, show, add and import tasks", &run_tasks},
                {"judge", "judge one kernel, or many, on tasks of a data set", &run_judge},
                {"serve", "run the judge as a service, for other people's trainers", &run_serve},
                {"solve", "have a model write a verified kernel for an operator of yours", &run_solve},
                {"dsl", "lower a program in the DSL to Ascend C", &run_dsl},
                {"submit", "submit jobs to a Slurm cluster: learners, worker nodes, evaluations", &run_submit},
                {"node", "keep a host's workers for a run going until it ends", &run_node},
                {"report", "write an HTML page about a run", &run_report},
                {"status", "show what a run is doing", &run_status},
                {"runs", "list the runs, and delete what they no longer need", &run_runs},
                {"completion", "print completion for bash and zsh, and man pages", &run_completion},
                {"doctor", "report what this machine has and lacks", &run_doctor}});
    return all;
  }();
  return table;
}

void print_commands(const std::vector<Command>& table) {
  for (const Command& command : table) std::printf("  %-10s %s\n", command.name.c_str(), command.summary.c_str());
}

int run_one_of(const std::vector<Command>& table, const std::string& program, int argc, const char* const* argv) {
  const std::string name = argc > 1 ? argv[1] : "--help";
  std::vector<std::string> known;
  for (const Command& command : table) {
    if (name == command.name) return command.run(argc - 1, argv + 1);
    known.push_back(command.name);
  }
  if (name == "--help" || name == "-h") {
    std::printf("Usage: %s COMMAND [options]     %s COMMAND --help\n\n", program.c_str(), program.c_str());
    print_commands(table);
    return 0;
  }
  if (name == "--reference") {
    for (const Command& command : table) {
      const char* const words[] = {command.name.c_str(), "--reference"};
      command.run(2, words);
    }
    return 0;
  }
  const std::string near = nearest_name(name, known);
  throw Error("unknown command \"" + program + " " + name + "\"", program,
              near.empty() ? program + " --help lists the commands" : "did you mean \"" + program + " " + near + "\"?");
}

}  // namespace kg::cli
