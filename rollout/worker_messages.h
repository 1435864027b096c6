#pragma once

#include <functional>
#include <string>

#include "proto/rollout.pb.h"
#include "rollout/coordinator_state.h"

namespace kg::rollout {

// What the coordinator does with each message of a worker. Called on the socket thread, under the mutex.
class WorkerMessages {
 public:
  using Send = std::function<void(const std::string& identity, proto::RolloutMessage message)>;
  WorkerMessages(CoordinatorState& state, Send send);

  void handle(const std::string& identity, const std::string& payload);

 private:
  void refuse(const std::string& identity, const std::string& reason);
  void handle_hello(const std::string& identity, const proto::Hello& hello);
  void handle_heartbeat(const std::string& identity, const proto::Heartbeat& heartbeat);
  void handle_return(const std::string& identity, const proto::LeaseReturn& give_back);
  void handle_result(const std::string& identity, proto::Result result);
  std::string why_rejected(const proto::Result& result) const;

  CoordinatorState& state_;
  Send send_;
};

}  // namespace kg::rollout
