#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operators/golden.h"
#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"
#include "sandbox/sandbox.h"

namespace kg::reward {

// Why a correct-looking kernel is not believed. All empty: it is believed.
struct Doubt {
  std::string reason;
  std::string sandbox_error;
  std::uint64_t cycles = 0;    // sum over all its cases on the other inputs; 0: they were not run
  std::string no_result = {};  // why its cases cannot show whether it is right
};

// A second look at a kernel whose every case passed (docs/design/threat-model.md). It runs again on inputs that nobody
// could know beforehand (their seed depends on the program's text), in another order of the cores. The inputs are
// uneven (operators/draw.h) within the task's range: a statistic of a few elements says nothing about the
// others. If all outputs of a case have few elements, it is looked at three times. The results must
// follow the inputs; a thousandth of the elements may be out of tolerance, so that luck with rounding decides nothing.
// The cycles are those of a program that has never seen these inputs: it may know the task's own inputs by heart, and
// do less work on them.
//
// `request` holds the program, and everything but cases.
Doubt second_look(sandbox::Sandbox& sandbox, const proto::Task& task, const std::vector<int>& cases,
                  proto::ExecutionRequest request);

// One run of the second look: the kernel's inputs, and the expected outputs.
struct Look {
  int case_index = 0;
  bool counts_cycles = false;  // the first run of its case
  std::vector<proto::Tensor> inputs;
  std::vector<operators::GoldenTensor> golden;
};
// All runs, for the program in the request.
std::vector<Look> looks_at(const proto::Task& task, const std::vector<int>& cases,
                           const proto::ExecutionRequest& request);
// Does the output pass the second look?
bool passes_second_look(const proto::Task& task, const proto::Tensor& found, const operators::GoldenTensor& wanted);

// A number that depends on the program's text and on `salt`; never 0, which would mean the usual order of the cores.
std::uint64_t seed_of(const proto::ExecutionRequest& request, const std::string& salt);

// Why a run of the second look did not finish; empty: it finished.
std::string end_of(const proto::ExecutionResult& result, std::size_t index);

}  // namespace kg::reward
