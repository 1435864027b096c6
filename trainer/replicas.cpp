#include "trainer/replicas.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

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

struct Replicas::Group {
  c10::intrusive_ptr<c10d::Backend> backend;
};

Replicas::Replicas() : rank_(environment_number("RANK", 0)), size_(environment_number("WORLD_SIZE", 1)) {
  if (size_ <= 1) {
    size_ = 1;
    rank_ = 0;
    return;
  }
  const char* address = std::getenv("MASTER_ADDR");
  const int port = environment_number("MASTER_PORT", 0);
  if (rank_ >= size_ || address == nullptr || port == 0)
    throw Error("process " + std::to_string(rank_) + " of " + std::to_string(size_) + " does not know where to meet",
                "environment", "set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT");
  try {
    c10d::TCPStoreOptions store;
    store.port = static_cast<std::uint16_t>(port);
    store.isServer = rank_ == 0;
    store.numWorkers = static_cast<std::size_t>(size_);
    store.waitWorkers = false;
    auto meeting = c10::make_intrusive<c10d::TCPStore>(address, store);
    auto options = c10d::ProcessGroupGloo::Options::create(kPatience);
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
    group_ = std::make_unique<Group>();
    group_->backend = c10::make_intrusive<c10d::ProcessGroupGloo>(meeting, rank_, size_, options);
  } catch (const std::exception& error) {
    throw Error(std::string("the processes that train together do not find each other: ") + error.what(),
                std::string(address) + ":" + std::to_string(port), "start all of them; the port must be free",
                Error::Kind::kEnvironment);
  }
}

Replicas::~Replicas() = default;

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
    group_->backend->allreduce(one)->wait();
    for_parts([](const at::Tensor& part, at::Tensor own) { own.copy_(part); });
    first = last;
  }
}

std::vector<double> Replicas::sum(std::vector<double> values) const {
  if (alone()) return values;
  const at::Tensor tensor = at::tensor(values);
  std::vector<at::Tensor> one{tensor};
  group_->backend->allreduce(one)->wait();
  return std::vector<double>(tensor.const_data_ptr<double>(), tensor.const_data_ptr<double>() + tensor.numel());
}

void Replicas::copy_from(int from, const at::Tensor& tensor) const {
  if (alone()) return;
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> one{tensor.detach()};
  c10d::BroadcastOptions options;
  options.rootRank = from;
  group_->backend->broadcast(one, options)->wait();
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
