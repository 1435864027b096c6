#include "dataset/synthesis/kernel.h"
#include "dataset/synthesis/text.h"

// The prompt of NPUKernelBench's default mode (static shape, kernel only, first case) has these parts in this order;
// the words are ours.

namespace kg::dataset {
namespace {

constexpr const char* kRole =
    "You write kernels for Huawei Ascend NPUs in Ascend C. You are given the description of an operator, one case of "
    "fixed shapes and "
    "types, the hardware, and a template with the signature. Complete the kernel.\n\n"
    "# Format\n"
    "First think briefly: how the work is cut over the cores, the tile, the buffers. Then give the whole file once, "
    "as\n"
    "<kernel_impl>\n```cpp\n...\n```\n</kernel_impl>\n\n";

constexpr const char* kRequirements =
    "# Requirements\n"
    "1. Give one complete file that compiles as it stands; include kernel_operator.h.\n"
    "2. Keep the name and the parameters of the entry function as the template has them.\n"
    "3. Shapes, attributes and tiling are constants of the kernel; there is no tiling argument.\n"
    "4. Spread the work over all cores with GetBlockIdx(); every element of the output is written exactly once.\n"
    "5. All buffers of a core together must fit the unified buffer.\n"
    "6. DataCopy moves whole units of 32 bytes and drops the rest; use DataCopyPad for other lengths.\n"
    "7. Order copies and computation by queues (EnQue, DeQue) or by flags or barriers.\n"
    "8. Scalars of vector calls have the element type of their tensors; bfloat16_t is cast to float for arithmetic.\n"
    "9. No standard library, no recursion, no dynamic memory, no host code.\n\n";

constexpr const char* kApi =
    "# API\n"
    "n is the number of elements; dst and src are LocalTensor<T>.\n"
    "| call | meaning |\n|---|---|\n"
    "| Add, Sub, Mul, Div, Max, Min(dst, src0, src1, n) | elementwise, half or float |\n"
    "| Adds, Muls, Maxs, Mins, LeakyRelu(dst, src, T scalar, n) | with a scalar |\n"
    "| Relu, Abs, Exp, Ln, Sqrt(dst, src, n) | elementwise |\n"
    "| Duplicate(dst, T scalar, n) | fills |\n"
    "| Cast(dst, src, RoundMode::CAST_NONE or CAST_RINT, n) | converts: to float with CAST_NONE, from float with "
    "CAST_RINT |\n"
    "| Compare(mask, src0, src1, CMPMODE::GT or LT, n), CompareScalar(mask, src, T scalar, CMPMODE, n) | one bit an "
    "element into LocalTensor<uint8_t>; n elements are whole multiples of 256 bytes |\n"
    "| Select(dst, mask, src0, src1, SELMODE::VSEL_TENSOR_TENSOR_MODE, n), Select(dst, mask, src0, T scalar, "
    "SELMODE::VSEL_TENSOR_SCALAR_MODE, n) | src0 where the bit is set |\n"
    "| ReduceSum, ReduceMax, ReduceMin(dst, src, work, n) | into dst[0]; dst.GetValue(0) reads it |\n"
    "| DataCopy(local, global, n), DataCopy(global, local, n) | copies |\n"
    "| DataCopyPad(local, global, DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<T>{}), "
    "DataCopyPad(global, local, DataCopyExtParams{...}) | copies of any length |\n"
    "| TPipe::InitBuffer(queue, number, bytes), TPipe::InitBuffer(buffer, bytes) | memory for a TQue or a TBuf |\n"
    "| TQue::AllocTensor, EnQue, DeQue, FreeTensor; TBuf::Get<T>() | tensors |\n\n";

std::string parameters(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "GM_ADDR " : ", GM_ADDR ") + name;
  return text;
}

// The example of the prompt is another task than the one asked for, whatever that is.
const Variant& example() {
  static const Structure structure = [] {
    Structure made{.name = "sub", .family = "example", .category = "arithmetic", .split = "train"};
    made.steps = {Step{.op = "sub", .sources = {'x', 'y'}, .destination = 'z'}};
    made.inputs = {Range{-2, 2}, Range{-2, 2}};
    return made;
  }();
  static const Variant variant{.structure = &structure, .dtype = proto::FLOAT16, .rows = 16, .columns = 2048};
  return variant;
}

}  // namespace

std::string npukernelbench_prompt(const PromptTask& task) {
  std::string text = std::string(kRole) + kRequirements;
  text += "# Example\nz = x - y for x, y: " + example().shape_text() + "\n" +
          answer_text(reasoning(example(), Style::kFull), full_kernel(example()), PromptForm::kNpuKernelBench) + "\n\n";
  text += kApi;
  text += "# Operator\nThe steps are computed in order; row_ functions work along the last axis.\n";
  for (const std::string& step : task.steps) text += step + "\n";
  text += "\n# Case\nname;dtype;shape\n";
  std::vector<std::string> names;
  for (const PromptTask::Tensor& tensor : task.tensors) {
    text += tensor.name + ";" + tensor.type + ";[" + tensor.shape + "]\n";
    names.push_back(tensor.name);
  }
  text += "\n# Hardware\nAtlas A2: 24 cube cores (AIC), 48 vector cores (AIV); unified buffer ub_size " +
          std::to_string(kUnifiedBuffer) + " bytes a core. The kernel is launched on " + std::to_string(task.cores) +
          " vector cores.\n\n";
  text += "# Template\n```cpp\n#include \"kernel_operator.h\"\n\nextern \"C\" __global__ __aicore__ void " +
          task.entry_point + "(" + parameters(names) + ") {\n  // ...\n}\n```";
  return text;
}

std::string npukernelbench_prompt(const Variant& variant) {
  PromptTask task{.steps = step_texts(*variant.structure), .tensors = {}, .entry_point = kEntryPoint, .cores = kCores};
  const std::string rows = std::to_string(variant.rows), size = rows + "," + std::to_string(variant.columns);
  for (const std::string& name : variant.input_names()) task.tensors.push_back({name, variant.type(), size});
  task.tensors.push_back({"z", variant.type(), variant.structure->reduces ? rows : size});
  return npukernelbench_prompt(task);
}

}  // namespace kg::dataset
