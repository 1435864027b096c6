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
    : options_(options),
      data_(data),
      router_(context_, zmq::socket_type::router),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      leases_({.lease_seconds = options.lease_seconds,
               .silence_seconds = options.silence_seconds,
               .delivery_seconds = 3 * options.heartbeat_seconds,
               .max_attempts = options.max_attempts}),
      counter_(options.run_folder / "work_counter"),
      book_(data, options.run) {
  KG_CHECK_GE(wake_, 0);
  counter_.skip_to(book_.largest_work_id() + 1);
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
  endpoint_ = local_endpoint(options_.run_folder, "coordinator");
  router_.bind(endpoint_);
  if (options_.bind.empty()) return;
  if (!is_remote(options_.bind))
    throw Error("cannot listen for other hosts at \"" + options_.bind + "\"", "bind", "wanted tcp://ADDRESS:PORT");
  // Options count for the binds that follow: the local socket is guarded by its folder, this one by keys.
  const fs::path keys = options_.keys_folder.empty() ? options_.run_folder / "keys" : options_.keys_folder;
  secure_server(router_, keys);
  authenticator_.emplace(context_, read_allowed_workers(keys));
  try {
    router_.bind(options_.bind);
  } catch (const zmq::error_t& error) {
    throw Error("cannot listen at " + options_.bind + ": " + error.what(), "bind", "choose another address or port",
                Error::Kind::kEnvironment);
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
  newest_ = manifest;
  weights_.publish(manifest);
}

std::optional<std::uint64_t> CoordinatorServer::oldest_version_in_use() const {
  const std::lock_guard lock(mutex_);
  return leases_.oldest_version();
}

std::uint64_t CoordinatorServer::submit(Work work) {
  KG_CHECK_GT(work.samples, 0u);
  std::unique_lock lock(mutex_);
  if (work.work_id == 0)
    work.work_id = counter_.next();
  else
    counter_.skip_to(work.work_id + 1);
  const std::uint64_t work_id = work.work_id;
  if (book_.is_open(work_id)) return work_id;
  // Reading the data set takes its time; a result may become durable meanwhile.
  std::vector<proto::Rollout> rollouts;
  for (auto durable = book_.durable_samples(work_id, work.samples); rollouts.size() < durable.size();
       durable = book_.durable_samples(work_id, work.samples)) {
    rollouts = book_.recent_rollouts(work_id, durable);
    if (rollouts.size() == durable.size()) break;
    lock.unlock();
    rollouts = read_rollouts(data_, options_.run, work_id, durable);
    lock.lock();
  }
  if (book_.is_open(work_id)) return work_id;
  const std::uint32_t samples = work.samples;
  if (book_.open(std::move(work), std::move(rollouts)))
    finished_.notify_all();
  else
    leases_.add_work(work_id, samples, book_.durable_samples(work_id, samples));
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
                     [&] { return book_.has_finished() || storage_failed(); });
  if (auto finished = book_.take_finished()) return finished;
  if (storage_failed())
    throw Error("results cannot be stored: " + storage_error_, "data set of run " + options_.run,
                "free disk space and resume the run; workers keep what is not stored", Error::Kind::kEnvironment);
  return std::nullopt;
}

CoordinatorStats CoordinatorServer::stats() const {
  const std::lock_guard lock(mutex_);
  CoordinatorStats stats = stats_;
  stats.workers = static_cast<std::uint32_t>(peers_.size());
  stats.leases = static_cast<std::uint32_t>(leases_.open_leases());
  stats.waiting_work = static_cast<std::uint32_t>(leases_.waiting());
  for (const auto& [identity, peer] : peers_) {
    stats.worker_names.push_back(peer.name);
    stats.judge_busy += peer.busy / static_cast<double>(peers_.size());
  }
  return stats;
}

