#include "rollout/worker_messages.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "proto/frame.h"

namespace kg::rollout {
namespace {

constexpr std::uint32_t kLiesForgiven = 2;
constexpr std::uint32_t kLargestGroup = 4096;

}  // namespace

WorkerMessages::WorkerMessages(CoordinatorState& state, Send send) : state_(state), send_(std::move(send)) {}

void WorkerMessages::refuse(const std::string& identity, const std::string& reason) {
  proto::RolloutMessage message;
  message.mutable_refused()->set_reason(reason);
  send_(identity, std::move(message));
  for (const EndedLease& ended : state_.leases.leave(identity, reason))
    state_.report_ended(ended, state_.stats.expired_leases);
  state_.peers.erase(identity);
}

void WorkerMessages::handle(const std::string& identity, const std::string& payload) {
  proto::RolloutMessage message;
  if (!message.ParseFromString(payload)) return refuse(identity, "not a message of kgtrain");
  if (message.protocol() != proto::kProtocolVersion)
    return refuse(identity, "protocol " + std::to_string(message.protocol()) + " of the worker against protocol " +
                                std::to_string(proto::kProtocolVersion) +
                                " of the coordinator: install the same version of kgtrain on both hosts");
  const bool known = state_.leases.heard(identity, monotonic_seconds());
  switch (message.body_case()) {
    case proto::RolloutMessage::kHello:
      return handle_hello(identity, message.hello());
    case proto::RolloutMessage::kResult:
      return handle_result(identity, std::move(*message.mutable_result()));
    case proto::RolloutMessage::kLeaseReturn:
      return handle_return(identity, message.lease_return());
    case proto::RolloutMessage::kFetch: {
      proto::RolloutMessage answer;
      *answer.mutable_chunk() = state_.weights.answer(message.fetch());
      return send_(identity, std::move(answer));
    }
    case proto::RolloutMessage::kCredits:
      if (known) return state_.leases.offer(identity, message.credits().count());
      break;
    case proto::RolloutMessage::kHeartbeat:
      if (known) return handle_heartbeat(identity, message.heartbeat());
      break;
    default:
      return refuse(identity, "a message that no worker sends");
  }
  proto::RolloutMessage wanted;
  wanted.mutable_hello_wanted();
  send_(identity, std::move(wanted));
}

void WorkerMessages::handle_hello(const std::string& identity, const proto::Hello& hello) {
  if (hello.judge_version() != state_.options.judge_version)
    return refuse(identity, "judge version " + (hello.judge_version().empty() ? "(none)" : hello.judge_version()) +
                                " of the worker against " + state_.options.judge_version +
                                " of the coordinator: install the same kgtrain and the same clang++ on both hosts "
                                "(kgtrain doctor says what the version is made of)");
  const std::string name = hello.worker().empty() ? "unnamed" : hello.worker();
  // A new process under a known name takes the old one's place: it was started again, or else the older of the two has
  // to go.
  std::vector<std::string> older;
  for (const auto& [other, peer] : state_.peers)
    if (other != identity && peer.name == name) older.push_back(other);
  for (const std::string& other : older) refuse(other, "another process joined as worker " + name);
  state_.leases.join(identity, monotonic_seconds());
  if (!state_.peers.contains(identity))
    spdlog::info("worker {} joined from {} (process {})", name, hello.host(), hello.pid());
  state_.peers[identity].name = name;

  proto::RolloutMessage message;
  proto::Welcome& welcome = *message.mutable_welcome();
  welcome.set_run(state_.options.run);
  welcome.set_heartbeat_seconds(state_.options.heartbeat_seconds);
  if (state_.newest) *welcome.mutable_weights() = *state_.newest;
  welcome.set_reward_config_json(reward::to_json(state_.options.reward).dump());
  *welcome.mutable_limits() = state_.options.limits;
  welcome.set_language(state_.options.language);
  send_(identity, std::move(message));
}

void WorkerMessages::handle_heartbeat(const std::string& identity, const proto::Heartbeat& heartbeat) {
  state_.peers[identity].busy = heartbeat.busy_fraction();
  const std::vector<std::uint64_t> listed(heartbeat.leases().begin(), heartbeat.leases().end());
  std::vector<std::uint64_t> not_held;
  for (const EndedLease& ended :
       state_.leases.reconcile(identity, listed, heartbeat.free(), monotonic_seconds(), not_held))
    state_.report_ended(ended, state_.stats.expired_leases);
  proto::RolloutMessage message;
  message.mutable_heartbeat_reply()->mutable_expired_leases()->Assign(not_held.begin(), not_held.end());
  send_(identity, std::move(message));
}

void WorkerMessages::handle_return(const std::string& identity, const proto::LeaseReturn& give_back) {
  const bool in_work = give_back.cause() == proto::SANDBOX_FAULT || give_back.cause() == proto::GENERATION_REFUSED;
  if (const auto ended = state_.leases.give_back(give_back.lease_id(), identity, give_back.reason(), in_work))
    state_.report_ended(*ended, state_.stats.returned_leases);
}

// Empty, or why this result can never be stored.
std::string WorkerMessages::why_rejected(const proto::Result& result) const {
  const proto::Rollout& rollout = result.rollout();
  if (rollout.work_id() == 0 || rollout.work_id() >= state_.counter.first_free())
    return "work " + std::to_string(rollout.work_id()) + " was never given out";
  const Work* work = state_.book.find(rollout.work_id());
  if (work != nullptr && rollout.task() != work->task.id())
    return "task " + rollout.task() + ", the work is task " + work->task.id();
  if (rollout.sample() >= (work != nullptr ? work->samples : kLargestGroup))
    return "sample " + std::to_string(rollout.sample()) + " is beyond the group";
  if (work == nullptr && !state_.data.task(rollout.task())) return "task " + rollout.task() + " is not in the data set";

  const std::uint64_t asked = state_.leases.version_of(result.lease_id()).value_or(rollout.policy_version());
  const auto lie = [&](std::uint64_t version) {
    return "policy version " + std::to_string(version) + ", the lease asked for " + std::to_string(asked) +
           (state_.newest ? " and the newest is " + std::to_string(state_.newest->version()) : "");
  };
  const auto is_false = [&](std::uint64_t version) {
    return version < asked || (state_.newest && version > state_.newest->version());
  };
  if (is_false(rollout.policy_version())) return lie(rollout.policy_version());
  for (const std::uint64_t version : rollout.completion().policy_versions())
    if (is_false(version)) return lie(version);
  return "";
}

void WorkerMessages::handle_result(const std::string& identity, proto::Result result) {
  const std::uint64_t work_id = result.rollout().work_id();
  const std::uint32_t sample = result.rollout().sample();
  bool duplicate = state_.book.is_durable(work_id, sample);
  if (!duplicate) {
    if (const std::string reason = why_rejected(result); !reason.empty()) {
      ++state_.stats.rejected;
      spdlog::warn("a result of work {} sample {} was rejected: {}", work_id, sample, reason);
      proto::RolloutMessage message;
      proto::ResultAck& ack = *message.mutable_ack();
      ack.set_work_id(work_id);
      ack.set_sample(sample);
      ack.set_rejected(reason);
      send_(identity, std::move(message));
      if (const auto ended = state_.leases.end(result.lease_id(), reason))
        state_.report_ended(*ended, state_.stats.expired_leases);
      const auto peer = state_.peers.find(identity);
      if (peer != state_.peers.end() && ++peer->second.lies > kLiesForgiven)
        refuse(identity, "too many false results: " + reason);
      return;
    }
    for (const CoordinatorState::Arrived& other : state_.arrived)
      duplicate |= other.rollout.work_id() == work_id && other.rollout.sample() == sample;
  }
  state_.arrived.push_back({identity, std::move(*result.mutable_rollout()), duplicate});
}

}  // namespace kg::rollout
