#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/options.h"

namespace kg::cli {

// The request `kgtrain submit COMMAND`: how Slurm should run it, and the words of the command itself.
struct SubmitRequest {
  std::string command;
  int nodes = 1;
  int workers_per_node = 0;  // 0: not given
  int learners = 1;
  std::string time = "24:00:00", partition, account, qos, gpus, memory;
  int cpus = 0;
  int grace = 120;
  int port = 0;
  std::vector<std::string> sbatch, node_sbatch, setup, node_options;
  std::string templates;
  bool dry_run = false;

  fs::path run;                    // the run's folder; for data, the folder beside the data set that keeps its parts
  fs::path data;                   // data: the data set to make
  std::vector<std::string> words;  // the command's words, without --out and --resume
};

// The options of submit itself; the command's own options are accepted as well.
Options declare_submit(SubmitRequest& request);

// Splits the words between submit and the command, and checks both. The command's own declaration checks its words,
// so a mistake is found before the job waits in a queue. False if --help was printed.
bool parse_submit(const std::string& command, int argc, const char* const* argv, SubmitRequest& request);

}  // namespace kg::cli