void CoordinatorServer::serve() {
  try {
    for (; poll_once(); store_arrived()) {
      const std::lock_guard lock(mutex_);
      for (const EndedLease& ended : leases_.expire(monotonic_seconds())) report_ended(ended, stats_.expired_leases);
      const std::vector<std::string> joined = leases_.workers();
      std::erase_if(peers_,
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
    handle(frame->identity, frame->payload);
  }
  return true;
}

void CoordinatorServer::store_arrived() {
  if (arrived_.empty()) return;
  std::vector<Arrived> arrived = std::exchange(arrived_, {});
  std::vector<proto::JournalRecord> records;
  for (Arrived& result : arrived) {
    if (result.duplicate) continue;
    result.rollout.set_run(options_.run);
    result.rollout.set_time_us(epoch_microseconds());
    *records.emplace_back().mutable_rollout() = result.rollout;
  }
  std::string failure;
  try {
    if (!records.empty()) data_.append(records);
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
  for (Arrived& result : arrived) {
    proto::RolloutMessage message;
    proto::ResultAck& ack = *message.mutable_ack();
    ack.set_work_id(result.rollout.work_id());
    ack.set_sample(result.rollout.sample());
    ack.set_duplicate(result.duplicate);
    ++(result.duplicate ? stats_.duplicates : stats_.results);
    if (!result.duplicate) {
      if (!result.rollout.verdict().reward_valid()) {
        ++stats_.invalid_rewards;
        spdlog::warn("work {} sample {}: stored without a valid reward: {}{}", result.rollout.work_id(),
                     result.rollout.sample(), result.rollout.verdict().invalid_reason(),
                     result.rollout.verdict().sandbox_error());
      }
      if (leases_.standing(ack.work_id(), ack.sample()) == Standing::kWanted)
        leases_.stored(ack.work_id(), ack.sample());
      book_.stored(std::move(result.rollout));
    }
    send(result.identity, std::move(message));
  }
  if (book_.has_finished()) finished_.notify_all();
}

void CoordinatorServer::grant() {
  const double now = monotonic_seconds();
  for (const Grant& grant : leases_.grant(newest_ ? newest_->version() : 0, now)) {
    const Work& work = *book_.find(grant.work_id);
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
    if (newest_) *lease.mutable_weights() = *newest_;
    lease.set_deadline_seconds(options_.lease_seconds);
    lease.set_purpose(work.purpose);
    lease.set_final_attempt(grant.final_attempt);
    if (!proto::send_to(router_, grant.worker, message)) leases_.revoke(grant.lease_id);
  }
}

void CoordinatorServer::report_ended(const EndedLease& ended, std::uint64_t& counter) {
  ++counter;
  const auto peer = peers_.find(ended.worker);
  stats_.last_return_reason = ended.reason;
  spdlog::warn("lease {} of work {} at {} ended: {}; the work is given out again", ended.lease_id, ended.work_id,
               peer == peers_.end() ? "?" : peer->second.name, ended.reason);
}

void CoordinatorServer::send(const std::string& identity, proto::RolloutMessage message) {
  message.set_protocol(proto::kProtocolVersion);
  // A peer that is gone comes back and asks again.
  [[maybe_unused]] const bool sent = proto::send_to(router_, identity, message);
}

// What a closing socket sent last can be lost with the connection, so it stays open until the workers have answered.
void CoordinatorServer::say_goodbye() {
  const std::lock_guard lock(mutex_);
  for (const auto& [identity, peer] : peers_) {
    proto::RolloutMessage message;
    message.mutable_shutdown()->set_reason("the run ended");
    send(identity, std::move(message));
  }
  const double deadline = monotonic_seconds() + kGoodbyeSeconds;
  while (!peers_.empty() && monotonic_seconds() < deadline) {
    const auto frame = proto::receive_routed(router_, kTickMilliseconds);
    proto::RolloutMessage message;
    if (frame && message.ParseFromString(frame->payload) && message.has_shutdown()) peers_.erase(frame->identity);
  }
}

}  // namespace kg::rollout
