#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "rollout/local_fleet.h"
#include "rollout/rendezvous.h"

namespace kg::rollout {

// Theory of operation. A node is a host's share of a run: one generator, the workers beside it, and one copy of each
// version of the weights, all kept running by this process. It learns from RUN/coordinator.json where the run's learner
// is, now and whenever it comes back elsewhere (each worker reads that file at each connection), and ends when the file
// says that the run has ended. What it is doing stands in RUN/nodes/NAME/node.json, its logs in RUN/nodes/NAME/logs.
struct NodeOptions {
  fs::path run_folder;  // of the run, where this host sees it
  std::string name;     // of the node, unique in the run; its workers are called NAME/worker-0, ...
  unsigned workers = 1;
  std::string model;     // for the generator; empty: the one that the run began with
  fs::path keys_folder;  // empty: RUN/keys
  std::string key_name = "node";
  fs::path weights_cache;
  double patience_seconds = 3600;                // without a coordinator
  std::vector<std::string> generator_arguments;  // besides those that follow from the run
  std::vector<std::string> worker_arguments;
  fs::path programs;  // empty: the folder of the running program
};

enum class NodeEnd { kRunEnded, kStopped };

// Until the run has ended or `stop_descriptor` becomes readable: then leases go back. Waits for a run that has not
// begun. Throws Error if this host cannot work for the run (no key, another judge, no model), if nobody is heard of for
// too long, or if generator or workers cannot live.
NodeEnd run_node(const NodeOptions& options, int stop_descriptor);

// Throws Error if this host may not work for the coordinator: no key, another key, another judge or protocol.
void require_fit(const NodeOptions& options, const Rendezvous& rendezvous);

}  // namespace kg::rollout
