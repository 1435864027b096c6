#include "cli/command.h"

namespace kg::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"sft", "supervised fine-tuning on Ascend-CoT samples", &run_learner},
      {"rl", "reinforcement learning from what the model's kernels do when compiled and run", &run_learner},
      {"dpo", "preference training from stored rollouts", &run_learner},
      {"eval", "compile and correct rates of a model, or of answers given, with intervals", &run_eval},
      {"generate", "answer one prompt with a model", &run_learner},
      {"export", "write a model as a Hugging Face directory", &run_learner},
      {"bench", "measure the policy engine", &run_learner},
      {"data", "build, import, describe, pack and export data sets", &run_data},
      {"tasks", "list and show the tasks of a data set", &run_tasks},
      {"judge", "judge one kernel, or many, on tasks of a data set", &run_judge},
      {"dsl", "lower a program in the DSL to Ascend C", &run_dsl},
      {"report", "one HTML page about a run", &run_report},
      {"status", "what a run is doing", &run_status},
      {"doctor", "what this machine has and lacks", &run_doctor},
  };
  return table;
}

}  // namespace kg::cli
