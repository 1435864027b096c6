#pragma once

#include <functional>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "proto/rollout.pb.h"
#include "rollout/held_leases.h"
#include "rollout/judge_queue.h"
#include "rollout/worker_options.h"

namespace kg::rollout {

// Theory of operation. One thread talks to coordinator and generator, a second one judges. A lease comes, its missing
// samples are asked of the generator (after the weights it wants), each completion goes to the judge, each verdict into
// the outbox, where it stays until the coordinator says that it is durable. A lease counts against the capacity until
// it is judged, and is listed in heartbeats until it is acknowledged. Everything the coordinator forgets by dying is
// put right by Hello and the next heartbeat; everything a generator forgets is asked again.
class Worker {
 public:
  // Makes the function that judges, when the coordinator has said how.
  using MakeJudge = std::function<JudgeQueue::Judge(const proto::Welcome&)>;

  Worker(const WorkerOptions& options, MakeJudge make_judge);
  ~Worker();

  // Until the coordinator ends it, or `stop_descriptor` (-1: none) becomes readable: leases go back then. Throws Error
  // when refused, or when the coordinator stays away for too long.
  void run(int stop_descriptor);

 private:
  void connect(double now);
  void read_coordinator(double now);
  void handle(proto::RolloutMessage& message, double now);
  void welcome(const proto::Welcome& welcome);
  void coordinator_goes(const proto::Shutdown& shutdown);
  void tick(double now);
  void heartbeat(double now);
  void shut_down();
  bool send(proto::RolloutMessage message);
  void wait_for_events(int stop_descriptor, int milliseconds);

  WorkerOptions options_;
  MakeJudge make_judge_;
  std::string identity_;
  zmq::context_t context_{1};
  zmq::socket_t coordinator_;
  HeldLeases leases_;
  std::optional<proto::Welcome> welcome_;

  double heartbeat_seconds_ = 2;
  double started_ = 0, connected_ = 0, last_heard_ = 0, last_heartbeat_ = 0, last_busy_ = 0;
  std::optional<std::string> ending_;  // why
};

}  // namespace kg::rollout
