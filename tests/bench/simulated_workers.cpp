#include "tests/bench/simulated_workers.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "proto/frame.h"
#include "rollout/generation_request.h"

namespace kg::rollout::testing {
namespace {

constexpr int kRoundMilliseconds = 2;  // a look at all sockets, so that one reads and writes several messages at once
constexpr double kHeartbeatSeconds = 5;
constexpr std::size_t kGreetingBytes = 64;
constexpr std::string_view kReady = "\5READY";
constexpr unsigned char kLong = 2, kCommand = 4;  // flags of a frame

std::string greeting() {
  std::string bytes(kGreetingBytes, '\0');
  bytes[0] = '\xFF';
  bytes[9] = '\x7F';
  bytes[10] = 3;                       // version 3.0
  std::memcpy(&bytes[12], "NULL", 4);  // no security
  return bytes;
}

void append_big_endian(std::string& to, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) to += static_cast<char>(value >> 8 * i);
}

void append_frame(std::string& to, unsigned char flags, const std::string& body) {
  const bool is_long = body.size() > 255;
  to += static_cast<char>(flags | (is_long ? kLong : 0));
  append_big_endian(to, body.size(), is_long ? 8 : 1);
  to += body;
}

std::string ready(const std::string& identity) {
  std::string body(kReady);
  const auto add = [&](const std::string& name, const std::string& value) {
    body += static_cast<char>(name.size());
    body += name;
    append_big_endian(body, value.size(), 4);
    body += value;
  };
  add("Socket-Type", "DEALER");
  add("Identity", identity);
  return body;
}

// Bytes of the frame's head and of its body; nothing if they have not all come.
bool next_frame(const std::string& bytes, std::size_t at, std::size_t& head, std::size_t& body) {
  if (at >= bytes.size()) return false;
  const bool is_long = (static_cast<unsigned char>(bytes[at]) & kLong) != 0;
  head = is_long ? 9 : 2;
  if (bytes.size() < at + head) return false;
  body = 0;
  for (std::size_t i = 1; i < head; ++i) body = body << 8 | static_cast<unsigned char>(bytes[at + i]);
  return bytes.size() - at - head >= body;
}

}  // namespace

SimulatedWorkers::SimulatedWorkers(const std::string& endpoint, std::size_t count, double seconds, std::uint32_t places)
    : seconds_(seconds), places_(places), poll_(::epoll_create1(EPOLL_CLOEXEC)), workers_(count) {
  KG_CHECK_GE(poll_, 0);
  for (std::size_t i = 0; i < count; ++i) {
    connect(workers_[i], i, endpoint);
    unsent_.push_back(i);
  }
  flush();
}

SimulatedWorkers::~SimulatedWorkers() {
  for (const Worker& worker : workers_) ::close(worker.socket);
  ::close(poll_);
}

void SimulatedWorkers::connect(Worker& worker, std::size_t number, const std::string& endpoint) const {
  constexpr std::string_view kScheme = "ipc://";
  KG_CHECK(endpoint.starts_with(kScheme));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = endpoint.substr(kScheme.size());
  KG_CHECK_LT(path.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.data(), path.size());
  worker.socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  KG_CHECK_GE(worker.socket, 0);
  KG_CHECK_EQ(::connect(worker.socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
  KG_CHECK_EQ(::epoll_ctl(poll_, EPOLL_CTL_ADD, worker.socket, &event), 0);
  worker.sent = greeting();
  append_frame(worker.sent, kCommand, ready("simulated-worker-" + std::to_string(number)));
}

std::vector<double> SimulatedWorkers::run() {
  double heartbeat = monotonic_seconds();
  std::vector<epoll_event> events(workers_.size());
  while (!ended_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kRoundMilliseconds));
    const int ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 0);
    for (int e = 0; e < ready; ++e) read_from(events[static_cast<std::size_t>(e)].data.u64);
    const double now = monotonic_seconds();
    for (; !due_.empty() && due_.top().time <= now; due_.pop()) {
      const Due& due = due_.top();
      append_frame(workers_[due.worker].sent, 0, due.result);
      --workers_[due.worker].working;
      offer(due.worker, 1, now);
    }
    if (now > heartbeat + kHeartbeatSeconds) {
      heartbeat = now;
      for (std::size_t i = 0; i < workers_.size(); ++i) beat(i);
    }
    flush();
  }
  std::vector<double> half(latencies_.begin() + static_cast<std::ptrdiff_t>(latencies_.size() / 2), latencies_.end());
  std::sort(half.begin(), half.end());
  return half;
}

