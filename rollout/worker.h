#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "base/file.h"
#include "proto/rollout.pb.h"
#include "reward/judge_version.h"
#include "rollout/generator_link.h"
#include "rollout/judge_queue.h"
#include "rollout/outbox.h"
#include "rollout/weights_fetch.h"

namespace kg::rollout {

struct WorkerOptions {
  std::string coordinator;  // endpoint
  std::string generator;    // endpoint
  std::string name;
  fs::path keys_folder;             // for tcp:// coordinators
  std::string key_name = "worker";  // NAME.key in it
  fs::path weights_cache;
  std::string judge_version = reward::judge_version();
  std::uint32_t capacity = 2;    // leases held at a time: one being generated while another is judged
  double give_up_seconds = 600;  // without a word from the coordinator
  double generator_silence_seconds = 120;
};

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
  struct GenerationRun {
    std::uint32_t first = 0, count = 0;  // samples
  };
  struct HeldLease {
    proto::Lease lease;
    bool asked = false;
    double asked_at = 0;
    std::map<std::uint64_t, GenerationRun> requests;  // open at the generator, by request id
    std::uint32_t judging = 0;
    std::string fault;  // of a sample that is not sent: the lease goes back when the others are judged
    proto::ReturnCause fault_cause = proto::SANDBOX_FAULT;
    bool working() const { return !asked || !requests.empty() || judging > 0; }
  };

  void connect(double now);
  void read_coordinator(double now);
  void handle(proto::RolloutMessage& message, double now);
  void welcome(const proto::Welcome& welcome);
  void handle_reply(const proto::GenerateReply& reply);
  void handle_judged();
  void add_result(HeldLease& held, proto::Rollout rollout);
  void end_if_judged(std::uint64_t lease_id);
  void end_if_acknowledged(std::uint64_t lease_id);
  void forget_lease(std::uint64_t lease_id);
  void give_back(std::uint64_t lease_id, proto::ReturnCause cause, const std::string& reason);
  void ask_generator(double now);
  bool weights_coming(const proto::WeightsManifest& wanted);
  void give_back_waiting_for_generator(const std::string& reason);
  void tick(double now);
  void heartbeat(double now);
  void flush_outbox(double now);
  std::uint32_t free_capacity(double now) const;
  void shut_down();
  bool send(proto::RolloutMessage message);
  void wait_for_events(int stop_descriptor, int milliseconds);

  WorkerOptions options_;
  MakeJudge make_judge_;
  std::string identity_;
  zmq::context_t context_{1};
  zmq::socket_t coordinator_;
  GeneratorLink generator_;
  std::unique_ptr<JudgeQueue> judge_;  // after the first Welcome
  std::optional<proto::Welcome> welcome_;
  Outbox outbox_;
  std::map<std::uint64_t, HeldLease> leases_;
  std::optional<WeightsFetch> fetch_;

  double heartbeat_seconds_ = 2;
  double started_ = 0, connected_ = 0, last_heard_ = 0, last_heartbeat_ = 0, last_busy_ = 0;
  double no_credits_until_ = 0;  // after a fault of this host, so that others take the work
  std::uint32_t faults_in_a_row_ = 0;
  bool joined_ = false;
  std::optional<std::string> ending_;  // why
};

}  // namespace kg::rollout
