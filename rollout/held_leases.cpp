#include "rollout/held_leases.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

namespace kg::rollout {
namespace {

constexpr double kResendSeconds = 10;
constexpr double kLongestBackOff = 60;
constexpr double kGeneratorBackOff = 2;

}  // namespace

HeldLeases::HeldLeases(const WorkerOptions& options, zmq::context_t& context, Send send)
    : options_(options), send_(std::move(send)), generator_(context, options.generator), outbox_(kResendSeconds) {}

void HeldLeases::begin(const std::string& run, JudgeQueue::Judge judge) {
  run_ = run;
  if (judge_) forget_all();
  judge_ = std::make_unique<JudgeQueue>(std::move(judge));
}

void HeldLeases::add(proto::Lease lease, double now) {
  const std::uint64_t lease_id = lease.lease_id();
  leases_[lease_id].lease = std::move(lease);
  ask_generator(now);
}

void HeldLeases::acknowledged(const proto::ResultAck& ack) {
  if (!ack.rejected().empty())
    spdlog::error("work {} sample {} was rejected: {}", ack.work_id(), ack.sample(), ack.rejected());
  else
    spdlog::debug("work {} sample {} is durable", ack.work_id(), ack.sample());
  const auto at = leases_.find(outbox_.acknowledged({ack.work_id(), ack.sample()}));
  if (at == leases_.end() || at->second.working() || outbox_.holds_result_of(at->first)) return;
  leases_.erase(at);
}

void HeldLeases::receive(const proto::WeightsChunk& chunk, double now) {
  if (fetch_) fetch_->receive(chunk, now);
  ask_generator(now);
}

void HeldLeases::forget_all() {
  while (!leases_.empty()) forget(leases_.begin()->first);
}

void HeldLeases::work(double now) {
  GeneratorLink::Events events = generator_.read(now);
  for (const proto::GenerateReply& reply : events.replies) handle_reply(reply);
  if (!events.swap_error.empty())
    give_back_waiting_for_generator("the generator cannot take the weights: " + events.swap_error);
  if (judge_) handle_judged();
}

void HeldLeases::tick(double now) {
  if (joined_) flush_outbox(now);
  generator_.tick(now);
  if (generator_.answered() && generator_is_silent(now))
    give_back_waiting_for_generator("the generator has been silent for too long");
  if (fetch_) fetch_->tick(now);
  ask_generator(now);
}

bool HeldLeases::generator_is_silent(double now) const {
  return now > generator_.last_heard() + options_.generator_silence_seconds;
}

std::uint32_t HeldLeases::free_capacity(double now) const {
  if (!judge_ || !generator_.answered() || now < no_credits_until_ || generator_is_silent(now)) return 0;
  const auto working =
      std::count_if(leases_.begin(), leases_.end(), [](const auto& held) { return held.second.working(); });
  return static_cast<std::uint32_t>(std::max<std::int64_t>(0, std::int64_t{options_.capacity} - working));
}

void HeldLeases::describe(proto::Heartbeat& heartbeat, double now) const {
  for (const auto& [lease_id, held] : leases_) heartbeat.add_leases(lease_id);
  heartbeat.set_judged(judge_->judged());
  heartbeat.set_unacknowledged(static_cast<std::uint32_t>(outbox_.size()));
  heartbeat.set_free(free_capacity(now));
}

void HeldLeases::flush_outbox(double now) {
  for (const auto& [key, result] : outbox_.due(now)) {
    proto::RolloutMessage message;
    *message.mutable_result() = *result;
    if (!send_(std::move(message))) return;
    outbox_.sent(key, now);
  }
}

void HeldLeases::give_back_unfinished(const std::string& reason) {
  std::vector<std::uint64_t> working;
  for (const auto& [lease_id, held] : leases_)
    if (held.working()) working.push_back(lease_id);
  for (const std::uint64_t lease_id : working) give_back(lease_id, proto::SHUTTING_DOWN, reason);
}

// True if the generator has these weights or newer ones, or was asked for them.
bool HeldLeases::weights_coming(const proto::WeightsManifest& wanted) {
  if (wanted.version() <= generator_.version_coming()) return true;
  if (fetch_ && fetch_->version() != wanted.version()) {
    if (fetch_->version() > wanted.version() && fetch_->error().empty()) return false;
    fetch_.reset();
  }
  if (!fetch_) {
    if (const auto local = find_weights(wanted, options_.weights_cache)) {
      generator_.swap(*local);
      return true;
    }
    spdlog::info("fetching weights of version {}", wanted.version());
    fetch_.emplace(wanted, options_.weights_cache, [this](const proto::FetchWeights& request) {
      proto::RolloutMessage message;
      *message.mutable_fetch() = request;
      send_(std::move(message));
    });
  }
  if (fetch_->finished()) {
    generator_.swap(fetch_->local());
    fetch_.reset();
    return true;
  }
  if (!fetch_->error().empty()) {
    const std::string reason = "weights cannot be fetched: " + fetch_->error();
    fetch_.reset();
    give_back_waiting_for_generator(reason);
  }
  return false;
}

void HeldLeases::ask_generator(double now) {
  if (!generator_.answered() || now < no_credits_until_) return;
  // Also for leases asked before: a generator that was started again has lost its weights. The newest first, which
  // serve the others too.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> waiting;  // version, lease
  for (const auto& [lease_id, held] : leases_)
    if (!held.asked || !held.requests.empty()) waiting.emplace_back(held.lease.weights().version(), lease_id);
  std::sort(waiting.rbegin(), waiting.rend());
  for (const auto& [version, lease_id] : waiting) {
    const auto at = leases_.find(lease_id);
    if (at == leases_.end() || !weights_coming(at->second.lease.weights()) || at->second.asked) continue;
    HeldLease& held = at->second;
    held.asked = true;
    held.asked_at = now;
    for (const SampleRun& run : missing_runs(held.lease))
      held.requests[generator_.ask(generation_request(held.lease, run))] = run;
    end_if_judged(lease_id);  // nothing missing
  }
}

void HeldLeases::handle_reply(const proto::GenerateReply& reply) {
  const auto at = std::find_if(leases_.begin(), leases_.end(),
                               [&](const auto& held) { return held.second.requests.contains(reply.request_id()); });
  if (at == leases_.end()) return;
  HeldLease& held = at->second;
  const proto::Lease& lease = held.lease;
  const auto new_rollout = [&](std::uint32_t sample) {
    proto::Rollout rollout;
    rollout.set_work_id(lease.work_id());
    rollout.set_sample(sample);
    rollout.set_task(lease.task().id());
    rollout.set_prompt(prompt_text(lease));
    rollout.set_policy_version(lease.weights().version());
    rollout.set_worker(options_.name);
    rollout.set_run(run_);
    rollout.set_purpose(lease.purpose());
    rollout.set_generate_ms((monotonic_seconds() - held.asked_at) * 1e3);
    return rollout;
  };
  const SampleRun run = held.requests.at(reply.request_id());
  held.requests.erase(reply.request_id());
  std::string error = reply.error();
  if (error.empty() && static_cast<std::uint32_t>(reply.completions_size()) != run.count)
    error =
        "the generator made " + std::to_string(reply.completions_size()) + " samples of " + std::to_string(run.count);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    proto::Rollout rollout = new_rollout(run.first + i);
    if (error.empty()) {
      *rollout.mutable_completion() = reply.completions(static_cast<int>(i));
      ++held.judging;
      judge_->push({lease.lease_id(), lease.task(), std::move(rollout)});
    } else if (lease.final_attempt()) {
      proto::Verdict& verdict = *rollout.mutable_verdict();
      verdict.set_task(lease.task().id());
      verdict.set_invalid_reason("no completion: " + error);
      add_result(held, std::move(rollout));
    } else {
      // Weights that did not come in time say nothing about the work.
      const bool behind = reply.policy_version() < lease.weights().version();
      held.fault = error;
      held.fault_cause = behind ? proto::GENERATOR_LOST : proto::GENERATION_REFUSED;
    }
  }
  end_if_judged(lease.lease_id());
}

