#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace kg::trainer {

// The processes that train one model together, each on rows of its own (data parallelism), over PyTorch's c10d with
// Gloo. As under torchrun, a process learns its place from the environment: RANK, WORLD_SIZE, MASTER_ADDR and
// MASTER_PORT; without WORLD_SIZE, or where it is 1, a process is alone. All processes must make the same calls in the
// same order.
class Replicas {
 public:
  // Waits for all others. Throws Error if the environment makes no sense or they do not come.
  Replicas();
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool alone() const { return size_ == 1; }
  bool first() const { return rank_ == 0; }  // the one that writes files

  // Each tensor becomes the sum over all processes: the same bits everywhere.
  void sum(const std::vector<at::Tensor>& tensors) const;
  std::vector<double> sum(std::vector<double> values) const;
  // The tensor becomes that of process `from`.
  void copy_from(int from, const at::Tensor& tensor) const;

 private:
  struct Group;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<Group> group_;
};

// Which process keeps the optimiser's state of each of these tensors and takes its steps: about equal shares.
std::vector<int> owners(const std::vector<at::Tensor>& tensors, int processes);

}  // namespace kg::trainer
