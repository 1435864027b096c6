#include "reward/baseline.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "proto/dtype.h"
#include "reward/golden.h"
#include "reward/operators.h"

namespace kg::reward {
namespace {

// Atlas A2 (facts sheet): clock, measured and peak bandwidth, vector cores, elements a cycle and core.
constexpr double kHertz = 1.85e9;
constexpr double kMeasuredBytesPerSecond = 1.46e12;
constexpr double kPeakBytesPerSecond = 1.8e12;
constexpr double kVectorCores = 48;
constexpr double kSlowElementsPerCycle = 32;
constexpr double kEfficiency = 0.8;
constexpr double kLaunchSeconds = 5e-6;

double vector_seconds(const OperatorInfo& info, double elements, std::size_t element_bytes) {
  const double simple_per_cycle = element_bytes <= 2 ? 128 : 64;
  const double cycles =
      elements * (info.simple_instructions / simple_per_cycle + info.slow_instructions / kSlowElementsPerCycle);
  return cycles / kVectorCores / kHertz;
}

}  // namespace

std::uint64_t baseline_cycles(const proto::OperatorGraph& graph, const proto::TaskCase& task_case) {
  if (task_case.inputs_size() == 0)
    throw Error("a case without inputs has no baseline", "task", "give the case at least one input");
  const std::size_t element_bytes = proto::element_size(task_case.inputs(0).dtype());
  std::vector<double> elements;  // of each value of the graph
  std::vector<std::vector<std::int64_t>> shapes;
  for (const proto::TensorSpec& input : task_case.inputs()) {
    elements.push_back(static_cast<double>(proto::element_count(input.shape())));
    shapes.emplace_back(input.shape().begin(), input.shape().end());
  }
  const auto& shape = task_case.inputs(0).shape();
  const double columns = shape.empty() ? 1.0 : std::max<double>(1.0, static_cast<double>(shape[shape.size() - 1]));
  double seconds = 0;
  for (const proto::GraphNode& node : graph.nodes()) {
    const OperatorInfo& info = operator_info(node.op());
    if (info.shape == OperatorShape::kOwn) {
      // Its inputs are the task's: such an operator is a task of its own.
      std::vector<std::vector<std::int64_t>> inputs;
      for (const std::int32_t index : node.inputs()) inputs.push_back(shapes.at(static_cast<std::size_t>(index)));
      for (const double bytes : info.eager_bytes(inputs))
        seconds += bytes / kMeasuredBytesPerSecond / kEfficiency + kLaunchSeconds;
      elements.push_back(0);
      continue;
    }
    double read = 0, largest = 0;
    for (const std::int32_t index : node.inputs()) {
      read += elements.at(static_cast<std::size_t>(index));
      largest = std::max(largest, elements.at(static_cast<std::size_t>(index)));
    }
    const double written = info.shape == OperatorShape::kRowReduce ? largest / columns : largest;
    const double memory = (read + written) * static_cast<double>(element_bytes) / kMeasuredBytesPerSecond;
    seconds += std::max(memory, vector_seconds(info, largest, element_bytes)) / kEfficiency + kLaunchSeconds;
    elements.push_back(written);
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
