#pragma once

#include <cstdint>

#include "proto/task.pb.h"

namespace kg::reward {

// Cycles that the task's operators take one by one, each from and to global memory, each with a launch of its own: the
// sum of max(bytes / measured bandwidth, element work / vector rate) / 0.8 + launch (design page, "Reward"), with the
// figures of npu/chip.h.
std::uint64_t baseline_cycles(const proto::OperatorGraph& graph, const proto::TaskCase& task_case);

// The same for one operator that reads the inputs and writes the outputs, of which nothing else is known: memory alone.
std::uint64_t memory_baseline_cycles(const proto::TaskCase& task_case);

// Of an own operator: PyTorch's operators one by one by the bytes that each moves, as counted when it was added.
std::uint64_t operators_baseline_cycles(const proto::TaskCase& task_case);

// Cycles below which no kernel of this case can be: its inputs and outputs once through global memory at its peak.
std::uint64_t roofline_cycles(const proto::TaskCase& task_case);

}  // namespace kg::reward
