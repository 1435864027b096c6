#include "rollout/coordinator_server.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/given_up.h"
#include "rollout/rendezvous.h"
#include "rollout/tick.h"
#include "rollout/work_submission.h"

namespace kg::rollout {
namespace {

constexpr int kMessagesInARound = 512;
constexpr double kExpireEverySeconds = 0.1;
constexpr double kGoodbyeSeconds = 1;
constexpr double kStoragePatienceSeconds = 30;  // of failed appends, before wait() says so

}  // namespace

CoordinatorServer::CoordinatorServer(const CoordinatorOptions& options, dataset::Dataset& data)
    : state_(options, data),
      messages_(state_, [this](const std::string& identity,
                               proto::RolloutMessage message) { sockets_.send(identity, std::move(message)); }),
      sockets_(state_),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  KG_CHECK_GE(wake_, 0);
  if (options.checker) trusted_.emplace(options.checker);
  thread_ = std::thread([this] { serve(); });
}

CoordinatorServer::~CoordinatorServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
  ::close(wake_);
}

void CoordinatorServer::finish() {
  mark_run_finished(state_.options.run_folder);
  const std::lock_guard lock(mutex_);
  run_finished_ = true;
}

void CoordinatorServer::wake() {
  const std::uint64_t one = 1;
  // A full counter wakes as well.
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof(one));
}

void CoordinatorServer::throw_if_failed() const {
  if (!failure_.empty())
    throw Error("the coordinator's thread failed: " + failure_, "run " + state_.options.run,
                "what was acknowledged is stored; go on with --resume", Error::Kind::kFailed);
}

void CoordinatorServer::publish_weights(const proto::WeightsManifest& manifest) {
  proto::WeightsManifest published = manifest;
  published.set_version(version_in(state_.lineage.number, manifest.version()));
  const std::lock_guard lock(mutex_);
  state_.newest = published;
  state_.weights.publish(published);
}

std::optional<std::uint64_t> CoordinatorServer::oldest_version_in_use() const {
  const std::lock_guard lock(mutex_);
  const auto oldest = state_.leases.oldest_version();
  return oldest ? std::optional(number_of(*oldest)) : std::nullopt;
}

std::vector<std::uint64_t> CoordinatorServer::submit_all(std::vector<Work> works) {
  std::vector<SubmittedWork> submitted = with_contents(std::move(works));
  std::unique_lock lock(mutex_);
  throw_if_failed();
  const std::vector<std::uint64_t> ids = submit_works(state_, std::move(submitted), lock);
  if (state_.book.has_finished()) finished_.notify_all();
  lock.unlock();
  wake();
  return ids;
}

std::optional<FinishedWork> CoordinatorServer::wait(double timeout_seconds) {
  std::unique_lock lock(mutex_);
  const auto storage_failed = [&] {
    return !storage_error_.empty() && monotonic_seconds() - storage_failing_since_ > kStoragePatienceSeconds;
  };
  finished_.wait_for(lock, std::chrono::duration<double>(timeout_seconds),
                     [&] { return state_.book.has_finished() || storage_failed() || !failure_.empty(); });
  if (auto finished = state_.book.take_finished()) return finished;
  throw_if_failed();
  if (storage_failed())
    throw Error("results cannot be stored: " + storage_error_, "data set of run " + state_.options.run,
                "free disk space and resume the run; workers keep what is not stored", Error::Kind::kEnvironment);
  return std::nullopt;
}

CoordinatorStats CoordinatorServer::stats() const {
  const std::lock_guard lock(mutex_);
  CoordinatorStats stats = state_.stats;
  stats.workers = static_cast<std::uint32_t>(state_.peers.size());
  stats.leases = static_cast<std::uint32_t>(state_.leases.open_leases());
  stats.waiting_work = static_cast<std::uint32_t>(state_.leases.waiting());
  stats.unchecked = state_.checks.waiting();
  for (const auto& [identity, peer] : state_.peers) {
    stats.worker_names.push_back(peer.name);
    ++stats.nodes[node_of(peer.name)].workers;
    stats.judge_busy += peer.busy / static_cast<double>(state_.peers.size());
  }
  return stats;
}

