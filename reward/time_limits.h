#pragma once

#include <cstddef>

#include "proto/task.pb.h"

namespace kg::reward {

// Wall seconds that a kernel may take, in proportion to its work: at least the sandbox's own defaults, at most 600.
// They tell a kernel that never ends from one that has much to do, so they are several times what the slowest right
// kernel needs.

// For the compiler. Only sources of more than 20 KB get more than the default.
double compile_seconds(std::size_t source_bytes);

// For one case of a benchmark, by its tensors.
double imported_run_seconds(const proto::TaskCase& task_case);

// For one case of an own operator, by what PyTorch's operators move and multiply.
double own_run_seconds(const proto::TaskCase& task_case);

}  // namespace kg::reward
