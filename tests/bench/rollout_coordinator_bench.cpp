// One coordinator and many simulated workers: leases a second, how long a worker with a free place waits for a lease,
// and the coordinator's memory.
//
//   rollout_coordinator_bench [workers 1000] [samples 1000000] [seconds a lease takes 0.095] [leases a worker 2]
//
// The workers are one process of their own: a DEALER socket each, that answers a lease after a while with a result and
// offers the place again. Samples go to a data set that stores nothing, so that the coordinator alone is measured.
// Prints one line of JSON.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "proto/frame.h"
#include "rollout/coordinator.h"
#include "rollout/generation_request.h"
#include "tests/integration/rollout_memory_dataset.h"

namespace kg::rollout {
namespace {

constexpr int kRoundMilliseconds = 4;

struct NullDataset : MemoryDataset {
  std::size_t append(const std::vector<proto::JournalRecord>& records) override {
    appends += static_cast<int>(records.size());
    return records.size();
  }
};

struct SimulatedWorker {
  zmq::socket_t socket;
  std::queue<double> offers;       // when the places were offered that the next leases fill
  std::set<std::uint64_t> leases;  // held
};

struct Due {
  double time;
  std::size_t worker;
  std::uint64_t lease;
  std::string result;
  bool operator>(const Due& other) const { return time > other.time; }
};

class Workers {
 public:
  Workers(const std::string& endpoint, std::size_t count, double seconds, std::uint32_t places)
      : seconds_(seconds), places_(places) {
    context_.set(zmq::ctxopt::max_sockets, 8192);
    for (std::size_t i = 0; i < count; ++i) {
      workers_.push_back({zmq::socket_t(context_, zmq::socket_type::dealer)});
      SimulatedWorker& worker = workers_.back();
      worker.socket.set(zmq::sockopt::linger, 0);
      worker.socket.set(zmq::sockopt::routing_id, "simulated-worker-" + std::to_string(i));
      worker.socket.connect(endpoint);
      proto::RolloutMessage hello;
      hello.mutable_hello()->set_worker("w" + std::to_string(i));
      hello.mutable_hello()->set_judge_version("bench");
      send(i, hello);
      items_.push_back({worker.socket.handle(), 0, ZMQ_POLLIN, 0});
    }
  }

  // Until the coordinator says that the run ended. Latencies of the second half, sorted.
  std::vector<double> run() {
    double heartbeat = monotonic_seconds();
    while (!ended_) {
      const double now = monotonic_seconds();
      // A look at all sockets is the most expensive thing here, so not more often than this.
      std::this_thread::sleep_for(std::chrono::milliseconds(kRoundMilliseconds));
      zmq::poll(items_.data(), items_.size(), std::chrono::milliseconds(0));
      for (std::size_t i = 0; i < workers_.size(); ++i)
        if ((items_[i].revents & ZMQ_POLLIN) != 0) receive(i);
      for (const double moment = monotonic_seconds(); !due_.empty() && due_.top().time <= moment; due_.pop())
        finish(due_.top(), moment);
      if (now > heartbeat + 5) {
        heartbeat = now;
        for (std::size_t i = 0; i < workers_.size(); ++i) beat(i);
      }
    }
    latencies_.erase(latencies_.begin(), latencies_.begin() + static_cast<std::ptrdiff_t>(latencies_.size() / 2));
    std::sort(latencies_.begin(), latencies_.end());
    return latencies_;
  }

 private:
  void send(std::size_t i, proto::RolloutMessage& message) {
    message.set_protocol(proto::kProtocolVersion);
    proto::send_message(workers_[i].socket, message);
  }
  void offer(std::size_t i, std::uint32_t places, double now) {
    proto::RolloutMessage message;
    message.mutable_credits()->set_count(places);
    send(i, message);
    for (std::uint32_t p = 0; p < places; ++p) workers_[i].offers.push(now);
  }
  void beat(std::size_t i) {
    proto::RolloutMessage message;
    proto::Heartbeat& heartbeat = *message.mutable_heartbeat();
    const std::set<std::uint64_t>& leases = workers_[i].leases;
    heartbeat.mutable_leases()->Assign(leases.begin(), leases.end());
    heartbeat.set_free(static_cast<std::uint32_t>(places_ - leases.size()));
    send(i, message);
  }
  void receive(std::size_t i) {
    while (const auto payload = proto::receive_payload(workers_[i].socket, 0)) {
      message_.ParseFromString(*payload);
      const double now = monotonic_seconds();
      if (message_.has_welcome()) offer(i, places_, now);
      if (message_.has_shutdown()) ended_ = true;
      if (message_.has_lease()) take(i, message_.lease(), now);
    }
  }
  void take(std::size_t i, const proto::Lease& lease, double now) {
    if (!workers_[i].offers.empty()) {
      latencies_.push_back(now - workers_[i].offers.front());
      workers_[i].offers.pop();
    }
    proto::RolloutMessage message;
    message.set_protocol(proto::kProtocolVersion);
    proto::Result& result = *message.mutable_result();
    result.set_lease_id(lease.lease_id());
    proto::Rollout& rollout = *result.mutable_rollout();
    rollout.set_run("bench");
    rollout.set_work_id(lease.work_id());
    rollout.set_task(lease.task().id());
    rollout.set_prompt(prompt_text(lease));
    rollout.set_purpose(lease.purpose());
    rollout.set_kernel("k");
    rollout.mutable_completion()->set_text("k");
    *rollout.mutable_completion()->mutable_sampling() = lease.sampling();
    rollout.mutable_verdict()->set_reward_valid(true);
    rollout.mutable_verdict()->set_stage(proto::CORRECT);
    rollout.mutable_verdict()->set_reward(1);
    workers_[i].leases.insert(lease.lease_id());
    due_.push({now + seconds_, i, lease.lease_id(), message.SerializeAsString()});
  }
  void finish(const Due& due, double now) {
    workers_[due.worker].socket.send(zmq::buffer(due.result), zmq::send_flags::none);
    workers_[due.worker].leases.erase(due.lease);
    offer(due.worker, 1, now);
  }

