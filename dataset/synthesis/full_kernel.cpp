#include <cctype>

#include "base/check.h"
#include "dataset/synthesis/kernel.h"

namespace kg::dataset {
namespace {

std::string upper(const std::string& name) { return std::string(1, static_cast<char>(std::toupper(name[0]))); }

// The pattern once for each name; $v is the name, $V the same in upper case.
std::string for_each_name(const std::vector<std::string>& names, const std::string& pattern) {
  std::string text;
  for (const std::string& name : names) text += fill(pattern, {{'v', name}, {'V', upper(name)}});
  return text;
}

std::string comma_list(const std::vector<std::string>& names, const std::string& before) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + before + name;
  return text;
}

std::string global_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name + "Gm";
  return text;
}

// What differs between a kernel that walks over elements, one that walks over rows, and their aligned and padded
// copies.
struct Shape {
  std::string constants, bounds, count, copy_in, copy_out;
};

Shape shape_of(const Variant& variant, const Tiling& tiling) {
  const bool rowwise = variant.structure->rowwise, reduces = variant.structure->reduces;
  const auto constant = [](const std::string& name, std::int64_t value, const std::string& why) {
    return "constexpr int32_t " + name + " = " + std::to_string(value) + ";  // " + why + "\n";
  };
  Shape shape;
  if (rowwise) {
    shape.constants = constant("ROWS", variant.rows, "rows of the inputs") +
                      constant("ROW_LENGTH", variant.columns, "elements of a row") +
                      constant("CORE_ROWS", tiling.core_length, "rows of a core, at most") +
                      constant("TILE_LENGTH", tiling.tile, "a row, rounded up to whole repeats");
    shape.bounds =
        "    first = GetBlockIdx() * CORE_ROWS;\n    last = first + CORE_ROWS < ROWS ? first + CORE_ROWS : ROWS;\n";
    shape.count = "ROW_LENGTH";
  } else {
    shape.constants =
        constant("TOTAL_LENGTH", variant.total(), "elements of a tensor") +
        constant("CORE_LENGTH", tiling.core_length,
                 "elements of a core" + std::string(tiling.aligned ? "" : ", at most")) +
        constant("TILE_LENGTH", tiling.tile, "elements of a tile" + std::string(tiling.aligned ? "" : ", at most"));
    shape.bounds = "    first = GetBlockIdx() * CORE_LENGTH;\n";
    shape.bounds += tiling.aligned
                        ? "    last = first + CORE_LENGTH;\n"
                        : "    last = first + CORE_LENGTH < TOTAL_LENGTH ? first + CORE_LENGTH : TOTAL_LENGTH;\n";
    shape.count = tiling.aligned ? "TILE_LENGTH" : "count";
  }
  const std::string offset = rowwise ? "row * ROW_LENGTH" : "offset";
  if (tiling.aligned)
    shape.copy_in = "    DataCopy($vIn, $vGm[" + offset + "], " + shape.count + ");\n";
  else
    shape.copy_in = "    DataCopyPad($vIn, $vGm[" + offset + "], copyParams, padParams);\n";
  if (reduces)
    shape.copy_out = "    DataCopyPad(zGm[row], zOut, {1, sizeof($h), 0, 0, 0});\n";
  else if (tiling.aligned)
    shape.copy_out = "    DataCopy(zGm[" + offset + "], zOut, " + shape.count + ");\n";
  else
    shape.copy_out = "    DataCopyPad(zGm[" + offset + "], zOut, copyParams);\n";
  return shape;
}

std::string process_body(const Variant& variant, const Tiling& tiling) {
  if (variant.structure->rowwise)
    return "    for (int32_t row = first; row < last; row++) {\n      CopyIn(row);\n      Compute();\n      "
           "CopyOut(row);\n    }\n";
  if (tiling.aligned)
    return "    for (int32_t offset = first; offset < last; offset += TILE_LENGTH) {\n"
           "      CopyIn(offset);\n      Compute();\n      CopyOut(offset);\n    }\n";
  return "    for (int32_t offset = first; offset < last; offset += TILE_LENGTH) {\n"
         "      int32_t count = last - offset < TILE_LENGTH ? last - offset : TILE_LENGTH;\n"
         "      CopyIn(offset, count);\n      Compute(count);\n      CopyOut(offset, count);\n    }\n";
}

