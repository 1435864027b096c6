#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dsl/program.h"
#include "npu/chip.h"

namespace kg::dsl {

// A tensor that the task gives a parameter.
struct TensorShape {
  proto::DType dtype = proto::FLOAT32;
  std::vector<std::int64_t> shape;
};

// What a program is lowered for.
struct Bindings {
  std::vector<TensorShape> tensors;           // in the order of the parameters; empty: the extents must be known
  std::map<std::string, std::int64_t> names;  // extents given by name
  int cores = npu::chip::kVectorCores;        // on which the kernel is launched
};

// Gives every extent a number and every parameter its shape. A parameter with fewer extents than its tensor has
// dimensions folds the leading ones into its first. Returns the numbers by name. Throws Refusal.
std::map<std::string, std::int64_t> bind(Program& program, const Bindings& bindings);

}  // namespace kg::dsl
