#pragma once

#include <functional>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"

namespace kg::operators {

// A tensor of fp64 values, row-major.
struct GoldenTensor {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

// The inputs of a case, drawn from its seed (Philox, stream = input index): the same bytes on every host.
std::vector<proto::Tensor> make_inputs(const proto::TaskCase& task_case);

// The values of a tensor as fp64 (every device type converts exactly, 64-bit integers up to 2^53).
GoldenTensor to_golden(const proto::Tensor& tensor);

// Evaluates the task's graph in fp64 (Eigen). Shapes follow the operators' rules; throws Error if the graph is
// malformed.
std::vector<GoldenTensor> golden_outputs(const proto::OperatorGraph& graph, const std::vector<proto::Tensor>& inputs);

// Every value of the graph, inputs first. `after`, if given, sees each node's result and may change it before other
// nodes use it.
std::vector<GoldenTensor> golden_values(const proto::OperatorGraph& graph, std::vector<GoldenTensor> inputs,
                                        const std::function<void(GoldenTensor& result)>& after);

// The graph's output shapes for these inputs, without evaluating it.
std::vector<std::vector<std::int64_t>> infer_shapes(const proto::OperatorGraph& graph,
                                                    const std::vector<std::vector<std::int64_t>>& input_shapes);

}  // namespace kg::operators
