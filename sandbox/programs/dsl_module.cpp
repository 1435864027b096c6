#include "sandbox/programs/dsl_module.h"

#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "proto/dtype.h"

namespace kg::sandbox {
namespace {

using nlohmann::json;

constexpr std::size_t kMostTensors = 24;  // limit for one operator

json call_of(const std::string& text) {
  json call = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return call.is_object() ? call : json::object();
}

// Takes the tensors in one list, inputs first: a call of the operator has as many arguments as there are.
std::string binding() {
  std::string text =
      "#include <torch/extension.h>\n#include <vector>\n#include \"pytorch_npu_helper.hpp\"\n\n"
      "void run(std::vector<at::Tensor> t) {\n  switch (t.size()) {\n";
  std::string arguments = "t[0]";
  for (std::size_t count = 2; count <= kMostTensors; ++count) {
    arguments += ", t[" + std::to_string(count - 1) + "]";
    text += "    case " + std::to_string(count) + ":\n      EXEC_NPU_CMD(aclnnCustomOp, " + arguments +
            ");\n      return;\n";
  }
  return text +
         "  }\n  TORCH_CHECK(false, \"too many tensors\");\n}\n\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { "
         "m.def(\"run\", &run); }\n";
}

std::string description(const proto::RunCase& run_case) {
  json outputs = json::array();
  for (const proto::TensorSpec& spec : run_case.outputs())
    outputs.push_back({{"name", spec.name()}, {"param_type", "required"}, {"type", {proto::dtype_name(spec.dtype())}}});
  return json::array({{{"op", "CustomOp"}, {"language", "cpp"}, {"output_desc", outputs}}}).dump();
}

// How forward's arguments contain the tensors: "a0", "a1[2]".
void find_tensors(const json& form, const std::string& place, std::map<int, std::string>& found) {
  if (!form.is_object()) return;
  if (form.contains("tensor")) found[form["tensor"].get<int>()] = place;
  for (const char* kind : {"list", "tuple"})
    if (form.contains(kind))
      for (std::size_t i = 0; i < form[kind].size(); ++i)
        find_tensors(form[kind][i], place + "[" + std::to_string(i) + "]", found);
}

// The class with the module's constructor and without its forward, as the import cut it out; it draws the same weights.
std::string class_of(const json& call, bool wants_state) {
  const std::string frame = call.value("frame", "");
  if (wants_state && !frame.empty()) return frame;
  return "class ModelNew(nn.Module):\n    def __init__(self, *arguments):\n        super().__init__()\n";
}

std::string model(const dsl::Lowered& lowered, const proto::RunCase& run_case) {
  const json call = call_of(run_case.call()), state = call.value("state", json::array());
  const json arguments = call.value("arguments", json::array());
  std::map<int, std::string> places;
  std::string head = "    def forward(self", list, returned;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    head += ", a" + std::to_string(i);
    find_tensors(arguments[i], "a" + std::to_string(i), places);
  }
  std::string body;
  const int inputs = run_case.inputs_size(), held = static_cast<int>(state.size());
  bool wants_state = false;
  for (const int tensor : lowered.tensors) {
    std::string text;
    if (tensor < inputs) {
      text = places[tensor];
    } else if (tensor < inputs + held) {
      text = "self." + state[static_cast<std::size_t>(tensor - inputs)].at("path").get<std::string>();
      wants_state = true;
    } else {
      const int output = tensor - inputs - held;
      const proto::TensorSpec& spec = run_case.outputs(output);
      text = "out" + std::to_string(output);
      std::string shape;
      for (const std::int64_t extent : spec.shape()) shape += std::to_string(extent) + ", ";
      body += "        " + text + " = torch.empty((" + shape + "), dtype=torch." + proto::dtype_name(spec.dtype()) +
              ", device=" + (places.empty() ? "'cpu'" : places.begin()->second + ".device") + ")\n";
      returned += (returned.empty() ? "" : ", ") + text;
    }
    list += (list.empty() ? "" : ", ") + text;
  }
  const bool several = run_case.outputs_size() > 1;
  return "import torch\nimport torch.nn as nn\nimport torch_npu\nimport custom_ops_lib\n\n" +
         class_of(call, wants_state) + "\n" + head + "):\n" + body + "        custom_ops_lib.run([" + list +
         "])\n        return " + (several ? "[" + returned + "]" : returned) + "\n";
}

}  // namespace

std::vector<dsl::TensorShape> module_state(const std::string& call) {
  std::vector<dsl::TensorShape> tensors;
  for (const json& one : call_of(call).value("state", json::array()))
    tensors.push_back({.dtype = proto::dtype_from_name(one.at("dtype")),
                       .shape = one.at("shape").get<std::vector<std::int64_t>>(),
                       .name = one.at("name"),
                       .optional = true});
  return tensors;
}

std::string module_answer(const dsl::Lowered& lowered, const proto::RunCase* run_case) {
  const proto::RunCase none;
  const proto::RunCase& given = run_case != nullptr ? *run_case : none;
  if (lowered.tensors.size() > kMostTensors)
    throw Error("the program has " + std::to_string(lowered.tensors.size()) + " parameters", "kernel.dsl",
                "a module's operator takes " + std::to_string(kMostTensors) + " at most");
  const auto text_of = [](const std::string& text) { return json(text).dump(); };
  std::map<std::string, std::string> parts;
  for (const dsl::ProjectPart& part : lowered.project) parts[part.path] = part.text;
  return "project_json_src = " + text_of(description(given)) +
         "\nhost_tiling_src = " + text_of(parts["op_host/custom_op_tiling.h"]) +
         "\nhost_operator_src = " + text_of(parts["op_host/custom_op.cpp"]) +
         "\nkernel_src = " + text_of(parts[kModuleKernel]) + "\npython_bind_src = " + text_of(binding()) +
         "\nmodel_src = " + text_of(model(lowered, given)) + "\n";
}

}  // namespace kg::sandbox
