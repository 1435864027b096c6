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
  std::string address;  // where they meet: of the first process
  int port = 0;
};
ReplicaPlace replica_place_of_environment();

// The processes that train one model together, each on rows of its own (data parallelism), over PyTorch's c10d with
// Gloo. As under torchrun, a process learns its place from the environment: RANK, WORLD_SIZE, MASTER_ADDR and
// MASTER_PORT; without WORLD_SIZE, or where it is 1, a process is alone. All processes must make the same calls in the
// same order. A call throws Error if one of the others is gone; the run goes on when all are started again.
class Replicas {
 public:
  // Waits for all others. Throws Error if the place makes no sense or they do not come.
  explicit Replicas(const ReplicaPlace& place = replica_place_of_environment());
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
  // The largest over all processes.
  double largest(double value) const;
  // The tensor becomes that of process `from`.
  void copy_from(int from, const at::Tensor& tensor) const;
  // The bytes become those of the first process.
  void copy_from_first(std::string& bytes) const;

 private:
  struct Group;
  void wait_for(const std::function<void()>& exchange) const;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<Group> group_;
};

// Which process keeps the optimiser's state of each of these tensors and takes its steps: about equal shares.
std::vector<int> owners(const std::vector<at::Tensor>& tensors, int processes);

}  // namespace kg::trainer
