#include "reward/baseline.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "operators/golden.h"
#include "operators/operators.h"
#include "proto/dtype.h"

namespace kg::reward {
namespace {

// Atlas A2 (facts sheet): clock, measured and peak bandwidth, vector cores, elements a cycle and core.
constexpr double kHertz = 1.85e9;
constexpr double kMeasuredBytesPerSecond = 1.46e12;
constexpr double kPeakBytesPerSecond = 1.8e12;
constexpr double kVectorCores = 48, kCubeCores = 24;
constexpr double kSlowElementsPerCycle = 32;
constexpr double kEfficiency = 0.8;
constexpr double kLaunchSeconds = 5e-6;

double vector_seconds(const operators::OperatorInfo& info, double elements, std::size_t element_bytes) {
  const double simple_per_cycle = element_bytes <= 2 ? 128 : 64;
  const double cycles = elements * (info.cost.simple / simple_per_cycle + info.cost.slow / kSlowElementsPerCycle);
  return cycles / kVectorCores / kHertz;
}

double cube_seconds(double products, std::size_t element_bytes) {
  const double per_cycle = element_bytes <= 2 ? 16 * 16 * 16 : 16 * 16 * 4;
  return products / per_cycle / kCubeCores / kHertz;
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
        seconds += bytes / kMeasuredBytesPerSecond / kEfficiency + kLaunchSeconds;
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
    const double memory = (read + written) * static_cast<double>(element_bytes) / kMeasuredBytesPerSecond;
    seconds += std::max(memory, work) / kEfficiency + kLaunchSeconds;
    ++value;
  }
  return static_cast<std::uint64_t>(std::ceil(seconds * kHertz));
}

std::uint64_t memory_baseline_cycles(const proto::TaskCase& task_case) {
  double bytes = 0;
  for (const proto::TensorSpec& spec : task_case.inputs()) bytes += static_cast<double>(proto::byte_size(spec));
  for (const proto::TensorSpec& spec : task_case.outputs()) bytes += static_cast<double>(proto::byte_size(spec));
  const double seconds = bytes / kMeasuredBytesPerSecond / kEfficiency + kLaunchSeconds;
  return static_cast<std::uint64_t>(std::ceil(seconds * kHertz));
}

std::uint64_t roofline_cycles(const proto::TaskCase& task_case) {
  double bytes = 0;
  for (const proto::TensorSpec& spec : task_case.inputs()) bytes += static_cast<double>(proto::byte_size(spec));
  for (const proto::TensorSpec& spec : task_case.outputs()) bytes += static_cast<double>(proto::byte_size(spec));
  return static_cast<std::uint64_t>(bytes / kPeakBytesPerSecond * kHertz);
}

}  // namespace kg::reward
