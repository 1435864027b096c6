#include "reward/golden.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"
#include "proto/dtype.h"
#include "reward/number_format.h"
#include "reward/operators.h"

namespace kg::reward {
namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t last_axis(const Shape& shape) { return shape.empty() ? 1 : shape.back(); }

double draw(Philox& random, const proto::Distribution& distribution) {
  switch (distribution.kind()) {
    case proto::Distribution::NORMAL:
      return distribution.low() + distribution.high() * random.next_normal();
    case proto::Distribution::INTEGER: {
      const auto low = static_cast<std::int64_t>(distribution.low());
      const auto high = static_cast<std::int64_t>(distribution.high());
      return static_cast<double>(
          low + static_cast<std::int64_t>(random.next_below(static_cast<std::uint64_t>(high - low + 1))));
    }
    case proto::Distribution::CONSTANT:
      return distribution.low();
    default:
      return distribution.low() + (distribution.high() - distribution.low()) * random.next_double();
  }
}

[[noreturn]] void bad_graph(const std::string& what) {
  throw Error("not an operator graph: " + what, "task", "build tasks with kgtrain data build, or correct the file");
}

std::string text_of(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

Shape node_shape(const OperatorInfo& info, const std::vector<Shape>& inputs) {
  if (info.shape == OperatorShape::kOwn) {
    Shape shape = info.result_shape(inputs);
    if (shape.empty()) bad_graph(info.name + " does not take inputs of these shapes");
    return shape;
  }
  for (const Shape& shape : inputs)
    if (shape != inputs.front())
      bad_graph(info.name + " has inputs of shapes " + text_of(inputs.front()) + " and " + text_of(shape));
  Shape shape = inputs.front();
  if (info.shape == OperatorShape::kRowReduce) {
    if (shape.empty() || shape.back() == 0) bad_graph(info.name + " over an axis without elements");
    shape.pop_back();
  }
  return shape;
}

// Calls visit(info, node, indices of its inputs) in topological order, having checked the graph's form.
template <typename Visit>
void for_each_node(const proto::OperatorGraph& graph, std::size_t input_count, const Visit& visit) {
  if (graph.input_count() < 0 || static_cast<std::size_t>(graph.input_count()) != input_count)
    bad_graph("it takes " + std::to_string(graph.input_count()) + " inputs, the case has " +
              std::to_string(input_count));
  std::size_t known = input_count;
  for (const proto::GraphNode& node : graph.nodes()) {
    const OperatorInfo& info = operator_info(node.op());
    if (node.inputs_size() != info.arity || node.attributes_size() != info.attribute_count)
      bad_graph(info.name + " takes " + std::to_string(info.arity) + " tensors and " +
                std::to_string(info.attribute_count) + " scalars, got " + std::to_string(node.inputs_size()) + " and " +
                std::to_string(node.attributes_size()));
    for (const std::int32_t index : node.inputs())
      if (index < 0 || static_cast<std::size_t>(index) >= known) bad_graph(info.name + " uses a later value");
    visit(info, node);
    ++known;
  }
  if (graph.outputs_size() == 0) bad_graph("it has no outputs");
  for (const std::int32_t index : graph.outputs())
    if (index < 0 || static_cast<std::size_t>(index) >= known) bad_graph("an output is no value of it");
}

}  // namespace

std::vector<proto::Tensor> make_inputs(const proto::TaskCase& task_case) {
  std::vector<proto::Tensor> tensors;
  for (int i = 0; i < task_case.inputs_size(); ++i) {
    const proto::TensorSpec& spec = task_case.inputs(i);
    Philox random(task_case.seed(), static_cast<std::uint64_t>(i));
    proto::Tensor& tensor = tensors.emplace_back();
    tensor.set_name(spec.name());
    tensor.set_dtype(spec.dtype());
    *tensor.mutable_shape() = spec.shape();
    tensor.set_kind(spec.kind());
    tensor.set_absent(spec.absent());
    tensor.set_format(spec.format());
    *tensor.mutable_storage_shape() = spec.storage_shape();
    tensor.mutable_data()->resize(proto::byte_size(spec));
    // A complex number is drawn as two real ones.
    const proto::DType part = spec.dtype() == proto::COMPLEX64 ? proto::FLOAT32 : spec.dtype();
    const std::size_t count = tensor.data().size() / proto::element_size(part);
    for (std::size_t n = 0; n < count; ++n)
      write_element(part, tensor.mutable_data()->data(), n, draw(random, spec.distribution()));
  }
  return tensors;
}

GoldenTensor to_golden(const proto::Tensor& tensor) {
  GoldenTensor golden;
  golden.shape.assign(tensor.shape().begin(), tensor.shape().end());
  const auto count = static_cast<std::size_t>(proto::element_count(tensor.shape()));
  KG_CHECK_EQ(tensor.data().size(), count * proto::element_size(tensor.dtype()));
  golden.values.resize(count);
  for (std::size_t n = 0; n < count; ++n) golden.values[n] = read_element(tensor.dtype(), tensor.data().data(), n);
  return golden;
}

std::vector<Shape> infer_shapes(const proto::OperatorGraph& graph, const std::vector<Shape>& input_shapes) {
  std::vector<Shape> shapes = input_shapes;
  for_each_node(graph, input_shapes.size(), [&](const OperatorInfo& info, const proto::GraphNode& node) {
    std::vector<Shape> inputs;
    for (const std::int32_t index : node.inputs()) inputs.push_back(shapes[static_cast<std::size_t>(index)]);
    shapes.push_back(node_shape(info, inputs));
  });
  std::vector<Shape> outputs;
  for (const std::int32_t index : graph.outputs()) outputs.push_back(shapes[static_cast<std::size_t>(index)]);
  return outputs;
}

std::vector<GoldenTensor> golden_outputs(const proto::OperatorGraph& graph, const std::vector<proto::Tensor>& inputs) {
  std::vector<Shape> shapes;
  std::vector<Values> values;
  // A value is kept as (rows, last axis) of its own shape, whatever the operator that made it.
  const auto as_rows = [](const Shape& shape, const double* data) {
    const std::int64_t columns = last_axis(shape);
    const std::int64_t rows = columns == 0 ? 0 : proto::element_count(shape) / columns;
    return Values(Eigen::Map<const Values>(data, rows, columns));
  };
  for (const proto::Tensor& input : inputs) {
    GoldenTensor golden = to_golden(input);
    shapes.push_back(golden.shape);
    values.push_back(as_rows(golden.shape, golden.values.data()));
  }
  for_each_node(graph, inputs.size(), [&](const OperatorInfo& info, const proto::GraphNode& node) {
    std::vector<Shape> input_shapes;
    std::vector<Values> arguments;
    for (const std::int32_t index : node.inputs()) {
      input_shapes.push_back(shapes[static_cast<std::size_t>(index)]);
      arguments.push_back(values[static_cast<std::size_t>(index)]);
    }
    const Shape shape = node_shape(info, input_shapes);
    const Values result = info.evaluate(arguments, {node.attributes().begin(), node.attributes().end()});
    KG_CHECK_EQ(static_cast<std::int64_t>(result.size()), proto::element_count(shape));
    values.push_back(as_rows(shape, result.data()));
    shapes.push_back(shape);
  });
  std::vector<GoldenTensor> outputs;
  for (const std::int32_t index : graph.outputs()) {
    const Values& value = values[static_cast<std::size_t>(index)];
    outputs.push_back({shapes[static_cast<std::size_t>(index)], {value.data(), value.data() + value.size()}});
  }
  return outputs;
}

}  // namespace kg::reward
