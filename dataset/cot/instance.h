#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/cot/composition.h"
#include "npu/chip.h"
#include "proto/task.pb.h"

namespace kg::dataset::cot {

// A structure with types, shapes and cores: the subject of one task.
struct Instance {
  const Structure* structure = nullptr;
  proto::DType dtype = proto::FLOAT32;  // type of inputs that are not indices
  int cores = npu::chip::kVectorCores;
  std::vector<std::int64_t> lead;  // extents before the last axis (before the last two in Walk::kColumns)
  std::int64_t columns = 1;        // the last axis
  std::int64_t inner = 1;          // the axis that disappears: kColumns, kMatmul; rows to choose from: kGather
  std::int64_t taken = 1;          // number of indices of take

  std::int64_t rows() const;  // product of lead
  std::string shape_key() const;
};

struct TensorOf {
  std::string name;
  proto::DType dtype;
  std::vector<std::int64_t> shape;
};

std::vector<TensorOf> inputs_of(const Instance& instance);
std::vector<TensorOf> outputs_of(const Instance& instance);
std::int64_t input_elements(const Instance& instance);  // size of the first input

// Variant `turn` of a structure: types, shapes from easy to awkward and cores follow only from structure and turn.
// Nothing if the structure cannot have them (a row longer than the unified buffer).
Instance instance_of(const Structure& structure, std::uint64_t turn);
bool possible(const Instance& instance);

bool is_empty(const Instance& instance);           // it has a tensor without elements
std::string type_name(proto::DType dtype);         // as in the DSL: "half"
std::string extents_text(const TensorOf& tensor);  // "20,1000"
std::string tensor_text(const TensorOf& tensor);   // "x: half[20,1000]"

std::string task_id(const Instance& instance);
std::string entry_point(const Instance& instance);  // kernel_name.h
// How the numbers of a task's inputs are drawn from their range (operators/draw.h).
enum class Drawn {
  kUneven,
  kEvenly,  // for operators that uneven numbers take out of their type's range, such as a running product
};
// The task without prompts. The same seed gives the same inputs.
proto::Task task_of(const Instance& instance, std::uint64_t seed, Drawn how = Drawn::kUneven);

}  // namespace kg::dataset::cot
