#pragma once

#include <cstdint>

#include "proto/task.pb.h"

namespace kg::reward {

// The cycles that the task's operators take one by one, each from and to global memory, each in its own launch: the
// sum of max(bytes / measured bandwidth, element work / vector rate) / 0.8 + launch (design page, "Reward"), with the
// figures of npu/chip.h.
std::uint64_t baseline_cycles(const proto::OperatorGraph& graph, const proto::TaskCase& task_case);

// The same for one operator about which nothing is known but its inputs and outputs: memory traffic only.
std::uint64_t memory_baseline_cycles(const proto::TaskCase& task_case);

// For an own operator: PyTorch's operators one by one, by the bytes that each moves and its products on the Cube unit,
// both counted when it was added. Products are in the type of the first floating-point input.
std::uint64_t operators_baseline_cycles(const proto::TaskCase& task_case);

// A bound that no kernel of this case can beat: its inputs and outputs once through global memory at peak bandwidth.
std::uint64_t roofline_cycles(const proto::TaskCase& task_case);

}  // namespace kg::reward
