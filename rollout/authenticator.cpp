#include "rollout/authenticator.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <vector>

#include "base/check.h"
#include "base/log.h"

namespace kg::rollout {

Authenticator::Authenticator(zmq::context_t& context, AllowedWorkers& allowed)
    : requests_(context, zmq::socket_type::rep), allowed_(allowed), stop_(::eventfd(0, EFD_CLOEXEC)) {
  KG_CHECK_GE(stop_, 0);
  requests_.bind("inproc://zeromq.zap.01");
  thread_ = std::thread([this] {
    try {
      serve();
    } catch (const std::exception& error) {  // from here on nobody new connects
      spdlog::critical("keys are no longer checked, further workers are refused: {}", error.what());
    }
  });
}

Authenticator::~Authenticator() {
  const std::uint64_t one = 1;
  KG_CHECK_EQ(::write(stop_, &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  thread_.join();
  ::close(stop_);
}

// Request frames: version, request id, domain, address, identity, mechanism, client key (32 bytes).
// Reply frames: version, request id, status code, status text, user id, metadata.
void Authenticator::serve() {
  for (;;) {
    zmq::pollitem_t items[] = {{requests_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, stop_, ZMQ_POLLIN, 0}};
    try {
      zmq::poll(items, 2, std::chrono::milliseconds(-1));
    } catch (const zmq::error_t& error) {
      if (error.num() == EINTR) continue;
      return;
    }
    if (items[1].revents != 0) return;
    std::vector<std::string> frames;
    do {
      zmq::message_t part;
      if (!requests_.recv(part)) break;
      frames.push_back(part.to_string());
    } while (requests_.get(zmq::sockopt::rcvmore));
    frames.resize(7);
    char key[41] = {};
    const bool is_curve = frames[5] == "CURVE" && frames[6].size() == 32 &&
                          zmq_z85_encode(key, reinterpret_cast<const std::uint8_t*>(frames[6].data()), 32) != nullptr;
    const bool good = is_curve && allowed_.contains(key);
    if (!good) spdlog::warn("refused a connection from {}: its key is not in allowed_workers", frames[3]);
    const std::string reply[] = {"1.0", frames[1], good ? "200" : "400", good ? "OK" : "key not allowed", key, ""};
    for (std::size_t i = 0; i < 6; ++i)
      requests_.send(zmq::buffer(reply[i]), i + 1 < 6 ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
}

}  // namespace kg::rollout
