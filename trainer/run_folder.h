#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "trainer/event_file.h"
#include "trainer/run_lease.h"

namespace kg::trainer {

// The folder of one run: lock, lease, config.json, metrics.jsonl, status.json, checkpoints/, model/, logs
// (docs/guide/checkpoints.md).
class RunFolder {
 public:
  // Makes the folder if needed and locks it; throws Error naming the process that has it.
  RunFolder(const fs::path& folder, std::string command);
  const fs::path& path() const { return path_; }
  std::string name() const { return path_.filename().string(); }

  // Throws Error if a learner on another host has taken over the run.
  void require_held() const { lease_.require_held(); }

  void write_config(nlohmann::json config) const;
  nlohmann::json read_config() const;
  // Adds "time" (seconds since the epoch) and appends one line; its numbers go to TensorBoard's event file as well.
  void append_metrics(nlohmann::json line);
  // A resumed run repeats its steps: drops the lines of later steps.
  void drop_metrics_after(std::int64_t step);
  // Adds command, host, pid, time; state is "running", "stopped" or "finished".
  void write_status(const std::string& state, nlohmann::json fields) const;
  // Makes $KGTRAIN_HOME/runs/latest-<command> point here.
  void link_as_latest() const;

 private:
  fs::path path_;
  std::string command_;
  FileLock lock_;
  RunLease lease_;
  EventFile events_;
  double began_;  // in seconds since the epoch
};

}  // namespace kg::trainer
