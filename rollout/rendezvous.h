#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"

namespace kg::rollout {

// Where a run's coordinator listens now, for workers that are told the run's folder: RUN/coordinator.json, replaced
// whenever a coordinator starts, removed when the run has ended.
struct Rendezvous {
  std::string run;
  std::uint64_t lineage = 0;
  std::string endpoint;         // of this host and user
  std::string remote_endpoint;  // empty: the run listens for no other hosts
  std::string server_public;    // CURVE key of the remote endpoint
};

void write_rendezvous(const fs::path& run_folder, const Rendezvous& rendezvous);
void remove_rendezvous(const fs::path& run_folder);
// The endpoint for a worker of this host: the local one if the file was written on it, else the remote one. Throws
// Error if the run has none.
std::string endpoint_of_run(const fs::path& run_folder);

// An address that stands for all of the host's (tcp://0.0.0.0:PORT) with the host's name in its place.
std::string with_host_name(const std::string& endpoint);

}  // namespace kg::rollout
