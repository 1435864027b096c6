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
    spdlog::debug("work {} sample {} of {} is durable", ack.work_id(), ack.sample(), run_);
  const auto at = leases_.find(outbox_.acknowledged({ack.work_id(), ack.sample()}));
  if (at == leases_.end() || at->second.working() || outbox_.holds_result_of(at->first)) return;
  leases_.erase(at);
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

// A lease also comes nearer to its end while the generator draws tokens, the judge works off what is before it, or its
// weights arrive.
void HeldLeases::note_progress() {
  const bool draws = generator_.tokens_generated() != tokens_seen_, judges = judge_->judged() != judged_seen_,
             fetches = fetch_ && fetch_->progress() != fetch_seen_;
  for (auto& [lease_id, held] : leases_)
    if ((draws && !held.requests.empty()) || (judges && held.judging > 0) || (fetches && !held.asked)) ++held.steps;
  tokens_seen_ = generator_.tokens_generated();
  judged_seen_ = judge_->judged();
  fetch_seen_ = fetch_ ? fetch_->progress() : 0;
}

void HeldLeases::describe(proto::Heartbeat& heartbeat, double now) {
  note_progress();
  for (const auto& [lease_id, held] : leases_) {
    heartbeat.add_leases(lease_id);
    proto::LeaseProgress& progress = *heartbeat.add_progress();
    progress.set_lease_id(lease_id);
    progress.set_steps(held.steps);
  }
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
    proto::WeightsManifest named = wanted;
    if (options_.always_fetch) named.clear_path();
    if (auto local = find_weights(named, options_.weights_cache)) {
      generator_.swap(local->manifest);
      weights_ = std::move(*local);
      return true;
    }
    spdlog::info("fetching weights of version {}", wanted.version());
    proto::WeightsManifest elsewhere = wanted;
    elsewhere.clear_path();
    fetch_ = std::make_unique<WeightsFetcher>(
        elsewhere, options_.weights_cache,
        WeightsSource{
            .coordinator = options_.coordinator, .keys_folder = options_.keys_folder, .key_name = options_.key_name});
  }
  if (fetch_->finished()) {
    weights_ = fetch_->take();
    generator_.swap(weights_->manifest);
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

proto::Rollout HeldLeases::new_rollout(const HeldLease& held, std::uint32_t sample) const {
  const proto::Lease& lease = held.lease;
  proto::Rollout rollout;
  rollout.set_work_id(lease.work_id());
  rollout.set_sample(sample);
  rollout.set_task(lease.task().id());
  rollout.set_prompt(prompt_text(lease));
  rollout.set_policy_version(lease.weights().version());
  rollout.set_worker(options_.name);
  rollout.set_run(run_);
  rollout.set_purpose(lease.purpose());
  rollout.set_turn(lease.turn());
  rollout.set_after_work_id(lease.after_work_id());
  rollout.set_after_sample(lease.after_sample());
  rollout.set_generate_ms((monotonic_seconds() - held.asked_at) * 1e3);
  *rollout.mutable_completion()->mutable_sampling() = lease.sampling();
  return rollout;
}

void HeldLeases::take_completion(HeldLease& held, std::uint32_t sample, const proto::Completion& completion) {
  if (!held.received.insert(sample).second) return;
  proto::Rollout rollout = new_rollout(held, sample);
  *rollout.mutable_completion() = completion;
  *rollout.mutable_completion()->mutable_sampling() = held.lease.sampling();
  ++held.judging;
  ++held.steps;
  judge_->push({held.lease.lease_id(), held.lease.task(), std::move(rollout)});
}

// The samples of the run that have not come will not come.
void HeldLeases::take_failure(HeldLease& held, const SampleRun& run, const proto::GenerateReply& reply) {
  const proto::Lease& lease = held.lease;
  const std::string error =
      !reply.error().empty() ? reply.error() : "the generator made fewer samples than it was asked for";
  for (std::uint32_t sample = run.first; sample < run.first + run.count; ++sample) {
    if (held.received.contains(sample)) continue;
    if (lease.final_attempt()) {
      held.received.insert(sample);
      proto::Rollout rollout = new_rollout(held, sample);
      rollout.mutable_verdict()->set_task(lease.task().id());
      rollout.mutable_verdict()->set_invalid_reason("no completion: " + error);
      add_result(held, std::move(rollout));
    } else {
      // Weights that did not come in time say nothing about the work.
      const bool behind = reply.policy_version() < lease.weights().version();
      held.fault = error;
      held.fault_cause = behind ? proto::GENERATOR_LOST : proto::GENERATION_REFUSED;
    }
  }
}

void HeldLeases::handle_reply(const proto::GenerateReply& reply) {
  const auto at = std::find_if(leases_.begin(), leases_.end(),
                               [&](const auto& held) { return held.second.requests.contains(reply.request_id()); });
  if (at == leases_.end()) return;
  HeldLease& held = at->second;
  const SampleRun run = held.requests.at(reply.request_id());
  for (int i = 0; i < reply.completions_size(); ++i) {
    const std::uint32_t index = i < reply.indexes_size() ? reply.indexes(i) : static_cast<std::uint32_t>(i);
    if (index < run.count) take_completion(held, run.first + index, reply.completions(i));
  }
  if (reply.more()) return;
  held.requests.erase(reply.request_id());
  take_failure(held, run, reply);
  end_if_judged(at->first);
}

void HeldLeases::handle_judged() {
  for (JudgeJob& job : judge_->take_judged()) {
    const auto at = leases_.find(job.lease_id);
    if (at == leases_.end()) continue;  // expired: another worker makes it
    HeldLease& held = at->second;
    --held.judging;
    ++held.steps;
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

// `reason` by value: it may be a part of the lease, which is forgotten first.
void HeldLeases::give_back(std::uint64_t lease_id, proto::ReturnCause cause, std::string reason) {
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
