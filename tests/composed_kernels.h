#pragma once

#include <string>
#include <vector>

#include "proto/task.pb.h"

namespace kg::dataset::cot {

// A task of the generator and a right kernel for it, in Ascend C.
struct ComposedKernel {
  proto::Task task;
  std::string style;
  std::string source;
};

// So many, spread evenly over the first 400 structures, with each style in turn. Always the same.
std::vector<ComposedKernel> composed_kernels(std::size_t count);

}  // namespace kg::dataset::cot
