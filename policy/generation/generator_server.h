#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <zmq.hpp>

#include "policy/files/model_io.h"
#include "policy/generation/sampling_engine.h"

namespace kg::policy {

struct GeneratorServerOptions {
  std::string endpoint;  // ipc://...
  std::string model;     // its name in the status
  EngineOptions engine;
};

// A SamplingEngine behind a ROUTER socket: requests of all peers form one batch. One thread: it reads what has
// arrived, makes a step, and sends what is finished. Peers with open requests get a status every second; this also
// detects a peer that is gone: its requests are dropped.
class GeneratorServer {
 public:
  // Binds the endpoint last: whoever can connect can be served.
  GeneratorServer(const GeneratorServerOptions& options, LoadedModel model);  // this program samples
  GeneratorServer(const GeneratorServerOptions& options, std::unique_ptr<SamplingEngine> engine);
  // Runs until `ending` or until `keep_on` returns false (called at least five times a second).
  void run(const std::atomic<bool>& ending, const std::function<bool()>& keep_on);

 private:
  struct Asked {
    std::string identity;
    std::uint64_t request_id;
  };

  void handle(const std::string& identity, const std::string& payload);
  void handle_generate(const std::string& identity, const proto::GenerateRequest& request);
  void handle_swap(const std::string& identity, const proto::SwapWeights& swap);
  void switch_weights();
  void send_finished();
  void look_for_vanished(double now);
  void drop(const std::string& identity);
  bool send(const std::string& identity, proto::GeneratorMessage message);
  void send_swapped(const std::string& identity, std::uint64_t request_id, const std::string& error);
  proto::GeneratorStatus status() const;

  GeneratorServerOptions options_;
  std::unique_ptr<SamplingEngine> engine_;
  std::string checksum_;                 // checksum of the current weights; empty: the model as loaded
  std::map<std::uint64_t, Asked> open_;  // by the engine's handle
  double looked_ = 0;
  zmq::context_t context_;
  zmq::socket_t socket_;
};

}  // namespace kg::policy