std::string compute_body(const Variant& variant, const Shape& shape) {
  const std::vector<std::string> names = variant.input_names();
  std::string body;
  if (variant.casts()) {
    body += for_each_name(names, "    LocalTensor<H> $vIn = inQueue$V.DeQue<H>();\n");
    body += "    LocalTensor<T> z = calcBuf.Get<T>();\n    LocalTensor<T> t = z[TILE_LENGTH];\n";
    for (std::size_t i = 0; i < names.size(); ++i)
      body += "    LocalTensor<T> " + names[i] + " = z[" + std::to_string(i + 2) + " * TILE_LENGTH];\n";
    body += for_each_name(
        names, "    Cast($v, $vIn, RoundMode::CAST_NONE, " + shape.count + ");\n    inQueue$V.FreeTensor($vIn);\n");
  } else {
    body += for_each_name(names, "    LocalTensor<T> $v = inQueue$V.DeQue<T>();\n");
    body += "    LocalTensor<T> z = outQueueZ.AllocTensor<T>();\n    LocalTensor<T> t = calcBuf.Get<T>();\n";
  }
  for (const std::string& statement : compute_statements(*variant.structure, shape.count, "TILE_LENGTH"))
    body += "    " + statement + "\n";
  if (variant.casts()) {
    body += "    LocalTensor<H> zOut = outQueueZ.AllocTensor<H>();\n    Cast(zOut, z, RoundMode::CAST_RINT, " +
            std::string(variant.structure->reduces ? "1" : shape.count) + ");\n    outQueueZ.EnQue<H>(zOut);\n";
  } else {
    body += "    outQueueZ.EnQue<T>(z);\n" + for_each_name(names, "    inQueue$V.FreeTensor($v);\n");
  }
  return body;
}

}  // namespace

std::string full_kernel(const Variant& variant) {
  const Tiling tiling = full_tiling(variant);
  KG_CHECK_LE(tiling.buffer_bytes, kUnifiedBuffer);
  const Shape shape = shape_of(variant, tiling);
  const std::vector<std::string> inputs = variant.input_names();
  std::vector<std::string> tensors = inputs;
  tensors.push_back("z");
  const bool casts = variant.casts();
  const std::string stored = casts ? "H" : "T";
  const bool counted = !variant.structure->rowwise && !tiling.aligned;
  const std::string where = variant.structure->rowwise ? "int32_t row" : "int32_t offset";
  const std::string where_count = counted ? where + ", int32_t count" : where;
  const std::string length = counted ? "count" : shape.count;
  const std::string copy_params =
      "    DataCopyExtParams copyParams{1, static_cast<uint32_t>(" + length + " * sizeof(" + stored + ")), 0, 0, 0};\n";
  const std::string pad_params = "    DataCopyPadExtParams<" + stored + "> padParams{};\n";

  std::string code = "#include \"kernel_operator.h\"\n\nusing namespace AscendC;\n\n";
  if (casts)
    code += "using H = " + variant.type() + ";  // in global memory\nusing T = float;  // of the computation\n";
  else
    code += "using T = " + variant.type() + ";\n";
  code += shape.constants + "constexpr int32_t BUFFER_NUM = 2;\n\n";
  code += "class KernelCustomOp {\n public:\n  __aicore__ inline KernelCustomOp() {}\n";
  code += "  __aicore__ inline void Init(" + comma_list(tensors, "GM_ADDR ") + ") {\n" + shape.bounds;
  code += for_each_name(tensors, "    $vGm.SetGlobalBuffer((__gm__ " + stored + "*)$v);\n");
  code += for_each_name(inputs, "    pipe.InitBuffer(inQueue$V, BUFFER_NUM, TILE_LENGTH * sizeof(" + stored + "));\n");
  code += "    pipe.InitBuffer(outQueueZ, BUFFER_NUM, TILE_LENGTH * sizeof(" + stored + "));\n";
  code += "    pipe.InitBuffer(calcBuf, " + (casts ? std::to_string(inputs.size() + 2) + " * " : std::string()) +
          "TILE_LENGTH * sizeof(T));\n  }\n";
  code += "  __aicore__ inline void Process() {\n" + process_body(variant, tiling) + "  }\n\n private:\n";
  code += "  __aicore__ inline void CopyIn(" + where_count + ") {\n";
  if (!tiling.aligned) code += copy_params + pad_params;
  code += for_each_name(inputs, "    LocalTensor<" + stored + "> $vIn = inQueue$V.AllocTensor<" + stored + ">();\n" +
                                    shape.copy_in + "    inQueue$V.EnQue<" + stored + ">($vIn);\n");
  code += "  }\n  __aicore__ inline void Compute(" + std::string(counted ? "int32_t count" : "") + ") {\n" +
          compute_body(variant, shape) + "  }\n";
  code += "  __aicore__ inline void CopyOut(" + where_count + ") {\n";
  if (!tiling.aligned && !variant.structure->reduces) code += copy_params;
  code += "    LocalTensor<" + stored + "> zOut = outQueueZ.DeQue<" + stored + ">();\n" +
          fill(shape.copy_out, {{'h', stored}}) + "    outQueueZ.FreeTensor(zOut);\n  }\n\n";
  code += " private:\n  TPipe pipe;\n";
  code += for_each_name(inputs, "  TQue<QuePosition::VECIN, 1> inQueue$V;\n");
  code += "  TQue<QuePosition::VECOUT, 1> outQueueZ;\n  TBuf<QuePosition::VECCALC> calcBuf;\n";
  code += "  GlobalTensor<" + stored + "> " + global_list(tensors) + ";\n";
  code += "  int32_t first;\n  int32_t last;\n};\n\n";
  code += "extern \"C\" __global__ __aicore__ void " + std::string(kEntryPoint) + "(" +
          comma_list(tensors, "GM_ADDR ") + ") {\n";
  code += "  KernelCustomOp op;\n  op.Init(" + comma_list(tensors, "") + ");\n  op.Process();\n}\n";
  return code;
}

}  // namespace kg::dataset
