#include "rollout/worker.h"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"

namespace kg::rollout {
namespace {

constexpr double kResendSeconds = 10;
constexpr double kSilenceBeforeReconnect = 10;
constexpr double kGoodbyeSeconds = 3;
constexpr int kTickMilliseconds = 200;

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

}  // namespace

Worker::Worker(const WorkerOptions& options, MakeJudge make_judge)
    : options_(options),
      make_judge_(std::move(make_judge)),
      generator_(context_, options.generator),
      outbox_(kResendSeconds) {
  // Of this process alone, and the same over all its connections.
  identity_ =
      options_.name.substr(0, 200) + "#" + std::to_string(::getpid()) + "-" + std::to_string(std::random_device()());
}

Worker::~Worker() = default;

void Worker::connect(double now) {
  coordinator_ = zmq::socket_t(context_, zmq::socket_type::dealer);
  coordinator_.set(zmq::sockopt::routing_id, identity_);
  // Nothing waits in a queue towards a coordinator that is away: the outbox keeps what matters.
  coordinator_.set(zmq::sockopt::immediate, true);
  coordinator_.set(zmq::sockopt::linger, 200);
  coordinator_.set(zmq::sockopt::reconnect_ivl, 100);
  coordinator_.set(zmq::sockopt::reconnect_ivl_max, 2000);
  if (is_remote(options_.coordinator)) {
    if (options_.keys_folder.empty())
      throw Error("a coordinator on another host wants CURVE keys", options_.coordinator,
                  "copy server.pub and NAME.key of `kgtrain-worker keys` here and give --keys FOLDER");
    secure_client(coordinator_, options_.keys_folder, options_.key_name);
  }
  coordinator_.connect(options_.coordinator);
  connected_ = now;
  joined_ = false;
  last_heartbeat_ = 0;
}

bool Worker::send(proto::RolloutMessage message) {
  message.set_protocol(proto::kProtocolVersion);
  return coordinator_.send(zmq::buffer(message.SerializeAsString()), zmq::send_flags::dontwait).has_value();
}

void Worker::run(int stop_descriptor) {
  started_ = monotonic_seconds();
  connect(started_);
  while (!ending_) {
    wait_for_events(stop_descriptor, kTickMilliseconds);
    const double now = monotonic_seconds();
    read_coordinator(now);
    GeneratorLink::Events events = generator_.read(now);
    for (const proto::GenerateReply& reply : events.replies) handle_reply(reply);
    if (!events.swap_error.empty())
      give_back_waiting_for_generator("the generator cannot take the weights: " + events.swap_error);
    if (judge_) handle_judged();
    tick(now);
  }
  spdlog::info("ends: {}", *ending_);
  shut_down();
}

void Worker::wait_for_events(int stop_descriptor, int milliseconds) {
  zmq::pollitem_t items[4] = {{coordinator_.handle(), 0, ZMQ_POLLIN, 0},
                              {generator_.socket().handle(), 0, ZMQ_POLLIN, 0}};
  std::size_t count = 2;
  if (judge_) items[count++] = {nullptr, judge_->descriptor(), ZMQ_POLLIN, 0};
  const std::size_t stop = count;
  if (stop_descriptor >= 0) items[count++] = {nullptr, stop_descriptor, ZMQ_POLLIN, 0};
  try {
    zmq::poll(items, count, std::chrono::milliseconds(milliseconds));
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
    return;
  }
  if (stop < count && items[stop].revents != 0) ending_ = "asked to stop";
}

void Worker::read_coordinator(double now) {
  while (const auto payload = proto::receive_payload(coordinator_, 0)) {
    proto::RolloutMessage message;
    if (!message.ParseFromString(*payload))
      throw Error("not a coordinator of kgtrain", options_.coordinator, "look at the endpoint", Error::Kind::kFailed);
    if (message.has_refused())
      throw Error("the coordinator refused this worker: " + message.refused().reason(), options_.coordinator,
                  "see the coordinator's log", Error::Kind::kFailed);
    if (message.protocol() != proto::kProtocolVersion)
      throw Error("protocol " + std::to_string(message.protocol()) + " of the coordinator against protocol " +
                      std::to_string(proto::kProtocolVersion) + " of this worker",
                  options_.coordinator, "install the same version of kgtrain on both hosts", Error::Kind::kFailed);
    last_heard_ = now;
    handle(message, now);
  }
}

void Worker::handle(proto::RolloutMessage& message, double now) {
  switch (message.body_case()) {
    case proto::RolloutMessage::kWelcome:
      return welcome(message.welcome());
    case proto::RolloutMessage::kLease: {
      const std::uint64_t lease_id = message.lease().lease_id();
      leases_[lease_id].lease = std::move(*message.mutable_lease());
      return ask_generator(now);
    }
    case proto::RolloutMessage::kAck: {
      const proto::ResultAck& ack = message.ack();
      if (!ack.rejected().empty())
        spdlog::error("work {} sample {} was rejected: {}", ack.work_id(), ack.sample(), ack.rejected());
      else
        spdlog::debug("work {} sample {} is durable", ack.work_id(), ack.sample());
      return end_if_acknowledged(outbox_.acknowledged({ack.work_id(), ack.sample()}));
    }
    case proto::RolloutMessage::kHeartbeatReply:
      for (const std::uint64_t lease_id : message.heartbeat_reply().expired_leases()) forget_lease(lease_id);
      return;
    case proto::RolloutMessage::kChunk:
      if (fetch_) fetch_->receive(message.chunk(), now);
      return ask_generator(now);
    case proto::RolloutMessage::kShutdown: {
      ending_ = message.shutdown().reason();
      leases_.clear();
      outbox_.clear();  // nobody is there to take it
      proto::RolloutMessage answer;
      answer.mutable_shutdown()->set_reason("understood");
      send(std::move(answer));
      return;
    }
    case proto::RolloutMessage::kHelloWanted:
      joined_ = false;
      last_heartbeat_ = 0;  // tick() says Hello
      return;
    default:
      return;
  }
}

void Worker::welcome(const proto::Welcome& welcome) {
  if (welcome_ && welcome_->run() != welcome.run()) {
    spdlog::warn("the coordinator now runs {}, before it was {}: old leases and results are dropped", welcome.run(),
                 welcome_->run());
    while (!leases_.empty()) forget_lease(leases_.begin()->first);
    outbox_.clear();
  }
  const auto rules = [](const proto::Welcome& all) {
    proto::Welcome part = all;
    part.clear_weights();
    return part.SerializeAsString();
  };
  const bool is_new = !welcome_ || rules(*welcome_) != rules(welcome);
  welcome_ = welcome;
  heartbeat_seconds_ = std::clamp(welcome.heartbeat_seconds(), 0.05, 60.0);
  if (!judge_ || is_new) {
    // What was waiting to be judged under other rules is asked again under a new lease.
    if (judge_)
      while (!leases_.empty()) forget_lease(leases_.begin()->first);
    judge_ = std::make_unique<JudgeQueue>(make_judge_(welcome));
  }
  joined_ = true;
  outbox_.send_all_again();
  heartbeat(monotonic_seconds());  // offers the credits
}

std::uint32_t Worker::free_capacity(double now) const {
  if (!judge_ || !generator_.answered() || now < no_credits_until_ ||
      now > generator_.last_heard() + options_.generator_silence_seconds)
    return 0;
  const auto working =
      std::count_if(leases_.begin(), leases_.end(), [](const auto& held) { return held.second.working(); });
  return static_cast<std::uint32_t>(std::max<std::int64_t>(0, std::int64_t{options_.capacity} - working));
}

void Worker::heartbeat(double now) {
  proto::RolloutMessage message;
  proto::Heartbeat& heartbeat = *message.mutable_heartbeat();
  for (const auto& [lease_id, held] : leases_) heartbeat.add_leases(lease_id);
  const double busy = judge_->busy_seconds();
  if (last_heartbeat_ > 0 && now > last_heartbeat_)
    heartbeat.set_busy_fraction(std::clamp((busy - last_busy_) / (now - last_heartbeat_), 0.0, 1.0));
  last_busy_ = busy;
  heartbeat.set_judged(judge_->judged());
  heartbeat.set_unacknowledged(static_cast<std::uint32_t>(outbox_.size()));
  heartbeat.set_free(free_capacity(now));
  send(std::move(message));
  last_heartbeat_ = now;
}

void Worker::tick(double now) {
  const double heard = std::max(last_heard_, started_);
  if (now > heard + options_.give_up_seconds)
    throw Error("no word from the coordinator for " + std::to_string(static_cast<int>(now - heard)) + " s",
                options_.coordinator, "start the run again, or raise --give-up-seconds", Error::Kind::kFailed);
  if (now > std::max(heard, connected_) + std::max(kSilenceBeforeReconnect, 5 * heartbeat_seconds_)) {
    spdlog::warn("no word from the coordinator; connecting again");
    connect(now);
  }
  if (now >= last_heartbeat_ + heartbeat_seconds_) {
    if (joined_) {
      heartbeat(now);
    } else {
      proto::RolloutMessage message;
      proto::Hello& hello = *message.mutable_hello();
      hello.set_worker(options_.name);
      hello.set_host(host_name());
      hello.set_pid(::getpid());
      hello.set_judge_version(options_.judge_version);
      last_heartbeat_ = send(std::move(message)) ? now : 0;
    }
  }
  if (joined_) flush_outbox(now);
  generator_.tick(now);
  if (generator_.answered() && now > generator_.last_heard() + options_.generator_silence_seconds)
    give_back_waiting_for_generator("the generator has been silent for too long");
  if (fetch_) fetch_->tick(now);
  ask_generator(now);
}

void Worker::flush_outbox(double now) {
  for (const auto& [key, result] : outbox_.due(now)) {
    proto::RolloutMessage message;
    *message.mutable_result() = *result;
    if (!send(std::move(message))) return;
    outbox_.sent(key, now);
  }
}

// Gives back what is not finished, and waits a little for the acknowledgement of what is.
void Worker::shut_down() {
  std::vector<std::uint64_t> working;
  for (const auto& [lease_id, held] : leases_)
    if (held.working()) working.push_back(lease_id);
  for (const std::uint64_t lease_id : working)
    give_back(lease_id, proto::SHUTTING_DOWN, "the worker ends: " + *ending_);
  const double deadline = monotonic_seconds() + kGoodbyeSeconds;
  for (double now = monotonic_seconds(); outbox_.size() > 0 && now < deadline; now = monotonic_seconds()) {
    flush_outbox(now);
    wait_for_events(/*stop_descriptor=*/-1, kTickMilliseconds);
    read_coordinator(now);
  }
  if (outbox_.size() > 0)
    spdlog::warn("{} results end unacknowledged; their samples will be made again", outbox_.size());
}

}  // namespace kg::rollout
