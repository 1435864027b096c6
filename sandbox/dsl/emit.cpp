#include "sandbox/dsl/emit.h"

#include <cctype>

#include "sandbox/dsl/emit_text.h"
#include "sandbox/dsl/scalar_text.h"

namespace kg::sandbox::dsl {

void SourceText::add(const Form& form, const Code& code, int depth) {
  for (const Line& line : code.lines) {
    if (line.kind == Line::Kind::kText) {
      add(depth + line.depth, line.text, line.line);
      continue;
    }
    const auto rows = line.kind == Line::Kind::kVector
                          ? vector_text(form, line.step)
                          : copy_text(form, line.step.copy, line.kind == Line::Kind::kCopyIn);
    for (const std::string& row : rows) add(depth + line.depth, row, line.line);
  }
}

std::string parameters(const Form& form, const Code& code, const std::string& before, const std::string& after) {
  std::string text;
  for (const Parameter& parameter : form.checked.program.parameters)
    text += (text.empty() ? "" : ", ") + before + cpp_name(parameter.name) + after;
  if (code.uses_workspace) text += ", " + before + "workspace";
  return text;
}

void add_extents(SourceText& text, const Form& form, int depth, const std::string& qualifiers) {
  for (const auto& [name, value] : form.checked.extents)
    text.add(depth, qualifiers + (value > INT32_MAX ? "int64_t " : "int32_t ") + cpp_name(name) + " = " +
                        std::to_string(value) + ";");
}

void add_cumulative(SourceText& text) {
  for (const char* line : {
           "// result[i] = src[0] + .. + src[i], or the product. Each turn combines with what stands `shift` elements "
           "before; shifts of",
           "// less than a block of 32 bytes are gathered. `padded` holds eight neutral elements in front of the "
           "values.",
           "template <bool sum>",
           "__aicore__ inline void Cumulative(const LocalTensor<float>& result, const LocalTensor<float>& src,",
           "                                  const LocalTensor<uint32_t>& offsets, const LocalTensor<float>& padded,",
           "                                  const LocalTensor<float>& shifted, int32_t count) {",
           "  const int32_t blocks = (count + 7) / 8 * 8;",
           "  LocalTensor<float> values = padded[8];",
           "  Duplicate(padded, sum ? 0.0f : 1.0f, 8);",
           "  DataCopy(values, src, blocks);",
           "  for (int32_t shift = 1; shift < count; shift *= 2) {",
           "    if (shift < 8) {",
           "      Gather(shifted, padded, offsets, static_cast<uint32_t>((8 - shift) * 4), count);",
           "      if (sum) {",
           "        Add(values, values, shifted, count);",
           "      } else {",
           "        Mul(values, values, shifted, count);",
           "      }",
           "    } else {",
           "      DataCopy(shifted, values, blocks);",
           "      if (sum) {",
           "        Add(values[shift], values[shift], shifted, count - shift);",
           "      } else {",
           "        Mul(values[shift], values[shift], shifted, count - shift);",
           "      }",
           "    }",
           "  }",
           "  DataCopy(result, values, blocks);",
           "}",
           "",
       })
    text.add(0, line);
}

std::string operator_name(const std::string& kernel) {
  std::string name;
  bool upper = true;
  for (const char c : kernel) {
    if (c != '_') name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return name.empty() ? "Custom" : name;
}

namespace {

std::int64_t elements_of(const Parameter& parameter) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : parameter.shape) elements *= extent;
  return elements;
}

}  // namespace

