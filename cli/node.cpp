#include "rollout/node.h"

#include <cstdlib>
#include <regex>

#include "base/error.h"
#include "base/exit_status.h"
#include "base/host_name.h"
#include "base/options.h"
#include "base/stop_event.h"
#include "cli/command.h"
#include "cli/run_record.h"

namespace kg::cli {
namespace {

// Several nodes of one Slurm cluster may have one host name, and one host several members of an array.
std::string default_name() {
  const char* node = std::getenv("SLURMD_NODENAME");
  return node != nullptr ? node : host_name();
}

}  // namespace

int run_node(int argc, const char* const* argv) {
  std::string run, keys, cache, device;
  int workers = 1, threads = 0;
  rollout::NodeOptions node;
  Options options("kgtrain node",
                  "Does one host's share of a run: keeps a generator and its workers running until the run ends.");
  options.add("run", run, "folder of the run as this host sees it, or its name").required();
  options.add("workers", workers, "worker processes on this host").range(1, 4096);
  options.add("name", node.name, "name of this node, unique in the run; default: the host's name");
  options.add("model", node.model, "model of the generator; default: the model that the run began with");
  options.add("keys", keys, "folder with server.pub and this node's key; default: keys in the run folder");
  options.add("key-name", node.key_name, "NAME of the key file NAME.key");
  options.add("weights-cache", cache, "folder on this host for the run's weights [$KGTRAIN_HOME/weights-cache]");
  options.add("device", device, "where the generator computes: cpu, cuda, cuda:N, npu, npu:N; default: cpu");
  options.add("threads", threads, "computing threads of the generator; 0 = one per core").range(0, 1024);
  options.add("generator-option", node.generator_arguments, "one word to add to the generator's command line");
  options.add("worker-option", node.worker_arguments, "one word to add to each worker's command line");
  options.add("patience-seconds", node.patience_seconds, "exit after this many seconds without the run's learner")
      .range(1, 1e9);
  if (!options.parse(argc, argv)) return 0;
  if (!std::regex_match(device, std::regex("(cpu|(cuda|npu)(:[0-9]+)?)?")))
    throw Error("there is no device \"" + device + "\"", "--device", "cpu, cuda, cuda:1, npu or npu:1");
  node.run_folder = find_run(run);
  node.workers = static_cast<unsigned>(workers);
  if (node.name.empty()) node.name = default_name();
  node.keys_folder = keys.empty() ? node.run_folder / "keys" : fs::path(keys);
  node.weights_cache = cache.empty() ? kgtrain_home() / "weights-cache" : fs::path(cache);
  if (!device.empty()) node.generator_arguments.insert(node.generator_arguments.begin(), {"--device", device});
  if (threads > 0)
    node.generator_arguments.insert(node.generator_arguments.begin(), {"--threads", std::to_string(threads)});
  return rollout::run_node(node, stop_event()) == rollout::NodeEnd::kRunEnded ? 0 : kStoppedStatus;
}

}  // namespace kg::cli
