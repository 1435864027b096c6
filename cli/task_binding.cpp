#include "cli/task_binding.h"

#include <utility>

namespace kg::cli {

dsl::Bindings bindings_of(const proto::Task& task, const proto::TaskCase& task_case) {
  dsl::Bindings bindings;
  const auto add = [&](const proto::TensorSpec& spec, bool output) {
    bindings.tensors.push_back({.dtype = spec.dtype(),
                                .shape = {spec.shape().begin(), spec.shape().end()},
                                .name = spec.name(),
                                .output = output,
                                .absent = spec.absent(),
                                .listed = spec.kind() == proto::DYNAMIC,
                                .in_place_of = spec.in_place_of(),
                                .without_parameter = spec.without_parameter()});
  };
  for (const proto::TensorSpec& spec : task_case.inputs()) add(spec, /*output=*/false);
  for (const proto::TensorSpec& spec : task_case.outputs()) add(spec, /*output=*/true);
  bindings.tensors = dsl::in_pairs(std::move(bindings.tensors));
  const std::uint32_t cores = task_case.block_dim() > 0 ? task_case.block_dim() : task.block_dim();
  if (cores > 0) bindings.cores = static_cast<int>(cores);
  return bindings;
}

}  // namespace kg::cli
