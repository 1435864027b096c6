#include "dataset/cot/instance.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "dataset/cot/kernel_name.h"
#include "dataset/cot/noise_floor.h"
#include "operators/golden.h"
#include "operators/number_format.h"
#include "operators/operators.h"
#include "proto/dtype.h"

namespace kg::dataset::cot {
namespace {

using Extents = std::vector<std::int64_t>;
constexpr std::int64_t kMostElements = 40000;  // elements of a tensor: judged in milliseconds
constexpr int kCases = 2;

std::int64_t product(const Extents& extents) {
  std::int64_t all = 1;
  for (const std::int64_t extent : extents) all *= extent;
  return all;
}

// (lead..., columns), from friendly to awkward.
const std::vector<Extents>& flat_shapes() {
  static const std::vector<Extents> shapes = {
      {8, 2048},
      {16, 1024},
      {64, 256},
      {4096},
      {32, 512},
      {24, 768},
      {128, 128},
      {1024},  // friendly
      {7, 333},
      {20, 1000},
      {5, 1999},
      {3, 4099},
      {33, 65},
      {13, 250},
      {10007},
      {997},  // tails
      {1},
      {7},
      {31},
      {1, 1},
      {127},
      {2, 3},
      {1, 257},
      {3, 1},  // small
      {2, 3, 64, 16},
      {4, 8, 128},
      {2, 5, 7, 11},
      {3, 4, 5, 6, 7},
      {2, 2, 2, 2, 500},
      {6, 1, 35},
      {1, 3, 224},
  };
  return shapes;
}
const std::vector<Extents>& row_shapes() {
  static const std::vector<Extents> shapes = {
      {16, 1024},  {32, 512},  {8, 2048},      {64, 256},        {48, 384},   {96, 128}, {4, 4096},  // friendly
      {20, 1000},  {7, 333},   {5, 1999},      {12, 500},        {33, 65},    {9, 777},  {50, 101},
      {1, 8191},   {3, 5003},                            // tails
      {1, 64},     {100, 48},  {1, 1009},      {2, 53},  // small
      {2, 8, 256}, {3, 5, 77}, {2, 3, 4, 100}, {2, 2, 3, 2, 64}, {4, 7, 129},
  };
  return shapes;
}
// (..., inner, columns).
const std::vector<Extents>& column_shapes() {
  static const std::vector<Extents> shapes = {
      {16, 1024}, {32, 512},    {8, 2048},      {20, 1000},       {7, 333},    {5, 1999},
      {33, 65},   {100, 48},    {1, 777},       {3, 4099},        {13, 7},     {2, 8, 256},
      {3, 5, 77}, {4, 16, 128}, {2, 3, 4, 100}, {2, 2, 3, 2, 64}, {6, 7, 129},
  };
  return shapes;
}

template <typename T>
const T& choice(const std::vector<T>& all, Philox& random) {
  return all[random.next_below(all.size())];
}

std::uint64_t stream_of(const Structure& structure, std::uint64_t turn) {
  return hash64("cot instance:" + structure.name) + turn;
}

proto::DType output_type(const Instance& instance, int value) {
  const Node* node = instance.structure->node(value);
  if (node == nullptr) return instance.dtype;
  if (node->op == "to_float") return proto::FLOAT32;
  if (node->op == "to_half") return proto::FLOAT16;
  if (node->op == "to_bfloat16") return proto::BFLOAT16;
  if (node->op == "to_int32") return proto::INT32;
  if (node->op == "to_int8") return proto::INT8;
  // A comparison that ends a chain leaves bytes, as the operators of libraries do.
  static const std::vector<std::string> comparisons = {"greater", "less", "greater_equal", "less_equal", "inside"};
  if (instance.structure->node(value) == &instance.structure->nodes.back() &&
      std::find(comparisons.begin(), comparisons.end(), node->op) != comparisons.end() &&
      instance.structure->walk == Walk::kFlat)
    return proto::BOOL;
  return instance.dtype;
}

Extents input_shape(const Instance& instance, const Input& input) {
  Extents all = instance.lead;
  switch (input.kind) {
    case InputKind::kVector:
      return {instance.columns};
    case InputKind::kRowIndex:
    case InputKind::kPickIndex:
      return instance.lead;
    case InputKind::kColumnIndex:
      return {instance.taken};
    case InputKind::kRight:
      return {instance.inner, instance.columns};
    case InputKind::kFull:
      break;
  }
  if (instance.structure->walk == Walk::kGather) return {instance.inner, instance.columns};
  if (instance.structure->walk == Walk::kMatmul) return {instance.lead[0], instance.inner};
  if (instance.structure->walk == Walk::kColumns) all.push_back(instance.inner);
  all.push_back(instance.columns);
  return all;
}

proto::Distribution distribution_of(const Instance& instance, const Input& input, Drawn how) {
  proto::Distribution drawn;
  drawn.set_kind(how == Drawn::kUneven ? proto::Distribution::UNEVEN : proto::Distribution::UNIFORM);
  drawn.set_low(input.low);
  drawn.set_high(input.high);
  if (is_index(input) || !operators::is_floating(instance.dtype)) {
    drawn.set_kind(proto::Distribution::INTEGER);
    drawn.set_low(is_index(input) ? 0 : -4);
    drawn.set_high(is_index(input) ? static_cast<double>(
                                         (input.kind == InputKind::kRowIndex ? instance.inner : instance.columns) - 1)
                                   : 5);
  }
  return drawn;
}

}  // namespace

std::int64_t Instance::rows() const { return product(lead); }

std::string Instance::shape_key() const {
  std::string text;
  for (const std::int64_t extent : lead) text += std::to_string(extent) + "x";
  const Walk walk = structure->walk;
  if (walk == Walk::kColumns || walk == Walk::kMatmul || walk == Walk::kGather) text += std::to_string(inner) + "x";
  return text + std::to_string(columns);
}

std::string type_name(proto::DType dtype) {
  switch (dtype) {
    case proto::FLOAT32:
      return "float";
    case proto::FLOAT16:
      return "half";
    case proto::BFLOAT16:
      return "bfloat16";
    default:
      return proto::dtype_name(dtype);
  }
}

std::string extents_text(const TensorOf& tensor) {
  std::string text;
  for (const std::int64_t extent : tensor.shape) text += (text.empty() ? "" : ",") + std::to_string(extent);
  return text;
}

std::string tensor_text(const TensorOf& tensor) {
  return tensor.name + ": " + type_name(tensor.dtype) + "[" + extents_text(tensor) + "]";
}

std::vector<TensorOf> inputs_of(const Instance& instance) {
  std::vector<TensorOf> tensors;
  for (const Input& input : instance.structure->inputs)
    tensors.push_back(
        {std::string(1, input.letter), is_index(input) ? proto::INT32 : instance.dtype, input_shape(instance, input)});
  return tensors;
}

std::int64_t input_elements(const Instance& instance) { return product(inputs_of(instance)[0].shape); }

std::vector<TensorOf> outputs_of(const Instance& instance) {
  const proto::OperatorGraph graph = graph_of(*instance.structure);
  std::vector<Extents> shapes;
  for (const TensorOf& tensor : inputs_of(instance)) shapes.push_back(tensor.shape);
  const auto results = operators::infer_shapes(graph, shapes);
  std::vector<TensorOf> tensors;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const int value = instance.structure->outputs[i];
    tensors.push_back({results.size() == 1 ? "z" : "z" + std::to_string(i), output_type(instance, value), results[i]});
  }
  return tensors;
}

