#pragma once

#include <functional>
#include <string>
#include <vector>

#include "operators/golden.h"
#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"

namespace kg::reward {

// Inputs and expected outputs of one case of an imported task.
struct BenchmarkCase {
  std::vector<proto::Tensor> inputs;              // as the case's inputs, absent ones included
  std::vector<proto::Tensor> golden;              // as the case's checked tensors, in the type of the reference
  std::vector<operators::GoldenTensor> golden64;  // empty: there is none, and `no_golden64` says why
  std::string no_golden64;
};
// Throws Error if the case cannot be had.
using BenchmarkCases = std::function<BenchmarkCase(const proto::Task&, int case_index)>;

inline bool is_imported(const proto::Task& task) {
  return task.suite() == "npukernelbench" || task.suite() == "multikernelbench";
}

// An operator of the user's own (docs/own-operators.md): its kernels are compared with fp64 results within its own
// bounds.
inline bool is_own(const proto::Task& task) { return task.suite() == "own"; }

// A task whose answers are PyTorch modules with operators of their own.
inline bool is_module(const proto::Task& task) { return task.suite() == "multikernelbench"; }

// The tensors that are compared: outputs joined, cut and converted as the case says; of a module, what it returned.
std::vector<proto::Tensor> checked_tensors(const proto::TaskCase& task_case, const proto::CaseResult& result);

// The fewest cycles that any kernel of the case can take: those of what it must write.
std::uint64_t benchmark_roofline_cycles(const proto::TaskCase& task_case);

}  // namespace kg::reward
