#include "rollout/worker_messages.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "rollout/result_check.h"

namespace kg::rollout {
namespace {

constexpr std::uint32_t kLiesForgiven = 2;
constexpr std::size_t kLongestName = 200, kLongestReason = 2000;
constexpr const char* kNotAllowed = "its key is no longer in allowed_workers";
constexpr int kMostLeasesListed = 65536;
constexpr std::size_t kMostUnchecked = 256;  // results of one worker; then it gets no further leases

// Printable, and no longer than a line of the log.
std::string tidy(std::string text, std::size_t longest) {
  if (text.size() > longest) text.resize(longest);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > 0x20 && c != 0x7f; });
}

EndCause cause_of(proto::ReturnCause cause) {
  switch (cause) {
    case proto::SANDBOX_FAULT:
    case proto::GENERATION_REFUSED:
      return EndCause::kInWork;
    case proto::GENERATOR_LOST:
      return EndCause::kHostFault;
    default:
      return EndCause::kNeutral;
  }
}

}  // namespace

WorkerMessages::WorkerMessages(CoordinatorState& state, Send send) : state_(state), send_(std::move(send)) {}

void WorkerMessages::send_refusal(const std::string& identity, const std::string& reason) {
  proto::RolloutMessage message;
  message.mutable_refused()->set_reason(reason);
  send_(identity, std::move(message));
}

void WorkerMessages::refuse(const std::string& identity, const std::string& reason, EndCause cause) {
  send_refusal(identity, reason);
  for (const EndedLease& ended : state_.leases.leave(identity, reason, cause))
    state_.report_ended(ended, state_.stats.expired_leases);
  state_.peers.erase(identity);
}

void WorkerMessages::refuse_key(const std::string& key, const std::string& reason) {
  state_.refuse_key(key, tidy(reason, kLongestReason));
  shut_out(key, reason);
}

void WorkerMessages::shut_out(const std::string& key, const std::string& reason) {
  const std::size_t dropped = state_.checks.drop(key).size();
  std::vector<std::string> its;
  for (const auto& [identity, peer] : state_.peers)
    if (peer.key == key) its.push_back(identity);
  if (its.empty()) return;
  spdlog::error("the worker with the key {} is refused: {}; {} results that waited for a check are dropped", key,
                reason, dropped);
  for (const std::string& identity : its) refuse(identity, reason);
}

void WorkerMessages::handle(const proto::RoutedFrame& frame) {
  const std::string& identity = frame.identity;
  if (!frame.user.empty()) {
    if (const auto refused = state_.refused_keys.find(frame.user); refused != state_.refused_keys.end())
      return send_refusal(identity, refused->second);
    // The connection took a name that is another key's. Its owner keeps its leases.
    if (!identity.starts_with(frame.user + "/"))
      return send_refusal(identity, "the connection's name does not begin with the CURVE key that it proved");
    if (state_.allowed && !state_.allowed->contains(frame.user)) {
      shut_out(frame.user, kNotAllowed);
      return send_refusal(identity, kNotAllowed);
    }
  }
  proto::RolloutMessage message;
  if (!message.ParseFromString(frame.payload)) return refuse(identity, "not a message of kgtrain");
  if (message.protocol() != proto::kProtocolVersion)
    return refuse(identity, "protocol " + std::to_string(message.protocol()) + " of the worker against protocol " +
                                std::to_string(proto::kProtocolVersion) +
                                " of the coordinator: install the same version of kgtrain on both hosts");
  if (message.has_hello()) return handle_hello(frame, message.hello());
  if (message.has_shutdown()) return;  // the answer to an earlier coordinator's goodbye
  if (!state_.leases.heard(identity, monotonic_seconds()) || !state_.peers.contains(identity)) {
    proto::RolloutMessage wanted;
    wanted.mutable_hello_wanted();
    return send_(identity, std::move(wanted));
  }
  switch (message.body_case()) {
    case proto::RolloutMessage::kResult:
      return handle_result(identity, std::move(*message.mutable_result()));
    case proto::RolloutMessage::kLeaseReturn:
      return handle_return(identity, message.lease_return());
    case proto::RolloutMessage::kCredits:
      return state_.leases.offer(identity, credits_of(identity, message.credits().count()));
    case proto::RolloutMessage::kHeartbeat:
      return handle_heartbeat(identity, message.heartbeat());
    default:
      return refuse(identity, "a message that no worker sends");
  }
}

// None to a worker whose results wait in masses to be checked.
std::uint32_t WorkerMessages::credits_of(const std::string& identity, std::uint32_t asked) const {
  const std::string& key = state_.peers.at(identity).key;
  return !key.empty() && state_.checks.waiting(key) >= kMostUnchecked ? 0 : asked;
}

