#include "policy/generation/generator_server.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/frame.h"

namespace kg::policy {
namespace {

constexpr double kLookEverySeconds = 1;
constexpr int kIdleMs = 200;    // how often an idle generator looks up
constexpr int kWaitingMs = 20;  // while weights are being loaded

}  // namespace

GeneratorServer::GeneratorServer(const GeneratorServerOptions& options, LoadedModel model)
    : GeneratorServer(options, std::make_unique<LocalEngine>(std::move(model), options.engine)) {}

GeneratorServer::GeneratorServer(const GeneratorServerOptions& options, std::unique_ptr<SamplingEngine> engine)
    : options_(options), engine_(std::move(engine)), socket_(context_, zmq::socket_type::router) {
  socket_.set(zmq::sockopt::router_mandatory, true);
  socket_.set(zmq::sockopt::linger, 0);
  try {
    socket_.bind(options.endpoint);
  } catch (const zmq::error_t& error) {
    throw Error(std::string("cannot listen: ") + error.what(), options.endpoint,
                "an ipc:// path must lie in an existing folder and be shorter than 108 bytes",
                Error::Kind::kEnvironment);
  }
}

void GeneratorServer::run(const std::atomic<bool>& ending, const std::function<bool()>& keep_on) {
  bool worked = false;
  while (!ending && keep_on()) {
    int wait = worked ? 0 : engine_->loading() || !engine_->idle() ? kWaitingMs : kIdleMs;
    while (const auto frame = proto::receive_routed(socket_, wait)) {
      handle(frame->identity, frame->payload);
      wait = 0;
    }
    switch_weights();
    worked = engine_->step();
    send_finished();
    look_for_vanished(monotonic_seconds());
  }
}

void GeneratorServer::handle(const std::string& identity, const std::string& payload) {
  proto::GeneratorMessage message;
  const bool parsed = message.ParseFromString(payload);
  if (!parsed || message.protocol() != proto::kProtocolVersion) {
    proto::GeneratorMessage answer;
    answer.mutable_reply()->set_request_id(message.generate().request_id());
    answer.mutable_reply()->set_error(parsed
                                          ? "the message has protocol version " + std::to_string(message.protocol()) +
                                                ", this generator speaks " + std::to_string(proto::kProtocolVersion)
                                          : "the message is not a GeneratorMessage");
    send(identity, std::move(answer));
    return;
  }
  switch (message.body_case()) {
    case proto::GeneratorMessage::kGenerate:
      handle_generate(identity, message.generate());
      break;
    case proto::GeneratorMessage::kSwap:
      handle_swap(identity, message.swap());
      break;
    case proto::GeneratorMessage::kStatusRequest: {
      proto::GeneratorMessage answer;
      *answer.mutable_status() = status();
      answer.mutable_status()->set_request_id(message.status_request().request_id());
      send(identity, std::move(answer));
      break;
    }
    default:
      break;
  }
}

void GeneratorServer::handle_generate(const std::string& identity, const proto::GenerateRequest& request) {
  // A peer that is unsure whether its request has arrived sends it again.
  for (const auto& [handle, asked] : open_)
    if (asked.identity == identity && asked.request_id == request.request_id()) return;
  try {
    open_[engine_->submit(request)] = {identity, request.request_id()};
  } catch (const Error& error) {
    proto::GeneratorMessage answer;
    answer.mutable_reply()->set_request_id(request.request_id());
    answer.mutable_reply()->set_error(error.full_message());
    answer.mutable_reply()->set_policy_version(engine_->policy_version());
    send(identity, std::move(answer));
  }
}

// Eight workers announce the same version, some of them late: whoever asks for the version in use, or an older one,
// is told so.
void GeneratorServer::handle_swap(const std::string& identity, const proto::SwapWeights& swap) {
  const proto::WeightsManifest& manifest = swap.manifest();
  const bool in_force = manifest.version() == engine_->policy_version() && manifest.checksum() == checksum_;
  if (in_force || manifest.version() < engine_->policy_version())
    send_swapped(identity, swap.request_id(), "");
  else
    engine_->want_weights(manifest, {identity, swap.request_id()});
}

void GeneratorServer::switch_weights() {
  const auto switched = engine_->switch_weights();
  if (!switched) return;
  if (!switched->error.empty()) {
    spdlog::error("{}", switched->error);
  } else if (switched->manifest.version() == engine_->policy_version()) {
    checksum_ = switched->manifest.checksum();
    spdlog::info("policy version {} is in use, checksum {}", switched->manifest.version(), checksum_);
  }
  for (const WeightsLoader::Waiter& waiter : switched->waiters)
    send_swapped(waiter.identity, waiter.request_id, switched->error);
}

void GeneratorServer::send_swapped(const std::string& identity, std::uint64_t request_id, const std::string& error) {
  proto::GeneratorMessage answer;
  answer.mutable_swapped()->set_request_id(request_id);
  answer.mutable_swapped()->set_version(engine_->policy_version());
  answer.mutable_swapped()->set_error(error);
  send(identity, std::move(answer));
}

void GeneratorServer::send_finished() {
  for (FinishedRequest& done : engine_->take_finished()) {
    const auto at = open_.find(done.handle);
    if (at == open_.end()) continue;
    const std::string identity = at->second.identity;
    if (!done.reply.more()) open_.erase(at);
    proto::GeneratorMessage answer;
    *answer.mutable_reply() = std::move(done.reply);
    if (!send(identity, std::move(answer))) drop(identity);
  }
}

void GeneratorServer::look_for_vanished(double now) {
  if (now < looked_ + kLookEverySeconds) return;
  looked_ = now;
  std::set<std::string> peers;
  for (const auto& [handle, asked] : open_) peers.insert(asked.identity);
  if (peers.empty()) return;
  proto::GeneratorMessage message;
  *message.mutable_status() = status();
  for (const std::string& peer : peers)
    if (!send(peer, message)) drop(peer);
}

void GeneratorServer::drop(const std::string& identity) {
  const std::size_t dropped = std::erase_if(open_, [&](const auto& entry) {
    if (entry.second.identity != identity) return false;
    engine_->cancel(entry.first);
    return true;
  });
  if (dropped > 0) spdlog::info("a peer is gone; its {} requests are dropped", dropped);
}

bool GeneratorServer::send(const std::string& identity, proto::GeneratorMessage message) {
  message.set_protocol(proto::kProtocolVersion);
  return proto::send_to(socket_, identity, message);
}

proto::GeneratorStatus GeneratorServer::status() const {
  const EngineCounts counts = engine_->counts();
  proto::GeneratorStatus status;
  status.set_policy_version(engine_->policy_version());
  status.set_running(counts.running);
  status.set_waiting(counts.waiting);
  status.set_tokens_generated(counts.tokens_generated);
  status.set_tokens_per_second(counts.tokens_per_second);
  status.set_model(options_.model);
  status.set_pid(::getpid());
  return status;
}

}  // namespace kg::policy
