#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kg::trainer {

// The place of a process among those that train together.
struct ReplicaPlace {
  int rank = 0, size = 1;
  std::string address;  // address of the first process, where they meet
  int port = 0;
};
ReplicaPlace replica_place_of_environment();

// The processes that train one model together, each on its own rows (data parallelism), over PyTorch's c10d with
// Gloo. As under torchrun, a process learns its place from the environment: RANK, WORLD_SIZE, MASTER_ADDR and
// MASTER_PORT; without WORLD_SIZE, or if it is 1, a process is alone. All processes must make the same calls in the
// same order. A call throws Error if one of the others is gone; the run continues when all are started again.
class Replicas {
 public:
  // Waits for all others. Throws Error if the place is invalid or they do not come.
  explicit Replicas(const ReplicaPlace& place = replica_place_of_environment());
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool alone() const { return size_ == 1; }
  bool first() const { return rank_ == 0; }  // the one that writes files

  // Replaces each tensor by the sum over all processes: the same bits everywhere.
  void sum(const std::vector<at::Tensor>& tensors) const;
  std::vector<double> sum(std::vector<double> values) const;
  // The maximum over all processes.
  double largest(double value) const;
  // Replaces the tensor by that of process `from`.
  void copy_from(int from, const at::Tensor& tensor) const;
  // Replaces the bytes by those of the first process.
  void copy_from_first(std::string& bytes) const;

 private:
  struct Group;
  void wait_for(const std::function<void()>& exchange) const;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<Group> group_;
};

// The process that keeps the optimiser's state of each tensor and takes its steps: about equal shares.
std::vector<int> owners(const std::vector<at::Tensor>& tensors, int processes);

}  // namespace kg::trainer
