#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/file.h"

namespace kg::trainer {

// Theory of operation. A file system lock keeps two learners on one host off the same run, but some network file
// systems do not enforce it between hosts, and a host that Slurm has given up may still run the older learner. So
// the owner of a run writes RUN/lease.json: host, process, Slurm job, a random token, a lineage that grows with each
// holder, and a beat that it increases every few seconds. A second learner asks Slurm whether the file's job is alive;
// without a job it watches whether the beat continues, which needs no common clock. If the owner is gone, it overwrites
// the file with its own. The holder reads the file before each beat: if the token is not its own, it has lost the
// run and ends at once, whatever it is doing; results it has acknowledged are durable.
struct RunLeaseOptions {
  std::string host;  // empty: this host's name
  std::string job;   // Slurm job; empty: $SLURM_JOB_ID
  double beat_seconds = 5;
  double patience_seconds = 20;  // time without a beat after which the holder counts as gone
  double settle_seconds = -1;    // between writing and reading back; negative: 2 on a shared file system, else 0
  // Called on the lease's thread if another learner has taken the run; empty: the process ends with status 1.
  std::function<void(const std::string& by_whom)> lost;
};

class RunLease {
 public:
  // Throws Error naming the holder if another learner has the run.
  explicit RunLease(const fs::path& run_folder, RunLeaseOptions options = {});
  ~RunLease();  // releases the run
  RunLease(const RunLease&) = delete;
  RunLease& operator=(const RunLease&) = delete;

  // Throws Error if another learner has it by now; call it before writing something that only one may write.
  void require_held() const;

 private:
  void take();
  void keep();
  std::string other_holder() const;  // empty: the file is ours
  void write(std::uint64_t beat) const;

  fs::path file_;
  RunLeaseOptions options_;
  std::string token_;
  std::uint64_t lineage_ = 1;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace kg::trainer
