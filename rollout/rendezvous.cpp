#include "rollout/rendezvous.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"

namespace kg::rollout {
namespace {

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

fs::path file_of(const fs::path& run_folder) { return run_folder / "coordinator.json"; }

}  // namespace

void write_rendezvous(const fs::path& run_folder, const Rendezvous& rendezvous) {
  const nlohmann::json json{{"run", rendezvous.run},
                            {"lineage", rendezvous.lineage},
                            {"endpoint", rendezvous.endpoint},
                            {"remote_endpoint", rendezvous.remote_endpoint},
                            {"server_public", rendezvous.server_public},
                            {"host", host_name()},
                            {"pid", ::getpid()},
                            {"time", static_cast<double>(epoch_microseconds()) * 1e-6}};
  write_file_durably(file_of(run_folder), json.dump(2) + "\n");
}

void remove_rendezvous(const fs::path& run_folder) {
  std::error_code ignored;
  fs::remove(file_of(run_folder), ignored);
}

std::string endpoint_of_run(const fs::path& run_folder) {
  const fs::path file = file_of(run_folder);
  if (!fs::exists(file))
    throw Error("no coordinator of this run is known", file.string(), "start the run, or wait until it has started",
                Error::Kind::kEnvironment);
  const auto json = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw Error("not a coordinator's file", file.string(), "start the run again");
  if (json.value("host", "") == host_name()) return json.value("endpoint", "");
  const std::string remote = json.value("remote_endpoint", "");
  if (remote.empty())
    throw Error("the run on " + json.value("host", "?") + " listens for no other hosts", file.string(),
                "start the run with --bind tcp://ADDRESS:PORT");
  return remote;
}

std::string with_host_name(const std::string& endpoint) {
  for (const std::string all : {"tcp://0.0.0.0:", "tcp://[::]:", "tcp://*:"})
    if (endpoint.starts_with(all)) return "tcp://" + host_name() + ":" + endpoint.substr(all.size());
  return endpoint;
}

}  // namespace kg::rollout
