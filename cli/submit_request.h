#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/options.h"

namespace kg::cli {

// What `kgtrain submit COMMAND` was asked for: how Slurm shall run it, and the words of the command itself.
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

  fs::path run;   // the run's folder; of data the folder beside the data set that its parts are kept in
  fs::path data;  // data: the data set to make
  std::vector<std::string> words;  // of the command, without --out and --resume
};

// What submit itself has; the options of the command are taken besides.
Options declare_submit(SubmitRequest& request);

// Divides the words between submit and the command, and checks both: the command's are checked by its own declaration,
// so that a wrong one is found before the job waits in a queue. False if --help was printed.
bool parse_submit(const std::string& command, int argc, const char* const* argv, SubmitRequest& request);

}  // namespace kg::cli