bool is_empty(const Instance& instance) { return instance.rows() * instance.columns * instance.inner == 0; }

Instance instance_of(const Structure& structure, std::uint64_t turn) {
  Philox random(stream_of(structure, turn), 1);
  Instance made{.structure = &structure};
  static const std::vector<proto::DType> real = {proto::FLOAT16, proto::FLOAT32, proto::BFLOAT16};
  static const std::vector<proto::DType> whole = {proto::FLOAT16, proto::FLOAT32, proto::BFLOAT16, proto::INT32,
                                                  proto::INT16};
  made.dtype = choice(structure.whole ? whole : real, random);
  // Mostly the whole chip, sometimes a part.
  constexpr int kAll = npu::chip::kVectorCores;
  static const std::vector<int> cores = {kAll, kAll, kAll, kAll, kAll * 5 / 6, kAll / 2, kAll * 5 / 12, kAll / 6, 1};
  made.cores = choice(cores, random);
  const Walk walk = structure.walk;
  Extents shape = walk == Walk::kFlat || walk == Walk::kTotal ? choice(flat_shapes(), random)
                  : walk == Walk::kColumns                    ? choice(column_shapes(), random)
                                                              : choice(row_shapes(), random);
  if (walk == Walk::kFlat && random.next_below(50) == 0) shape = choice<Extents>({{0}, {0, 128}, {4, 0, 8}}, random);
  made.columns = shape.back();
  shape.pop_back();
  if (walk == Walk::kColumns) {
    made.inner = shape.back();
    shape.pop_back();
  }
  made.lead = shape;
  static const std::vector<std::int64_t> odd = {5, 16, 31, 64, 100};
  if (walk == Walk::kGather) {
    made.inner = choice(odd, random);
    made.lead = {made.rows()};
    if (made.columns > 2048) made.columns = 777;
  }
  if (walk == Walk::kMatmul) {
    made.inner = choice<std::int64_t>({8, 16, 24, 33, 40}, random);
    made.lead = {std::min<std::int64_t>(made.rows(), 32)};
    made.columns = std::min<std::int64_t>(made.columns, 512);
  }
  made.taken = choice(odd, random);
  return made;
}

