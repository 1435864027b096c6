#include "rollout/worker.h"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/clock.h"
#include "base/error.h"
#include "base/host_name.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"
#include "rollout/rendezvous.h"
#include "rollout/tick.h"

namespace kg::rollout {
namespace {

constexpr double kSilenceBeforeReconnect = 10;
constexpr double kLeaveSeconds = 3;
constexpr std::int64_t kLargestMessage = 64 << 20;

}  // namespace

Worker::Worker(const WorkerOptions& options, MakeJudge make_judge)
    : options_(options),
      make_judge_(std::move(make_judge)),
      leases_(options_, context_, [this](proto::RolloutMessage message) { return send(std::move(message)); }) {
  // Of this process alone, and the same over all its connections. ZeroMQ allows 255 bytes.
  identity_ =
      options_.name.substr(0, 160) + "#" + std::to_string(::getpid()) + "-" + std::to_string(std::random_device()());
}

Worker::~Worker() = default;

void Worker::connect(double now) {
  // A coordinator that was started again may listen elsewhere.
  if (!options_.run_folder.empty()) {
    if (const auto run = read_rendezvous(options_.run_folder); run && run->finished) {
      ending_ = "the run has ended";
      leases_.forget_all();
      leases_.drop_results();
      if (connected_ == 0) coordinator_ = zmq::socket_t(context_, zmq::socket_type::dealer);  // to nobody
      connected_ = now;
      return;
    }
    options_.coordinator = endpoint_of_run(options_.run_folder);
  }
  const bool remote = is_remote(options_.coordinator);
  if (remote && options_.keys_folder.empty())
    throw Error("a coordinator on another host wants CURVE keys", options_.coordinator,
                "copy server.pub and NAME.key of `kgtrain-worker keys` here and give --keys FOLDER");
  coordinator_ = zmq::socket_t(context_, zmq::socket_type::dealer);
  // The coordinator knows a remote worker by its key, which its connection's name begins with.
  coordinator_.set(zmq::sockopt::routing_id,
                   remote ? worker_public_key(options_.keys_folder, options_.key_name) + "/" + identity_ : identity_);
  coordinator_.set(zmq::sockopt::maxmsgsize, kLargestMessage);
  // Nothing waits in a queue towards a coordinator that is away: the outbox keeps what matters.
  coordinator_.set(zmq::sockopt::immediate, true);
  coordinator_.set(zmq::sockopt::linger, 200);
  coordinator_.set(zmq::sockopt::reconnect_ivl, 100);
  coordinator_.set(zmq::sockopt::reconnect_ivl_max, 2000);
  if (remote) secure_client(coordinator_, options_.keys_folder, options_.key_name);
  coordinator_.connect(options_.coordinator);
  connected_ = now;
  leases_.set_joined(false);
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
    leases_.work(now);
    tick(now);
  }
  spdlog::info("ends: {}", *ending_);
  shut_down();
}

void Worker::wait_for_events(int stop_descriptor, int milliseconds) {
  zmq::pollitem_t items[4] = {{coordinator_.handle(), 0, ZMQ_POLLIN, 0},
                              {leases_.generator_socket().handle(), 0, ZMQ_POLLIN, 0}};
  std::size_t count = 2;
  if (leases_.can_judge()) items[count++] = {nullptr, leases_.judge_descriptor(), ZMQ_POLLIN, 0};
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
    case proto::RolloutMessage::kLease:
      return leases_.add(std::move(*message.mutable_lease()), now);
    case proto::RolloutMessage::kAck:
      return leases_.acknowledged(message.ack());
    case proto::RolloutMessage::kHeartbeatReply:
      for (const std::uint64_t lease_id : message.heartbeat_reply().expired_leases()) leases_.forget(lease_id);
      return;
    case proto::RolloutMessage::kShutdown:
      return coordinator_goes(message.shutdown());
    case proto::RolloutMessage::kHelloWanted:
      leases_.set_joined(false);
      last_heartbeat_ = 0;  // tick() says Hello
      return;
    default:
      return;
  }
}

// For good, or until the run is resumed: then what is finished is kept for the coordinator that comes, and what is not
// goes on being made; if the new coordinator does not know the lease it says so.
void Worker::coordinator_goes(const proto::Shutdown& shutdown) {
  proto::RolloutMessage answer;
  answer.mutable_shutdown()->set_reason("understood");
  send(std::move(answer));
  if (shutdown.coming_back()) {
    spdlog::info("the coordinator goes and will come back: {}", shutdown.reason());
    leases_.set_joined(false);
    return;
  }
  ending_ = shutdown.reason();
  leases_.forget_all();
  leases_.drop_results();  // nobody is there to take them
}

void Worker::welcome(const proto::Welcome& welcome) {
  if (welcome_ && welcome_->run() != welcome.run()) {
    spdlog::warn("the coordinator now runs {}, before it was {}: old leases and results are dropped", welcome.run(),
                 welcome_->run());
    leases_.forget_all();
    leases_.drop_results();
  }
  const auto rules = [](const proto::Welcome& all) {
    proto::Welcome part = all;
    part.clear_weights();
    return part.SerializeAsString();
  };
  const bool is_new = !welcome_ || rules(*welcome_) != rules(welcome);
  welcome_ = welcome;
  heartbeat_seconds_ = std::clamp(welcome.heartbeat_seconds(), 0.05, 60.0);
  if (!leases_.can_judge() || is_new) leases_.begin(welcome.run(), make_judge_(welcome));
  leases_.set_joined(true);
  leases_.resend_results();
  heartbeat(monotonic_seconds());  // offers the credits
}

void Worker::heartbeat(double now) {
  proto::RolloutMessage message;
  proto::Heartbeat& heartbeat = *message.mutable_heartbeat();
  leases_.describe(heartbeat, now);
  const double busy = leases_.busy_seconds();
  if (last_heartbeat_ > 0 && now > last_heartbeat_)
    heartbeat.set_busy_fraction(std::clamp((busy - last_busy_) / (now - last_heartbeat_), 0.0, 1.0));
  last_busy_ = busy;
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
    if (leases_.joined()) {
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
  leases_.tick(now);
}

// Gives back what is not finished, and waits a little for the acknowledgement of what is.
void Worker::shut_down() {
  leases_.give_back_unfinished("the worker ends: " + *ending_);
  const double deadline = monotonic_seconds() + kLeaveSeconds;
  for (double now = monotonic_seconds(); leases_.unacknowledged() > 0 && now < deadline; now = monotonic_seconds()) {
    leases_.flush_outbox(now);
    wait_for_events(/*stop_descriptor=*/-1, kTickMilliseconds);
    read_coordinator(now);
  }
  if (leases_.unacknowledged() > 0)
    spdlog::warn("{} results end unacknowledged; their samples will be made again", leases_.unacknowledged());
}

}  // namespace kg::rollout