  double seconds_;
  std::uint32_t places_;
  zmq::context_t context_{1};
  std::vector<SimulatedWorker> workers_;
  std::vector<zmq::pollitem_t> items_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  proto::RolloutMessage message_;
  std::vector<double> latencies_;
  bool ended_ = false;
};

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

double percentile(const std::vector<double>& sorted, double part) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

}  // namespace
}  // namespace kg::rollout

int main(int argc, char** argv) {
  using namespace kg;
  using namespace kg::rollout;
  const auto argument = [&](int i, double fallback) { return argc > i ? std::atof(argv[i]) : fallback; };
  const auto count = static_cast<std::size_t>(argument(1, 1000));
  const auto samples = static_cast<std::uint64_t>(argument(2, 1e6));
  const double seconds = argument(3, 0.095);
  const auto places = static_cast<std::uint32_t>(argument(4, 2));
  raise_descriptor_limit();
  spdlog::set_level(spdlog::level::warn);  // a thousand workers join
  TemporaryFolder folder;
  int to_child[2], from_child[2];
  if (::pipe(to_child) != 0 || ::pipe(from_child) != 0) return 1;
  const pid_t child = ::fork();
  if (child == 0) {
    char endpoint[256] = {};
    if (::read(to_child[0], endpoint, sizeof(endpoint) - 1) <= 0) ::_exit(1);
    const std::vector<double> waits = Workers(endpoint, count, seconds, places).run();
    const double told[3] = {percentile(waits, 0.5), percentile(waits, 0.99), waits.empty() ? 0 : waits.back()};
    ::_exit(::write(from_child[1], told, sizeof told) == sizeof told ? 0 : 1);
  }
  NullDataset data;
  const proto::Task task = test_task();
  {
    proto::JournalRecord record;
    *record.mutable_task() = task;
    data.MemoryDataset::append({record});
  }
  auto coordinator = Coordinator::start({.run = "bench",
                                         .run_folder = folder.path(),
                                         .judge_version = "bench",
                                         .heartbeat_seconds = 10,
                                         .silence_seconds = 60},
                                        data);
  const std::string endpoint = coordinator->endpoint();
  if (::write(to_child[1], endpoint.c_str(), endpoint.size()) < 0) return 1;
  const std::size_t ahead = 4 * count * places;
  std::uint64_t submitted = 0, finished = 0, half = 0;
  double half_time = 0;
  nlohmann::json memory = nlohmann::json::array();
  const auto submit_more = [&] {
    std::vector<Work> works;
    while (submitted < samples && submitted < finished + ahead) {
      ++submitted;
      works.push_back(
          {.work_id = submitted, .task = task, .messages = {}, .samples = 1, .sampling = {}, .purpose = "train"});
      works.back().messages.emplace_back().set_content("prompt");
    }
    if (!works.empty()) coordinator->submit_all(std::move(works));
  };
  submit_more();
  while (finished < samples) {
    if (coordinator->wait(1)) ++finished;
    if (finished + ahead / 2 > submitted) submit_more();
    if (finished == samples / 2 && half == 0) {
      half = finished;
      half_time = monotonic_seconds();
    }
    if (finished % std::max<std::uint64_t>(1, samples / 10) == 0 && memory.size() < finished * 10 / samples)
      memory.push_back(std::lround(resident_mib()));
  }
  const double rate = static_cast<double>(finished - half) / (monotonic_seconds() - half_time);
  coordinator->finish();
  coordinator.reset();
  double told[3] = {};
  if (::read(from_child[0], told, sizeof told) != sizeof told) return 1;
  ::waitpid(child, nullptr, 0);
  std::printf("%s\n", nlohmann::json{{"workers", count},
                                     {"samples", finished},
                                     {"leases_per_second", rate},
                                     {"grant_milliseconds",
                                      {{"p50", told[0] * 1e3}, {"p99", told[1] * 1e3}, {"max", told[2] * 1e3}}},
                                     {"resident_mib", memory}}
                          .dump()
                          .c_str());
  return 0;
}
