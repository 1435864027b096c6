#include "dataset/cot/hyper_connections.h"

#include <string>

#include "base/hash.h"
#include "npu/chip.h"

namespace kg::dataset::cot {
namespace {

constexpr std::int64_t kTokens = 384, kChannels = 1024, kStreams = 4, kLogits = 24;

void add(google::protobuf::RepeatedPtrField<proto::TensorSpec>& list, const std::string& name, proto::DType dtype,
         const std::vector<std::int64_t>& shape, double low = 0, double high = 0) {
  proto::TensorSpec& spec = *list.Add();
  spec.set_name(name);
  spec.set_dtype(dtype);
  for (const std::int64_t extent : shape) spec.add_shape(extent);
  if (low == high) return;  // an output
  spec.mutable_distribution()->set_kind(proto::Distribution::UNIFORM);
  spec.mutable_distribution()->set_low(low);
  spec.mutable_distribution()->set_high(high);
}

proto::Task task_named(const std::string& name, const std::vector<std::string>& operators, std::uint32_t cores,
                       std::uint64_t seed, const std::string& prompt) {
  proto::Task task;
  task.set_id("builtin/hyper_connections/" + name + "/bfloat16/" + std::to_string(kTokens) + "x" +
              std::to_string(kChannels));
  task.set_suite("builtin");
  task.set_category("hyper_connections");
  task.set_family("hyper_connections");
  task.set_structure(name);
  task.set_split("expert");
  task.set_level(3);
  task.mutable_graph()->set_input_count(4);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    proto::GraphNode& node = *task.mutable_graph()->add_nodes();
    node.set_op(operators[i]);
    for (int input = 0; input < 4; ++input) node.add_inputs(input);
    task.mutable_graph()->add_outputs(4 + static_cast<int>(i));
  }
  task.add_cases()->set_seed(hash64(task.id() + ":" + std::to_string(seed)));
  task.set_entry_point("custom_op");
  task.set_block_dim(cores);
  task.set_workspace_bytes(16 << 20);
  task.set_absolute_bound(1e-4);
  task.set_prompt_short("Write the Ascend C kernel custom_op for " + std::to_string(cores) + " cores.\n" + prompt);
  return task;
}

}  // namespace

std::vector<proto::Task> hyper_connection_tasks(std::uint64_t seed) {
  const std::string t = std::to_string(kTokens), c = std::to_string(kChannels);
  std::vector<proto::Task> tasks = {
      task_named("mhc_post", {"mhc_post"}, npu::chip::kVectorCores, seed,
                 "Inputs x: bfloat16[" + t + ", " + c + "], r: bfloat16[" + t + ", 4, " + c + "], p: float[" + t +
                     ", 4], h: float[" + t + ", 4, 4]\nOutput z: bfloat16[" + t + ", 4, " + c +
                     "]\nz[t, i] = p[t, i] * x[t] + sum over j of h[t, j, i] * r[t, j]"),
      task_named("mhc_pre", {"mhc_pre_mix", "mhc_pre_post", "mhc_pre_streams"}, npu::chip::kCubeCores, seed,
                 "Inputs x: bfloat16[" + t + ", 4, " + c + "], w: float[24, " + std::to_string(kStreams * kChannels) +
                     "], s: float[3], b: float[24]\nOutputs y: bfloat16[" + t + ", " + c + "], p: float[" + t +
                     ", 4], h: float[" + t +
                     ", 4, 4]\nl = (w @ x[t]) * rsqrt(mean(x[t]^2) + 1e-6) * s[group] + b, groups 4, 4, 16\n"
                     "y[t] = sum over i of (sigmoid(l[i]) + 1e-6) * x[t, i]\np[t] = 2 * sigmoid(l[4:8])\n"
                     "h[t] = softmax(l[8:24] as 4 x 4) + 1e-6, columns / (sum + 1e-6), then 19 times rows and columns"),
  };
  proto::TaskCase& post = *tasks[0].mutable_cases(0);
  add(*post.mutable_inputs(), "x", proto::BFLOAT16, {kTokens, kChannels}, -1, 1);
  add(*post.mutable_inputs(), "r", proto::BFLOAT16, {kTokens, kStreams, kChannels}, -1, 1);
  add(*post.mutable_inputs(), "p", proto::FLOAT32, {kTokens, kStreams}, 0, 2);
  add(*post.mutable_inputs(), "h", proto::FLOAT32, {kTokens, kStreams, kStreams}, 0, 0.5);
  add(*post.mutable_outputs(), "z", proto::BFLOAT16, {kTokens, kStreams, kChannels});
  proto::TaskCase& pre = *tasks[1].mutable_cases(0);
  add(*pre.mutable_inputs(), "x", proto::BFLOAT16, {kTokens, kStreams, kChannels}, -1, 1);
  add(*pre.mutable_inputs(), "w", proto::FLOAT32, {kLogits, kStreams * kChannels}, -0.05, 0.05);
  add(*pre.mutable_inputs(), "s", proto::FLOAT32, {3}, 0.5, 1.5);
  add(*pre.mutable_inputs(), "b", proto::FLOAT32, {kLogits}, -1, 1);
  add(*pre.mutable_outputs(), "y", proto::BFLOAT16, {kTokens, kChannels});
  add(*pre.mutable_outputs(), "p", proto::FLOAT32, {kTokens, kStreams});
  add(*pre.mutable_outputs(), "h", proto::FLOAT32, {kTokens, kStreams, kStreams});
  return tasks;
}

}  // namespace kg::dataset::cot
