#include "tests/composed_kernels.h"

#include "base/check.h"
#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_style.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kStructures = 400;

// In the style whose turn it is, or in the next one that fits.
ComposedKernel kernel_of(const Instance& instance, std::size_t turn) {
  const std::vector<KernelStyle> styles = styles_of(instance);
  for (std::size_t i = 0; i < styles.size(); ++i) {
    const KernelStyle& style = styles[(turn + i) % styles.size()];
    LoweredKernel kernel = lower_kernel(instance, style);
    if (!kernel.refusal.empty()) continue;
    ComposedKernel made{.task = task_of(instance, /*seed=*/1), .style = style.name, .source = std::move(kernel.source)};
    made.task.set_workspace_bytes(kernel.workspace_bytes);
    return made;
  }
  return {};
}

}  // namespace

std::vector<ComposedKernel> composed_kernels(std::size_t count) {
  std::vector<Instance> instances;
  for (const Structure& structure : structures(kStructures))
    if (const Instance instance = instance_of(structure, 0); possible(instance) && !is_empty(instance))
      instances.push_back(instance);
  KG_CHECK_GE(instances.size(), count);
  std::vector<ComposedKernel> kernels;
  for (std::size_t i = 0; i < count; ++i) {
    kernels.push_back(kernel_of(instances[i * instances.size() / count], i));
    KG_CHECK_NE(kernels.back().source, "");
  }
  return kernels;
}

}  // namespace kg::dataset::cot
