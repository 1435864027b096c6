#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"
#include "reward/benchmark_case.h"
#include "sandbox/sandbox.h"

namespace kg::reward {

// Why a kernel that was right is not believed. Both empty: it is.
struct Doubt {
  std::string reason;
  std::string sandbox_error;
  std::uint64_t cycles = 0;  // of all its cases together, with the other inputs; 0: they were not run so
};

// A second look at a kernel whose every case passed (docs/threat-model.md). It runs again, on inputs that nobody could
// know beforehand (their seed hangs on the program's text), in another order of the cores. What it computes must follow
// the inputs; the bounds are ten times as wide as those of the first look, so that luck with rounding decides nothing.
// The cycles are those of a program that has not met these inputs: it may know the task's own by heart, and compute
// others.
//
// `request` holds the program, and everything but cases.
Doubt second_look(sandbox::Sandbox& sandbox, const proto::Task& task, const std::vector<int>& cases,
                  proto::ExecutionRequest request);

// The same of a case of an imported task, for which no other inputs have expected outputs: the same inputs in another
// order of the cores must pass again (`passes` says), and with other inputs the outputs must differ.
Doubt second_look_imported(sandbox::Sandbox& sandbox, const proto::RunCase& run_case, const proto::CaseResult& first,
                           proto::ExecutionRequest request,
                           const std::function<bool(const proto::CaseResult&)>& passes);

// Other inputs that keep the range and the signs of the numbers: reversed, and scaled if floating.
proto::Tensor turned(proto::Tensor tensor);

}  // namespace kg::reward
