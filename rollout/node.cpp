#include "rollout/node.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/host_name.h"
#include "base/log.h"
#include "proto/frame.h"
#include "reward/judge_version.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"

namespace kg::rollout {
namespace {

constexpr int kLookEveryMilliseconds = 500;
constexpr double kReportEverySeconds = 5;

// True when it is time to stop.
bool wait_for_stop(int stop_descriptor, int milliseconds) {
  pollfd item{.fd = stop_descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&item, 1, milliseconds) > 0;
}

fs::path folder_of(const NodeOptions& options) { return options.run_folder / "nodes" / options.name; }

// What `kgtrain status` and `report` show of the node.
void report(const NodeOptions& options, const std::string& state, const std::vector<FleetMember>& members) {
  nlohmann::json processes = nlohmann::json::array();
  std::uint32_t restarts = 0;
  for (const FleetMember& member : members) {
    restarts += member.restarts;
    processes.push_back(
        {{"name", member.name}, {"pid", member.pid}, {"restarts", member.restarts}, {"last_end", member.last_end}});
  }
  const auto from_slurm = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const nlohmann::json json{{"state", state},
                            {"host", host_name()},
                            {"pid", ::getpid()},
                            {"workers", options.workers},
                            {"restarts", restarts},
                            {"processes", processes},
                            {"job", from_slurm("SLURM_JOB_ID")},
                            {"attempt", from_slurm("SLURM_RESTART_COUNT")},
                            {"time", static_cast<double>(epoch_microseconds()) * 1e-6}};
  try {
    write_file_atomically(folder_of(options) / "node.json", json.dump() + "\n");
  } catch (const Error& error) {  // a full disk of the run's folder is no reason to end the work
    spdlog::warn("{}", error.full_message());
  }
}

nlohmann::json config_of_run(const fs::path& run_folder) {
  const fs::path file = run_folder / "config.json";
  const auto json =
      fs::exists(file) ? nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false) : nlohmann::json();
  if (!json.is_object())
    throw Error("the run has no configuration", file.string(), "start the run again; give --run its folder");
  return json;
}

// The generator computes as the run's own does, unless the node's options say otherwise.
std::vector<std::string> generator_arguments(const NodeOptions& options, const nlohmann::json& config) {
  const nlohmann::json run = config.value("options", nlohmann::json::object());
  std::string dtype = run.value("sampling-dtype", "auto");
  if (dtype == "auto") dtype = run.value("dtype", "auto");
  std::vector<std::string> arguments{"--dtype", dtype};
  arguments.insert(arguments.end(), options.generator_arguments.begin(), options.generator_arguments.end());
  return arguments;
}

std::string model_of(const NodeOptions& options, const nlohmann::json& config) {
  const std::string model = options.model.empty() ? config.value("model", "") : options.model;
  if (options.model.empty() && !fs::exists(model))
    throw Error("the model that the run began with is not on this host", model, "give --model with its path here",
                Error::Kind::kEnvironment);
  return model;
}

LocalFleetOptions fleet_of(const NodeOptions& options, const fs::path& scratch) {
  const nlohmann::json config = config_of_run(options.run_folder);
  LocalFleetOptions fleet{.run_folder = scratch,
                          .logs = folder_of(options) / "logs",
                          .model = model_of(options, config),
                          .workers = options.workers,
                          .prefix = options.name + "/",
                          .generator_arguments = generator_arguments(options, config),
                          .programs = options.programs};
  fleet.worker_arguments = {"--run",
                            options.run_folder.string(),
                            "--keys",
                            options.keys_folder.string(),
                            "--key-name",
                            options.key_name,
                            "--weights-cache",
                            options.weights_cache.string(),
                            "--give-up-seconds",
                            std::to_string(options.patience_seconds)};
  // Inputs and expected outputs of tasks that have them in the data set, where this host sees it.
  if (const std::string data = config.value("data", ""); fs::exists(data))
    fleet.worker_arguments.insert(fleet.worker_arguments.end(), {"--cases", data});
  fleet.worker_arguments.insert(fleet.worker_arguments.end(), options.worker_arguments.begin(),
                                options.worker_arguments.end());
  return fleet;
}

// Waits until the run has a coordinator. Nothing if asked to stop.
std::optional<Rendezvous> wait_for_run(const NodeOptions& options, int stop_descriptor) {
  const double deadline = monotonic_seconds() + options.patience_seconds;
  for (bool said = false;; said = true) {
    if (auto found = read_rendezvous(options.run_folder)) return found;
    if (!said) spdlog::info("waiting for the learner of {}", options.run_folder.string());
    if (monotonic_seconds() > deadline)
      throw Error("the run has had no learner for " + std::to_string(static_cast<int>(options.patience_seconds)) + " s",
                  options.run_folder.string(), "start its learner, or raise --patience-seconds", Error::Kind::kFailed);
    report(options, "waiting", {});
    if (wait_for_stop(stop_descriptor, 1000)) return std::nullopt;
  }
}

}  // namespace

