#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operators/golden.h"
#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"

namespace kg::reward {

// Inputs and expected outputs of one case of an imported task.
struct BenchmarkCase {
  std::vector<proto::Tensor> inputs;              // like the case's inputs, absent ones included
  std::vector<proto::Tensor> golden;              // like the case's checked tensors, in the reference's type
  std::vector<operators::GoldenTensor> golden64;  // empty: not available, and `no_golden64` says why
  std::string no_golden64;
};

// Other inputs for a case, and what the benchmark's reference makes of them.
struct OtherInputs {
  std::uint64_t seed = 0;
  bool wide = false;  // not just redrawn: scaled in parts, mixed, and constant weights are no longer constant
};

// Source of the cases of imported tasks.
struct BenchmarkCases {
  // Throws Error if the case is not available.
  std::function<BenchmarkCase(const proto::Task&, int case_index)> get;
  // Nothing: there is no reference, or it cannot use such inputs.
  std::function<std::optional<BenchmarkCase>(const proto::Task&, int case_index, const OtherInputs&)> other;
};

inline bool is_imported(const proto::Task& task) {
  return task.suite() == "npukernelbench" || task.suite() == "multikernelbench";
}

// An operator of the user's own (docs/guide/own-operators.md): its kernels are compared with fp64 results within its
// own bounds.
inline bool is_own(const proto::Task& task) { return task.suite() == "own"; }

// A task whose answers are PyTorch modules with their own operators.
inline bool is_module(const proto::Task& task) { return task.suite() == "multikernelbench"; }

// The tensors to compare: outputs joined, cut and converted as the case says; for a module, what it returned.
std::vector<proto::Tensor> checked_tensors(const proto::TaskCase& task_case, const proto::CaseResult& result);

// A lower bound for the cycles of any kernel of the case: those for the bytes it must write.
std::uint64_t benchmark_roofline_cycles(const proto::TaskCase& task_case);

}  // namespace kg::reward
