#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "rollout/coordinator.h"
#include "rollout/coordinator_sockets.h"
#include "rollout/coordinator_state.h"
#include "rollout/trusted_checks.h"
#include "rollout/worker_messages.h"

namespace kg::rollout {

// Theory of operation. One thread owns the ROUTER socket. Each round it reads all messages that are there, ends leases
// that are over, grants waiting work, appends the results that arrived to the data set with one fsync, and acknowledges
// them. Messages are read right before leases are judged by the clock, so that a slow disk does not make living workers
// look silent. Decisions are the LeaseTable's, the WorkBook's and the SpotChecks', what a message means is
// WorkerMessages'; all of them work on one CoordinatorState under one mutex, which is not held while the data set
// writes. What goes wrong on the thread ends it, and is thrown by the next call of the learner.
class CoordinatorServer : public Coordinator {
 public:
  CoordinatorServer(const CoordinatorOptions& options, dataset::Dataset& data);
  ~CoordinatorServer() override;

  void finish() override;
  std::string endpoint() const override { return sockets_.endpoint(); }
  std::string remote_endpoint() const override { return sockets_.remote_endpoint(); }
  void publish_weights(const proto::WeightsManifest& manifest) override;
  std::optional<std::uint64_t> oldest_version_in_use() const override;
  std::vector<std::uint64_t> submit_all(std::vector<Work> works) override;
  std::optional<FinishedWork> wait(double timeout_seconds) override;
  CoordinatorStats stats() const override;

 private:
  void wake();
  void throw_if_failed() const;

  // On the socket's thread.
  void serve();
  bool poll_once();
  void expire();
  void check_verdicts();
  void store_arrived();
  void acknowledge(std::vector<CoordinatorState::Arrived> arrived);
  void grant();
  void say_goodbye();

  CoordinatorState state_;
  WorkerMessages messages_;
  CoordinatorSockets sockets_;
  int wake_ = -1;  // eventfd
  std::optional<TrustedChecks> trusted_;
  double looked_ = 0;  // when leases were last judged by the clock

  mutable std::mutex mutex_;
  std::condition_variable finished_;
  std::string storage_error_;
  double storage_failing_since_ = 0;
  std::string failure_;  // of the thread
  bool stopping_ = false, run_finished_ = false;

  std::thread thread_;
};

}  // namespace kg::rollout
