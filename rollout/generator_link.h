#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "proto/generate.pb.h"

namespace kg::rollout {

// A worker's connection to the generator of its host. Requests are remembered until they are answered: a generator that
// was started again (another process id), or that says it is idle while a request is open, is sent them again.
class GeneratorLink {
 public:
  struct Events {
    std::vector<proto::GenerateReply> replies;  // of requests that were open
    std::string swap_error;
  };

  GeneratorLink(zmq::context_t& context, const std::string& endpoint);

  std::uint64_t ask(proto::GenerateRequest request);  // fills in its id
  void forget(std::uint64_t request_id);
  // Asks for these weights, unless the generator has them or newer ones, or was asked already.
  void swap(const proto::WeightsManifest& manifest);
  void forget_swap() { swap_.reset(); }
  // The version that the generator has, or has been asked for.
  std::uint64_t version_coming() const;
  std::uint64_t version() const { return version_; }
  std::uint64_t tokens_generated() const { return tokens_; }  // as it said last, for all its workers

  Events read(double now);
  void tick(double now);  // asks for its status, sends what is not sent
  bool answered() const { return pid_ != 0; }
  double last_heard() const { return last_heard_; }  // 0: never
  zmq::socket_t& socket() { return socket_; }

 private:
  template <typename T>
  struct Pending {
    T message;
    double sent = 0;  // 0: not sent
  };

  bool try_send(const proto::GeneratorMessage& message);
  void note_status(const proto::GeneratorStatus& status);
  void send_pending(double now);

  zmq::socket_t socket_;
  std::uint64_t next_request_ = 1;
  std::map<std::uint64_t, Pending<proto::GenerateRequest>> open_;
  std::optional<Pending<proto::SwapWeights>> swap_;
  std::uint64_t version_ = 0;
  std::uint64_t tokens_ = 0;
  int pid_ = 0;
  double last_heard_ = 0;
  double status_asked_ = 0;
};

}  // namespace kg::rollout
