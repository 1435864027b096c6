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
  std::string name;         // of the launched function's parameter; empty: tensors are matched by their order alone
  bool output = false;      // told apart only where there are names
  bool absent = false;      // the launched function gets a null pointer, or an empty list
  bool optional = false;    // a program that matches by order may leave it out
  bool listed = false;      // of a list: neighbours of one name are one parameter
  std::string in_place_of;  // an output that lies where this input lies
  bool without_parameter = false;  // and for which the launched function has no parameter
};

// What a program is lowered for.
struct Bindings {
  std::vector<TensorShape> tensors;           // in the order of the launch; empty: the extents must be known
  std::map<std::string, std::int64_t> names;  // extents given by name
  int cores = npu::chip::kVectorCores;        // on which the kernel is launched
};

// The DSL has no complex numbers: a tensor of complex64 is one of float with a last dimension of 2.
std::vector<TensorShape> in_pairs(std::vector<TensorShape> tensors);

// Gives every extent a number and every parameter its shape. A parameter with fewer extents than its tensor has
// dimensions folds neighbouring ones, the leading ones where the other parameters leave the choice; one with more
// extents, all but one with a number, or with extents that are all numbers, may cut the tensor's elements as it likes.
// Returns the numbers by name. The program is resolved. Throws Refusal.
std::map<std::string, std::int64_t> bind(Program& program, const Bindings& bindings);

}  // namespace kg::dsl
