#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <zmq.hpp>

#include "proto/rollout.pb.h"
#include "rollout/generation_request.h"
#include "rollout/generator_link.h"
#include "rollout/judge_queue.h"
#include "rollout/outbox.h"
#include "rollout/weights_fetcher.h"
#include "rollout/worker_options.h"

namespace kg::rollout {

// The leases of a worker, each on its way from the generator over the judge to an acknowledged result. A lease is asked
// of the generator once that has the weights, or has been asked for them; it counts against the capacity until it is
// judged, and is held until its results are acknowledged. A fault that is not the kernel's sends the lease back. Each
// completion is judged and reported as soon as it is there.
class HeldLeases {
 public:
  // Sends to the coordinator; false: not now.
  using Send = std::function<bool(proto::RolloutMessage message)>;
  HeldLeases(const WorkerOptions& options, zmq::context_t& context, Send send);

  // Whether the coordinator has taken this worker in: results and credits are for it alone.
  void set_joined(bool joined) { joined_ = joined; }
  bool joined() const { return joined_; }
  // From now on samples are of this run and judged like this. What waits to be judged is forgotten: it comes again
  // under a new lease.
  void begin(const std::string& run, JudgeQueue::Judge judge);
  bool can_judge() const { return judge_ != nullptr; }

  void add(proto::Lease lease, double now);
  void forget(std::uint64_t lease_id);
  void forget_all();
  void acknowledged(const proto::ResultAck& ack);
  void resend_results() { outbox_.send_all_again(); }
  void drop_results() { outbox_.clear(); }
  std::size_t unacknowledged() const { return outbox_.size(); }

  void work(double now);  // takes what generator and judge have done
  void tick(double now);
  void flush_outbox(double now);
  void give_back_unfinished(const std::string& reason);
  // What the heartbeat says of them.
  void describe(proto::Heartbeat& heartbeat, double now);
  double busy_seconds() const { return judge_->busy_seconds(); }

  zmq::socket_t& generator_socket() { return generator_.socket(); }
  int judge_descriptor() const { return judge_->descriptor(); }  // if it can judge

 private:
  struct HeldLease {
    proto::Lease lease;
    bool asked = false;
    double asked_at = 0;
    std::map<std::uint64_t, SampleRun> requests;  // open at the generator, by request id
    std::set<std::uint32_t> received;             // samples; a generator that was started again makes them again
    std::uint64_t steps = 0;                      // that brought it nearer to its end
    std::uint32_t judging = 0;
    std::string fault;  // of a sample that is not sent: the lease goes back when the others are judged
    proto::ReturnCause fault_cause = proto::SANDBOX_FAULT;
    bool working() const { return !asked || !requests.empty() || judging > 0; }
  };

  void handle_reply(const proto::GenerateReply& reply);
  proto::Rollout new_rollout(const HeldLease& held, std::uint32_t sample) const;
  void take_completion(HeldLease& held, std::uint32_t sample, const proto::Completion& completion);
  void take_failure(HeldLease& held, const SampleRun& run, const proto::GenerateReply& reply);
  void note_progress();
  void handle_judged();
  void add_result(HeldLease& held, proto::Rollout rollout);
  void end_if_judged(std::uint64_t lease_id);
  void give_back(std::uint64_t lease_id, proto::ReturnCause cause, std::string reason);
  void ask_generator(double now);
  bool weights_coming(const proto::WeightsManifest& wanted);
  void give_back_waiting_for_generator(const std::string& reason);
  bool generator_is_silent(double now) const;
  std::uint32_t free_capacity(double now) const;

  const WorkerOptions& options_;
  Send send_;
  GeneratorLink generator_;
  std::unique_ptr<JudgeQueue> judge_;  // after the first Welcome
  std::string run_;
  Outbox outbox_;
  std::map<std::uint64_t, HeldLease> leases_;
  std::unique_ptr<WeightsFetcher> fetch_;
  std::optional<LocalWeights> weights_;  // that the generator was given last
  bool joined_ = false;
  double no_credits_until_ = 0;  // after a fault of this host, so that others take the work
  std::uint32_t faults_in_a_row_ = 0;
  // As of the last heartbeat: while these grow, what waits at generator and judge comes nearer to its end.
  std::uint64_t tokens_seen_ = 0;
  std::uint32_t judged_seen_ = 0;
  std::uint64_t fetch_seen_ = 0;
};

}  // namespace kg::rollout
