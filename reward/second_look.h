#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operators/golden.h"
#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"
#include "sandbox/sandbox.h"

namespace kg::reward {

// Why a kernel that was right is not believed. All empty: it is.
struct Doubt {
  std::string reason;
  std::string sandbox_error;
  std::uint64_t cycles = 0;    // of all its cases together, with the other inputs; 0: they were not run so
  std::string no_result = {};  // why its cases cannot tell whether it is right
};

// A second look at a kernel whose every case passed (docs/design/threat-model.md). It runs again, on inputs that nobody
// could know beforehand (their seed depends on the program's text), in another order of the cores. The inputs are
// uneven (operators/draw.h) within the range that the task has: a statistic of a few of them says nothing of the
// others. Where all outputs of a case have few elements it is looked at three times. What the kernel computes must
// follow the inputs; a thousandth of the elements may be out of tolerance, so that luck with rounding decides nothing.
// The cycles are those of a program that has not met these inputs: it may know the task's own by heart, and compute
// others.
//
// `request` holds the program, and everything but cases.
Doubt second_look(sandbox::Sandbox& sandbox, const proto::Task& task, const std::vector<int>& cases,
                  proto::ExecutionRequest request);

// One run of the second look: what the kernel gets, and what it must give.
struct Look {
  int case_index = 0;
  bool counts_cycles = false;  // the first at its case
  std::vector<proto::Tensor> inputs;
  std::vector<operators::GoldenTensor> golden;
};
// All of them, for the program that the request holds.
std::vector<Look> looks_at(const proto::Task& task, const std::vector<int>& cases,
                           const proto::ExecutionRequest& request);
// Is the output good enough for a second look?
bool passes_second_look(const proto::Task& task, const proto::Tensor& found, const operators::GoldenTensor& wanted);

// A number that depends on the program's text, and on `salt`; never 0, which would mean the usual order of the cores.
std::uint64_t seed_of(const proto::ExecutionRequest& request, const std::string& salt);

// How a run of the second look ended if not well: a reason. Empty: it came to its end.
std::string end_of(const proto::ExecutionResult& result, std::size_t index);

}  // namespace kg::reward
