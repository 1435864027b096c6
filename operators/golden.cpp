#include "operators/golden.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"
#include "operators/draw.h"
#include "operators/number_format.h"
#include "operators/operators.h"
#include "proto/dtype.h"

namespace kg::operators {
namespace {

std::int64_t last_axis(const Shape& shape) { return shape.empty() ? 1 : shape.back(); }

[[noreturn]] void bad_graph(const std::string& what) {
  throw Error("not an operator graph: " + what, "task", "build tasks with kgtrain data build, or correct the file");
}

std::string text_of(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}

[[noreturn]] void bad_shapes(const OperatorInfo& info, const std::vector<Shape>& inputs) {
  std::string text;
  for (const Shape& shape : inputs) text += (text.empty() ? "" : " and ") + text_of(shape);
  bad_graph(info.name + " has inputs of shapes " + text);
}

// As in numpy: aligned at the last axis, an extent of 1 matches any other.
Shape broadcast_shape(const OperatorInfo& info, const std::vector<Shape>& inputs) {
  Shape all;
  for (const Shape& shape : inputs) {
    if (shape.size() > all.size()) all.insert(all.begin(), shape.size() - all.size(), 1);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::int64_t& extent = all[all.size() - shape.size() + d];
      if (extent != 1 && shape[d] != 1 && extent != shape[d]) bad_shapes(info, inputs);
      if (extent == 1) extent = shape[d];
    }
  }
  return all;
}

std::vector<double> broadcast(const GoldenTensor& tensor, const Shape& to) {
  if (tensor.shape == to) return tensor.values;
  std::vector<double> result(static_cast<std::size_t>(proto::element_count(to)));
  std::vector<std::int64_t> strides(to.size(), 0), at(to.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t d = tensor.shape.size(); d-- > 0;) {
    if (tensor.shape[d] != 1) strides[to.size() - tensor.shape.size() + d] = stride;
    stride *= tensor.shape[d];
  }
  for (double& value : result) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < to.size(); ++d) from += at[d] * strides[d];
    value = tensor.values[static_cast<std::size_t>(from)];
    for (std::size_t d = to.size(); d-- > 0 && ++at[d] == to[d];) at[d] = 0;
  }
  return result;
}

Shape node_shape(const OperatorInfo& info, const std::vector<Shape>& inputs, const std::vector<double>& attributes) {
  if (info.infer) {
    const auto shape = info.infer(inputs, attributes);
    if (!shape) bad_shapes(info, inputs);
    return *shape;
  }
  if (info.shape == OperatorShape::kElementwise) return broadcast_shape(info, inputs);
  for (const Shape& shape : inputs)
    if (shape != inputs.front()) bad_shapes(info, inputs);
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
    if (index < 0 || static_cast<std::size_t>(index) >= known) bad_graph("an output is not one of its values");
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
    const std::vector<double> drawn = draw(random, spec.distribution(), count);
    for (std::size_t n = 0; n < count; ++n) write_element(part, tensor.mutable_data()->data(), n, drawn[n]);
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
    shapes.push_back(node_shape(info, inputs, {node.attributes().begin(), node.attributes().end()}));
  });
  std::vector<Shape> outputs;
  for (const std::int32_t index : graph.outputs()) outputs.push_back(shapes[static_cast<std::size_t>(index)]);
  return outputs;
}

std::vector<GoldenTensor> golden_values(const proto::OperatorGraph& graph, std::vector<GoldenTensor> values,
                                        const std::function<void(GoldenTensor& result)>& after) {
  // Elementwise and row operators see (rows, last axis), whatever the shape.
  const auto as_rows = [](const Shape& shape, const std::vector<double>& data) {
    const std::int64_t columns = last_axis(shape);
    const std::int64_t rows = columns == 0 ? 0 : proto::element_count(shape) / columns;
    return Values(Eigen::Map<const Values>(data.data(), rows, columns));
  };
  for_each_node(graph, values.size(), [&](const OperatorInfo& info, const proto::GraphNode& node) {
    const std::vector<double> attributes(node.attributes().begin(), node.attributes().end());
    std::vector<Shape> shapes;
    std::vector<GoldenTensor> arguments;
    for (const std::int32_t index : node.inputs()) {
      arguments.push_back(values[static_cast<std::size_t>(index)]);
      shapes.push_back(arguments.back().shape);
    }
    GoldenTensor made{.shape = node_shape(info, shapes, attributes), .values = {}};
    if (info.compute) {
      made.values = info.compute(arguments, attributes);
    } else {
      std::vector<Values> rows;
      for (const GoldenTensor& argument : arguments)
        rows.push_back(info.shape == OperatorShape::kElementwise ? as_rows(made.shape, broadcast(argument, made.shape))
                                                                 : as_rows(argument.shape, argument.values));
      const Values result = info.evaluate(rows, attributes);
      made.values.assign(result.data(), result.data() + result.size());
    }
    KG_CHECK_EQ(static_cast<std::int64_t>(made.values.size()), proto::element_count(made.shape));
    if (after) after(made);
    values.push_back(std::move(made));
  });
  return values;
}

std::vector<GoldenTensor> golden_outputs(const proto::OperatorGraph& graph, const std::vector<proto::Tensor>& inputs) {
  std::vector<GoldenTensor> arguments;
  for (const proto::Tensor& input : inputs) arguments.push_back(to_golden(input));
  const std::vector<GoldenTensor> values = golden_values(graph, std::move(arguments), {});
  std::vector<GoldenTensor> outputs;
  for (const std::int32_t index : graph.outputs()) outputs.push_back(values[static_cast<std::size_t>(index)]);
  return outputs;
}

}  // namespace kg::operators
