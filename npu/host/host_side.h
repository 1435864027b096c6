#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"

namespace kg::npu {

// Runs the host side of an operator project for one case, in the isolated process:
//
//   load ─► definition ─► slots, data-type column ─► TilingParse ─► Tiling ─► InferShape, InferDataType
//
// `entry_point` chooses among several operators; empty: there is only one. Errors of the host side are faults in the
// plan. `before` is called ahead of each piece of the project's own code with the plan to report if that code
// never returns.
proto::HostPlan run_host_side(const std::string& shared_object, const std::string& entry_point,
                              const proto::RunCase& run_case,
                              const std::function<void(const proto::HostPlan& if_it_dies)>& before);

// The case as the kernel sees it: parameters in the definition's order, with the host side's decisions.
struct BoundCase {
  proto::RunCase run_case;
  std::vector<int> outputs;  // which output of the case each of them is, or kNotInCase
};
inline constexpr int kNotInCase = -1;  // an output of the definition that the task does not ask for
BoundCase bind_case(const proto::RunCase& run_case, const proto::HostPlan& plan);

// "AddCustom" becomes add_custom: the name of the kernel's file and function.
std::string snake_case(const std::string& op_type);

}  // namespace kg::npu