Source emit_kernel(const Form& form, const Code& code, const std::string& entry_point, bool project) {
  SourceText text;
  const std::string kernel = operator_name(form.checked.program.name) + "Kernel";
  text.add(0, "#include \"kernel_operator.h\"");
  text.add(0, "");
  text.add(0, "using namespace AscendC;");
  text.add(0, "");
  if (code.uses_cumulative) add_cumulative(text);
  text.add(0, "class " + kernel + " {");
  text.add(0, " public:");
  text.add(1, "__aicore__ inline " + kernel + "() {}");
  text.add(1, "__aicore__ inline void Init(" + parameters(form, code, "GM_ADDR ", "") + ") {");
  for (const Parameter& parameter : form.checked.program.parameters)
    text.add(2,
             cpp_name(parameter.name) + "Gm.SetGlobalBuffer((__gm__ " + cpp_type(parameter.dtype) + "*)" +
                 cpp_name(parameter.name) + ", " + std::to_string(elements_of(parameter)) + ");",
             parameter.line);
  if (code.uses_workspace)
    text.add(2, "partials.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(workspace), " +
                    std::to_string(form.reductions * form.checked.launched * 8) + ");");
  const auto line_of = [&](const Tile& tile) { return form.steps[static_cast<std::size_t>(tile.first)].line; };
  for (const Tile& tile : form.tiles)
    if (tile.buffers > 0)
      text.add(2,
               "pipe.InitBuffer(" + tile.name + "Queue, " + std::to_string(tile.buffers) + ", " +
                   std::to_string(tile.bytes) + ");",
               line_of(tile));
  if (form.work_bytes > 0) text.add(2, "pipe.InitBuffer(workBuf, " + std::to_string(form.work_bytes) + ");");
  text.add(1, "}");
  text.add(1, "__aicore__ inline void Process() {");
  for (const Tile& tile : form.tiles)
    if (tile.home == Tile::Home::kWork && tile.bytes > 0 && tile.declared)
      text.add(2,
               "LocalTensor<" + cpp_type(tile.dtype) + "> " + tile.name + " = workBuf.GetWithOffset<" +
                   cpp_type(tile.dtype) + ">(" + std::to_string(tile.bytes / element_bytes(tile.dtype)) + ", " +
                   std::to_string(tile.offset) + ");",
               line_of(tile));
  text.add(form, code, 2);
  text.add(1, "}");
  text.add(0, "");
  text.add(0, " private:");
  add_extents(text, form, 1, "static constexpr ");
  text.add(1, "TPipe pipe;");
  for (const Tile& tile : form.tiles)
    if (tile.buffers > 0)
      text.add(1, std::string("TQue<QuePosition::") + (tile.home == Tile::Home::kIn ? "VECIN" : "VECOUT") + ", 1> " +
                      tile.name + "Queue;");
  if (form.work_bytes > 0) text.add(1, "TBuf<QuePosition::VECCALC> workBuf;");
  for (const Parameter& parameter : form.checked.program.parameters)
    text.add(1, "GlobalTensor<" + cpp_type(parameter.dtype) + "> " + cpp_name(parameter.name) + "Gm;");
  if (code.uses_workspace) text.add(1, "GlobalTensor<float> partials;");
  text.add(0, "};");
  text.add(0, "");
  const std::string rest = !project              ? ""
                           : code.uses_workspace ? ", GM_ADDR tiling"
                                                 : ", GM_ADDR workspace, GM_ADDR tiling";
  text.add(0, "extern \"C\" __global__ __aicore__ void " + entry_point + "(" + parameters(form, code, "GM_ADDR ", "") +
                  rest + ") {");
  if (project) {
    text.add(1, "GET_TILING_DATA(data, tiling);");
    text.add(1, "ASSERT(data.cores == " + std::to_string(form.checked.launched) + ");");
  }
  text.add(1, kernel + " op;");
  text.add(1, "op.Init(" + parameters(form, code, "", "") + ");");
  text.add(1, "op.Process();");
  text.add(0, "}");
  return text.take();
}

Source emit_compact(const Form& form, const Code& code, const std::string& entry_point) {
  SourceText text;
  text.add(0, "#include \"kernel_operator.h\"");
  text.add(0, "using namespace AscendC;");
  if (code.uses_cumulative) add_cumulative(text);
  std::string list;
  for (const Parameter& parameter : form.checked.program.parameters)
    list += (list.empty() ? "GM_ADDR p" : ", GM_ADDR p") + cpp_name(parameter.name);
  if (code.uses_workspace) list += ", GM_ADDR workspace";
  text.add(0, "extern \"C\" __global__ __aicore__ void " + entry_point + "(" + list + ") {");
  std::string extents;
  for (const auto& [name, value] : form.checked.extents)
    extents += (extents.empty() ? "" : ", ") + cpp_name(name) + " = " + std::to_string(value);
  if (!extents.empty())
    text.add(1, std::string("constexpr ") + (form.index64 ? "int64_t " : "int32_t ") + extents + ";");
  for (const Parameter& parameter : form.checked.program.parameters) {
    const std::string name = cpp_name(parameter.name), type = cpp_type(parameter.dtype);
    text.add(1,
             "GlobalTensor<" + type + "> " + name + "Gm; " + name + "Gm.SetGlobalBuffer((__gm__ " + type + "*)p" +
                 name + ");",
             parameter.line);
  }
  if (code.uses_workspace)
    text.add(1, "GlobalTensor<float> partials; partials.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(workspace));");
  text.add(1, "TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, " + std::to_string(form.work_bytes) + ");");
  for (const Tile& tile : form.tiles)
    if (tile.bytes > 0 && tile.declared)
      text.add(1,
               "auto " + tile.name + " = buf.GetWithOffset<" + cpp_type(tile.dtype) + ">(" +
                   std::to_string(tile.bytes / element_bytes(tile.dtype)) + ", " + std::to_string(tile.offset) + ");",
               form.steps[static_cast<std::size_t>(tile.first)].line);
  text.add(form, code, 1);
  text.add(0, "}");
  return text.take();
}

}  // namespace kg::sandbox::dsl
