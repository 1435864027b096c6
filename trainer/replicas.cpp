#include "trainer/replicas.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "base/descriptor.h"
#include "base/error.h"

namespace kg::trainer {
namespace {

constexpr std::int64_t kBucket = 16 << 20;  // floats that are summed at once
constexpr std::chrono::minutes kPatience{30};

int environment_number(const char* name, int fallback) {
  const char* text = std::getenv(name);
  if (text == nullptr) return fallback;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != 0 || value < 0 || value > 1 << 20)
    throw Error(std::string(name) + " is \"" + text + "\"", "environment", "give a number, as torchrun does");
  return static_cast<int>(value);
}

}  // namespace

namespace {

// The address of this host that the others reach it at: of the way to the meeting point.
std::string own_address(const std::string& master) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(master.c_str(), "9", &hints, &found) != 0) return master;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  const Descriptor socket(::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  char text[64] = {};
  // Nothing is sent: the kernel only chooses the way.
  if (!socket.open() || ::connect(socket.number(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) != 0)
    return master;
  return text;
}

}  // namespace

struct Replicas::Group {
  c10::intrusive_ptr<c10d::Backend> backend;
};

ReplicaPlace replica_place_of_environment() {
  ReplicaPlace place{.rank = environment_number("RANK", 0), .size = environment_number("WORLD_SIZE", 1)};
  if (const char* address = std::getenv("MASTER_ADDR"); address != nullptr) place.address = address;
  place.port = environment_number("MASTER_PORT", 0);
  return place;
}

Replicas::Replicas(const ReplicaPlace& place) : rank_(place.rank), size_(place.size) {
  if (size_ <= 1) {
    size_ = 1;
    rank_ = 0;
    return;
  }
  const std::string& address = place.address;
  if (rank_ >= size_ || address.empty() || place.port == 0)
    throw Error("process " + std::to_string(rank_) + " of " + std::to_string(size_) + " does not know where to meet",
                "environment", "set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT");
  try {
    c10d::TCPStoreOptions store;
    store.port = static_cast<std::uint16_t>(place.port);
    store.isServer = rank_ == 0;
    store.numWorkers = static_cast<std::size_t>(size_);
    store.waitWorkers = false;
    auto meeting = c10::make_intrusive<c10d::TCPStore>(address, store);
    auto options = c10d::ProcessGroupGloo::Options::create(kPatience);
    const char* interface = std::getenv("GLOO_SOCKET_IFNAME");  // as PyTorch has it
    options->devices.push_back(interface != nullptr
                                   ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                   : c10d::ProcessGroupGloo::createDeviceForHostname(own_address(address)));
    group_ = std::make_unique<Group>();
    group_->backend = c10::make_intrusive<c10d::ProcessGroupGloo>(meeting, rank_, size_, options);
  } catch (const std::exception& error) {
    throw Error(std::string("the processes that train together cannot find each other: ") + error.what(),
                address + ":" + std::to_string(place.port), "start all of them; the port must be free",
                Error::Kind::kEnvironment);
  }
}

Replicas::~Replicas() = default;

void Replicas::wait_for(const std::function<void()>& exchange) const {
  try {
    exchange();
  } catch (const std::exception& error) {
    throw Error("one of the " + std::to_string(size_) + " processes that train together is gone: " + error.what(),
                "process " + std::to_string(rank_), "its log says why; restart all of them with --resume",
                Error::Kind::kFailed);
  }
}

void Replicas::sum(const std::vector<at::Tensor>& tensors) const {
  if (alone()) return;
  const at::NoGradGuard no_grad;
  std::size_t first = 0;
  while (first < tensors.size()) {
    std::size_t last = first;
    std::int64_t count = 0;
    while (last < tensors.size() && (last == first || count + tensors[last].numel() <= kBucket))
      count += tensors[last++].numel();
    const at::Tensor flat = at::empty({count}, tensors[first].options());
    const auto for_parts = [&](auto visit) {
      std::int64_t at = 0;
      for (std::size_t i = first; i < last; ++i) {
        visit(flat.narrow(0, at, tensors[i].numel()).view(tensors[i].sizes()), tensors[i]);
        at += tensors[i].numel();
      }
    };
    for_parts([](at::Tensor part, const at::Tensor& own) { part.copy_(own); });
    std::vector<at::Tensor> one{flat};
    wait_for([&] { group_->backend->allreduce(one)->wait(); });
    for_parts([](const at::Tensor& part, at::Tensor own) { own.copy_(part); });
    first = last;
  }
}

std::vector<double> Replicas::sum(std::vector<double> values) const {
  if (alone()) return values;
  const at::Tensor tensor = at::tensor(values);
  std::vector<at::Tensor> one{tensor};
  wait_for([&] { group_->backend->allreduce(one)->wait(); });
  return std::vector<double>(tensor.const_data_ptr<double>(), tensor.const_data_ptr<double>() + tensor.numel());
}

void Replicas::copy_from(int from, const at::Tensor& tensor) const {
  if (alone()) return;
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> one{tensor.detach()};
  c10d::BroadcastOptions options;
  options.rootRank = from;
  wait_for([&] { group_->backend->broadcast(one, options)->wait(); });
}

double Replicas::largest(double value) const {
  if (alone()) return value;
  std::vector<double> all(static_cast<std::size_t>(size_));
  all[static_cast<std::size_t>(rank_)] = value;
  all = sum(std::move(all));
  return *std::max_element(all.begin(), all.end());
}

void Replicas::copy_from_first(std::string& bytes) const {
  if (alone()) return;
  const std::vector<double> size = sum(std::vector<double>{first() ? static_cast<double>(bytes.size()) : 0.0});
  bytes.resize(static_cast<std::size_t>(size.front()));
  if (bytes.empty()) return;
  copy_from(0, at::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size())}, at::kByte));
}

std::vector<int> owners(const std::vector<at::Tensor>& tensors, int processes) {
  std::vector<std::size_t> order(tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tensors[a].numel() > tensors[b].numel(); });
  std::vector<std::int64_t> load(static_cast<std::size_t>(processes));
  std::vector<int> owner(tensors.size());
  for (const std::size_t i : order) {  // the largest first, each to whoever has least
    const auto least = std::min_element(load.begin(), load.end());
    *least += tensors[i].numel();
    owner[i] = static_cast<int>(least - load.begin());
  }
  return owner;
}

}  // namespace kg::trainer