bool possible(const Instance& instance) {
  const Structure& structure = *instance.structure;
  if (instance.rows() * instance.columns * (structure.walk == Walk::kColumns ? instance.inner : 1) > kMostElements)
    return false;
  const bool rowwise =
      structure.walk != Walk::kFlat && structure.walk != Walk::kTotal && structure.walk != Walk::kColumns;
  if (rowwise && instance.columns < 2) return false;
  try {
    for (const TensorOf& tensor : outputs_of(instance))
      if (product(tensor.shape) < 1 && structure.walk != Walk::kFlat) return false;
  } catch (const Error&) {
    return false;  // a window or slice longer than the row
  }
  // One product of eleven factors is as far as values that are drawn alike may go.
  for (const Node& node : structure.nodes) {
    if (node.op == "cumprod" && instance.columns > 64) return false;
    if ((node.op == "cumsum" || node.op == "take" || node.op == "flip") && instance.columns > 2048) return false;
  }
  return true;
}

std::string task_id(const Instance& instance) {
  return "cot/" + instance.structure->family + "/" + instance.structure->name + "/" +
         proto::dtype_name(instance.dtype) + "/" + instance.shape_key() + "/" + std::to_string(instance.cores);
}

std::string entry_point(const Instance& instance) { return kernel_name(*instance.structure, task_id(instance)); }

proto::Task task_of(const Instance& instance, std::uint64_t seed, Drawn how) {
  const Structure& structure = *instance.structure;
  proto::Task task;
  task.set_id(task_id(instance));
  task.set_suite("builtin");
  task.set_category(structure.category);
  task.set_family("cot_" + structure.family);
  task.set_structure(structure.name);
  task.set_split(structure.split);
  task.set_level(structure.level);
  *task.mutable_graph() = graph_of(structure);
  const auto inputs = inputs_of(instance), outputs = outputs_of(instance);
  for (int c = 0; c < kCases; ++c) {
    proto::TaskCase& task_case = *task.add_cases();
    task_case.set_seed(hash64(task.id() + ":" + std::to_string(seed) + ":" + std::to_string(c)));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      proto::TensorSpec& spec = *task_case.add_inputs();
      spec.set_name(inputs[i].name);
      spec.set_dtype(inputs[i].dtype);
      spec.mutable_shape()->Add(inputs[i].shape.begin(), inputs[i].shape.end());
      *spec.mutable_distribution() = distribution_of(instance, structure.inputs[i], how);
    }
    for (const TensorOf& output : outputs) {
      proto::TensorSpec& spec = *task_case.add_outputs();
      spec.set_name(output.name);
      spec.set_dtype(output.dtype);
      spec.mutable_shape()->Add(output.shape.begin(), output.shape.end());
    }
    task.set_absolute_bound(std::max(task.absolute_bound(), noise_floor(structure, task.graph(), task_case)));
  }
  task.set_entry_point(entry_point(instance));
  task.set_block_dim(static_cast<std::uint32_t>(instance.cores));
  return task;
}

}  // namespace kg::dataset::cot
