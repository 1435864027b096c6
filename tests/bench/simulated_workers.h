#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "proto/rollout.pb.h"

namespace kg::rollout::testing {

// Many workers in one thread, for a coordinator on a local socket: each answers a lease after a while with a result and
// offers the place again. They speak ZeroMQ's protocol themselves (ZMTP 3.0, https://rfc.zeromq.org/spec/23), a
// connection each: a thousand sockets of the library would cost more than the coordinator that they are to measure.
class SimulatedWorkers {
 public:
  // `places`: leases that a worker holds at a time; `seconds`: how long it has one.
  SimulatedWorkers(const std::string& endpoint, std::size_t count, double seconds, std::uint32_t places);
  ~SimulatedWorkers();
  SimulatedWorkers(const SimulatedWorkers&) = delete;
  SimulatedWorkers& operator=(const SimulatedWorkers&) = delete;

  // Until the coordinator says that the run ended. How long a free place waited for a lease, in seconds, sorted: of the
  // second half of all.
  std::vector<double> run();

 private:
  struct Worker {
    int socket = -1;
    std::string received;       // bytes of a frame that has not come whole
    bool greeted = false;       // the other side's greeting has come
    std::string sent;           // goes out at the end of the round
    std::queue<double> offers;  // when the places were offered that the next leases fill
    // Held, by work: also while the result is not acknowledged, as a worker of ours lists it.
    std::map<std::uint64_t, std::uint64_t> leases;
    std::uint32_t working = 0;  // leases without a result
  };
  struct Due {
    double time;
    std::size_t worker;
    std::string result;
    bool operator>(const Due& other) const { return time > other.time; }
  };

  void connect(Worker& worker, std::size_t number, const std::string& endpoint) const;
  void read_from(std::size_t i);
  void say_hello(std::size_t i);
  void handle(std::size_t i, const std::string& payload);
  void take(std::size_t i, double now);  // the lease in message_
  void offer(std::size_t i, std::uint32_t places, double now);
  void beat(std::size_t i);
  void send(std::size_t i, proto::RolloutMessage& message);
  void flush();

  double seconds_;
  std::uint32_t places_;
  int poll_;
  std::vector<Worker> workers_;
  std::vector<std::size_t> unsent_;  // workers with something to send
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  proto::RolloutMessage message_;
  std::vector<float> latencies_;
  bool ended_ = false;
};

}  // namespace kg::rollout::testing