void CoordinatorServer::serve() {
  std::string failure;
  try {
    for (; poll_once(); store_arrived()) {
      const std::lock_guard lock(mutex_);
      expire();
      check_verdicts();
      grant();
    }
    return say_goodbye();
  } catch (const Error& error) {
    failure = error.full_message();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  spdlog::critical("the coordinator's thread failed: {}", failure);
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  finished_.notify_all();
}

// Reads what is there, waiting one tick for the first of it. False when it is time to end.
bool CoordinatorServer::poll_once() {
  zmq::pollitem_t items[] = {{sockets_.router().handle(), 0, ZMQ_POLLIN, 0},
                             {nullptr, wake_, ZMQ_POLLIN, 0},
                             {nullptr, trusted_ ? trusted_->descriptor() : -1, ZMQ_POLLIN, 0}};
  try {
    zmq::poll(items, trusted_ ? 3 : 2, std::chrono::milliseconds(kTickMilliseconds));
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
  if ((items[1].revents & ZMQ_POLLIN) != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_, &count, sizeof(count));
  }
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  for (int i = 0; i < kMessagesInARound; ++i) {
    const auto frame = proto::receive_routed(sockets_.router(), 0);
    if (!frame) break;
    messages_.handle(*frame);
  }
  return true;
}

void CoordinatorServer::expire() {
  const double now = monotonic_seconds();
  if (now < looked_ + kExpireEverySeconds) return;
  looked_ = now;
  std::vector<std::string> gone;
  for (const EndedLease& ended : state_.leases.expire(now, gone))
    state_.report_ended(ended, state_.stats.expired_leases);
  for (const std::string& identity : gone) state_.peers.erase(identity);
  store_given_up(state_);
}

void CoordinatorServer::check_verdicts() {
  if (!trusted_) return;
  for (TrustedChecks::Outcome& outcome : trusted_->take()) {
    ++state_.stats.checked;
    if (outcome.kind == TrustedChecks::Outcome::Kind::kFalse) {
      ++state_.stats.false_verdicts;
      messages_.refuse_key(outcome.key, "a false verdict: " + outcome.reason);
      continue;
    }
    const bool alone = outcome.kind == TrustedChecks::Outcome::Kind::kUnknown;
    for (SpotChecks::Held& held : state_.checks.release(outcome.key, std::move(outcome.held), alone)) {
      const bool duplicate = state_.book.is_durable(held.rollout.work_id(), held.rollout.sample()) ||
                             state_.is_arriving(held.rollout.work_id(), held.rollout.sample());
      state_.arrive({std::move(held.identity), std::move(held.rollout), duplicate});
    }
  }
  trusted_->begin_due(state_.checks, monotonic_seconds());
}

void CoordinatorServer::store_arrived() {
  if (state_.arrived.empty()) return;
  std::vector<CoordinatorState::Arrived> arrived = std::exchange(state_.arrived, {});
  state_.arriving.clear();
  std::vector<proto::JournalRecord> records;
  records.reserve(arrived.size());
  for (CoordinatorState::Arrived& result : arrived) {
    if (result.duplicate) continue;
    result.rollout.set_time_us(epoch_microseconds());
    records.emplace_back().mutable_rollout()->Swap(&result.rollout);
  }
  std::string failure;
  try {
    if (!records.empty()) state_.data.append(records);
  } catch (const Error& error) {
    failure = error.full_message();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  auto record = records.begin();
  for (CoordinatorState::Arrived& result : arrived)
    if (!result.duplicate) (record++)->mutable_rollout()->Swap(&result.rollout);
  const std::lock_guard lock(mutex_);
  if (failure.empty()) {
    if (!records.empty()) storage_error_.clear();
    return acknowledge(std::move(arrived));
  }
  // Nothing is acknowledged; the workers send it again.
  if (storage_error_.empty()) storage_failing_since_ = monotonic_seconds();
  if (storage_error_ != failure) spdlog::error("results cannot be stored: {}", failure);
  storage_error_ = failure;
  finished_.notify_all();
}

void CoordinatorServer::acknowledge(std::vector<CoordinatorState::Arrived> arrived) {
  for (CoordinatorState::Arrived& result : arrived) {
    proto::RolloutMessage message;
    proto::ResultAck& ack = *message.mutable_ack();
    ack.set_work_id(result.rollout.work_id());
    ack.set_sample(result.rollout.sample());
    ack.set_duplicate(result.duplicate);
    if (result.duplicate) {
      ++state_.stats.duplicates;
    } else {
      ++(result.identity.empty() ? state_.stats.given_up : state_.stats.results);
      if (const auto peer = state_.peers.find(result.identity); peer != state_.peers.end())
        ++state_.stats.nodes[node_of(peer->second.name)].results;
      if (!result.rollout.verdict().reward_valid()) {
        ++state_.stats.invalid_rewards;
        spdlog::warn("work {} sample {}: stored without a valid reward: {}{}", result.rollout.work_id(),
                     result.rollout.sample(), result.rollout.verdict().invalid_reason(),
                     result.rollout.verdict().sandbox_error());
      }
      if (state_.leases.standing(ack.work_id(), ack.sample()) == Standing::kWanted)
        state_.leases.stored(ack.work_id(), ack.sample());
      state_.book.stored(std::move(result.rollout));
    }
    if (!result.identity.empty()) sockets_.send(result.identity, std::move(message));
  }
  if (state_.book.has_finished()) finished_.notify_all();
}

void CoordinatorServer::grant() {
  const double now = monotonic_seconds();
  for (const Grant& grant : state_.leases.grant(state_.newest ? state_.newest->version() : 0, now)) {
    const Work& work = *state_.book.find(grant.work_id);
    proto::RolloutMessage message;
    proto::Lease& lease = *message.mutable_lease();
    lease.set_lease_id(grant.lease_id);
    lease.set_work_id(grant.work_id);
    *lease.mutable_task() = work.task;
    lease.mutable_messages()->Assign(work.messages.begin(), work.messages.end());
    lease.set_samples(work.samples);
    lease.mutable_done()->Assign(grant.done.begin(), grant.done.end());
    *lease.mutable_sampling() = work.sampling;
    if (state_.newest) *lease.mutable_weights() = *state_.newest;
    lease.set_deadline_seconds(state_.options.lease_seconds);
    lease.set_purpose(work.purpose);
    lease.mutable_prefix_ids()->Assign(work.prefix_ids.begin(), work.prefix_ids.end());
    lease.set_turn(work.turn);
    lease.set_after_work_id(work.after_work_id);
    lease.set_after_sample(work.after_sample);
    lease.set_final_attempt(grant.final_attempt);
    if (!sockets_.send(grant.worker, std::move(message))) state_.leases.revoke(grant.lease_id);
  }
}

// What a closing socket sent last can be lost with the connection, so it stays open until the workers have answered.
void CoordinatorServer::say_goodbye() {
  const std::lock_guard lock(mutex_);
  for (const auto& [identity, peer] : state_.peers) {
    proto::RolloutMessage message;
    message.mutable_shutdown()->set_reason(run_finished_ ? "the run ended" : "the run was stopped and will be resumed");
    message.mutable_shutdown()->set_coming_back(!run_finished_);
    sockets_.send(identity, std::move(message));
  }
  const double deadline = monotonic_seconds() + kGoodbyeSeconds;
  while (!state_.peers.empty() && monotonic_seconds() < deadline) {
    const auto frame = proto::receive_routed(sockets_.router(), kTickMilliseconds);
    proto::RolloutMessage message;
    if (frame && message.ParseFromString(frame->payload) && message.has_shutdown()) state_.peers.erase(frame->identity);
  }
}

}  // namespace kg::rollout