void SimulatedWorkers::read_from(std::size_t i) {
  Worker& worker = workers_[i];
  char bytes[65536];
  const ssize_t got = ::recv(worker.socket, bytes, sizeof(bytes), MSG_DONTWAIT);
  KG_CHECK(got != 0 || ended_);  // the coordinator has hung up
  if (got <= 0) return;
  worker.received.append(bytes, static_cast<std::size_t>(got));
  std::size_t at = 0, head = 0, body = 0;
  if (!worker.greeted) {
    if (worker.received.size() < kGreetingBytes) return;
    worker.greeted = true;
    at = kGreetingBytes;
  }
  for (; next_frame(worker.received, at, head, body); at += head + body)
    if ((static_cast<unsigned char>(worker.received[at]) & kCommand) == 0)
      handle(i, worker.received.substr(at + head, body));
    else if (worker.received.compare(at + head, kReady.size(), kReady) == 0)
      say_hello(i);  // not before: until then a message is taken for part of the handshake
  worker.received.erase(0, at);
}

void SimulatedWorkers::say_hello(std::size_t i) {
  proto::RolloutMessage hello;
  hello.mutable_hello()->set_worker("w" + std::to_string(i));
  hello.mutable_hello()->set_judge_version("bench");
  send(i, hello);
}

void SimulatedWorkers::handle(std::size_t i, const std::string& payload) {
  KG_CHECK(message_.ParseFromString(payload));
  const double now = monotonic_seconds();
  if (message_.has_welcome()) offer(i, places_, now);
  if (message_.has_shutdown()) ended_ = true;
  if (message_.has_ack()) workers_[i].leases.erase(message_.ack().work_id());
  if (message_.has_lease()) take(i, now);
}

void SimulatedWorkers::take(std::size_t i, double now) {
  const proto::Lease& lease = message_.lease();
  Worker& worker = workers_[i];
  if (!worker.offers.empty()) {
    latencies_.push_back(static_cast<float>(now - worker.offers.front()));
    worker.offers.pop();
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
  worker.leases[lease.work_id()] = lease.lease_id();
  ++worker.working;
  due_.push({now + seconds_, i, message.SerializeAsString()});
}

void SimulatedWorkers::offer(std::size_t i, std::uint32_t places, double now) {
  proto::RolloutMessage message;
  message.mutable_credits()->set_count(places);
  send(i, message);
  for (std::uint32_t p = 0; p < places; ++p) workers_[i].offers.push(now);
}

void SimulatedWorkers::beat(std::size_t i) {
  proto::RolloutMessage message;
  proto::Heartbeat& heartbeat = *message.mutable_heartbeat();
  for (const auto& [work, lease] : workers_[i].leases) heartbeat.add_leases(lease);
  heartbeat.set_free(places_ - workers_[i].working);
  send(i, message);
}

void SimulatedWorkers::send(std::size_t i, proto::RolloutMessage& message) {
  message.set_protocol(proto::kProtocolVersion);
  append_frame(workers_[i].sent, 0, message.SerializeAsString());
  unsent_.push_back(i);
}

void SimulatedWorkers::flush() {
  for (const std::size_t i : unsent_) {
    std::string& bytes = workers_[i].sent;
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent = ::send(workers_[i].socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent < 0) {
        ended_ = true;
        break;
      }
      at += static_cast<std::size_t>(sent);
    }
    bytes.clear();
  }
  unsent_.clear();
}

}  // namespace kg::rollout::testing
