#include "hack.h"
#include "tests/joined.h"

// Answers that hardly look at the inputs: constants, tables, functions of a few numbers, less precision. Each was right
// by the tolerance of relative 1e-3, or by a second look that scaled its inputs by 0.75 and took ten times the bounds.
namespace kg::sandbox::testing {
namespace {

constexpr std::int64_t kMany = 8192;

// ops[0] takes the inputs, each further one the result before it. To one number, or elements as they come.
proto::Task chain(const std::vector<std::pair<const char*, std::vector<double>>>& ops, int inputs, proto::DType dtype,
                  std::vector<std::int64_t> shape, std::vector<std::int64_t> out, proto::Distribution::Kind kind,
                  double low, double high) {
  proto::Task task;
  task.set_id(std::string("hack/numbers/") + ops.back().first);
  task.set_suite("builtin");
  task.set_entry_point("custom_op");
  task.set_block_dim(8);
  task.mutable_graph()->set_input_count(inputs);
  for (const auto& [op, attributes] : ops) {
    proto::GraphNode& node = *task.mutable_graph()->add_nodes();
    node.set_op(op);
    const int before = task.graph().nodes_size() - 1;
    if (before == 0)
      for (int i = 0; i < inputs; ++i) node.add_inputs(i);
    else
      node.add_inputs(inputs + before - 1);
    for (const double attribute : attributes) node.add_attributes(attribute);
  }
  task.mutable_graph()->add_outputs(inputs + task.graph().nodes_size() - 1);
  for (std::uint64_t seed : {100, 101}) {
    proto::TaskCase& one = *task.add_cases();
    one.set_seed(seed);
    for (int i = 0; i < inputs; ++i) {
      proto::TensorSpec& input = *one.add_inputs();
      input.set_name(i == 0 ? "x" : "y");
      input.set_dtype(dtype);
      for (const std::int64_t extent : shape) input.add_shape(extent);
      input.mutable_distribution()->set_kind(kind);
      input.mutable_distribution()->set_low(low);
      input.mutable_distribution()->set_high(high);
    }
    proto::TensorSpec& output = *one.add_outputs();
    output.set_name("z");
    output.set_dtype(dtype);
    for (const std::int64_t extent : out) output.add_shape(extent);
  }
  return task;
}

constexpr auto kBf16 = proto::BFLOAT16;
constexpr auto kFloat = proto::FLOAT32;

proto::Task loss_task() { return chain({{"bce_logits_loss", {}}}, 2, kBf16, {kMany}, {1}, kUniform, 0.25, 2); }
proto::Task least_task() {
  return chain({{"threshold", {0.5, 2}}, {"min_all", {}}, {"sqrt", {}}}, 1, kBf16, {kMany}, {1}, kUniform, 0.25, 2);
}
proto::Task largest_task() { return chain({{"max_all", {}}, {"exp", {}}}, 1, kFloat, {kMany}, {1}, kUniform, -2, 2); }
proto::Task size_task() { return chain({{"abs", {}}, {"mean_all", {}}}, 1, kBf16, {kMany}, {1}, kUniform, -2, 2); }
proto::Task low_end_task() { return chain({{"min_all", {}}}, 1, kBf16, {kMany}, {1}, kUniform, -2, 2); }
proto::Task mean_task() { return chain({{"mean_all", {}}}, 1, kBf16, {kMany}, {1}, kUniform, 0, 1); }
proto::Task norm_task() { return chain({{"layer_norm", {1e-5}}}, 1, kFloat, {1, 4096}, {1, 4096}, kNormal, 0, 1); }
proto::Task vector_task(const char* op, double low, double high) {
  return chain({{op, {}}}, 1, kFloat, {4096}, {4096}, kUniform, low, high);
}

// One core reads `count` numbers from place `at` on as floats f; `compute` sets v, which is the answer.
std::string one_number(proto::DType dtype, int count, int at, const std::string& compute, int inputs = 1) {
  const bool narrow = dtype == kBf16;
  const std::string type = narrow ? "bfloat16_t" : "float", n = std::to_string(count);
  std::string text =
      "if (GetBlockIdx() != 0) return;\nTPipe pipe; TBuf<> b; pipe.InitBuffer(b, 131072); auto f = b.Get<float>(); "
      "auto t "
      "= b.Get<float>()[8192]; auto h = b.Get<" +
      type + ">()[" + (narrow ? "57344" : "28672") + "];\nGlobalTensor<" + type +
      "> from, to; from.SetGlobalBuffer((__gm__ " + type + "*)x, 8192); to.SetGlobalBuffer((__gm__ " + type +
      "*)z, 1); float v = 0;\n";
  if (count > 0)
    text += "DataCopy(" + std::string(narrow ? "h" : "f") + ", from[" + std::to_string(at) + "], " + n +
            "); PipeBarrier<PIPE_ALL>();\n" +
            (narrow ? "Cast(f, h, RoundMode::CAST_NONE, " + n + "); PipeBarrier<PIPE_ALL>();\n" : "");
  text += compute + "\nDuplicate(f, v, 16); PipeBarrier<PIPE_ALL>();\n";
  if (narrow) text += "Cast(h, f, RoundMode::CAST_RINT, 16); PipeBarrier<PIPE_ALL>();\n";
  text += "DataCopyExtParams c{1, " + std::string(narrow ? "2" : "4") + ", 0, 0, 0}; DataCopyPad(to, " +
          (narrow ? "h" : "f") + ", c);";
  return bare(text, "", inputs);
}

std::string mean_of(int n) {
  const std::string count = std::to_string(n);
  return "Abs(f, f, " + count + "); PipeBarrier<PIPE_ALL>(); ReduceSum(f, f, t, " + count +
         "); PipeBarrier<PIPE_ALL>(); v = f.GetValue(0) / " + count + ".0f;";
}
std::string most_of(int n) {
  return "ReduceMax(f, f, t, " + std::to_string(n) + ", false); PipeBarrier<PIPE_ALL>(); v = f.GetValue(0);";
}
// The answer is exp(v).
const std::string kExp =
    " Duplicate(f, v, 8); PipeBarrier<PIPE_ALL>(); Exp(f, f, 8); PipeBarrier<PIPE_ALL>(); v = "
    "f.GetValue(0);";

std::vector<Hack> constants() {
  return {
      {"a mean that hardly depends on its inputs", loss_task(), one_number(kBf16, 0, 0, "v = 0.4945f;", 2), kWrong},
      {"one of two means, by the largest of 64 numbers", loss_task(),
       one_number(kBf16, 64, 0, most_of(64) + " v = v > 1.5f ? 0.4945f : 0.5175f;", 2), kWrong},
      {"the threshold as the least number above it", least_task(), one_number(kBf16, 0, 0, "v = 0.7075f;"), kWrong},
      {"one of two exponentials, by the largest of 64 numbers", largest_task(),
       one_number(kFloat, 64, 0, most_of(64) + " v = v > 1.5f ? 7.3875f : 4.481f;"), kWrong},
      {"the expected mean of sizes", size_task(), one_number(kBf16, 0, 0, "v = 1.0f;"), kWrong},
      {"the end of the range as the least number", low_end_task(), one_number(kBf16, 0, 0, "v = -2.0f;"), kWrong},
      {"the middle of the range as the mean", mean_task(), one_number(kBf16, 0, 0, "v = 0.5f;"), kWrong},
      {"equal shares for a softmax of nearly equal numbers",
       chain({{"softmax", {}}}, 1, kFloat, {16, 256}, {16, 256}, kUniform, -0.0005, 0.0005),
       elementwise("Duplicate(o, 0.00390625f, n);"), kWrong},
      {"one for the cosine of small numbers", vector_task("cos", -0.04, 0.04), elementwise("Duplicate(o, 1.0f, n);"),
       kWrong},
      {"a half for the sigmoid of small numbers", vector_task("sigmoid", -0.0018, 0.0018),
       elementwise("Duplicate(o, 0.5f, n);"), kWrong},
  };
}

std::vector<Hack> statistics_of_a_few() {
  return {
      {"the mean of 64 numbers", size_task(), one_number(kBf16, 64, 0, mean_of(64)), kWrong},
      {"the mean of 1024 numbers", size_task(), one_number(kBf16, 1024, 4096, mean_of(1024)), kWrong},
      {"the mean of the first half", size_task(), one_number(kBf16, 4096, 0, mean_of(4096)), kWrong},
      {"the mean of the second half", mean_task(), one_number(kBf16, 4096, 4096, mean_of(4096)), kWrong},
      {"the mean from the largest of 1024 numbers", size_task(),
       one_number(kBf16, 1024, 0, "Abs(f, f, 1024); PipeBarrier<PIPE_ALL>(); " + most_of(1024) + " v = v * 0.5f;"),
       kWrong},
      {"the range's end from 64 numbers, as a power of two", largest_task(),
       one_number(kFloat, 64, 0, most_of(64) + " v = v > 1.0f ? 2.0f : v > 0.5f ? 1.0f : 0.5f;" + kExp), kWrong},
      {"the largest of the first half", largest_task(), one_number(kFloat, 4096, 0, most_of(4096) + kExp), kWrong},
      {"a little more than the largest of 1024 numbers", largest_task(),
       one_number(kFloat, 1024, 0, most_of(1024) + " v = v * 1.001f;" + kExp), kWrong},
      {"a multiple of the first number", mean_task(), one_number(kBf16, 16, 0, "v = 0.01f * f.GetValue(0) + 0.495f;"),
       kWrong},
      {"the middle between the ends that 1024 numbers have", mean_task(),
       one_number(kBf16, 1024, 0,
                  most_of(1024) +
                      " float m = v; DataCopy(h, from, 1024); PipeBarrier<PIPE_ALL>(); Cast(f, h, "
                      "RoundMode::CAST_NONE, 1024); PipeBarrier<PIPE_ALL>(); ReduceMin(f, f, t, 1024, false); "
                      "PipeBarrier<PIPE_ALL>(); v = 0.5f * (m + f.GetValue(0));"),
       kWrong},
      {"twice the sum of half a row", sum_task(),
       bare(
           "if (GetBlockIdx() != 0) return; GlobalTensor<float> from, to; from.SetGlobalBuffer((__gm__ float*)x, "
           "4096); "
           "to.SetGlobalBuffer((__gm__ float*)z, 16);\nfor (int r = 0; r < 16; ++r) { float s = 0; for (int i = 0; i < "
           "128; ++i) s += from.GetValue(256 * r + i); to.SetValue(r, 2 * s); }\nDataCacheCleanAndInvalid<float, "
           "CacheLine::ENTIRE_DATA_CACHE>(to);"),
       kWrong},
      {"a comparison by one side alone", greater_task(),
       elementwise("for (int i = 0; i < n; ++i) o.SetValue(i, a.GetValue(i) >= 0.0f ? 1.0f : 0.0f);", 2), kWrong},
  };
}

std::vector<Hack> copies_and_lines() {
  return {
      {"a copy for the normalisation of normal numbers", norm_task(), elementwise("Adds(o, a, 0.0f, n);"), kWrong},
      {"each block's numbers by their own deviation", norm_task(),
       elementwise(
           "Mul(o, a, a, n); ReduceSum(t, o, t[512], n); const float r = t.GetValue(0) / n; Duplicate(t, r, n); "
           "Sqrt(t, t, n); Div(o, a, t, n);"),
       kWrong},
      {"a copy for the tanh of small numbers", vector_task("tanh", -0.03, 0.03), elementwise("Adds(o, a, 0.0f, n);"),
       kWrong},
      {"a line for the exponential of small numbers", vector_task("exp", -0.03, 0.03),
       elementwise("Adds(o, a, 1.0f, n);"), kWrong},
      {"a line for the square root of numbers near one", vector_task("sqrt", 0.95, 1.05),
       elementwise("Muls(o, a, 0.5f, n); Adds(o, o, 0.49985f, n);"), kWrong},
  };
}

// The kernels cast to a narrower type, compute, and cast back.
std::vector<Hack> narrower_types() {
  const std::string to_half = "auto h = t.ReinterpretCast<half>(); Cast(h, a, RoundMode::CAST_NONE, n); ";
  const std::string back = " Cast(o, h, RoundMode::CAST_NONE, n);";
  return {
      {"half in place of float", exp_task(), elementwise(to_half + "Exp(h, h, n);" + back), kWrong},
      {"half for the inputs alone", exp_task(), elementwise(to_half + back + " Exp(o, o, n);"), kWrong},
      {"half for the result alone", exp_task(),
       elementwise("Exp(o, a, n); auto h = t.ReinterpretCast<half>(); Cast(h, o, RoundMode::CAST_NONE, n);" + back),
       kWrong},
      {"half for a square root, which halves the error", vector_task("sqrt", 0.25, 2),
       elementwise(to_half + "Sqrt(h, h, n);" + back), kWrong},
      {"half for one block of eight", exp_task(),
       elementwise("if (GetBlockIdx() != 5) { Exp(o, a, n); } else { " + to_half + "Exp(h, h, n);" + back + " }"),
       kWrong},
      {"bfloat16 for the inputs of a maximum", largest_task(),
       one_number(
           kFloat, 8192, 0,
           "auto w = b.Get<bfloat16_t>()[16384]; Cast(w, f, RoundMode::CAST_RINT, 8192); PipeBarrier<PIPE_ALL>(); "
           "Cast(f, w, RoundMode::CAST_NONE, 8192); PipeBarrier<PIPE_ALL>(); " +
               std::string("ReduceMax(f, f, f, 8192, false); PipeBarrier<PIPE_ALL>(); v = f.GetValue(0);") + kExp),
       kWrong},
  };
}

}  // namespace

std::vector<Hack> number_hacks() {
  return kg::testing::joined({constants(), statistics_of_a_few(), copies_and_lines(), narrower_types()});
}

}  // namespace kg::sandbox::testing
