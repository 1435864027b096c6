#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

#include "proto/rollout.pb.h"
#include "rollout/authenticator.h"
#include "rollout/coordinator_state.h"
#include "rollout/weights_channel.h"

namespace kg::rollout {

// Where a coordinator is reached: a ROUTER for workers of this host, and of others with their CURVE keys if the options
// say so; the channel of weights beside it. RUN/coordinator.json tells both. Used by one thread.
class CoordinatorSockets {
 public:
  explicit CoordinatorSockets(CoordinatorState& state);
  ~CoordinatorSockets();

  zmq::socket_t& router() { return router_; }
  const std::string& endpoint() const { return endpoint_; }
  const std::string& remote_endpoint() const { return remote_endpoint_; }  // empty: this host alone
  // False if the peer is gone: it comes back and asks again.
  bool send(const std::string& identity, proto::RolloutMessage message);

 private:
  std::string bind_local();  // the endpoint
  void bind_remote(const fs::path& keys);

  CoordinatorState& state_;
  zmq::context_t context_{2};  // I/O threads: one for messages, one for weights
  std::optional<Authenticator> authenticator_;
  zmq::socket_t router_;
  std::string endpoint_, remote_endpoint_;
  WeightsChannel weights_;
};

}  // namespace kg::rollout
