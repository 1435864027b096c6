#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"

namespace kg::rollout {

// Where a run's coordinator listens now, for workers that are told the run's folder: RUN/coordinator.json, replaced
// whenever a coordinator starts. When the run has ended it says so, for nodes that come too late.
struct Rendezvous {
  std::string run;
  std::uint64_t lineage = 0;
  std::string endpoint;         // of this host and user
  std::string remote_endpoint;  // empty: the run listens for no other hosts
  std::string server_public;    // CURVE key of the remote endpoint
  std::string judge_version;
  std::uint32_t protocol = 0;
  std::string host;  // filled in by write_rendezvous
  bool finished = false;
};

void write_rendezvous(const fs::path& run_folder, const Rendezvous& rendezvous);
void mark_run_finished(const fs::path& run_folder);
// Nothing if the run has not begun. Throws Error if the file is not one of these.
std::optional<Rendezvous> read_rendezvous(const fs::path& run_folder);

// The endpoint for a worker of this host: the local one if the coordinator is on it, else the remote one. Throws
// Error if the run listens for no other hosts.
std::string endpoint_for_this_host(const Rendezvous& rendezvous, const fs::path& run_folder);
// The same of the run in the folder. Throws Error also if it has not begun, or has ended.
std::string endpoint_of_run(const fs::path& run_folder);

// An address that stands for all of the host's (tcp://0.0.0.0:PORT) with the host's name in its place.
std::string with_host_name(const std::string& endpoint);

}  // namespace kg::rollout
