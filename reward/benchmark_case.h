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
  std::vector<proto::Tensor> inputs;              // as the case's inputs, absent ones included
  std::vector<proto::Tensor> golden;              // as the case's checked tensors, in the type of the reference
  std::vector<operators::GoldenTensor> golden64;  // empty: there is none, and `no_golden64` says why
  std::string no_golden64;
};

// Other inputs for a case, with what the benchmark's reference makes of them.
struct OtherInputs {
  std::uint64_t seed = 0;
  bool wide = false;  // not only drawn again: scaled in parts, mixed, and constant weights are constant no more
};

// Where the cases of imported tasks come from.
struct BenchmarkCases {
  // Throws Error if the case cannot be had.
  std::function<BenchmarkCase(const proto::Task&, int case_index)> get;
  // Nothing: the reference is not at hand, or not for such inputs.
  std::function<std::optional<BenchmarkCase>(const proto::Task&, int case_index, const OtherInputs&)> other;
};

inline bool is_imported(const proto::Task& task) {
  return task.suite() == "npukernelbench" || task.suite() == "multikernelbench";
}

// An operator of the user's own (docs/guide/own-operators.md): its kernels are compared with fp64 results within its
// own bounds.
inline bool is_own(const proto::Task& task) { return task.suite() == "own"; }

// A task whose answers are PyTorch modules with operators of their own.
inline bool is_module(const proto::Task& task) { return task.suite() == "multikernelbench"; }

// The tensors that are compared: outputs joined, cut and converted as the case says; of a module, what it returned.
std::vector<proto::Tensor> checked_tensors(const proto::TaskCase& task_case, const proto::CaseResult& result);

// The fewest cycles that any kernel of the case can take: those of what it must write.
std::uint64_t benchmark_roofline_cycles(const proto::TaskCase& task_case);

}  // namespace kg::reward
