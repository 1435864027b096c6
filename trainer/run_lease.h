#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/file.h"

namespace kg::trainer {

// Theory of operation. A lock of the file system keeps two learners of one host from one run, but some network file
// systems do not keep it between hosts, and a host that Slurm has given up may still be running the older learner. So
// whoever has a run writes RUN/lease.json: host, process, Slurm job, a random token, a lineage that grows with each
// holder, and a beat that it raises every few seconds. A second learner asks Slurm whether the job of the file lives;
// without one it watches whether the beat goes on, which needs no common clock. If nobody is there it writes a file of
// its own over the other. The holder reads the file before each beat: once the token is not its own it has lost the
// run, and ends at once, whatever it is doing; what it has acknowledged is durable.
struct RunLeaseOptions {
  std::string host;  // empty: this host's name
  std::string job;   // Slurm's; empty: $SLURM_JOB_ID
  double beat_seconds = 5;
  double patience_seconds = 20;  // without a beat, after which the holder is taken to be gone
  double settle_seconds = -1;    // between writing and reading back; negative: 2 on a shared file system, else 0
  // Called on the lease's thread when another has taken the run; empty: the process ends with status 1.
  std::function<void(const std::string& by_whom)> lost;
};

class RunLease {
 public:
  // Throws Error naming the holder if another learner has the run.
  explicit RunLease(const fs::path& run_folder, RunLeaseOptions options = {});
  ~RunLease();  // gives it back
  RunLease(const RunLease&) = delete;
  RunLease& operator=(const RunLease&) = delete;

  // Throws Error if another has it by now: to be called before something that two must not write.
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
