#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <zmq.hpp>

#include "rollout/authenticator.h"
#include "rollout/coordinator.h"
#include "rollout/lease_table.h"
#include "rollout/weights_files.h"
#include "rollout/work_book.h"
#include "rollout/work_counter.h"

namespace kg::rollout {

// Theory of operation. One thread owns the ROUTER socket. Each round it reads all messages that are there, ends leases
// that are over, grants waiting work, appends the results that arrived to the data set with one fsync, and acknowledges
// them. Messages are read right before leases are judged by the clock, so that a slow disk does not make living workers
// look silent. Decisions are the LeaseTable's and the WorkBook's; both, and the statistics, are under one mutex, which
// is not held while the data set writes.
class CoordinatorServer : public Coordinator {
 public:
  CoordinatorServer(const CoordinatorOptions& options, dataset::Dataset& data);
  ~CoordinatorServer() override;

  std::string endpoint() const override { return endpoint_; }
  std::string remote_endpoint() const override { return remote_endpoint_; }
  void publish_weights(const proto::WeightsManifest& manifest) override;
  std::optional<std::uint64_t> oldest_version_in_use() const override;
  std::uint64_t submit(Work work) override;
  std::optional<FinishedWork> wait(double timeout_seconds) override;
  CoordinatorStats stats() const override;

 private:
  struct Peer {
    std::string name;
    std::uint32_t lies = 0;
    double busy = 0;
  };
  // A result of this round: to be stored, or only to be acknowledged.
  struct Arrived {
    std::string identity;
    proto::Rollout rollout;
    bool duplicate = false;
  };

  void bind();
  void wake();
  void serve();
  bool poll_once();
  void handle(const std::string& identity, const std::string& payload);
  void handle_hello(const std::string& identity, const proto::Hello& hello);
  void handle_heartbeat(const std::string& identity, const proto::Heartbeat& heartbeat);
  void handle_return(const std::string& identity, const proto::LeaseReturn& give_back);
  void handle_result(const std::string& identity, proto::Result result);
  std::string why_rejected(const proto::Result& result) const;
  void store_arrived();
  void grant();
  void report_ended(const EndedLease& ended, std::uint64_t& counter);
  void send(const std::string& identity, proto::RolloutMessage message);
  void refuse(const std::string& identity, const std::string& reason);
  void say_goodbye();

  CoordinatorOptions options_;
  dataset::Dataset& data_;
  zmq::context_t context_{1};
  std::optional<Authenticator> authenticator_;
  zmq::socket_t router_;
  std::string endpoint_, remote_endpoint_;
  int wake_ = -1;  // eventfd

  mutable std::mutex mutex_;
  std::condition_variable finished_;
  LeaseTable leases_;
  WorkCounter counter_;
  WorkBook book_;
  WeightsServer weights_;
  std::optional<proto::WeightsManifest> newest_;
  std::map<std::string, Peer> peers_;  // by ZeroMQ identity
  CoordinatorStats stats_;
  std::string storage_error_;
  double storage_failing_since_ = 0;
  bool stopping_ = false;

  std::vector<Arrived> arrived_;  // the socket thread's own
  std::thread thread_;
};

}  // namespace kg::rollout
