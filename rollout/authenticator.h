#pragma once

#include <thread>
#include <zmq.hpp>

#include "rollout/allowed_workers.h"

namespace kg::rollout {

// Answers libzmq's question whether a CURVE client may connect (ZAP, ZeroMQ RFC 27): only public keys of the list may.
// Has to exist before the first bind with CURVE, and must go before the context and the list.
class Authenticator {
 public:
  Authenticator(zmq::context_t& context, AllowedWorkers& allowed);
  ~Authenticator();

 private:
  void serve();

  zmq::socket_t requests_;
  AllowedWorkers& allowed_;
  int stop_ = -1;  // eventfd
  std::thread thread_;
};

}  // namespace kg::rollout
