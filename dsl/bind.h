#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dsl/program.h"
#include "npu/chip.h"

namespace kg::dsl {

// A tensor of the task.
struct TensorShape {
  proto::DType dtype = proto::FLOAT32;
  std::vector<std::int64_t> shape;
  std::string name;       // of the launched function's parameter; empty: tensors are matched by their order alone
  bool output = false;    // told apart only where there are names
  bool absent = false;    // the launched function gets a null pointer
  bool optional = false;  // a program that matches by order may leave it out
};

// What a program is lowered for.
struct Bindings {
  std::vector<TensorShape> tensors;           // in the order of the launch; empty: the extents must be known
  std::map<std::string, std::int64_t> names;  // extents given by name
  int cores = npu::chip::kVectorCores;        // on which the kernel is launched
};

// The tensor of each parameter, by index. Inputs, and outputs, are matched by their names if all of them are names of
// the task's; else in order, absent tensors left out. Throws Refusal.
std::vector<int> match_tensors(const Program& program, const std::vector<TensorShape>& tensors);

// Gives every extent a number and every parameter its tensor and shape. A parameter with fewer extents than its tensor
// has dimensions folds the leading ones into its first. Returns the numbers by name. Throws Refusal.
std::map<std::string, std::int64_t> bind(Program& program, const Bindings& bindings);

}  // namespace kg::dsl
