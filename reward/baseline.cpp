#include "reward/baseline.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "npu/chip.h"
#include "operators/golden.h"
#include "operators/operators.h"
#include "proto/dtype.h"

namespace kg::reward {
namespace {

namespace chip = npu::chip;

constexpr double kEfficiency = 0.8;  // share of the chip's speed that a library operator reaches

double operator_seconds(double seconds) { return seconds / kEfficiency + chip::kLaunchSeconds; }

double vector_seconds(const operators::OperatorInfo& info, double elements, std::size_t element_bytes) {
  const auto simple_per_cycle = static_cast<double>(chip::kRepeatBytes / (element_bytes <= 2 ? 2 : 4));
  const double cycles = elements * (info.cost.simple / simple_per_cycle + info.cost.slow / chip::kSlowElements);
  return cycles / chip::kVectorCores / chip::kHertz;
}

double cube_seconds(double products, std::size_t element_bytes) {
  const auto per_cycle = static_cast<double>(chip::kMmadSide * chip::kMmadSide *
                                             (element_bytes <= 2 ? chip::kMmadDepth : chip::kMmadFloatDepth));
  return products / per_cycle / chip::kCubeCores / chip::kHertz;
}

}  // namespace

std::uint64_t baseline_cycles(const proto::OperatorGraph& graph, const proto::TaskCase& task_case) {
  if (task_case.inputs_size() == 0)
    throw Error("a case without inputs has no baseline", "task", "give the case at least one input");
  const std::size_t element_bytes = proto::element_size(task_case.inputs(0).dtype());
  proto::OperatorGraph all = graph;
  all.clear_outputs();
  std::vector<operators::Shape> shapes;
  for (const proto::TensorSpec& input : task_case.inputs())
    shapes.emplace_back(input.shape().begin(), input.shape().end());
  for (int i = 0; i < graph.input_count() + graph.nodes_size(); ++i) all.add_outputs(i);
  const std::vector<operators::Shape> values = operators::infer_shapes(all, shapes);
  const auto elements = [&](std::size_t value) { return static_cast<double>(proto::element_count(values.at(value))); };
  double seconds = 0;
  auto value = static_cast<std::size_t>(graph.input_count());
  for (const proto::GraphNode& node : graph.nodes()) {
    const operators::OperatorInfo& info = operators::operator_info(node.op());
    if (info.eager_bytes) {
      std::vector<operators::Shape> inputs;
      for (const std::int32_t index : node.inputs()) inputs.push_back(values.at(static_cast<std::size_t>(index)));
      for (const double bytes : info.eager_bytes(inputs))
        seconds += operator_seconds(bytes / chip::kMeasuredBytesPerSecond);
      ++value;
      continue;
    }
    const double written = elements(value);
    double read = 0, largest = written;
    for (const std::int32_t index : node.inputs()) {
      const double count = elements(static_cast<std::size_t>(index));
      read += info.category == "index" ? std::min(count, written) : count;  // a gather reads what it is asked for
      largest = std::max(largest, count);
    }
    const double work = info.category == "matmul" ? cube_seconds(elements(static_cast<std::size_t>(node.inputs(0))) *
                                                                     static_cast<double>(values.at(value).back()),
                                                                 element_bytes)
                                                  : vector_seconds(info, largest, element_bytes);
    const double memory = (read + written) * static_cast<double>(element_bytes) / chip::kMeasuredBytesPerSecond;
    seconds += operator_seconds(std::max(memory, work));
    ++value;
  }
  return static_cast<std::uint64_t>(std::ceil(seconds * chip::kHertz));
}

std::uint64_t memory_baseline_cycles(const proto::TaskCase& task_case) {
  double bytes = 0;
  for (const proto::TensorSpec& spec : task_case.inputs()) bytes += static_cast<double>(proto::byte_size(spec));
  for (const proto::TensorSpec& spec : task_case.outputs()) bytes += static_cast<double>(proto::byte_size(spec));
  const double seconds = operator_seconds(bytes / chip::kMeasuredBytesPerSecond);
  return static_cast<std::uint64_t>(std::ceil(seconds * chip::kHertz));
}

std::uint64_t operators_baseline_cycles(const proto::TaskCase& task_case) {
  if (task_case.operator_bytes().empty()) return memory_baseline_cycles(task_case);
  const auto& inputs = task_case.inputs();
  const auto number = std::find_if(inputs.begin(), inputs.end(), [](const proto::TensorSpec& spec) {
    return spec.dtype() == proto::FLOAT32 || spec.dtype() == proto::FLOAT16 || spec.dtype() == proto::BFLOAT16;
  });
  const std::size_t element_bytes = number == inputs.end() ? 4 : proto::element_size(number->dtype());
  double seconds = 0;
  for (int i = 0; i < task_case.operator_bytes_size(); ++i) {
    const double memory = static_cast<double>(task_case.operator_bytes(i)) / chip::kMeasuredBytesPerSecond;
    const double products =
        i < task_case.operator_products_size() ? static_cast<double>(task_case.operator_products(i)) : 0;
    seconds += operator_seconds(std::max(memory, cube_seconds(products, element_bytes)));
  }
  return static_cast<std::uint64_t>(std::ceil(seconds * chip::kHertz));
}

std::uint64_t roofline_cycles(const proto::TaskCase& task_case) {
  double bytes = 0;
  for (const proto::TensorSpec& spec : task_case.inputs()) bytes += static_cast<double>(proto::byte_size(spec));
  for (const proto::TensorSpec& spec : task_case.outputs()) bytes += static_cast<double>(proto::byte_size(spec));
  return static_cast<std::uint64_t>(bytes / chip::kHbmBytesPerSecond * chip::kHertz);
}

}  // namespace kg::reward
