// What the coordinator does with each message of a worker. All run on the socket thread, under the mutex.
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/coordinator_server.h"

namespace kg::rollout {
namespace {

constexpr std::uint32_t kLiesForgiven = 2;
constexpr std::uint32_t kLargestGroup = 4096;

}  // namespace

void CoordinatorServer::refuse(const std::string& identity, const std::string& reason) {
  proto::RolloutMessage message;
  message.mutable_refused()->set_reason(reason);
  send(identity, std::move(message));
  for (const EndedLease& ended : leases_.leave(identity, reason)) report_ended(ended, stats_.expired_leases);
  peers_.erase(identity);
}

void CoordinatorServer::handle(const std::string& identity, const std::string& payload) {
  proto::RolloutMessage message;
  if (!message.ParseFromString(payload)) return refuse(identity, "not a message of kgtrain");
  if (message.protocol() != proto::kProtocolVersion)
    return refuse(identity, "protocol " + std::to_string(message.protocol()) + " of the worker against protocol " +
                                std::to_string(proto::kProtocolVersion) +
                                " of the coordinator: install the same version of kgtrain on both hosts");
  const bool known = leases_.heard(identity, monotonic_seconds());
  switch (message.body_case()) {
    case proto::RolloutMessage::kHello:
      return handle_hello(identity, message.hello());
    case proto::RolloutMessage::kResult:
      return handle_result(identity, std::move(*message.mutable_result()));
    case proto::RolloutMessage::kLeaseReturn:
      return handle_return(identity, message.lease_return());
    case proto::RolloutMessage::kFetch: {
      proto::RolloutMessage answer;
      *answer.mutable_chunk() = weights_.answer(message.fetch());
      return send(identity, std::move(answer));
    }
    case proto::RolloutMessage::kCredits:
      if (known) return leases_.offer(identity, message.credits().count());
      break;
    case proto::RolloutMessage::kHeartbeat:
      if (known) return handle_heartbeat(identity, message.heartbeat());
      break;
    default:
      return refuse(identity, "a message that no worker sends");
  }
  proto::RolloutMessage wanted;
  wanted.mutable_hello_wanted();
  send(identity, std::move(wanted));
}

void CoordinatorServer::handle_hello(const std::string& identity, const proto::Hello& hello) {
  if (hello.judge_version() != options_.judge_version)
    return refuse(identity, "judge version " + (hello.judge_version().empty() ? "(none)" : hello.judge_version()) +
                                " of the worker against " + options_.judge_version +
                                " of the coordinator: install the same kgtrain and the same clang++ on both hosts "
                                "(kgtrain doctor says what the version is made of)");
  const std::string name = hello.worker().empty() ? "unnamed" : hello.worker();
  // A new process under a known name takes the old one's place: it was started again, or else the older of the two has
  // to go.
  std::vector<std::string> older;
  for (const auto& [other, peer] : peers_)
    if (other != identity && peer.name == name) older.push_back(other);
  for (const std::string& other : older) refuse(other, "another process joined as worker " + name);
  leases_.join(identity, monotonic_seconds());
  if (!peers_.contains(identity))
    spdlog::info("worker {} joined from {} (process {})", name, hello.host(), hello.pid());
  peers_[identity].name = name;

  proto::RolloutMessage message;
  proto::Welcome& welcome = *message.mutable_welcome();
  welcome.set_run(options_.run);
  welcome.set_heartbeat_seconds(options_.heartbeat_seconds);
  if (newest_) *welcome.mutable_weights() = *newest_;
  welcome.set_reward_config_json(reward::to_json(options_.reward).dump());
  *welcome.mutable_limits() = options_.limits;
  welcome.set_language(options_.language);
  send(identity, std::move(message));
}

void CoordinatorServer::handle_heartbeat(const std::string& identity, const proto::Heartbeat& heartbeat) {
  peers_[identity].busy = heartbeat.busy_fraction();
  const std::vector<std::uint64_t> listed(heartbeat.leases().begin(), heartbeat.leases().end());
  std::vector<std::uint64_t> not_held;
  for (const EndedLease& ended : leases_.reconcile(identity, listed, heartbeat.free(), monotonic_seconds(), not_held))
    report_ended(ended, stats_.expired_leases);
  proto::RolloutMessage message;
  message.mutable_heartbeat_reply()->mutable_expired_leases()->Assign(not_held.begin(), not_held.end());
  send(identity, std::move(message));
}

void CoordinatorServer::handle_return(const std::string& identity, const proto::LeaseReturn& give_back) {
  const bool in_work = give_back.cause() == proto::SANDBOX_FAULT || give_back.cause() == proto::GENERATION_REFUSED;
  if (const auto ended = leases_.give_back(give_back.lease_id(), identity, give_back.reason(), in_work))
    report_ended(*ended, stats_.returned_leases);
}

// Empty, or why this result can never be stored.
std::string CoordinatorServer::why_rejected(const proto::Result& result) const {
  const proto::Rollout& rollout = result.rollout();
  if (rollout.work_id() == 0 || rollout.work_id() >= counter_.first_free())
    return "work " + std::to_string(rollout.work_id()) + " was never given out";
  const Work* work = book_.find(rollout.work_id());
  if (work != nullptr && rollout.task() != work->task.id())
    return "task " + rollout.task() + ", the work is task " + work->task.id();
  if (rollout.sample() >= (work != nullptr ? work->samples : kLargestGroup))
    return "sample " + std::to_string(rollout.sample()) + " is beyond the group";
  if (work == nullptr && !data_.task(rollout.task())) return "task " + rollout.task() + " is not in the data set";

  const std::uint64_t asked = leases_.version_of(result.lease_id()).value_or(rollout.policy_version());
  const auto lie = [&](std::uint64_t version) {
    return "policy version " + std::to_string(version) + ", the lease asked for " + std::to_string(asked) +
           (newest_ ? " and the newest is " + std::to_string(newest_->version()) : "");
  };
  const auto is_false = [&](std::uint64_t version) {
    return version < asked || (newest_ && version > newest_->version());
  };
  if (is_false(rollout.policy_version())) return lie(rollout.policy_version());
  for (const std::uint64_t version : rollout.completion().policy_versions())
    if (is_false(version)) return lie(version);
  return "";
}

void CoordinatorServer::handle_result(const std::string& identity, proto::Result result) {
  const std::uint64_t work_id = result.rollout().work_id();
  const std::uint32_t sample = result.rollout().sample();
  bool duplicate = book_.is_durable(work_id, sample);
  if (!duplicate) {
    if (const std::string reason = why_rejected(result); !reason.empty()) {
      ++stats_.rejected;
      spdlog::warn("a result of work {} sample {} was rejected: {}", work_id, sample, reason);
      proto::RolloutMessage message;
      proto::ResultAck& ack = *message.mutable_ack();
      ack.set_work_id(work_id);
      ack.set_sample(sample);
      ack.set_rejected(reason);
      send(identity, std::move(message));
      if (const auto ended = leases_.end(result.lease_id(), reason)) report_ended(*ended, stats_.expired_leases);
      const auto peer = peers_.find(identity);
      if (peer != peers_.end() && ++peer->second.lies > kLiesForgiven)
        refuse(identity, "too many false results: " + reason);
      return;
    }
    for (const Arrived& other : arrived_)
      duplicate |= other.rollout.work_id() == work_id && other.rollout.sample() == sample;
  }
  arrived_.push_back({identity, std::move(*result.mutable_rollout()), duplicate});
}

}  // namespace kg::rollout
