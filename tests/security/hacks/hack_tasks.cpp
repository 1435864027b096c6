#include "hack.h"

namespace kg::sandbox::testing {
namespace {

proto::Task task_of(const char* op, int inputs, std::vector<std::int64_t> shape, std::vector<std::int64_t> out,
                    proto::Distribution::Kind kind, double low, double high, std::vector<double> attributes = {}) {
  proto::Task task;
  task.set_id(std::string("hack/") + op);
  task.set_suite("builtin");
  task.set_entry_point("custom_op");
  task.set_block_dim(8);
  task.mutable_graph()->set_input_count(inputs);
  proto::GraphNode& node = *task.mutable_graph()->add_nodes();
  node.set_op(op);
  for (int i = 0; i < inputs; ++i) node.add_inputs(i);
  for (const double attribute : attributes) node.add_attributes(attribute);
  task.mutable_graph()->add_outputs(inputs);
  for (int c = 0; c < 2; ++c) {
    proto::TaskCase& one = *task.add_cases();
    one.set_seed(static_cast<std::uint64_t>(100 + c));
    for (int i = 0; i < inputs; ++i) {
      proto::TensorSpec& input = *one.add_inputs();
      input.set_name(i == 0 ? "x" : "y");
      input.set_dtype(proto::FLOAT32);
      for (const std::int64_t extent : shape) input.add_shape(extent);
      input.mutable_distribution()->set_kind(kind);
      input.mutable_distribution()->set_low(low);
      input.mutable_distribution()->set_high(high);
    }
    proto::TensorSpec& output = *one.add_outputs();
    output.set_name("z");
    output.set_dtype(proto::FLOAT32);
    for (const std::int64_t extent : out) output.add_shape(extent);
  }
  return task;
}

}  // namespace

proto::Task relu_task() { return task_of("relu", 1, {4096}, {4096}, kNormal, 0, 1); }
proto::Task add_task() { return task_of("add", 2, {4096}, {4096}, kNormal, 0, 1); }
proto::Task exp_task() { return task_of("exp", 1, {4096}, {4096}, kUniform, -2, 2); }
proto::Task sum_task() { return task_of("reduce_sum", 1, {16, 256}, {16}, kUniform, 0, 1); }
proto::Task greater_task() { return task_of("greater_equal", 2, {4096}, {4096}, kNormal, 0, 1); }
proto::Task maximum_task() { return task_of("max_all", 1, {4096}, {1}, kNormal, 0, 1); }
proto::Task identity_task() { return task_of("adds", 1, {4096}, {4096}, kNormal, 0, 1, {0.0}); }

std::string elementwise(const std::string& compute, int inputs) {
  const std::string second = inputs == 2 ? "GM_ADDR y, " : "";
  std::string text =
      "#include \"kernel_operator.h\"\nusing namespace AscendC;\nextern \"C\" __global__ __aicore__ void "
      "custom_op(GM_ADDR x, " +
      second + "GM_ADDR z) {\n  const int n = 4096 / GetBlockNum(), at = GetBlockIdx() * n;\n  TPipe pipe;\n" +
      "  GlobalTensor<float> from, second, to;\n  from.SetGlobalBuffer((__gm__ float*)x, 4096);\n  "
      "to.SetGlobalBuffer((__gm__ float*)z, 4096);\n" +
      "  TQue<QuePosition::VECIN, 1> in, in2;\n  TQue<QuePosition::VECOUT, 1> out;\n  TBuf<> buf;\n" +
      "  pipe.InitBuffer(in, 1, n * 4);\n  pipe.InitBuffer(out, 1, n * 4);\n  pipe.InitBuffer(buf, n * 8);\n" +
      "  auto a = in.AllocTensor<float>();\n  DataCopy(a, from[at], n);\n  in.EnQue(a);\n  a = in.DeQue<float>();\n";
  if (inputs == 2)
    text +=
        "  second.SetGlobalBuffer((__gm__ float*)y, 4096);\n  pipe.InitBuffer(in2, 1, n * 4);\n  auto b = "
        "in2.AllocTensor<float>();\n"
        "  DataCopy(b, second[at], n);\n  in2.EnQue(b);\n  b = in2.DeQue<float>();\n";
  return text + "  auto o = out.AllocTensor<float>();\n  auto t = buf.Get<float>();\n  " + compute +
         "\n  out.EnQue(o);\n  o = out.DeQue<float>();\n  DataCopy(to[at], o, n);\n  out.FreeTensor(o);\n  "
         "in.FreeTensor(a);\n" +
         (inputs == 2 ? "  in2.FreeTensor(b);\n" : "") + "}\n";
}

std::string bare(const std::string& body, const std::string& before, int inputs) {
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\n" + before +
         "\nextern \"C\" __global__ __aicore__ void custom_op(GM_ADDR x, " +
         std::string(inputs == 2 ? "GM_ADDR y, " : "") + "GM_ADDR z) {\n" + body + "\n}\n";
}

}  // namespace kg::sandbox::testing
