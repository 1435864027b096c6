#pragma once

#include <functional>
#include <string>

#include "proto/frame.h"
#include "proto/rollout.pb.h"
#include "rollout/coordinator_state.h"

namespace kg::rollout {

// What the coordinator does with each message of a worker. Called on the socket thread, under the mutex.
//
// A worker on another host is who its CURVE key says. The name of its connection begins with the key, its name in the
// run is the key's alone, and leases, results and returns count only from the connection that they were given to. A
// worker over the local socket is a process of this user and trusted.
class WorkerMessages {
 public:
  using Send = std::function<void(const std::string& identity, proto::RolloutMessage message)>;
  WorkerMessages(CoordinatorState& state, Send send);

  void handle(const proto::RoutedFrame& frame);
  // Everybody with this key is refused from now on, and nothing that it sent and that still waits is stored.
  void refuse_key(const std::string& key, const std::string& reason);

 private:
  // Ends all that its connections hold; they stay until it closes them, so what comes of them is refused as well.
  void shut_out(const std::string& key, const std::string& reason);
  void refuse(const std::string& identity, const std::string& reason, EndCause cause = EndCause::kNeutral);
  void send_refusal(const std::string& identity, const std::string& reason);
  void handle_hello(const proto::RoutedFrame& from, const proto::Hello& hello);
  void handle_heartbeat(const std::string& identity, const proto::Heartbeat& heartbeat);
  void handle_return(const std::string& identity, const proto::LeaseReturn& give_back);
  void handle_result(const std::string& identity, proto::Result result);
  void reject(const std::string& identity, const proto::Result& result, const std::string& reason, bool is_lie);
  std::uint32_t credits_of(const std::string& identity, std::uint32_t asked) const;

  CoordinatorState& state_;
  Send send_;
};

}  // namespace kg::rollout
