#include "rollout/coordinator_server.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"

namespace kg::rollout {
namespace {

constexpr int kTickMilliseconds = 200;
constexpr int kMessagesInARound = 512;
constexpr double kGoodbyeSeconds = 1;
constexpr double kStoragePatienceSeconds = 30;  // of failed appends, before wait() says so

}  // namespace

CoordinatorServer::CoordinatorServer(const CoordinatorOptions& options, dataset::Dataset& data)
    : state_(options, data),
      messages_(state_, [this](const std::string& identity,
                               proto::RolloutMessage message) { send(identity, std::move(message)); }),
      router_(context_, zmq::socket_type::router),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  KG_CHECK_GE(wake_, 0);
  bind();
  thread_ = std::thread([this] { serve(); });
}

CoordinatorServer::~CoordinatorServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
  router_.close();
  authenticator_.reset();
  ::close(wake_);
}

void CoordinatorServer::bind() {
  // A worker that comes back under its identity takes the place of its broken connection.
  router_.set(zmq::sockopt::router_mandatory, true);
  router_.set(zmq::sockopt::router_handover, true);
  router_.set(zmq::sockopt::linger, 500);
  endpoint_ = local_endpoint(state_.options.run_folder, "coordinator");
  router_.bind(endpoint_);
  if (state_.options.bind.empty()) return;
  if (!is_remote(state_.options.bind))
    throw Error("cannot listen for other hosts at \"" + state_.options.bind + "\"", "bind",
                "wanted tcp://ADDRESS:PORT");
  // Options count for the binds that follow: the local socket is guarded by its folder, this one by keys.
  const fs::path keys =
      state_.options.keys_folder.empty() ? state_.options.run_folder / "keys" : state_.options.keys_folder;
  secure_server(router_, keys);
  authenticator_.emplace(context_, read_allowed_workers(keys));
  try {
    router_.bind(state_.options.bind);
  } catch (const zmq::error_t& error) {
    throw Error("cannot listen at " + state_.options.bind + ": " + error.what(), "bind",
                "choose another address or port", Error::Kind::kEnvironment);
  }
  remote_endpoint_ = router_.get(zmq::sockopt::last_endpoint);
}

void CoordinatorServer::wake() {
  const std::uint64_t one = 1;
  // A full counter wakes as well.
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof(one));
}

void CoordinatorServer::publish_weights(const proto::WeightsManifest& manifest) {
  const std::lock_guard lock(mutex_);
  state_.newest = manifest;
  state_.weights.publish(manifest);
}

std::optional<std::uint64_t> CoordinatorServer::oldest_version_in_use() const {
  const std::lock_guard lock(mutex_);
  return state_.leases.oldest_version();
}

std::uint64_t CoordinatorServer::submit(Work work) {
  KG_CHECK_GT(work.samples, 0u);
  std::unique_lock lock(mutex_);
  if (work.work_id == 0)
    work.work_id = state_.counter.next();
  else
    state_.counter.skip_to(work.work_id + 1);
  const std::uint64_t work_id = work.work_id;
  if (state_.book.is_open(work_id)) return work_id;
  // Reading the data set takes its time; a result may become durable meanwhile.
  std::vector<proto::Rollout> rollouts;
  for (auto durable = state_.book.durable_samples(work_id, work.samples); rollouts.size() < durable.size();
       durable = state_.book.durable_samples(work_id, work.samples)) {
    rollouts = state_.book.recent_rollouts(work_id, durable);
    if (rollouts.size() == durable.size()) break;
    lock.unlock();
    rollouts = read_rollouts(state_.data, state_.options.run, work_id, durable);
    lock.lock();
  }
  if (state_.book.is_open(work_id)) return work_id;
  const std::uint32_t samples = work.samples;
  if (state_.book.open(std::move(work), std::move(rollouts)))
    finished_.notify_all();
  else
    state_.leases.add_work(work_id, samples, state_.book.durable_samples(work_id, samples));
  lock.unlock();
  wake();
  return work_id;
}

std::optional<FinishedWork> CoordinatorServer::wait(double timeout_seconds) {
  std::unique_lock lock(mutex_);
  const auto storage_failed = [&] {
    return !storage_error_.empty() && monotonic_seconds() - storage_failing_since_ > kStoragePatienceSeconds;
  };
  finished_.wait_for(lock, std::chrono::duration<double>(timeout_seconds),
                     [&] { return state_.book.has_finished() || storage_failed(); });
  if (auto finished = state_.book.take_finished()) return finished;
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
  for (const auto& [identity, peer] : state_.peers) {
    stats.worker_names.push_back(peer.name);
    stats.judge_busy += peer.busy / static_cast<double>(state_.peers.size());
  }
  return stats;
}