void WorkerMessages::handle_hello(const proto::RoutedFrame& from, const proto::Hello& hello) {
  const std::string& identity = from.identity;
  if (hello.judge_version() != state_.options.judge_version)
    return refuse(identity, "judge version " +
                                (hello.judge_version().empty() ? "(none)" : tidy(hello.judge_version(), kLongestName)) +
                                " of the worker against " + state_.options.judge_version +
                                " of the coordinator: install the same kgtrain and the same clang++ on both hosts "
                                "(kgtrain doctor says what the version is made of)");
  const std::string name = hello.worker().empty() ? "unnamed" : hello.worker();
  if (!is_name(name))
    return refuse(identity, "a worker's name has 1 to " + std::to_string(kLongestName) + " characters, no blanks");
  // A new process under a known name takes the old one's place: it was started again, or else the older of the two has
  // to go. It must prove the same key.
  std::vector<std::string> older;
  for (const auto& [other, peer] : state_.peers) {
    if (other == identity || peer.name != name) continue;
    if (peer.key != from.user) return refuse(identity, "the name " + name + " is taken by a worker with another key");
    older.push_back(other);
  }
  for (const std::string& other : older)
    refuse(other, "another process joined as worker " + name, EndCause::kWorkerLost);
  state_.leases.join(identity, monotonic_seconds());
  if (!state_.peers.contains(identity))
    spdlog::info("worker {} joined from {} (process {})", name, tidy(hello.host(), kLongestName), hello.pid());
  state_.peers[identity].name = name;
  state_.peers[identity].key = from.user;

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
  if (heartbeat.leases_size() > kMostLeasesListed || heartbeat.progress_size() > kMostLeasesListed)
    return refuse(identity, "a heartbeat with " + std::to_string(heartbeat.leases_size()) + " leases");
  const double busy = heartbeat.busy_fraction(), now = monotonic_seconds();
  state_.peers.at(identity).busy = std::isfinite(busy) ? std::clamp(busy, 0.0, 1.0) : 0;
  const std::vector<std::uint64_t> listed(heartbeat.leases().begin(), heartbeat.leases().end());
  std::vector<std::uint64_t> not_held;
  for (const EndedLease& ended :
       state_.leases.reconcile(identity, listed, credits_of(identity, heartbeat.free()), now, not_held))
    state_.report_ended(ended, state_.stats.expired_leases);
  for (const proto::LeaseProgress& one : heartbeat.progress())
    state_.leases.progress(one.lease_id(), identity, one.steps(), now);
  proto::RolloutMessage message;
  message.mutable_heartbeat_reply()->mutable_expired_leases()->Assign(not_held.begin(), not_held.end());
  send_(identity, std::move(message));
}

void WorkerMessages::handle_return(const std::string& identity, const proto::LeaseReturn& give_back) {
  if (const auto ended =
          state_.leases.give_back(give_back.lease_id(), identity, tidy(give_back.reason(), kLongestReason),
                                  cause_of(give_back.cause()), monotonic_seconds()))
    state_.report_ended(*ended, state_.stats.returned_leases);
}

void WorkerMessages::reject(const std::string& identity, const proto::Result& result, const std::string& reason,
                            bool is_lie) {
  const std::uint64_t work_id = result.rollout().work_id();
  const std::uint32_t sample = result.rollout().sample();
  ++state_.stats.rejected;
  spdlog::warn("a result of work {} sample {} was rejected: {}", work_id, sample, reason);
  proto::RolloutMessage message;
  proto::ResultAck& ack = *message.mutable_ack();
  ack.set_work_id(work_id);
  ack.set_sample(sample);
  ack.set_rejected(reason);
  send_(identity, std::move(message));
  if (const auto ended =
          state_.leases.give_back(result.lease_id(), identity, reason, EndCause::kWorkerLost, monotonic_seconds()))
    state_.report_ended(*ended, state_.stats.expired_leases);
  if (!is_lie || ++state_.peers.at(identity).lies <= kLiesForgiven) return;
  const std::string why = "too many false results: " + reason, key = state_.peers.at(identity).key;
  if (key.empty())
    refuse(identity, why);
  else
    refuse_key(key, why);
}

void WorkerMessages::handle_result(const std::string& identity, proto::Result result) {
  const std::uint64_t work_id = result.rollout().work_id();
  const std::uint32_t sample = result.rollout().sample();
  const bool of_this_run = result.rollout().run() == state_.options.run;
  bool duplicate = of_this_run && state_.book.is_durable(work_id, sample);
  const std::string& key = state_.peers.at(identity).key;
  if (!duplicate) {
    if (const auto wrong = check_result(state_, identity, result))
      return reject(identity, result, tidy(wrong->reason, kLongestReason), wrong->is_lie);
    duplicate = state_.is_arriving(work_id, sample);
    if (!duplicate && !key.empty() && state_.options.checker) {
      const Work* work = state_.book.find(work_id);
      SpotChecks::Held held{.identity = identity,
                            .task = work != nullptr ? work->task : *state_.data.task(result.rollout().task())};
      held.rollout = std::move(*result.mutable_rollout());
      return state_.checks.add(key, std::move(held), monotonic_seconds());
    }
  }
  state_.arrive({identity, std::move(*result.mutable_rollout()), duplicate});
}

}  // namespace kg::rollout