void require_fit(const NodeOptions& options, const Rendezvous& run) {
  if (run.protocol != 0 && run.protocol != proto::kProtocolVersion)
    throw Error("the run speaks protocol " + std::to_string(run.protocol) + ", this program " +
                    std::to_string(proto::kProtocolVersion),
                options.run_folder.string(), "install the same version of kgtrain on both hosts",
                Error::Kind::kEnvironment);
  if (const std::string judge = reward::judge_version(); !run.judge_version.empty() && run.judge_version != judge)
    throw Error("the run has judge version " + run.judge_version + ", this host " + judge, options.run_folder.string(),
                "install the same kgtrain and the same clang++ on both hosts (kgtrain doctor says what the version is "
                "made of)",
                Error::Kind::kEnvironment);
  if (!is_remote(endpoint_for_this_host(run, options.run_folder))) return;  // no keys within a host
  const fs::path key = options.keys_folder / (options.key_name + ".key"), server = options.keys_folder / "server.pub";
  for (const fs::path& file : {key, server})
    if (!fs::exists(file))
      throw Error("a node on another host needs CURVE keys, and one is missing", file.string(),
                  "kgtrain submit makes them, or: kgtrain-worker keys --out " + options.keys_folder.string() +
                      " --worker " + options.key_name,
                  Error::Kind::kEnvironment);
  worker_public_key(options.keys_folder, options.key_name);  // refuses a file that others may read
  if (const std::string found = read_public_key(server); found != run.server_public)
    throw Error("the run's public key is " + run.server_public + ", the file here has " + found, server.string(),
                "copy server.pub from the run's keys again", Error::Kind::kEnvironment);
}

NodeEnd run_node(const NodeOptions& options, int stop_descriptor) {
  fs::create_directories(folder_of(options));
  const auto run = wait_for_run(options, stop_descriptor);
  if (!run) return NodeEnd::kStopped;
  const auto ended = [&] {
    const auto now = read_rendezvous(options.run_folder);
    return now && now->finished;
  };
  if (ended()) {
    report(options, "finished", {});
    return NodeEnd::kRunEnded;
  }
  require_fit(options, *run);
  // Sockets do not belong on a shared file system.
  const TemporaryFolder scratch("kgtrain-node");
  NodeEnd end = NodeEnd::kStopped;
  {
    LocalFleet fleet(fleet_of(options, scratch.path()));
    spdlog::info("node {} of {}: {} workers, logs in {}", options.name, options.run_folder.string(), options.workers,
                 fleet.logs().string());
    double reported = 0;
    while (!wait_for_stop(stop_descriptor, kLookEveryMilliseconds)) {
      fleet.check();
      if (const double now = monotonic_seconds(); now > reported + kReportEverySeconds) {
        report(options, "running", fleet.members());
        reported = now;
      }
      if (!ended()) continue;
      end = NodeEnd::kRunEnded;
      break;
    }
  }
  report(options, end == NodeEnd::kRunEnded ? "finished" : "stopped", {});
  return end;
}

}  // namespace kg::rollout
