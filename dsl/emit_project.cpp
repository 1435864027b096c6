#include "dsl/emit_project.h"

#include <cctype>

#include "dsl/emit.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {
namespace {

std::string ge_type(proto::DType dtype) {
  switch (dtype) {
    case proto::FLOAT32:
      return "ge::DT_FLOAT";
    case proto::FLOAT16:
      return "ge::DT_FLOAT16";
    case proto::BFLOAT16:
      return "ge::DT_BF16";
    case proto::INT8:
      return "ge::DT_INT8";
    case proto::UINT8:
      return "ge::DT_UINT8";
    case proto::INT16:
      return "ge::DT_INT16";
    case proto::INT32:
      return "ge::DT_INT32";
    case proto::INT64:
      return "ge::DT_INT64";
    default:
      return "ge::DT_BOOL";
  }
}

std::string snake_name(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isupper(letter) != 0 && !text.empty() && text.back() != '_') text += '_';
    text += static_cast<char>(std::tolower(letter));
  }
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string tiling_header(const Form& form, const std::string& type, const std::string& name) {
  const std::string guard = upper(name) + "_TILING_H";
  std::string text =
      "#ifndef " + guard + "\n#define " + guard + "\n#include \"register/tilingdata_base.h\"\n\nnamespace optiling {\n";
  text += "BEGIN_TILING_DATA_DEF(" + type + "TilingData)\n  TILING_DATA_FIELD_DEF(uint32_t, cores);\n";
  for (const auto& [extent, value] : form.checked.extents)
    text += "  TILING_DATA_FIELD_DEF(int64_t, " + cpp_name(extent) + ");\n";
  return text + "END_TILING_DATA_DEF;\n\nREGISTER_TILING_DATA_CLASS(" + type + ", " + type +
         "TilingData)\n}  // namespace optiling\n#endif\n";
}

std::string declared(const Parameter& parameter, const std::string& kind) {
  const std::string name = parameter.of_list.empty() ? parameter.name : parameter.of_list;
  const char* given = !parameter.of_list.empty() ? "DYNAMIC" : parameter.optional ? "OPTIONAL" : "REQUIRED";
  return "    this->" + kind + "(\"" + name + "\").ParamType(" + given + ").DataType({" + ge_type(parameter.dtype) +
         "}).Format({ge::FORMAT_ND}).UnknownShapeFormat({ge::FORMAT_ND});\n";
}

std::string host_source(const Form& form, const Code& code, const std::string& type, const std::string& name) {
  std::string text =
      "#include \"" + name +
      "_tiling.h\"\n#include \"register/op_def_registry.h\"\n#include \"tiling/platform/platform_ascendc.h\"\n\n";
  text += "namespace optiling {\nstatic ge::graphStatus TilingFunc(gert::TilingContext* context) {\n";
  text += "  // The kernel's tiles and buffers are those of these sizes.\n";
  int input = 0;
  std::string list;
  for (const Parameter& parameter : form.checked.program.parameters) {
    if (parameter.scratch) continue;
    if (parameter.is_input())
      text += "  if (context->GetInputShape(" + std::to_string(input++) +
              ")->GetStorageShape().GetShapeSize() != " + std::to_string(elements_of(parameter)) +
              ") {\n    return ge::GRAPH_FAILED;\n  }\n";
    if (parameter.place > 0) continue;
    if (parameter.is_input()) list += declared(parameter, "Input");
    if (parameter.output) list += declared(parameter, "Output");
  }
  text += "  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());\n";
  text += "  context->SetBlockDim(" + std::to_string(form.checked.blocks) + ");\n";
  text += "  " + type + "TilingData tiling;\n  tiling.set_cores(" + std::to_string(form.checked.blocks) + ");\n";
  for (const auto& [extent, value] : form.checked.extents)
    text += "  tiling.set_" + cpp_name(extent) + "(" + std::to_string(value) + ");\n";
  text +=
      "  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());\n"
      "  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());\n"
      "  size_t* workspace = context->GetWorkspaceSizes(1);\n  workspace[0] = platform.GetLibApiWorkSpaceSize()";
  if (code.uses_workspace) text += " + " + std::to_string(form.workspace_bytes());
  text += ";\n  return ge::GRAPH_SUCCESS;\n}\n}  // namespace optiling\n\nnamespace ops {\nclass " + type +
          " : public OpDef {\n public:\n";
  text += "  explicit " + type + "(const char* name) : OpDef(name) {\n" + list;
  text +=
      "    this->AICore().SetTiling(optiling::TilingFunc);\n    this->AICore().AddConfig(\"ascend910b\");\n  "
      "}\n};\nOP_ADD(" +
      type + ");\n}  // namespace ops\n";
  return text;
}

}  // namespace

Project emit_project(const Form& form, const Code& code, const std::string& kernel) {
  const std::string type = operator_name(kernel), name = snake_name(type);
  Source source = emit_kernel(form, code, name, /*project=*/true);
  return {.parts = {{"op_host/" + name + "_tiling.h", tiling_header(form, type, name)},
                    {"op_host/" + name + ".cpp", host_source(form, code, type, name)},
                    {"op_kernel/" + name + ".cpp", std::move(source.text)}},
          .lines = std::move(source.lines)};
}

}  // namespace kg::dsl