void HeldLeases::handle_judged() {
  for (JudgeJob& job : judge_->take_judged()) {
    const auto at = leases_.find(job.lease_id);
    if (at == leases_.end()) continue;  // expired: another worker makes it
    HeldLease& held = at->second;
    --held.judging;
    const std::string& sandbox_error = job.rollout.verdict().sandbox_error();
    faults_in_a_row_ = sandbox_error.empty() ? 0 : faults_in_a_row_ + 1;
    if (!sandbox_error.empty() && !held.lease.final_attempt()) {
      held.fault = sandbox_error;
      held.fault_cause = proto::SANDBOX_FAULT;
    } else {
      add_result(held, std::move(job.rollout));
    }
    end_if_judged(job.lease_id);
  }
}

void HeldLeases::add_result(HeldLease& held, proto::Rollout rollout) {
  proto::Result result;
  result.set_lease_id(held.lease.lease_id());
  *result.mutable_rollout() = std::move(rollout);
  outbox_.add(std::move(result));
}

void HeldLeases::end_if_judged(std::uint64_t lease_id) {
  const HeldLease& held = leases_.at(lease_id);
  if (held.working()) return;
  if (!held.fault.empty()) {
    const double back_off = std::min(kLongestBackOff, 1.0 * (1 << std::min(faults_in_a_row_, 6u)));
    no_credits_until_ = monotonic_seconds() + back_off;
    spdlog::error("lease {} goes back: {}", lease_id, held.fault);
    return give_back(lease_id, held.fault_cause, held.fault);
  }
  if (!outbox_.holds_result_of(lease_id)) leases_.erase(lease_id);  // all of them rejected or acknowledged
  if (const double now = monotonic_seconds(); free_capacity(now) > 0 && joined_) {
    proto::RolloutMessage message;
    message.mutable_credits()->set_count(1);
    send_(std::move(message));
  }
}

void HeldLeases::forget(std::uint64_t lease_id) {
  const auto at = leases_.find(lease_id);
  if (at == leases_.end()) return;
  for (const auto& [request_id, run] : at->second.requests) generator_.forget(request_id);
  if (judge_) judge_->drop_lease(lease_id);
  leases_.erase(at);
}

void HeldLeases::give_back(std::uint64_t lease_id, proto::ReturnCause cause, const std::string& reason) {
  forget(lease_id);
  if (joined_) flush_outbox(monotonic_seconds());  // its finished samples first, so that they are not made again
  proto::RolloutMessage message;
  proto::LeaseReturn& give_back = *message.mutable_lease_return();
  give_back.set_lease_id(lease_id);
  give_back.set_cause(cause);
  give_back.set_reason(options_.name + ": " + reason);
  send_(std::move(message));
}

void HeldLeases::give_back_waiting_for_generator(const std::string& reason) {
  std::vector<std::uint64_t> waiting;
  for (const auto& [lease_id, held] : leases_)
    if (!held.asked || !held.requests.empty()) waiting.push_back(lease_id);
  if (waiting.empty()) return;
  spdlog::error("{}", reason);
  no_credits_until_ = monotonic_seconds() + kGeneratorBackOff;
  generator_.forget_swap();
  for (const std::uint64_t lease_id : waiting) give_back(lease_id, proto::GENERATOR_LOST, reason);
}

}  // namespace kg::rollout
