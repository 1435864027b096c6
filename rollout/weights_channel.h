#pragma once

#include <string>
#include <thread>
#include <zmq.hpp>

#include "base/file.h"
#include "rollout/weights_files.h"

namespace kg::rollout {

// Where a coordinator that listens at `coordinator` serves weights: beside its local socket, or one TCP port above.
std::string weights_endpoint(const std::string& coordinator);

// The coordinator's weights go out over a socket and by a thread of their own, so that 61 GB to a hundred hosts do not
// make a heartbeat wait; the context's second I/O thread enciphers them.
class WeightsChannel {
 public:
  // `coordinator`: the local endpoint of the coordinator. The context has two I/O threads, of which the first is the
  // coordinator's. `server` outlives the channel.
  WeightsChannel(zmq::context_t& context, WeightsServer& server, const std::string& coordinator);
  ~WeightsChannel();

  // Before start(): also for other hosts, with the keys of the folder. False if the port is taken.
  bool bind_remote(const std::string& endpoint, const fs::path& keys);
  void start();

 private:
  void serve();

  WeightsServer& server_;
  zmq::socket_t router_;
  int stop_ = -1;  // eventfd
  std::thread thread_;
};

}  // namespace kg::rollout
