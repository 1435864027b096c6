#include "rollout/weights_channel.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <charconv>

#include "base/check.h"
#include "base/error.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"

namespace kg::rollout {
namespace {

constexpr std::uint64_t kSecondThread = 2;  // a bit mask
// To one host at a time: what it asks for and does not take stays here.
constexpr int kChunksWaiting = 32;

}  // namespace

std::string weights_endpoint(const std::string& coordinator) {
  if (!is_remote(coordinator)) return coordinator.substr(0, coordinator.rfind('/') + 1) + "weights";
  const std::size_t colon = coordinator.rfind(':');
  int port = 0;
  std::from_chars(coordinator.data() + colon + 1, coordinator.data() + coordinator.size(), port);
  return coordinator.substr(0, colon + 1) + std::to_string(port + 1);
}

WeightsChannel::WeightsChannel(zmq::context_t& context, WeightsServer& server, const std::string& coordinator)
    : server_(server), router_(context, zmq::socket_type::router), stop_(::eventfd(0, EFD_CLOEXEC)) {
  KG_CHECK_GE(stop_, 0);
  router_.set(zmq::sockopt::affinity, kSecondThread);
  router_.set(zmq::sockopt::router_mandatory, true);
  router_.set(zmq::sockopt::linger, 0);
  router_.set(zmq::sockopt::sndhwm, kChunksWaiting);
  router_.set(zmq::sockopt::maxmsgsize, std::int64_t{1 << 16});  // requests are small
  router_.bind(weights_endpoint(coordinator));
}

WeightsChannel::~WeightsChannel() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    KG_CHECK_EQ(::write(stop_, &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
    thread_.join();
  }
  router_.close();
  ::close(stop_);
}

bool WeightsChannel::bind_remote(const std::string& endpoint, const fs::path& keys) {
  secure_server(router_, keys);
  try {
    router_.bind(endpoint);
    return true;
  } catch (const zmq::error_t&) {
    return false;
  }
}

void WeightsChannel::start() {
  thread_ = std::thread([this] {
    try {
      serve();
    } catch (const std::exception& error) {
      spdlog::critical("weights are no longer served to other hosts: {}", error.what());
    }
  });
}

void WeightsChannel::serve() {
  for (;;) {
    zmq::pollitem_t items[] = {{router_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, stop_, ZMQ_POLLIN, 0}};
    try {
      zmq::poll(items, 2, std::chrono::milliseconds(-1));
    } catch (const zmq::error_t& error) {
      if (error.num() == EINTR) continue;
      throw;
    }
    if (items[1].revents != 0) return;
    const auto frame = proto::receive_routed(router_, 0);
    proto::RolloutMessage message;
    if (!frame || !message.ParseFromString(frame->payload) || !message.has_fetch() ||
        message.protocol() != proto::kProtocolVersion)
      continue;
    const proto::FetchWeights request = message.fetch();
    *message.mutable_chunk() = server_.answer(request);
    // A host that does not take what it asked for asks again.
    [[maybe_unused]] const bool sent = proto::send_to(router_, frame->identity, message);
  }
}

}  // namespace kg::rollout
