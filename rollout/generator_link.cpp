#include "rollout/generator_link.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/frame.h"

namespace kg::rollout {
namespace {

constexpr double kStatusSeconds = 1;

}  // namespace

GeneratorLink::GeneratorLink(zmq::context_t& context, const std::string& endpoint)
    : socket_(context, zmq::socket_type::dealer) {
  // Nothing waits in a queue towards a generator that is away: what is open is sent anew to the one that comes.
  socket_.set(zmq::sockopt::immediate, true);
  socket_.set(zmq::sockopt::linger, 0);
  socket_.set(zmq::sockopt::reconnect_ivl, 100);
  socket_.set(zmq::sockopt::reconnect_ivl_max, 1000);
  socket_.connect(endpoint);
}

bool GeneratorLink::try_send(const proto::GeneratorMessage& message) {
  return socket_.send(zmq::buffer(message.SerializeAsString()), zmq::send_flags::dontwait).has_value();
}

std::uint64_t GeneratorLink::ask(proto::GenerateRequest request) {
  const std::uint64_t request_id = next_request_++;
  request.set_request_id(request_id);
  open_[request_id].message = std::move(request);
  send_pending(monotonic_seconds());
  return request_id;
}

void GeneratorLink::forget(std::uint64_t request_id) { open_.erase(request_id); }

std::uint64_t GeneratorLink::version_coming() const {
  return std::max(version_, swap_ ? swap_->message.manifest().version() : 0);
}

void GeneratorLink::swap(const proto::WeightsManifest& manifest) {
  if (manifest.version() <= version_coming()) return;
  swap_.emplace();
  swap_->message.set_request_id(next_request_++);
  *swap_->message.mutable_manifest() = manifest;
  send_pending(monotonic_seconds());
}

void GeneratorLink::send_pending(double now) {
  if (!answered()) return;
  proto::GeneratorMessage message;
  message.set_protocol(proto::kProtocolVersion);
  if (swap_ && swap_->sent == 0) {
    *message.mutable_swap() = swap_->message;
    if (!try_send(message)) return;
    swap_->sent = now;
  }
  for (auto& [request_id, request] : open_) {
    if (request.sent != 0) continue;
    *message.mutable_generate() = request.message;
    if (!try_send(message)) return;
    request.sent = now;
  }
}

void GeneratorLink::note_status(const proto::GeneratorStatus& status) {
  const bool is_another = status.pid() != pid_;
  if (is_another && pid_ != 0)
    spdlog::warn("the generator was started again; {} requests are sent again", open_.size());
  const bool idle = status.running() == 0 && status.waiting() == 0;
  // What was sent before an idle generator was asked has been lost on the way.
  const auto is_lost = [&](double sent) {
    return sent != 0 && (is_another || (idle && sent < status_asked_ - kStatusSeconds));
  };
  for (auto& [request_id, request] : open_)
    if (is_lost(request.sent)) request.sent = 0;
  if (swap_ && is_lost(swap_->sent)) swap_->sent = 0;
  pid_ = status.pid();
  version_ = status.policy_version();
  tokens_ = status.tokens_generated();
  if (swap_ && swap_->message.manifest().version() <= version_) swap_.reset();
}

GeneratorLink::Events GeneratorLink::read(double now) {
  Events events;
  while (const auto payload = proto::receive_payload(socket_, 0)) {
    proto::GeneratorMessage message;
    if (!message.ParseFromString(*payload) || message.protocol() != proto::kProtocolVersion)
      throw Error("the generator speaks protocol " + std::to_string(message.protocol()) + ", this worker " +
                      std::to_string(proto::kProtocolVersion),
                  "generator", "install the same version of kgtrain everywhere", Error::Kind::kFailed);
    last_heard_ = now;
    switch (message.body_case()) {
      case proto::GeneratorMessage::kReply:
        version_ = std::max(version_, message.reply().policy_version());
        if (!open_.contains(message.reply().request_id())) break;
        if (!message.reply().more()) open_.erase(message.reply().request_id());
        events.replies.push_back(std::move(*message.mutable_reply()));
        break;
      case proto::GeneratorMessage::kSwapped:
        if (message.swapped().error().empty()) version_ = std::max(version_, message.swapped().version());
        if (swap_ && swap_->message.request_id() == message.swapped().request_id()) {
          if (swap_->message.manifest().version() > version_)
            events.swap_error = message.swapped().error().empty() ? "it stayed at version " + std::to_string(version_)
                                                                  : message.swapped().error();
          swap_.reset();
        }
        break;
      case proto::GeneratorMessage::kStatus:
        note_status(message.status());
        break;
      default:
        break;
    }
  }
  send_pending(now);
  return events;
}

void GeneratorLink::tick(double now) {
  if (now < status_asked_ + kStatusSeconds) return;
  proto::GeneratorMessage message;
  message.set_protocol(proto::kProtocolVersion);
  message.mutable_status_request()->set_request_id(next_request_++);
  if (try_send(message)) status_asked_ = now;
}

}  // namespace kg::rollout
