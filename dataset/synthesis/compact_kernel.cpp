#include "dataset/synthesis/kernel.h"

namespace kg::dataset {
namespace {

std::string slot(const std::string& buffer, std::size_t index) {
  if (index == 0) return buffer;
  return buffer + "[" + (index > 1 ? std::to_string(index) + " * " : "") + "S]";
}

}  // namespace

std::string compact_kernel(const Variant& variant) {
  const bool casts = variant.casts();
  const std::string stored = casts ? "H" : "T";
  std::vector<std::string> tensors = variant.input_names();
  const std::size_t inputs = tensors.size();
  tensors.push_back("z");

  std::string parameters, globals, buffers, slots = "z = buf.Get<T>(), t = z[S]", loads, casts_in;
  for (const std::string& name : tensors) {
    parameters += (parameters.empty() ? "GM_ADDR p" : ", GM_ADDR p") + name;
    globals += (globals.empty() ? "g" : ", g") + name;
    buffers += "  g" + name + ".SetGlobalBuffer((__gm__ " + stored + "*)p" + name + ");\n";
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    const std::string& name = tensors[i];
    slots += ", " + name + " = " + slot("z", i + 2);
    loads += "    DataCopyPad(" + (casts ? slot("h", i) : name) + ", g" + name + "[i * N], p, {});\n";
    if (casts) casts_in += "    Cast(" + name + ", " + slot("h", i) + ", RoundMode::CAST_NONE, N);\n";
  }

  std::string code = "#include \"kernel_operator.h\"\nusing namespace AscendC;\n";
  if (casts) code += "using H = " + variant.type() + ";\n";
  code += "using T = " + variant.compute_type() + ";\n";
  code += "constexpr int N = " + std::to_string(variant.columns) + ", S = " + std::to_string(kLargestColumns) + ";\n\n";
  code += "extern \"C\" __global__ __aicore__ void " + std::string(kEntryPoint) + "(" + parameters + ") {\n";
  code += "  GlobalTensor<" + stored + "> " + globals + ";\n" + buffers;
  code += "  TPipe pipe;\n  TBuf<> buf;\n  pipe.InitBuffer(buf, 64 * S);\n";
  code += "  auto " + slots + ";\n";
  if (casts) code += "  auto h = z[8 * S].ReinterpretCast<H>();\n";
  code += "  DataCopyExtParams p{1, N * sizeof(" + stored + "), 0, 0, 0};\n";
  code += "  for (int i = GetBlockIdx(); i < " + std::to_string(variant.rows) + "; i += GetBlockNum()) {\n";
  code += loads + "    PipeBarrier<PIPE_ALL>();\n" + casts_in;
  for (const std::string& statement : compute_statements(*variant.structure, "N", "S"))
    code += "    " + statement + "\n";
  // The result leaves from a slot of its own, so that the next row may be loaded at the same time.
  const std::string result = casts ? slot("h", 4) : "z";
  if (casts)
    code += "    Cast(" + result + ", z, RoundMode::CAST_RINT, " + (variant.structure->reduces ? "1" : "N") + ");\n";
  code += "    PipeBarrier<PIPE_ALL>();\n";
  if (variant.structure->reduces)
    code += "    DataCopyPad(gz[i], " + result + ", {1, sizeof(" + stored + "), 0, 0, 0});\n";
  else
    code += "    DataCopyPad(gz[i * N], " + result + ", p);\n";
  return code + "  }\n}\n";
}

}  // namespace kg::dataset
