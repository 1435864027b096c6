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
  std::string name;         // name of the launched function's parameter; empty: tensors are matched only by their order
  bool output = false;      // only used if there are names
  bool absent = false;      // the launched function gets a null pointer, or an empty list
  bool optional = false;    // a program that matches by order may omit it
  bool listed = false;      // element of a list: neighbours with the same name are one parameter
  std::string in_place_of;  // an output in the memory of this input
  bool without_parameter = false;  // and the launched function has no parameter for it
};

// The environment that a program is lowered for.
struct Bindings {
  std::vector<TensorShape> tensors;           // in launch order; empty: the extents must be given
  std::map<std::string, std::int64_t> names;  // extents given by name
  int cores = npu::chip::kVectorCores;        // number of cores of the launch
};

// The DSL has no complex numbers: a complex64 tensor is a float tensor with a last dimension of 2.
std::vector<TensorShape> in_pairs(std::vector<TensorShape> tensors);

// Gives every extent a number and every parameter its shape. A parameter with fewer extents than its tensor has
// dimensions merges neighbouring ones, leading ones if the other parameters leave a choice (if one of them then has
// none, others); one with more extents, all but one given as numbers, or with numbers only, may divide the tensor's
// elements freely. Returns the numbers by name. The program is resolved. Throws Refusal.
std::map<std::string, std::int64_t> bind(Program& program, const Bindings& bindings);

}  // namespace kg::dsl