void CoordinatorServer::serve() {
  try {
    for (; poll_once(); store_arrived()) {
      const std::lock_guard lock(mutex_);
      for (const EndedLease& ended : state_.leases.expire(monotonic_seconds()))
        state_.report_ended(ended, state_.stats.expired_leases);
      const std::vector<std::string> joined = state_.leases.workers();
      std::erase_if(state_.peers,
                    [&](const auto& peer) { return !std::binary_search(joined.begin(), joined.end(), peer.first); });
      grant();
    }
    say_goodbye();
  } catch (const zmq::error_t& error) {
    spdlog::critical("the coordinator's socket failed: {}", error.what());
    std::abort();
  }
}

// Reads what is there, waiting one tick for the first of it. False when it is time to end.
bool CoordinatorServer::poll_once() {
  zmq::pollitem_t items[] = {{router_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, wake_, ZMQ_POLLIN, 0}};
  try {
    zmq::poll(items, 2, std::chrono::milliseconds(kTickMilliseconds));
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_, &count, sizeof(count));
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  for (int i = 0; i < kMessagesInARound; ++i) {
    const auto frame = proto::receive_routed(router_, 0);
    if (!frame) break;
    messages_.handle(frame->identity, frame->payload);
  }
  return true;
}

void CoordinatorServer::store_arrived() {
  if (state_.arrived.empty()) return;
  std::vector<CoordinatorState::Arrived> arrived = std::exchange(state_.arrived, {});
  std::vector<proto::JournalRecord> records;
  for (CoordinatorState::Arrived& result : arrived) {
    if (result.duplicate) continue;
    result.rollout.set_run(state_.options.run);
    result.rollout.set_time_us(epoch_microseconds());
    *records.emplace_back().mutable_rollout() = result.rollout;
  }
  std::string failure;
  try {
    if (!records.empty()) state_.data.append(records);
  } catch (const Error& error) {
    failure = error.full_message();
  }
  const std::lock_guard lock(mutex_);
  if (!failure.empty()) {
    // Nothing is acknowledged; the workers send it again.
    if (storage_error_.empty()) storage_failing_since_ = monotonic_seconds();
    if (storage_error_ != failure) spdlog::error("results cannot be stored: {}", failure);
    storage_error_ = failure;
    finished_.notify_all();
    return;
  }
  if (!records.empty()) storage_error_.clear();
  for (CoordinatorState::Arrived& result : arrived) {
    proto::RolloutMessage message;
    proto::ResultAck& ack = *message.mutable_ack();
    ack.set_work_id(result.rollout.work_id());
    ack.set_sample(result.rollout.sample());
    ack.set_duplicate(result.duplicate);
    ++(result.duplicate ? state_.stats.duplicates : state_.stats.results);
    if (!result.duplicate) {
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
    send(result.identity, std::move(message));
  }
  if (state_.book.has_finished()) finished_.notify_all();
}

void CoordinatorServer::grant() {
  const double now = monotonic_seconds();
  for (const Grant& grant : state_.leases.grant(state_.newest ? state_.newest->version() : 0, now)) {
    const Work& work = *state_.book.find(grant.work_id);
    proto::RolloutMessage message;
    message.set_protocol(proto::kProtocolVersion);
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
    lease.set_final_attempt(grant.final_attempt);
    if (!proto::send_to(router_, grant.worker, message)) state_.leases.revoke(grant.lease_id);
  }
}

void CoordinatorServer::send(const std::string& identity, proto::RolloutMessage message) {
  message.set_protocol(proto::kProtocolVersion);
  // A peer that is gone comes back and asks again.
  [[maybe_unused]] const bool sent = proto::send_to(router_, identity, message);
}

// What a closing socket sent last can be lost with the connection, so it stays open until the workers have answered.
void CoordinatorServer::say_goodbye() {
  const std::lock_guard lock(mutex_);
  for (const auto& [identity, peer] : state_.peers) {
    proto::RolloutMessage message;
    message.mutable_shutdown()->set_reason("the run ended");
    send(identity, std::move(message));
  }
  const double deadline = monotonic_seconds() + kGoodbyeSeconds;
  while (!state_.peers.empty() && monotonic_seconds() < deadline) {
    const auto frame = proto::receive_routed(router_, kTickMilliseconds);
    proto::RolloutMessage message;
    if (frame && message.ParseFromString(frame->payload) && message.has_shutdown()) state_.peers.erase(frame->identity);
  }
}

}  // namespace kg::rollout
