#include "rollout/rendezvous.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/host_name.h"

namespace kg::rollout {
namespace {

fs::path file_of(const fs::path& run_folder) { return run_folder / "coordinator.json"; }

}  // namespace

void write_rendezvous(const fs::path& run_folder, const Rendezvous& rendezvous) {
  const nlohmann::json json{{"run", rendezvous.run},
                            {"lineage", rendezvous.lineage},
                            {"endpoint", rendezvous.endpoint},
                            {"remote_endpoint", rendezvous.remote_endpoint},
                            {"server_public", rendezvous.server_public},
                            {"judge_version", rendezvous.judge_version},
                            {"protocol", rendezvous.protocol},
                            {"finished", rendezvous.finished},
                            {"host", host_name()},
                            {"pid", ::getpid()},
                            {"time", static_cast<double>(epoch_microseconds()) * 1e-6}};
  write_file_durably(file_of(run_folder), json.dump(2) + "\n");
}

std::optional<Rendezvous> read_rendezvous(const fs::path& run_folder) {
  const fs::path file = file_of(run_folder);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  const auto json = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw Error("not a coordinator's file", file.string(), "start the run again");
  return Rendezvous{.run = json.value("run", ""),
                    .lineage = json.value("lineage", std::uint64_t{0}),
                    .endpoint = json.value("endpoint", ""),
                    .remote_endpoint = json.value("remote_endpoint", ""),
                    .server_public = json.value("server_public", ""),
                    .judge_version = json.value("judge_version", ""),
                    .protocol = json.value("protocol", std::uint32_t{0}),
                    .host = json.value("host", ""),
                    .finished = json.value("finished", false)};
}

void mark_run_finished(const fs::path& run_folder) {
  auto rendezvous = read_rendezvous(run_folder);
  if (!rendezvous) return;
  rendezvous->finished = true;
  write_rendezvous(run_folder, *rendezvous);
}

std::string endpoint_for_this_host(const Rendezvous& rendezvous, const fs::path& run_folder) {
  if (rendezvous.host == host_name()) return rendezvous.endpoint;
  if (rendezvous.remote_endpoint.empty())
    throw Error("the run on " + rendezvous.host + " listens for no other hosts", file_of(run_folder).string(),
                "start the run with --bind tcp://ADDRESS:PORT");
  return rendezvous.remote_endpoint;
}

std::string endpoint_of_run(const fs::path& run_folder) {
  const auto rendezvous = read_rendezvous(run_folder);
  if (!rendezvous)
    throw Error("no coordinator of this run is known", file_of(run_folder).string(),
                "start the run, or wait until it has started", Error::Kind::kEnvironment);
  if (rendezvous->finished)
    throw Error("the run has ended", file_of(run_folder).string(), "nothing is left to do for it",
                Error::Kind::kFailed);
  return endpoint_for_this_host(*rendezvous, run_folder);
}

std::string with_host_name(const std::string& endpoint) {
  for (const std::string all : {"tcp://0.0.0.0:", "tcp://[::]:", "tcp://*:"})
    if (endpoint.starts_with(all)) return "tcp://" + host_name() + ":" + endpoint.substr(all.size());
  return endpoint;
}

}  // namespace kg::rollout
