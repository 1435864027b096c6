#pragma once

#include <set>
#include <string>
#include <thread>
#include <zmq.hpp>

namespace kg::rollout {

// Answers libzmq's question whether a CURVE client may connect (ZAP, ZeroMQ RFC 27): only public keys of the list may.
// Has to exist before the first bind with CURVE, and must go before the context.
class Authenticator {
 public:
  Authenticator(zmq::context_t& context, std::set<std::string> allowed_public_keys);
  ~Authenticator();

 private:
  void serve();

  zmq::socket_t requests_;
  std::set<std::string> allowed_;
  int stop_ = -1;  // eventfd
  std::thread thread_;
};

}  // namespace kg::rollout
